"""Hits: what is kept of a verified match while others are still looked for.

Law: a hit holds numbers and names, never text, so that a term in every message of a large store
costs memory by the message and not by the megabyte.
"""

from collections.abc import Iterable, Mapping

import msgspec

from recense.core.recall.echo import is_echo
from recense.core.recall.predicate import Match
from recense.core.transcript.messages import Message, MessageKind
from recense.core.transcript.records import Session

Start = tuple[bool, int, str]
"""What sessions are ordered by: whether it is unknown when they began, when, and their id."""


class Hit(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A message in which a term matched. ``start`` is when its session began, as
    `recense.core.transcript.records.start_key` orders sessions; ``echo`` is as in
    `recense.core.recall.echo`.
    """

    start: Start
    session_id: str
    ordinal: int
    position: int
    turn: str
    kind: MessageKind
    at: int | None
    identity: bytes | None
    frequencies: tuple[int, ...]
    length: int
    echo: bool = False


class ScoredHit(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A hit and its score; ``support`` is the part of it that the rest of its turn gave."""

    hit: Hit
    score: float
    support: float = 0.0


def hit_of(message: Message, match: Match, session_id: str, start: Start) -> Hit:
    """Return the hit of a message that matched."""
    return Hit(
        start=start,
        session_id=session_id,
        ordinal=message.ordinal,
        position=message.position,
        turn=message.turn,
        kind=message.kind,
        at=message.at,
        identity=message.identity,
        frequencies=match.frequencies,
        length=match.length,
        echo=is_echo(message),
    )


def without_copies(hits: Iterable[Hit]) -> list[Hit]:
    """Return the hits in the given order, each identity once: in the session that began first."""
    given = list(hits)
    holders: dict[bytes, Start] = {}
    for hit in given:
        if hit.identity is not None:
            holder = holders.setdefault(hit.identity, hit.start)
            if hit.start < holder:
                holders[hit.identity] = hit.start
    return [hit for hit in given if hit.identity is None or holders[hit.identity] == hit.start]


def of_freshest_revisions(hits: Iterable[Hit], sessions: Mapping[str, Session]) -> list[Hit]:
    """Return the hits, of each family of edited and resent sessions those in the freshest session
    that hit: the one whose last event is the latest (of equals the larger id).

    ``sessions`` are the rows of the sessions by id; one that is not there is no family's.
    """
    by_session: dict[str, list[Hit]] = {}
    for hit in hits:
        by_session.setdefault(hit.session_id, []).append(hit)
    freshest: dict[str, str] = {}
    for session_id in by_session:
        session = sessions.get(session_id)
        root = session_id if session is None else session.revision_root or session_id
        rival = freshest.setdefault(root, session_id)
        freshest[root] = max(rival, session_id, key=lambda each: _freshness(each, sessions))
    return [hit for session_id in freshest.values() for hit in by_session[session_id]]


def in_order(scored: Iterable[ScoredHit]) -> list[ScoredHit]:
    """Return hits in the order of answers: echoes last; then score, then the later instant (none
    last), then place.
    """
    return sorted(scored, key=_order)


def best_of_each_turn(ranked: Iterable[ScoredHit]) -> list[ScoredHit]:
    """Return the first of each turn, in the given order: one anchor a turn."""
    first: dict[tuple[str, str], ScoredHit] = {}
    for scored in ranked:
        first.setdefault((scored.hit.session_id, scored.hit.turn), scored)
    return list(first.values())


def _order(scored: ScoredHit) -> tuple[bool, float, bool, int, str, int]:
    hit = scored.hit
    return (hit.echo, -scored.score, hit.at is None, -(hit.at or 0), hit.session_id, hit.ordinal)


def _freshness(session_id: str, sessions: Mapping[str, Session]) -> tuple[bool, int, str]:
    session = sessions.get(session_id)
    last = None if session is None else session.last_event_at
    return (last is not None, last or 0, session_id)
