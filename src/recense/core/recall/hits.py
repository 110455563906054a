"""Hits: what is kept of a verified match while others are still looked for.

Law: a hit holds numbers and names, never text, so that a term in every message of a large store
costs memory by the message and not by the megabyte.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from operator import attrgetter
from typing import Final

import msgspec

from recense.core.recall.echo import is_echo
from recense.core.recall.predicate import Match
from recense.core.transcript.messages import Message, MessageKind
from recense.core.transcript.records import Session

Start = tuple[bool, int, str]
"""What sessions are ordered by: whether it is unknown when they began, when, and their id."""


HitKey = tuple[str, int]
"""A hit by its session's id and its position there."""

_score: Final = attrgetter("score")


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
    identities = [hit.identity for hit in given if hit.identity is not None]
    if len(set(identities)) == len(identities):
        return given
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
    given = list(hits)
    freshest: dict[str, str] = {}
    older: set[str] = set()
    for session_id in {hit.session_id for hit in given}:
        session = sessions.get(session_id)
        root = session_id if session is None else session.revision_root or session_id
        rival = freshest.setdefault(root, session_id)
        freshest[root] = max(rival, session_id, key=lambda each: _freshness(each, sessions))
        older |= {rival, session_id} - {freshest[root]}
    return [hit for hit in given if hit.session_id not in older] if older else given


def in_order(scored: Iterable[ScoredHit]) -> list[ScoredHit]:
    """Return hits in the order of answers: echoes last; then score, then the later instant (none
    last), then place.
    """
    given = list(scored)
    echoes = [each for each in given if each.hit.echo]
    others = [each for each in given if not each.hit.echo] if echoes else given
    return [*_by_score(others), *_by_score(echoes)]


def best_of_each_turn(ranked: Iterable[ScoredHit]) -> Iterator[ScoredHit]:
    """Yield the first of each turn, in the given order: one anchor a turn."""
    seen: set[tuple[str, str]] = set()
    for scored in ranked:
        turn = (scored.hit.session_id, scored.hit.turn)
        if turn not in seen:
            seen.add(turn)
            yield scored


def key_of(hit: Hit) -> HitKey:
    """Return by what the figures of a hit are found."""
    return (hit.session_id, hit.position)


def order_of_equals(scored: ScoredHit) -> tuple[bool, int, str, int]:
    """Return what orders hits of equal scores: the later instant first, none last; then place."""
    hit = scored.hit
    return (hit.at is None, -(hit.at or 0), hit.session_id, hit.ordinal)


def _by_score(scored: list[ScoredHit]) -> Iterator[ScoredHit]:
    """Yield hits by score, those of equal scores by what comes after it."""
    # There may be a hit for every other message: what rarely decides is looked at where it does.
    scored.sort(key=_score, reverse=True)
    for _, equals in groupby(scored, key=_score):
        tied = list(equals)
        yield from sorted(tied, key=order_of_equals) if len(tied) > 1 else tied


def _freshness(session_id: str, sessions: Mapping[str, Session]) -> tuple[bool, int, str]:
    session = sessions.get(session_id)
    last = None if session is None else session.last_event_at
    return (last is not None, last or 0, session_id)
