"""Searching: from a query to its verified hits, one session in memory at a time.

Laws: everything is read from one snapshot; a private session is never read; every filter and the
excluded turn apply before anything is counted; the counts of the corpus are the stored ones of
the eligible sessions, never what was read. Which sessions are read is the candidates' matter and
changes neither hits nor counts.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import msgspec
from msgspec.structs import replace

from recense.core.recall.filters import is_at_or_below
from recense.core.recall.hits import Hit, hit_of, of_freshest_revisions, without_copies
from recense.core.recall.predicate import matching
from recense.core.transcript.messages import LoadedSession, Message, can_match
from recense.core.transcript.records import Origin, Session
from recense.operations.recall import Exclude
from recense.ports.search import CandidateSource
from recense.ports.transcripts import TranscriptReader
from recense.services.candidates import candidates
from recense.services.conversion import Load
from recense.services.naming import required_session, session_named
from recense.services.requests import Query


class Excluded(msgspec.Struct, frozen=True, kw_only=True):
    """A turn that must not come back, also where another session holds a copy of it."""

    session_id: str = ""
    turn: str = ""
    identities: frozenset[bytes] = frozenset()

    def covers(self, session_id: str, message: Message) -> bool:
        """Whether a message is of the turn, or a copy of one that is."""
        if message.identity is not None and message.identity in self.identities:
            return True
        return session_id == self.session_id and message.turn == self.turn


class Searched(msgspec.Struct, frozen=True, kw_only=True):
    """What a search found, and among what.

    ``eligible`` are the sessions that passed every filter, by start; ``rows`` are the rows by
    which those that may be read are loaded again, and ``completed`` the same sessions with what
    conversion in memory knows of them: whose sub-agent one is, among other things. ``left_out``
    counts sessions by the origin that kept them out, ``private`` those that a person hid. ``hits``
    are in the order of sessions and messages, copies once, of a family of revisions the freshest.
    """

    rows: Mapping[str, Session]
    completed: Mapping[str, Session]
    eligible: Sequence[Session]
    left_out: Mapping[Origin, int]
    private: int
    unconverted: int
    unsearched: int
    excluded: Excluded
    hits: Sequence[Hit]
    path: Literal["narrowed", "scan", "mixed"]


def search(
    reader: TranscriptReader, query: Query, load: Load, sources: Sequence[CandidateSource]
) -> Searched:
    """Return the verified hits of a query.

    Raises NotFound when the query names a session that is not there, and InvalidRequest when the
    name is that of several.
    """
    every_row = {row.session_id: slim(row) for row in reader.sessions()}
    rows = {name: row for name, row in every_row.items() if not row.private}
    excluded = excluded_turn(reader, rows, query.exclude, load)
    completed = dict(rows)
    eligible: dict[str, Session] = {}
    left_out: Counter[Origin] = Counter()
    hits: list[Hit] = []
    read: set[str] = set()
    unconverted = unsearched = 0
    starts = {session_id: start for start, session_id in enumerate(rows)}
    for row in named_rows(rows, query.session):
        session, loaded = row, None
        if row.converted_through < row.records:  # its workspace and origin may not be known yet
            loaded = load(reader, row)
            session = completed[row.session_id] = without_states(loaded.session)
        if not is_in_workspace(session, query.workspace):
            continue
        if not is_wanted(session.origin, query.origin):
            left_out[session.origin] += 1
            continue
        eligible[session.session_id] = session
        if loaded is not None:
            unconverted += loaded.unconverted
            unsearched += loaded.unsearched
            read.add(session.session_id)
            hits += _hits(loaded, starts[row.session_id], query, excluded)
    rest = [session for session in eligible.values() if session.session_id not in read]
    narrowed = candidates(reader, rest, query.folded_terms(), sources)
    for session in narrowed.sessions:
        loaded = load(reader, rows[session.session_id])
        hits += _hits(loaded, starts[session.session_id], query, excluded)
    return Searched(
        rows=rows,
        completed=completed,
        eligible=tuple(eligible.values()),
        left_out=left_out,
        private=len(every_row) - len(rows),
        unconverted=unconverted,
        unsearched=unsearched,
        excluded=excluded,
        hits=without_copies(of_freshest_revisions(hits, completed)),
        path="mixed" if read and narrowed.path == "narrowed" else narrowed.path,
    )


def readable_rows(reader: TranscriptReader) -> dict[str, Session]:
    """Return the rows of all sessions that recall may read, by id, in the order of their starts."""
    return {row.session_id: slim(row) for row in reader.sessions() if not row.private}


def excluded_turn(
    reader: TranscriptReader, rows: Mapping[str, Session], exclude: Exclude | None, load: Load
) -> Excluded:
    """Return the turn that a request excludes; one that is not there excludes nothing.

    An agent names the turn it is in, which may well not be imported yet.
    """
    row = None if exclude is None else session_named(rows.values(), exclude.session)
    if exclude is None or row is None:
        return Excluded()
    messages = load(reader, row).transcript.messages
    turn = exclude.turn
    if turn == "last":
        turn = messages[-1].turn if messages else ""
    return Excluded(
        session_id=row.session_id,
        turn=turn,
        identities=frozenset(
            message.identity
            for message in messages
            if message.turn == turn and message.identity is not None
        ),
    )


def _hits(loaded: LoadedSession, start: int, query: Query, excluded: Excluded) -> Iterator[Hit]:
    """Yield the hits of a session; filters that cost nothing come before the predicate."""
    session_id = loaded.session.session_id
    terms = query.folded_terms()
    for message in loaded.transcript.messages:
        if not can_match(message) or not query.period.holds(message.at):
            continue
        if excluded.covers(session_id, message):
            continue
        match = matching(message, terms)
        if match is not None:
            yield hit_of(message, match, session_id, start)


def named_rows(rows: Mapping[str, Session], name: str | None) -> Sequence[Session]:
    """Return the session that a request names, or all where it names none.

    Raises NotFound where it is not there, and InvalidRequest when the name is that of several.
    """
    if name is None:
        return list(rows.values())
    return [required_session(rows.values(), name)]


def is_in_workspace(session: Session, workspace: str | None) -> bool:
    """Whether a session is of the workspace that a request names, or of any where it names none."""
    if workspace is None:
        return True
    return session.workspace is not None and is_at_or_below(session.workspace, workspace)


def is_wanted(origin: Origin, asked: Origin | Literal["all"] | None) -> bool:
    """Whether a request wants sessions of an origin; see `RecallRequest`."""
    if asked is None:
        return origin not in {"subagent", "headless"}
    return asked in {"all", origin}


def slim(row: Session) -> Session:
    """Return a row without its states where no unfinished conversion needs them."""
    return without_states(row) if row.converted_through >= row.records else row


def without_states(row: Session) -> Session:
    """Return a row without the states of conversion: they are the largest part of it, and the rows
    of all sessions are in memory at once.
    """
    return replace(row, convert_state=b"", projection_state=b"")
