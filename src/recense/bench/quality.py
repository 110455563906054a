"""``recense bench quality``: does the right session, and the right message, come first?

Each question is asked of a memory that holds its own case, and of every baseline over the same
texts. Cases are asked in an order drawn from the seed; no figure depends on it.
"""

import os
import random
import tempfile
from collections import defaultdict
from collections.abc import Callable, Sequence

from recense.bench.asking import documents, memory_at, ranking, write_case
from recense.bench.baselines import BASELINES, Bm25
from recense.bench.locomo import read_locomo
from recense.bench.material import RetrievalSet, half_of, retrieval_folder
from recense.bench.measuring import Assertions, machine, row, versions
from recense.bench.memdaily import read_memdaily
from recense.bench.metrics import METRICS, Metric, mean, paired, standard_error
from recense.bench.requests import QualityRequest, SetName
from recense.bench.results import BenchResult, Row
from recense.core.values import Value
from recense.operations.admin import Progress

OURS = "recall"


class Answered(Value, kw_only=True):
    """One question's places that are right, and the ranking of each way of asking, ours first."""

    right: frozenset[str]
    rankings: dict[str, tuple[str, ...]]


def run_quality(request: QualityRequest, progress: Callable[[Progress], None]) -> BenchResult:
    """Ask one half or all of the sets named, and compare.

    Raises SourceUnreadable where the sets are not found, SourceUnrecognised where they are of
    another form.
    """
    folder = retrieval_folder(request.data, os.environ, os.getcwd())
    asserted = Assertions()
    rows: list[Row] = []
    for name in request.sets:
        retrieval_set = _read(name, folder)
        answered = ask_set(retrieval_set, request, asserted, progress)
        rows += rows_of(name, answered)
    return BenchResult(
        bench="quality",
        seed=request.seed,
        machine=machine(),
        versions=versions("bm25s", "pystemmer"),
        rows=tuple(rows),
        asserted=asserted.sentences(),
    )


def ask_set(
    retrieval_set: RetrievalSet,
    request: QualityRequest,
    asserted: Assertions,
    progress: Callable[[Progress], None],
) -> list[Answered]:
    """Return every question of the half, answered by us and by the baselines."""
    cases = list(half_of(retrieval_set.cases, request.half))
    asserted.hold(bool(cases), f"{retrieval_set.name} has cases in half {request.half!r}")
    random.Random(request.seed).shuffle(cases)
    total = sum(len(case.questions) for case in cases)
    finds = retrieval_set.finds
    answered: list[Answered] = []
    with tempfile.TemporaryDirectory() as empty:
        for case in cases:
            texts = documents(case, finds)
            indexes = {
                baseline.name: Bm25(texts, baseline.tokens)
                for baseline in BASELINES[retrieval_set.name]
            }
            with memory_at("memory:", empty) as memory:
                places = write_case(memory, case, asserted)
                for question in case.questions:
                    found = {OURS: tuple(ranking(memory, question.text, finds, places))}
                    for name, index in indexes.items():
                        found[name] = tuple(index.ranking(question.text))
                    answered.append(Answered(right=question.right, rankings=found))
                    progress(
                        Progress(
                            phase="searching",
                            done=len(answered),
                            total=total,
                            unit="questions",
                            label=retrieval_set.name,
                        )
                    )
    asserted.hold(len(answered) == total > 0, "every question was asked")
    asserted.hold(
        all(
            len(set(places)) == len(places)
            for each in answered
            for places in each.rankings.values()
        ),
        "no ranking names a place twice",
    )
    return answered


def rows_of(name: SetName, answered: Sequence[Answered]) -> list[Row]:
    """Return the rows of one set: ours, then the main baseline's, then those of the others."""
    main, *others = (baseline.name for baseline in BASELINES[name])
    scores: dict[str, dict[str, list[float]]] = defaultdict(dict)
    for way in (OURS, main, *others):
        for metric_name, metric in METRICS.items():
            scores[way][metric_name] = [
                metric.measure(each.rankings[way], each.right) for each in answered
            ]
    rows = [row(f"{name}.questions", "questions", [len(answered)])]
    rows += [
        _compared_row(f"{name}.{of}", metric, scores[OURS][of], scores[main][of], main)
        for of, metric in METRICS.items()
    ]
    prefixes = {main: "baseline", **{other: f"baseline.{other}" for other in others}}
    rows += [
        _mean_row(f"{prefix}.{name}.{of}", metric, scores[way][of])
        for way, prefix in prefixes.items()
        for of, metric in METRICS.items()
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


def _read(name: SetName, folder: str) -> RetrievalSet:
    match name:
        case "locomo":
            return read_locomo(folder)
        case "memdaily":
            return read_memdaily(folder)
