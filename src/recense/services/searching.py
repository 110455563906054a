"""Searching: from a query to its verified hits.

Laws: everything is read from one snapshot; a private session is never read; every filter and the
excluded turn apply before anything is counted; the counts of the corpus are the stored ones of
the eligible sessions, never what was read. Whether an index narrowed the search changes neither
hits nor counts: where it answers, its images are matched by the same predicate; where it does not,
sessions are read one at a time.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

import msgspec

from recense.core.recall.filters import ANY_TIME
from recense.core.recall.hits import Hit, Start, hit_of, of_freshest_revisions, without_copies
from recense.core.recall.predicate import image_frequencies, matching
from recense.core.transcript.messages import LoadedSession, Message, can_match
from recense.core.transcript.records import Origin, Session, start_key
from recense.core.transcript.totals import Totals, totals_of
from recense.operations.recall import Exclude
from recense.ports.index import IndexedMessages, MessageImage, VouchedSession
from recense.ports.search import CandidateSource
from recense.ports.transcripts import TranscriptReader
from recense.services.cancelling import IsCancelled, load_while_wanted, while_wanted
from recense.services.candidates import Candidates, candidates
from recense.services.conversion import Load
from recense.services.eligibility import Scope
from recense.services.naming import session_named
from recense.services.requests import Query
from recense.services.texts import Texts


class Excluded(msgspec.Struct, frozen=True, kw_only=True):
    """A turn that must not come back, also where another session holds a copy of it."""

    session_id: str = ""
    turn: str = ""
    identities: frozenset[bytes] = frozenset()

    def covers(self, session_id: str, message: Message | MessageImage) -> bool:
        """Whether a message is of the turn, or a copy of one that is."""
        if not self.session_id:
            return False
        if message.identity is not None and message.identity in self.identities:
            return True
        return session_id == self.session_id and message.turn == self.turn


class Searched(msgspec.Struct, frozen=True, kw_only=True):
    """What a search found, and among what.

    ``totals`` are of the sessions that passed every filter. ``sessions`` are those that hold hits
    and the ancestors of these, by id, without their states, with what conversion in memory knows of
    them. ``left_out`` counts sessions by the origin that kept them out, ``private`` those that a
    person hid. ``hits`` are each once, copies of one message once, of a family of
    revisions the freshest; ``texts`` has their texts.
    """

    totals: Totals
    sessions: Mapping[str, Session]
    left_out: Mapping[Origin, int]
    private: int
    unconverted: int
    unsearched: int
    excluded: Excluded
    hits: Sequence[Hit]
    texts: Texts
    path: Literal["narrowed", "scan", "mixed"]


def search(
    reader: TranscriptReader,
    query: Query,
    load: Load,
    index: IndexedMessages | None,
    sources: Sequence[CandidateSource],
    *,
    is_cancelled: IsCancelled,
) -> Searched:
    """Return the verified hits of a query: by the index where there is one, and by reading what it
    does not vouch for and the sources do not leave out.

    Raises NotFound when the query names a session that is not there, InvalidRequest when the name
    is that of several, Cancelled, and StoreCorrupt for damage of the index, among other faults of
    the store.
    """
    load = load_while_wanted(load, is_cancelled)
    scope = Scope(
        reader, load, session=query.session, workspace=query.workspace, origin=query.origin
    )
    texts = Texts(reader, load, index)
    excluded = excluded_turn(reader, texts, query.exclude, scope)
    hits: list[Hit] = []
    for loaded in scope.walk():
        hits += _hits(loaded, query, excluded)
    if index is None:
        rows = tuple(scope.settled_rows())
        settled = totals_of(rows)
    else:
        settled = scope.sum_settled()
        hits += _indexed_hits(index, scope, query, excluded, texts, is_cancelled=is_cancelled)
        rows = unvouched_sessions(reader, index, scope)
    narrowed = candidates(reader, rows, query.folded_terms(), sources, is_cancelled=is_cancelled)
    for row in narrowed.sessions:
        loaded = load(reader, row)
        scope.note(loaded)
        hits += _hits(loaded, query, excluded)
    sessions = _with_ancestors({hit.session_id for hit in hits}, scope)
    return Searched(
        totals=scope.totals(settled),
        sessions=sessions,
        left_out=scope.left_out,
        private=scope.private,
        unconverted=scope.unconverted,
        unsearched=scope.unsearched,
        excluded=excluded,
        hits=without_copies(of_freshest_revisions(hits, sessions)),
        texts=texts,
        path=_path(index, scope, narrowed),
    )


def _path(
    index: IndexedMessages | None, scope: Scope, read: Candidates
) -> Literal["narrowed", "scan", "mixed"]:
    """Return ``narrowed`` where an index or the sources left out what they could, ``mixed`` where
    sessions had to be read for want of one, and ``scan`` where nothing was left out.
    """
    if index is not None:
        return "mixed" if scope.waiting or read.sessions else "narrowed"
    return "mixed" if scope.waiting and read.path == "narrowed" else read.path


def excluded_turn(
    reader: TranscriptReader, texts: Texts, exclude: Exclude | None, scope: Scope
) -> Excluded:
    """Return the turn that a request excludes; one that is not there excludes nothing.

    An agent names the turn it is in, which may well not be imported yet.
    """
    if exclude is None:
        return Excluded()
    row = session_named(filter(scope.is_readable, reader.named(exclude.session)), exclude.session)
    if row is None:
        return Excluded()
    turn = texts.last_turn(row.session_id) if exclude.turn == "last" else exclude.turn
    if turn is None:
        return Excluded()
    identities = texts.identities_of_turn(row.session_id, turn)
    return Excluded(session_id=row.session_id, turn=turn, identities=identities)


def _hits(loaded: LoadedSession, query: Query, excluded: Excluded) -> Iterator[Hit]:
    """Yield the hits of a session; filters that cost nothing come before the predicate."""
    session = loaded.session
    start = start_key(session.created_at, session.session_id)
    terms = query.folded_terms()
    for message in loaded.transcript.messages:
        if not can_match(message) or not query.period.holds(message.at):
            continue
        if excluded.covers(session.session_id, message):
            continue
        match = matching(message, terms)
        if match is not None:
            yield hit_of(message, match, session.session_id, start)


def _indexed_hits(
    index: IndexedMessages,
    scope: Scope,
    query: Query,
    excluded: Excluded,
    texts: Texts,
    *,
    is_cancelled: IsCancelled,
) -> Iterator[Hit]:
    """Yield the hits of the sessions that the index answers for, in no particular order."""
    folded = query.folded_terms()
    terms = [term.encode() for term in folded]
    nothing = (0,) * len(terms)
    (only,) = terms if len(terms) == 1 else (None,)
    known: dict[int, _KnownSession | None] = {}
    holds = None if query.period == ANY_TIME else query.period.holds
    covers = excluded.covers if excluded.session_id else None
    turn = ""
    for number, image in while_wanted(index.offered(terms), is_cancelled):
        # A session is looked up for a match, and most of what grams name is none.
        if only is not None and image.redacted is None:
            frequencies = (image.image.count(only),)  # what `image_frequencies` says, at once
        else:
            frequencies = image_frequencies(image.image, image.redacted, terms)
        if frequencies == nothing and image.redacted is None:
            continue
        if not image.live or (holds is not None and not holds(image.at)):
            continue
        if number not in known:
            known[number] = _known(index, scope, number)
        session = known[number]
        if session is None or (covers is not None and covers(session.session_id, image)):
            continue
        length = image.length
        if not session.is_redaction_current:
            match = matching(texts.message(session.session_id, image.position), folded)
            frequencies = nothing if match is None else match.frequencies
            length = length if match is None else match.length
        if frequencies == nothing:
            continue
        # Half of all messages may be hits: what many have in common is kept once.
        turn = turn if image.turn == turn else image.turn
        yield Hit(
            start=session.start,
            session_id=session.session_id,
            ordinal=image.ordinal,
            position=image.position,
            turn=turn,
            kind=image.kind,
            at=image.at,
            identity=image.identity,
            frequencies=frequencies,
            length=length,
            echo=image.echo,
        )


class _KnownSession(msgspec.Struct, frozen=True, kw_only=True):
    """What hits of an eligible session have in common."""

    session_id: str
    start: Start
    is_redaction_current: bool


def _known(index: IndexedMessages, scope: Scope, number: int) -> _KnownSession | None:
    vouched = _eligible(index, scope, number)
    if vouched is None:
        return None
    session = vouched.session
    return _KnownSession(
        session_id=session.session_id,
        start=start_key(session.created_at, session.session_id),
        is_redaction_current=vouched.is_redaction_current,
    )


def offered_sessions(
    index: IndexedMessages,
    scope: Scope,
    folded_terms: Sequence[bytes],
    *,
    is_cancelled: IsCancelled,
) -> list[Session]:
    """Return the eligible sessions that the index answers for and of which it offers a message in
    which one of the terms occurs. Raises Cancelled.
    """
    numbers = {
        number
        for number, image in while_wanted(index.offered(folded_terms), is_cancelled)
        if image.live and any(term in image.image for term in folded_terms)
    }
    offered = [_eligible(index, scope, number) for number in sorted(numbers)]
    return [each.session for each in offered if each is not None]


def _eligible(index: IndexedMessages, scope: Scope, number: int) -> VouchedSession | None:
    vouched = index.vouched_number(number)
    return vouched if vouched is not None and scope.is_eligible(vouched.session) else None


def unvouched_sessions(
    reader: TranscriptReader, index: IndexedMessages, scope: Scope
) -> tuple[Session, ...]:
    """Return the eligible settled sessions for which the index does not answer, by start."""
    rows = [reader.outline(session_id) for session_id in index.unvouched()]
    eligible = [row for row in rows if row is not None and scope.is_eligible(row)]
    return tuple(sorted(eligible, key=lambda row: start_key(row.created_at, row.session_id)))


def _with_ancestors(names: Iterable[str], scope: Scope) -> dict[str, Session]:
    """Return sessions and the ancestors of sub-agents among them, by id."""
    found: dict[str, Session] = {}
    pending = list(names)
    while pending:
        name = pending.pop()
        session = None if name in found else scope.session_of(name)
        if session is not None:
            found[name] = session
            if session.origin == "subagent" and session.parent_session_id is not None:
                pending.append(session.parent_session_id)
    return found
