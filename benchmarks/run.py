"""How fast Recense imports and recalls, beside the plainest method; see README.md here.

usage: python -m benchmarks.run [--scale K] [--seed N] [--json FILE]
"""

import argparse
import platform
import resource
import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter

import apsw
import msgspec

from benchmarks.corpus import Corpus, make_corpus
from recense.core.values import Value
from recense.operations.recall import RecallRequest
from recense.services.memory import Memory
from recense.wiring import open_url

SESSIONS = 200
TERMS = 12


class Row(Value, kw_only=True):
    """One figure: the median of its runs, beside a baseline of the same run where there is one."""

    name: str
    unit: str
    value: float
    runs: tuple[float, ...]
    baseline: str | None = None
    ratio: float | None = None


class Result(Value, kw_only=True):
    """What a run of the benchmarks found."""

    bench: str
    seed: int
    machine: str
    versions: dict[str, str]
    rows: tuple[Row, ...]
    asserted: tuple[str, ...]


def main() -> int:
    """Run both benchmarks, print their rows and save the JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--json", type=Path, default=Path(__file__).parent / "results.json")
    options = parser.parse_args()
    sessions = max(TERMS, round(SESSIONS * options.scale))
    with tempfile.TemporaryDirectory() as named:
        folder = Path(named)
        source = folder / "source"
        source.mkdir()
        corpus = make_corpus(source, seed=options.seed, sessions=sessions)
        sys.stderr.write(f"corpus: {sessions} sessions, {corpus.bytes / 1e6:.1f} MB\n")
        with open_url(f"sqlite://{folder / 'recense.db'}") as memory:
            imported, import_asserted = import_rows(memory, corpus)
            recalled, recall_asserted = recall_rows(memory, corpus)
        store = sum(path.stat().st_size for path in folder.glob("recense.db*"))
    result = Result(
        bench="import+recall",
        seed=options.seed,
        machine=f"{platform.machine()} {platform.system()}",
        versions={
            "python": platform.python_version(),
            "sqlite": apsw.sqlite_lib_version(),
        },
        rows=(*imported, _row("store_bytes_per_byte", "×", [store / corpus.bytes]), *recalled),
        asserted=(*import_asserted, *recall_asserted),
    )
    for row in result.rows:
        beside = "" if row.ratio is None else f"   {row.ratio:.2f} × {row.baseline}"
        sys.stdout.write(f"{row.name:24} {row.value:10.2f} {row.unit}{beside}\n")
    options.json.write_bytes(msgspec.json.format(msgspec.json.encode(result)) + b"\n")
    sys.stderr.write(f"saved {options.json}\n")
    return 0


def import_rows(memory: Memory, corpus: Corpus) -> tuple[tuple[Row, ...], tuple[str, ...]]:
    """Import the corpus in its two steps, then again; assert that all of it arrived, once."""
    paths = [str(corpus.folder)]
    archiving = _seconds(lambda: memory.import_sessions("claude_code", paths, archive_only=True))
    converting = _seconds(memory.convert)
    again: list[float] = []
    for _ in range(5):
        began = perf_counter()
        report = memory.import_sessions("claude_code", paths)
        again.append((perf_counter() - began) * 1_000)
        assert report.messages_new == 0
    held = memory.doctor()
    assert held.ok
    assert held.counts["messages"] == corpus.messages
    megabytes = corpus.bytes / 1e6
    return (
        _row("archive_mb_s", "MB/s", [megabytes / archiving]),
        _row("convert_mb_s", "MB/s", [megabytes / converting]),
        _row("import_unchanged_ms", "ms", again),
        _row("peak_rss_mb", "MB", [resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]),
    ), (
        f"all {corpus.messages} messages arrived once",
        "a second import found nothing new",
        "the store is whole",
    )


def recall_rows(memory: Memory, corpus: Corpus) -> tuple[tuple[Row, ...], tuple[str, ...]]:
    """Ask for terms of each sort by full scan, and find the same bytes in the files."""
    half = len(corpus.needles) // 2
    kinds: dict[str, Sequence[str]] = {
        "selective_ascii": corpus.needles[half : half + TERMS],
        "selective_cjk": corpus.han_needles[half : half + TERMS],
        "half_corpus": [corpus.frequent] * 3,
        "no_match": ["nowhereatall"] * 3,
    }
    rows: list[Row] = []
    for name, terms in kinds.items():
        ours = [_recall_ms(memory, name, term) for term in terms]
        plain = [_plain_ms(corpus, term) for term in terms]
        ratio = statistics.median(ours) / statistics.median(plain)
        rows.append(_row(f"full_scan.{name}", "ms", ours, baseline="plain_bytes", ratio=ratio))
        rows.append(_row(f"plain_bytes.{name}", "ms", plain))
    return tuple(rows), ("every needle was found first, in one message", "no_match hit nothing")


def _recall_ms(memory: Memory, name: str, term: str) -> float:
    began = perf_counter()
    answer = memory.recall(RecallRequest(terms=(term,)))
    elapsed_ms = (perf_counter() - began) * 1_000
    if name.startswith("selective"):
        anchors = [each for each in answer.passages[0].messages if each.is_anchor]
        assert len(answer.passages) == 1
        assert term in anchors[0].text
    elif name == "no_match":
        assert answer.passages == ()
    else:
        assert len(answer.passages) == 8
    return elapsed_ms


def _plain_ms(corpus: Corpus, term: str) -> float:
    """Return how long it takes to read every file and look for the term's bytes."""
    began = perf_counter()
    sought = term.encode()
    found = sum(sought in path.read_bytes() for path in corpus.folder.iterdir())
    elapsed_ms = (perf_counter() - began) * 1_000
    assert (found > 0) == (term != "nowhereatall")
    return elapsed_ms


def _seconds(work: Callable[[], object]) -> float:
    began = perf_counter()
    work()
    return perf_counter() - began


def _row(
    name: str,
    unit: str,
    runs: Sequence[float],
    *,
    baseline: str | None = None,
    ratio: float | None = None,
) -> Row:
    return Row(
        name=name,
        unit=unit,
        value=statistics.median(runs),
        runs=tuple(runs),
        baseline=baseline,
        ratio=ratio,
    )


if __name__ == "__main__":
    sys.exit(main())
