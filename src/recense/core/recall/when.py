"""When: the rule by which the time phrases of a question reorder hits.

    score'(h) = score(h) · (1 + TIME_BONUS)   where a named period holds the instant of h
    score'(h) = score(h)                      elsewhere

Laws:

- Time reorders and never filters: every hit comes back, and no score falls.
- It speaks among hits of like score: a hit overtakes no other whose score is more than
  1 + TIME_BONUS times its own, and a hit without evidence (a score of 0) gains nothing.
- A hit without an instant gains nothing, and a near miss is a miss. Several periods that hold a hit
  give what one gives.
"""

from collections.abc import Iterable, Sequence
from math import inf, nextafter
from typing import Final

import msgspec

from recense.core.recall.filters import Period
from recense.core.recall.hits import ScoredHit, in_order
from recense.core.text.timephrase import TimePhrase

TIME_BONUS: Final = 0.5
"""What a named period adds to a score, as a part of it: a hit needs two thirds of the score of
another to pass it."""

_LARGEST: Final = nextafter(inf, 0.0)


def periods_of(phrases: Iterable[TimePhrase]) -> tuple[Period, ...]:
    """Return the distinct periods that phrases name, in their order."""
    named = (Period(since=phrase.since, until=phrase.until) for phrase in phrases)
    return tuple(dict.fromkeys(named))


def is_when(at: int | None, periods: Iterable[Period]) -> bool:
    """Whether an instant is known and one of the periods holds it."""
    return at is not None and any(period.holds(at) for period in periods)


def favour(ranked: Sequence[ScoredHit], periods: Sequence[Period]) -> list[ScoredHit]:
    """Return the ranked hits with what their instants add, in the order of answers.

    Without periods they come back as they are. What a hit gained is in its score and not in its
    support. Doing it twice adds twice.
    """
    if not periods:
        return list(ranked)
    return in_order(
        msgspec.structs.replace(scored, score=_raised(scored.score))
        if is_when(scored.hit.at, periods)
        else scored
        for scored in ranked
    )


def _raised(score: float) -> float:
    return max(score, min(score * (1 + TIME_BONUS), _LARGEST))
