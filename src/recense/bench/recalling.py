"""``recense bench recall``: how long do rare, frequent and absent terms take?

Beside it, in the same run, is the plainest method there is: reading every source file and looking
for the bytes of the term.
"""

import os
import random
import statistics
import tempfile
from collections.abc import Callable, Sequence
from typing import Final

from recense.bench.asking import memory_at
from recense.bench.corpus import FREQUENT, MadeCorpus, make_corpus, sessions_at
from recense.bench.measuring import Assertions, machine, row, seconds, versions
from recense.bench.requests import SpeedRequest
from recense.bench.results import BenchResult, Row
from recense.limits import PASSAGES_DEFAULT
from recense.operations.admin import Progress
from recense.operations.recall import RecallRequest
from recense.services.memory import Memory

PLAIN_BYTES: Final = "plain_bytes"
SELECTIVE_TERMS: Final = 12
OTHER_RUNS: Final = 3
ABSENT: Final = "nowhereatall"


def run_speed(request: SpeedRequest, progress: Callable[[Progress], None]) -> BenchResult:
    """Ask for terms of each sort in a corpus made from the seed, in an order drawn from it."""
    asserted = Assertions()
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "source")
        os.mkdir(source)
        corpus = make_corpus(source, seed=request.seed, sessions=sessions_at(request.scale))
        with memory_at(f"sqlite://{os.path.join(folder, 'recense.db')}", folder) as memory:
            memory.import_sessions("claude_code", [source], progress=progress)
            rows = _rows(memory, corpus, request.seed, asserted, progress)
    return BenchResult(
        bench="recall",
        seed=request.seed,
        machine=machine(),
        versions=versions(),
        rows=tuple(rows),
        asserted=asserted.sentences(),
    )


def _rows(
    memory: Memory,
    corpus: MadeCorpus,
    seed: int,
    asserted: Assertions,
    progress: Callable[[Progress], None],
) -> list[Row]:
    dice = random.Random(seed)
    picked = dice.sample(range(len(corpus.needles)), min(SELECTIVE_TERMS, len(corpus.needles)))
    terms: dict[str, Sequence[str]] = {
        "selective_ascii": [corpus.needles[index] for index in picked],
        "selective_cjk": [corpus.han_needles[index] for index in picked],
        "half_corpus": [FREQUENT] * OTHER_RUNS,
        "no_match": [ABSENT] * OTHER_RUNS,
    }
    order = [(name, term) for name, of in terms.items() for term in of]
    dice.shuffle(order)
    ours: dict[str, list[float]] = {name: [] for name in terms}
    plain: dict[str, list[float]] = {name: [] for name in terms}
    for done, (name, term) in enumerate(order):
        progress(Progress(phase="searching", done=done, total=len(order), unit="terms", label=name))
        ours[name].append(_recall_ms(memory, name, term, asserted))
        plain[name].append(_plain_ms(corpus, term, asserted))
    rows: list[Row] = []
    for name in terms:
        ratio = statistics.median(ours[name]) / statistics.median(plain[name])
        rows.append(row(name, "ms", ours[name], baseline=PLAIN_BYTES, ratio=ratio))
        rows.append(row(f"{PLAIN_BYTES}.{name}", "ms", plain[name]))
    return rows


def _recall_ms(memory: Memory, name: str, term: str, asserted: Assertions) -> float:
    answer, took = seconds(lambda: memory.recall(RecallRequest(terms=(term,))))
    anchors = [each for passage in answer.passages for each in passage.messages if each.is_anchor]
    if name.startswith("selective"):
        asserted.hold(
            len(anchors) == 1 and term in anchors[0].text,
            "a needle is found in the one message that holds it",
            term,
        )
    elif name == "no_match":
        asserted.hold(not anchors, "an absent word is not found")
    else:
        asserted.hold(
            len(anchors) == PASSAGES_DEFAULT and all(term in each.text for each in anchors),
            "a frequent word fills the answer",
        )
    return took * 1_000


def _plain_ms(corpus: MadeCorpus, term: str, asserted: Assertions) -> float:
    """Return how long it takes to read every file and look for the bytes of a term."""
    sought = term.encode()

    def look() -> int:
        found = 0
        for entry in os.scandir(corpus.folder):
            with open(entry.path, "rb") as file:
                found += sought in file.read()
        return found

    found, took = seconds(look)
    asserted.hold((found > 0) == (term != ABSENT), "the plain method finds what is there")
    return took * 1_000
