"""Rankings of the same questions, scored and compared: the rows of quality and of needles."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from recense.bench.metrics import METRICS, Metric, mean, paired, standard_error
from recense.bench.results import Row
from recense.core.values import Value

OURS: Final = "recall"


class Answered(Value, kw_only=True):
    """One question's places that are right, and the ranking of each way of asking, ours first."""

    right: frozenset[str]
    rankings: dict[str, tuple[str, ...]]


def scored_rows(
    name: str,
    answered: Sequence[Answered],
    baselines: Sequence[str],
    metrics: Mapping[str, Metric] = METRICS,
) -> list[Row]:
    """Return the rows of some questions: ours, then the first baseline's, then those of the others.

    Ours stand beside the first baseline, whose rows begin with ``baseline.``; those of another with
    ``baseline.`` and its name.
    """
    main, *others = baselines
    scores: dict[str, dict[str, list[float]]] = defaultdict(dict)
    for way in (OURS, main, *others):
        for metric_name, metric in metrics.items():
            scores[way][metric_name] = [
                metric.measure(each.rankings[way], each.right) for each in answered
            ]
    rows = [
        _compared_row(f"{name}.{of}", metric, scores[OURS][of], scores[main][of], main)
        for of, metric in metrics.items()
    ]
    prefixes = {main: "baseline", **{other: f"baseline.{other}" for other in others}}
    rows += [
        _mean_row(f"{prefix}.{name}.{of}", metric, scores[way][of])
        for way, prefix in prefixes.items()
        for of, metric in metrics.items()
    ]
    return rows


def _mean_row(name: str, metric: Metric, scores: Sequence[float]) -> Row:
    value = metric.factor * mean(scores)
    return Row(
        name=name,
        unit=metric.unit,
        value=value,
        runs=(value,),
        standard_error=metric.factor * standard_error(scores),
    )


def _compared_row(
    name: str, metric: Metric, ours: Sequence[float], theirs: Sequence[float], baseline: str
) -> Row:
    value, beside = metric.factor * mean(ours), metric.factor * mean(theirs)
    return Row(
        name=name,
        unit=metric.unit,
        value=value,
        runs=(value,),
        baseline=baseline,
        ratio=value / beside if beside else None,
        standard_error=metric.factor * standard_error(ours),
        paired=paired(ours, theirs, factor=metric.factor),
    )
