"""``recense bench cold``: how long until a fresh process has its first answer?

Each run is ``recense recall TERM --json`` in a process of its own, from its start to its end, with
a store of this run; ``_processor_ms`` is how long processors worked for it. Beside it, in an order
drawn from the seed: ``rg`` where it is installed, over the source files; Python that does nothing;
and Python that loads the engine's two libraries.
"""

import os
import random
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from recense.bench.asking import memory_at
from recense.bench.children import PYTHON, RECENSE, Children, Ended, decoded_as
from recense.bench.corpus import MadeCorpus, make_corpus, sessions_at
from recense.bench.measuring import Assertions, machine, row, versions
from recense.bench.peers import RG, ripgrep
from recense.bench.requests import ColdRequest
from recense.bench.results import BenchResult, Row
from recense.core.ids import split_anchor
from recense.core.transcript.records import session_id_of
from recense.operations.admin import Progress
from recense.operations.recall import RecallAnswer

FIRST_ANSWER_MS: Final = "first_answer_ms"
BY_PROCESSOR: Final = "first_answer_processor_ms"
PEAK_RSS_MB: Final = "peak_rss_mb"
RUNS: Final = 9
WATCHED_RUNS: Final = 3

_OURS: Final = "recense"
_PYTHON: Final = "python"
_LIBRARIES: Final = "python_apsw_msgspec"
_SOURCE: Final = "claude_code"


def run_cold(request: ColdRequest, progress: Callable[[Progress], None]) -> BenchResult:
    """Ask fresh processes for needles of a corpus made from the seed."""
    asserted = Assertions()
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "source")
        os.mkdir(source)
        corpus = make_corpus(source, seed=request.seed, sessions=sessions_at(request.scale))
        url = f"sqlite://{os.path.join(folder, 'recense.db')}"
        with memory_at(url, folder) as memory:
            memory.import_sessions(_SOURCE, [source], progress=progress)
        children = Children(url, folder, os.path.join(folder, "compiled"), os.environ)
        rows = _rows(children, corpus, request.seed, asserted, progress)
    return BenchResult(
        bench="cold",
        seed=request.seed,
        machine=machine(),
        versions=versions(),
        rows=(row("source_mb", "MB", [corpus.bytes / 1e6]), *rows),
        asserted=asserted.sentences(),
    )


def _rows(
    children: Children,
    corpus: MadeCorpus,
    seed: int,
    asserted: Assertions,
    progress: Callable[[Progress], None],
) -> list[Row]:
    ways = _ways(children, corpus.folder)
    dice = random.Random(seed)
    order = [(way, dice.randrange(len(corpus.needles))) for way in ways for _ in range(RUNS)]
    dice.shuffle(order)
    for run in ways.values():
        run(corpus.needles[0])  # what is compiled once, and read from disk once
    runs: dict[str, list[Ended]] = {way: [] for way in ways}
    for done, (way, number) in enumerate(order):
        progress(Progress(phase="searching", done=done, total=len(order), unit="runs", label=way))
        ended = ways[way](corpus.needles[number])
        runs[way].append(ended)
        if way == _OURS:
            _hold_found(ended.out, corpus, number, asserted)
        elif way == RG:
            asserted.hold(len(ended.out.splitlines()) == 1, "rg names the one file of a needle")
    peaks: list[float] = []
    for number in dice.choices(range(len(corpus.needles)), k=WATCHED_RUNS):
        watched = children.watched("recall", corpus.needles[number], "--json")
        _hold_found(watched.out, corpus, number, asserted)
        peaks.append(watched.peak_bytes / 1e6)
    ours = _times("", runs.pop(_OURS))
    theirs = {way: _times(f"{way}.", theirs) for way, theirs in runs.items()}
    beside = zip(ours, theirs[_LIBRARIES], strict=True)
    return [
        *(replace(a, baseline=_LIBRARIES, ratio=a.value / b.value) for a, b in beside),
        row(PEAK_RSS_MB, "MB", peaks),
        *(each for rows in theirs.values() for each in rows),
    ]


def _times(prefix: str, runs: Sequence[Ended]) -> list[Row]:
    return [
        row(f"{prefix}{FIRST_ANSWER_MS}", "ms", [run.took * 1_000 for run in runs]),
        row(f"{prefix}{BY_PROCESSOR}", "ms", [run.busy * 1_000 for run in runs]),
    ]


def _ways(children: Children, source: str) -> Mapping[str, Callable[[str], Ended]]:
    ways: dict[str, Callable[[str], Ended]] = {
        _OURS: lambda term: children.run([*RECENSE, "recall", term, "--json"]),
        _PYTHON: lambda _: children.run([PYTHON, "-c", "pass"]),
        _LIBRARIES: lambda _: children.run([PYTHON, "-c", "import apsw, msgspec"]),
    }
    files = ripgrep(source)
    if files is not None:
        ways[RG] = lambda term: children.run(files.words(term))
    return ways


def _hold_found(out: bytes, corpus: MadeCorpus, number: int, asserted: Assertions) -> None:
    """Assert that a process answered with the one message of a needle."""
    needle = corpus.needles[number]
    passages = decoded_as(RecallAnswer, out).passages
    asserted.hold(
        len(passages) == 1
        and split_anchor(passages[0].anchor)[0]
        == session_id_of(_SOURCE, list(corpus.messages)[number])
        and any(needle in each.text for each in passages[0].messages if each.is_anchor),
        "a fresh process finds a needle in the one message that holds it",
        needle,
    )
