"""``recense bench import``: how fast, in how much memory and on how much disk?

Sessions are archived, then converted; imported again unchanged; and one long session grows a
hundred times by ten lines. What came in is compared with what was written before a figure is
reported. Beside it, on the same files in the same run: reading and decoding every line, and putting
every line into a table of SQLite as it is.

Speeds are by the clock (``_mb_s``) and by the time that the processor spent
(``_mb_per_processor_s``), which a machine with other work disturbs less. Those of ``archive`` and
``convert`` are in bytes of source, ``visible`` is the same conversion, indexing with it, in bytes
of visible text.
"""

import os
import random
import resource
import sqlite3
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from time import process_time
from typing import Final

import msgspec
from msgspec.structs import replace

from recense.bench.asking import memory_at
from recense.bench.corpus import MadeCorpus, SessionWriter, lines_of, make_corpus, sessions_at
from recense.bench.corpus_texts import MadeTexts
from recense.bench.kept import kept_messages, opened
from recense.bench.measuring import Assertions, machine, row, seconds, versions
from recense.bench.requests import ImportRequest
from recense.bench.results import BenchResult, Row
from recense.core.transcript.records import session_id_of
from recense.errors import SourceUnreadable
from recense.limits import PAGE_RECORDS_MAX
from recense.operations.admin import Progress
from recense.operations.recall import RecallRequest
from recense.services.memory import Memory

SOURCE: Final = "claude_code"

SOURCE_MB: Final = "source_mb"
READ_AND_DECODE: Final = "read_and_decode"
SQLITE_INSERT: Final = "sqlite_insert"
COMPARED: Final = {"archive": SQLITE_INSERT, "convert": READ_AND_DECODE}
"""The baseline of each step."""

BY_CLOCK: Final = "_mb_s"
BY_PROCESSOR: Final = "_mb_per_processor_s"

BASELINE_RUNS: Final = 3
UNCHANGED_RUNS: Final = 5
APPENDS: Final = 100
APPENDED_LINES: Final = 10
COMPARED_APPENDS: Final = 20
"""How many of the first and of the last appends are compared."""

NEEDLES_ASKED: Final = 3
"""Needles that are asked for: each costs a look at the whole corpus."""

Report = Callable[[Progress], None]

_BYTES_PER_MB: Final = 1e6
_LONG_SESSION_LINES: Final = 1_000


def run_import(request: ImportRequest, progress: Report) -> BenchResult:
    """Import a made corpus, or the folder that the request names.

    Raises SourceUnreadable for a folder that does not exist.
    """
    if request.real is not None and not os.path.isdir(request.real):
        raise SourceUnreadable(
            f"there is no folder {request.real!r}", hint="name one that holds session files"
        )
    asserted = Assertions()
    name = SOURCE if request.real is None else None
    with tempfile.TemporaryDirectory() as folder:
        source = request.real or os.path.join(folder, "source")
        store = os.path.join(folder, "store")
        os.mkdir(store)
        url = f"sqlite://{os.path.join(store, 'recense.db')}"
        corpus: MadeCorpus | None = None
        if request.real is None:
            os.mkdir(source)
            sessions = sessions_at(request.scale)
            corpus = make_corpus(source, seed=request.seed, sessions=sessions)
        with memory_at(url, folder) as memory:
            rows = _import_rows(memory, name, source, asserted, progress)
            if corpus is not None:
                _compare(memory, corpus, asserted)
        rows += _visible_rows(rows, os.path.join(store, "recense.db"))
        # Closed, since an open store keeps a log beside it that does not grow with what is kept.
        source_bytes = next(each.value for each in rows if each.name == SOURCE_MB) * _BYTES_PER_MB
        rows.append(row("store_bytes_per_byte", "x", [_bytes_in(store) / source_bytes]))
        if corpus is not None:
            with memory_at(url, folder) as memory:
                rows += _append_rows(memory, folder, request.seed, asserted)
        rows = _beside_baselines(rows, _session_files(source), folder, request.seed)
    return BenchResult(
        bench="import",
        seed=request.seed,
        machine=machine(),
        versions=versions(),
        rows=tuple(rows),
        asserted=asserted.sentences(),
    )


def _import_rows(
    memory: Memory,
    name: str | None,
    source: str,
    asserted: Assertions,
    progress: Report,
) -> list[Row]:
    """Import in two steps, then again unchanged. Speeds are in source bytes that were read."""
    busy = [process_time()]
    archived, archiving = seconds(
        lambda: memory.import_sessions(name, [source], archive_only=True, progress=progress)
    )
    busy.append(process_time())
    converted, converting = seconds(lambda: memory.convert(progress))
    busy.append(process_time())
    peak_mb = _peak_rss_mb()
    megabytes = sum(each.bytes for each in archived.sources) / _BYTES_PER_MB
    asserted.hold(converted.messages_new > 0, "the import found messages")
    again: list[float] = []
    for _ in range(UNCHANGED_RUNS):
        second, took = seconds(lambda: memory.import_sessions(name, [source]))
        again.append(took * 1_000)
        asserted.hold(
            second.messages_new == 0 and second.sessions_new == 0,
            "a second import of unchanged files finds nothing new",
        )
    faults = {check.name for check in memory.doctor().checks if check.fix or not check.ok}
    asserted.hold(
        faults.isdisjoint({"store_integrity", "conversion", "index"}),
        "the store is whole, and all of it is converted and indexed",
        ", ".join(sorted(faults)),
    )
    asserted.hold(name is None or "imports" not in faults, "no made file failed to import")
    return [
        row(SOURCE_MB, "MB", [megabytes]),
        row(f"archive{BY_CLOCK}", "MB/s", [megabytes / archiving]),
        row(f"archive{BY_PROCESSOR}", "MB/s", [megabytes / (busy[1] - busy[0])]),
        row(f"convert{BY_CLOCK}", "MB/s", [megabytes / converting]),
        row(f"convert{BY_PROCESSOR}", "MB/s", [megabytes / (busy[2] - busy[1])]),
        row("peak_rss_mb", "MB", [peak_mb]),
        row("import_unchanged_ms", "ms", again),
    ]


def _visible_rows(rows: Sequence[Row], path: str) -> list[Row]:
    """Return how much visible text was converted and indexed, and how much of it in a second."""
    values = {each.name: each.value for each in rows}
    with opened(path) as store:
        visible = sum(len(each.text.encode()) for each in kept_messages(store)) / _BYTES_PER_MB
    per_source_mb = visible / values[SOURCE_MB]
    return [
        row("visible_mb", "MB", [visible]),
        *(
            row(f"visible{by}", "MB/s", [values[f"convert{by}"] * per_source_mb])
            for by in (BY_CLOCK, BY_PROCESSOR)
        ),
    ]


def _compare(memory: Memory, corpus: MadeCorpus, asserted: Assertions) -> None:
    """Assert that what was written came in, session by session, and is found."""
    held = memory.sessions(source=SOURCE, limit=len(corpus.messages) + 1)
    asserted.hold(
        {each.session: each.messages for each in held.sessions}
        == {session_id_of(SOURCE, name): count for name, count in corpus.messages.items()},
        "every session holds all the messages that were written, and no others",
    )
    step = max(1, len(corpus.needles) // NEEDLES_ASKED)
    for needle in corpus.needles[::step][:NEEDLES_ASKED]:
        answer = memory.recall(RecallRequest(terms=(needle,)))
        asserted.hold(
            len(answer.passages) == 1
            and any(needle in each.text for each in answer.passages[0].messages if each.is_anchor),
            "a needle is found in the one message that holds it",
            needle,
        )


def _append_rows(memory: Memory, folder: str, seed: int, asserted: Assertions) -> list[Row]:
    """Let a long session grow, ten lines at a time, and import it after each."""
    dice = random.Random(seed)
    writer = SessionWriter(dice, MadeTexts(dice), 99_999)
    path = os.path.join(folder, f"{writer.name}.jsonl")
    records = (record for _ in iter(int, 1) for record in writer.turn("", ""))
    size = _grow(path, lines_of(islice(records, _LONG_SESSION_LINES)))
    memory.import_sessions(SOURCE, [path])
    took_ms: list[float] = []
    appended = read = 0
    for _ in range(APPENDS):
        content = lines_of(islice(records, APPENDED_LINES))
        appended += _grow(path, content)
        report, took = seconds(lambda: memory.import_sessions(SOURCE, [path]))
        took_ms.append(took * 1_000)
        read += sum(each.bytes for each in report.sources)
    asserted.hold(read == appended, "importing what was appended reads what was appended")
    kept = memory.transcript(session_id_of(SOURCE, writer.name), count=0, everything=True)
    asserted.hold(kept.total == writer.messages, "every message that was appended arrived once")
    first = statistics.median(took_ms[:COMPARED_APPENDS])
    last = statistics.median(took_ms[-COMPARED_APPENDS:])
    return [
        row("append_session_mb", "MB", [(size + appended) / _BYTES_PER_MB]),
        row("append_ms", "ms", took_ms, baseline="first_appends", ratio=last / first),
        row("append_read_bytes_per_byte", "x", [read / appended]),
    ]


def _beside_baselines(rows: list[Row], paths: list[str], folder: str, seed: int) -> list[Row]:
    """Return the rows with the baselines' after them, and the ratios of speeds to theirs."""
    table = os.path.join(folder, "lines.db")
    works: dict[str, Callable[[], int]] = {
        READ_AND_DECODE: lambda: _read_and_decode(paths),
        SQLITE_INSERT: lambda: _insert_lines(paths, table),
    }
    speeds: dict[str, list[float]] = {
        f"{name}{by}": [] for name in works for by in (BY_CLOCK, BY_PROCESSOR)
    }
    order = [name for name in works for _ in range(BASELINE_RUNS)]
    random.Random(seed).shuffle(order)
    for name in order:
        began = process_time()
        size, took = seconds(works[name])
        busy = process_time() - began
        speeds[f"{name}{BY_CLOCK}"].append(size / _BYTES_PER_MB / took)
        speeds[f"{name}{BY_PROCESSOR}"].append(size / _BYTES_PER_MB / busy)
    beside = {name: row(name, "MB/s", runs) for name, runs in speeds.items()}
    return [*(_compared(each, beside) for each in rows), *beside.values()]


def _compared(each: Row, beside: Mapping[str, Row]) -> Row:
    """Return a row of a step beside its baseline by the same measure; any other as it is."""
    step, separator, by = each.name.partition("_mb_")
    if step not in COMPARED:
        return each
    baseline = COMPARED[step]
    ratio = each.value / beside[f"{baseline}{separator}{by}"].value
    return replace(each, baseline=baseline, ratio=ratio)


def _read_and_decode(paths: list[str]) -> int:
    """Decode every line; return the bytes read. A line that is no JSON counts like any other."""
    decoder = msgspec.json.Decoder()
    size = 0
    for line in _lines(paths):
        size += len(line)
        try:
            decoder.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            continue
    return size


def _insert_lines(paths: list[str], path: str) -> int:
    """Put every line into a new table, with as many in a commit as a page of ours has; return the
    bytes read.
    """
    if os.path.exists(path):
        os.remove(path)
    connection = sqlite3.connect(path)
    size = 0
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("CREATE TABLE line (content BLOB NOT NULL) STRICT")
        lines = _lines(paths)
        while page := [(line,) for line in islice(lines, PAGE_RECORDS_MAX)]:
            size += sum(len(line) for (line,) in page)
            with connection:
                connection.executemany("INSERT INTO line VALUES (?)", page)
    finally:
        connection.close()
    return size


def _lines(paths: list[str]) -> Iterator[bytes]:
    for path in paths:
        with open(path, "rb") as file:
            yield from file


def _session_files(folder: str) -> list[str]:
    return sorted(
        os.path.join(place, name)
        for place, _, names in os.walk(folder)
        for name in names
        if name.endswith(".jsonl")
    )


def _bytes_in(folder: str) -> int:
    return sum(entry.stat().st_size for entry in os.scandir(folder))


def _grow(path: str, content: bytes) -> int:
    with open(path, "ab") as file:
        file.write(content)
    return len(content)


def _peak_rss_mb() -> float:
    """Return the most memory that this process has had; Linux counts it in KiB, macOS in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak * (1 if sys.platform == "darwin" else 1_024) / _BYTES_PER_MB
