"""Searching: from a query to its verified hits, one session in memory at a time.

Laws: everything is read from one snapshot; a private session is never read; every filter and the
excluded turn apply before anything is counted; the counts of the corpus are the stored ones of
the eligible sessions, never what was read. Which sessions are read is the candidates' matter and
changes neither hits nor counts.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import msgspec

from recense.core.recall.hits import Hit, hit_of, of_freshest_revisions, without_copies
from recense.core.recall.predicate import matching
from recense.core.transcript.messages import LoadedSession, Message, can_match
from recense.core.transcript.records import Origin, Session
from recense.operations.recall import Exclude
from recense.ports.search import CandidateSource
from recense.ports.transcripts import TranscriptReader
from recense.services.candidates import candidates
from recense.services.conversion import Load
from recense.services.eligibility import Scope
from recense.services.naming import session_named
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
    scope = Scope(
        reader, load, session=query.session, workspace=query.workspace, origin=query.origin
    )
    excluded = excluded_turn(reader, scope.rows, query.exclude, load)
    starts = {session_id: start for start, session_id in enumerate(scope.rows)}
    hits: list[Hit] = []
    for loaded in scope.walk():
        hits += _hits(loaded, starts[loaded.session.session_id], query, excluded)
    rest = [session for name, session in scope.eligible.items() if name not in scope.read]
    narrowed = candidates(reader, rest, query.folded_terms(), sources)
    for session in narrowed.sessions:
        loaded = load(reader, scope.rows[session.session_id])
        scope.note(loaded)
        hits += _hits(loaded, starts[session.session_id], query, excluded)
    return Searched(
        rows=scope.rows,
        completed=scope.completed,
        eligible=tuple(scope.eligible.values()),
        left_out=scope.left_out,
        private=scope.private,
        unconverted=scope.unconverted,
        unsearched=scope.unsearched,
        excluded=excluded,
        hits=without_copies(of_freshest_revisions(hits, scope.completed)),
        path="mixed" if scope.read and narrowed.path == "narrowed" else narrowed.path,
    )


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
