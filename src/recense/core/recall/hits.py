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


class Hit(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A message in which a term matched. ``start`` ranks its session by when it began, from 0;
    ``echo`` is as in `recense.core.recall.echo`.
    """

    start: int
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


def hit_of(message: Message, match: Match, session_id: str, start: int) -> Hit:
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
    """Return the hits by (start, ordinal), each identity once: in the session that began first."""
    by_place = sorted(hits, key=lambda hit: (hit.start, hit.ordinal))
    holders: dict[bytes, int] = {}
    for hit in by_place:
        if hit.identity is not None:
            holders.setdefault(hit.identity, hit.start)
    return [hit for hit in by_place if hit.identity is None or holders[hit.identity] == hit.start]


def of_freshest_revisions(hits: Iterable[Hit], sessions: Mapping[str, Session]) -> list[Hit]:
    """Return the hits, of each family of edited and resent sessions those in the freshest session
    that hit: the one whose last event is the latest (of equals the larger id).

    ``sessions`` are the rows of the sessions by id; one that is not there is no family's.
    """
    by_family: dict[str, dict[str, list[Hit]]] = {}
    for hit in hits:
        session = sessions.get(hit.session_id)
        root = hit.session_id if session is None else session.revision_root or hit.session_id
        by_family.setdefault(root, {}).setdefault(hit.session_id, []).append(hit)
    return [
        hit
        for members in by_family.values()
        for hit in members[max(members, key=lambda each: _freshness(each, sessions))]
    ]


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
