"""How well a ranking answers a question, and how far a mean over questions can be trusted.

A ranking lists places, best first, each once.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from recense.bench.results import Paired
from recense.core.values import Value

Measure = Callable[[Sequence[str], AbstractSet[str]], float]
"""Says how well a ranking finds what is right: 0 to 1."""


def hit_at(count: int) -> Measure:
    """Return the measure that is 1 when something right is among the first ``count``, else 0."""
    return lambda ranking, right: float(not right.isdisjoint(ranking[:count]))


def recall_at(count: int) -> Measure:
    """Return the measure that is the share of what is right among the first ``count``."""
    return lambda ranking, right: len(right & set(ranking[:count])) / len(right)


def reciprocal_rank(ranking: Sequence[str], right: AbstractSet[str]) -> float:
    """Return 1 / the rank of the first place that is right, 0 where there is none."""
    return next((1 / rank for rank, place in enumerate(ranking, 1) if place in right), 0.0)


class Metric(Value, kw_only=True):
    """A measure, and how its mean is written: ``factor`` times, in ``unit``."""

    measure: Measure
    factor: float
    unit: str


METRICS: Final[Mapping[str, Metric]] = {
    "hit@1": Metric(measure=hit_at(1), factor=100, unit="%"),
    "hit@5": Metric(measure=hit_at(5), factor=100, unit="%"),
    "hit@10": Metric(measure=hit_at(10), factor=100, unit="%"),
    "mrr": Metric(measure=reciprocal_rank, factor=1, unit=""),
    "recall@5": Metric(measure=recall_at(5), factor=100, unit="%"),
}
"""By the name that rows bear after that of the set."""


def mean(scores: Sequence[float]) -> float:
    """Return the mean of at least one score."""
    return math.fsum(scores) / len(scores)


def standard_error(scores: Sequence[float]) -> float:
    """Return the standard error of the mean of at least one score: s / √n, with s² = Σ(x − x̄)² /
    (n − 1), and 0 for one score.
    """
    count = len(scores)
    if count == 1:
        return 0.0
    centre = mean(scores)
    return math.sqrt(math.fsum((x - centre) ** 2 for x in scores) / (count - 1) / count)


def paired(ours: Sequence[float], theirs: Sequence[float], *, factor: float) -> Paired:
    """Return how two lists of scores on the same questions compare, question by question."""
    differences = [a - b for a, b in zip(ours, theirs, strict=True)]
    return Paired(
        won=sum(each > 0 for each in differences),
        lost=sum(each < 0 for each in differences),
        equal=sum(each == 0 for each in differences),
        difference=factor * mean(differences),
        standard_error=factor * standard_error(differences),
    )
