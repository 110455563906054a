"""``recense bench quality``: does the right session, and the right message, come first?

Each question is asked of a memory that holds its own case, and of every baseline over the same
texts. Cases are asked in an order drawn from the seed; no figure depends on it.
"""

import os
import random
import tempfile
from collections.abc import Callable, Sequence

from recense.bench.asking import documents, memory_at, ranking, write_case
from recense.bench.baselines import BASELINES, Bm25
from recense.bench.locomo import read_locomo
from recense.bench.material import RetrievalSet, half_of, retrieval_folder
from recense.bench.measuring import Assertions, machine, row, versions
from recense.bench.memdaily import read_memdaily
from recense.bench.requests import QualityRequest, SetName
from recense.bench.results import BenchResult, Row
from recense.bench.scoring import OURS, Answered, scored_rows
from recense.operations.admin import Progress


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
    baselines = [baseline.name for baseline in BASELINES[name]]
    return [
        row(f"{name}.questions", "questions", [len(answered)]),
        *scored_rows(name, answered, baselines),
    ]


def _read(name: SetName, folder: str) -> RetrievalSet:
    match name:
        case "locomo":
            return read_locomo(folder)
        case "memdaily":
            return read_memdaily(folder)
