"""``recense bench recall``: how fast is a term, and are both paths equal?

The whole of `Memory.recall` is measured, to the bytes of the answer's JSON, on a store that has
answered before: by the clock, and in rows ``.processor`` by the time that the processor spent,
which a machine with other work disturbs less. Terms are drawn from what the store holds; the order
of all questions, of ours and of what stands beside us, is drawn from the seed.

Beside it, in the same run: reading every session (``full_scan``, also with a memory that was opened
for it, ``scan_cold``); the reference method; and the peers, rows of which are named ``PEER.row``:
``rg`` where it is installed, FTS5 over words, BM25 over words. How many drawn terms a peer misses
in some message that holds them is a row too.
"""

import os
import random
import tempfile
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from time import process_time
from typing import Final, TypeVar

import msgspec
from msgspec.structs import replace

from recense.bench.asking import memory_at
from recense.bench.corpus import FREQUENT, make_corpus, sessions_at
from recense.bench.drawing import SORTS, DrawnTerm, draw_terms, hold_complete, located
from recense.bench.kept import KeptMessage, kept_messages, opened
from recense.bench.measuring import Assertions, machine, row, row_of_percentile, seconds, versions
from recense.bench.narrowing import hold_equal, told
from recense.bench.peers import (
    FTS5,
    RG,
    WORD_BM25,
    Peer,
    WordIndex,
    WordRanking,
    bytes_of,
    ripgrep,
    word_index,
)
from recense.bench.reference import reference_recall
from recense.bench.requests import SpeedRequest
from recense.bench.results import BenchResult, Row
from recense.core.values import Value
from recense.operations.admin import Progress
from recense.operations.recall import RecallAnswer, RecallRequest
from recense.services.memory import Memory

RECALL: Final = "recall"
REFERENCE: Final = "reference_method"
FULL_SCAN: Final = "full_scan"
SCAN_COLD: Final = "scan_cold"
BY_PROCESSOR: Final = ".processor"

TERMS_PER_SORT: Final = 20
SCANS: Final = 5
COLD_SCANS: Final = 3
FREQUENT_RUNS: Final = 5
EQUAL_PER_GROUP: Final = 2
"""Terms of each group for which both paths are compared."""

ABSENT: Final = (
    "nowhereatall",
    "absentword",
    "absent_name.py:99999",
    "gone/astray.txt",
    "no such words",
    "龘靐",
    "㷷鿃",
)

_WARMING: Final = 2
_NOTHING: Final = DrawnTerm(term="", places=frozenset(), turns=0)

Report = Callable[[Progress], None]
_Result = TypeVar("_Result")


class Ways(Value, kw_only=True):
    """A store and every way to ask it, or to look for a term in the same texts."""

    memory: Memory
    url: str
    folder: str
    reference: Callable[[RecallRequest], RecallAnswer]
    words: WordIndex
    ranking: WordRanking
    peers: Mapping[str, Peer]


class Spent(Value, kw_only=True):
    """The milliseconds of one question: by the clock, and those of the processor."""

    took_ms: float
    busy_ms: float


class TimedQuestion(Value, kw_only=True):
    """One term to ask for in one way, and the group of rows that it counts for."""

    way: str
    group: str
    term: DrawnTerm


def run_speed(request: SpeedRequest, progress: Report) -> BenchResult:
    """Ask for terms of each sort in a corpus made from the seed, in an order drawn from it."""
    asserted = Assertions()
    as_many = sessions_at(request.scale)
    sessions = request.sessions or as_many
    with tempfile.TemporaryDirectory() as folder:
        source, path = os.path.join(folder, "source"), os.path.join(folder, "recense.db")
        os.mkdir(source)
        times = max(1, round(as_many / sessions))
        corpus = make_corpus(source, seed=request.seed, sessions=sessions, times=times)
        with memory_at(f"sqlite://{path}", folder) as memory:
            memory.import_sessions("claude_code", [source], progress=progress)
            with opened(path) as store:
                kept = list(kept_messages(store))
            with _ways(memory, path, source, kept) as ways:
                groups = _groups(kept, request.seed, asserted)
                runs = _ask_all(ways, groups, request.seed, asserted, progress)
                rows = [*_rows(runs), *_missing(ways, groups)]
        rows.append(row(SCAN_COLD, "ms", _cold_scans(ways, groups, asserted)))
        about = [
            row("source_mb", "MB", [corpus.bytes / 1e6]),
            row("sessions", "sessions", [sessions]),
            row("messages", "messages", [len(kept)]),
            row(f"{FTS5}.index_mb", "MB", [bytes_of(_word_file(folder)) / 1e6]),
        ]
    return BenchResult(
        bench="recall",
        seed=request.seed,
        machine=machine(),
        versions=versions("bm25s"),
        rows=(*about, *_beside_full_scan(rows)),
        asserted=asserted.sentences(),
    )


@contextmanager
def _ways(memory: Memory, path: str, source: str, kept: Sequence[KeptMessage]) -> Generator[Ways]:
    folder = os.path.dirname(path)
    with ExitStack() as stack:
        reference = stack.enter_context(reference_recall(stack.enter_context(opened(path)), kept))
        words = stack.enter_context(word_index(_word_file(folder), kept))
        ranking = WordRanking(kept)
        peers: dict[str, Peer] = {FTS5: words, WORD_BM25: ranking}
        files = ripgrep(source)
        if files is not None:
            peers[RG] = files
        yield Ways(
            memory=memory,
            url=f"sqlite://{path}",
            folder=folder,
            reference=reference.recall,
            words=words,
            ranking=ranking,
            peers=peers,
        )


def _groups(
    kept: Sequence[KeptMessage], seed: int, asserted: Assertions
) -> dict[str, list[DrawnTerm]]:
    """Return the terms to ask for, by the group of rows that they are for."""
    dice = random.Random(seed)
    groups = {f"selective_{sort}": draw_terms(kept, sort, TERMS_PER_SORT, dice) for sort in SORTS}
    for name, terms in groups.items():
        asserted.hold(bool(terms), "terms of each sort are drawn from the corpus", name)
    frequent = located(FREQUENT, kept)
    asserted.hold(
        len(frequent.places) > len(kept) / 4, "the frequent word is in a quarter of all messages"
    )
    absent = [located(term, kept) for term in ABSENT]
    asserted.hold(not any(term.places for term in absent), "an absent word is in no message")
    return {**groups, "half_corpus": [frequent] * FREQUENT_RUNS, "no_match": absent}


def _ask_all(
    ways: Ways,
    groups: Mapping[str, Sequence[DrawnTerm]],
    seed: int,
    asserted: Assertions,
    progress: Report,
) -> dict[tuple[str, str], list[Spent]]:
    """Return what every question took, by way and group."""
    order = [
        TimedQuestion(way=way, group=group, term=term)
        for group, terms in groups.items()
        for term in terms
        for way in (RECALL, REFERENCE, *ways.peers)
    ]
    selective = [
        term for name, terms in groups.items() if name.startswith("selective") for term in terms
    ]
    dice = random.Random(seed)
    order += [
        TimedQuestion(way=FULL_SCAN, group=FULL_SCAN, term=term)
        for term in dice.sample(selective, min(SCANS, len(selective)))
    ]
    dice.shuffle(order)
    for question in order[:_WARMING]:
        _ask(ways, question, asserted, {})
    answers: dict[str, bytes] = {}
    runs: dict[tuple[str, str], list[Spent]] = defaultdict(list)
    for done, question in enumerate(order):
        progress(
            Progress(
                phase="searching",
                done=done,
                total=len(order),
                unit="questions",
                label=question.group,
            )
        )
        spent = _ask(ways, question, asserted, answers)
        runs[question.way, question.group].append(spent)
    for terms in groups.values():
        for term in terms[:EQUAL_PER_GROUP]:
            hold_equal(ways.memory, RecallRequest(terms=(term.term,)), asserted)
    return runs


def _ask(
    ways: Ways, question: TimedQuestion, asserted: Assertions, answers: dict[str, bytes]
) -> Spent:
    """Ask one question, look whether the answer is right, and return what it took."""
    term = question.term.term
    request = RecallRequest(terms=(term,))
    match question.way:
        case "recall":
            answer, spent = _answered(lambda: ways.memory.recall(request))
            asserted.hold(
                answer.path == "narrowed" or question.group == "half_corpus",
                "the index narrows every answer but that to a frequent word",
                f"{term!r} was answered by {answer.path}",
            )
        case "full_scan":
            answer, spent = _answered(lambda: ways.memory.recall_by_scan(request))
        case "reference_method":
            answer, spent = _answered(lambda: ways.reference(request))
        case peer:
            count, spent = _spent(lambda: ways.peers[peer].ask(term))
            asserted.hold(
                bool(question.term.places) or peer == WORD_BM25 or not count,
                "what looks for a whole term finds no absent one",
                f"{peer}: {term!r}",
            )
            return spent
    hold_complete(answer, question.term, asserted)
    asserted.hold(
        answers.setdefault(term, told(answer)) == told(answer),
        "every way to recall gives one answer, row for row and score for score",
        term,
    )
    return spent


def _answered(ask: Callable[[], RecallAnswer]) -> tuple[RecallAnswer, Spent]:
    """Return an answer, and what it took until it was the bytes that leave."""
    kept: list[RecallAnswer] = []

    def to_bytes() -> bytes:
        kept.append(ask())
        return msgspec.json.encode(kept[0])

    _, spent = _spent(to_bytes)
    return kept[0], spent


def _spent(work: Callable[[], _Result]) -> tuple[_Result, Spent]:
    began = process_time()
    result, took = seconds(work)
    busy = process_time() - began
    return result, Spent(took_ms=took * 1_000, busy_ms=busy * 1_000)


def _rows(runs: Mapping[tuple[str, str], Sequence[Spent]]) -> Iterator[Row]:
    """Yield the rows of ours, then those of the others, each in the order of the groups."""
    ways = [RECALL, FULL_SCAN, REFERENCE, FTS5, RG, WORD_BM25]
    for way, group in sorted(runs, key=lambda each: (ways.index(each[0]), each[1])):
        name = group if way in {RECALL, FULL_SCAN} else f"{way}.{group}"
        yield from _rows_of(name, runs[way, group], is_selective=group.startswith("selective"))
    selective = [
        spent
        for (way, group), of in runs.items()
        if way == REFERENCE and group.startswith("selective")
        for spent in of
    ]
    yield from _rows_of(REFERENCE, selective, is_selective=True)


def _rows_of(name: str, runs: Sequence[Spent], *, is_selective: bool) -> Iterator[Row]:
    took_ms = [spent.took_ms for spent in runs]
    yield row(name, "ms", took_ms)
    if is_selective:
        yield row_of_percentile(f"{name}.p95", "ms", took_ms, 95)
    if not name.startswith(f"{RG}."):  # which is another process
        yield row(f"{name}{BY_PROCESSOR}", "ms", [spent.busy_ms for spent in runs])


def _missing(ways: Ways, groups: Mapping[str, Sequence[DrawnTerm]]) -> Iterator[Row]:
    """Yield how many terms of each sort an index over words misses somewhere."""
    for name, terms in groups.items():
        if name.startswith("selective"):
            for peer, places in ((FTS5, ways.words.places), (WORD_BM25, ways.ranking.places)):
                missed = sum(not term.places <= places(term.term) for term in terms)
                yield row(f"{peer}.{name}.terms_missed", "terms", [missed])
            yield row(f"{name}.terms", "terms", [len(terms)])


def _cold_scans(
    ways: Ways, groups: Mapping[str, Sequence[DrawnTerm]], asserted: Assertions
) -> list[float]:
    """Return the milliseconds of full scans, each by a memory that was opened for it."""
    took_ms: list[float] = []
    for term in groups["selective_ascii"][:COLD_SCANS]:
        request = RecallRequest(terms=(term.term,))

        def scanned(request: RecallRequest = request) -> RecallAnswer:
            with memory_at(ways.url, ways.folder) as memory:
                return memory.recall_by_scan(request)

        answer, spent = _answered(scanned)
        hold_complete(answer, term, asserted)
        took_ms.append(spent.took_ms)
    return took_ms


def _beside_full_scan(rows: Sequence[Row]) -> list[Row]:
    """Return the rows, each time with its ratio to the full scan's by the same measure."""
    scans = {each.name: each.value for each in rows if each.name.startswith(FULL_SCAN)}
    compared: list[Row] = []
    for each in rows:
        scan = f"{FULL_SCAN}{BY_PROCESSOR}" if each.name.endswith(BY_PROCESSOR) else FULL_SCAN
        if each.unit == "ms" and each.name not in scans:
            compared.append(replace(each, baseline=scan, ratio=each.value / scans[scan]))
        else:
            compared.append(each)
    return compared


def _word_file(folder: str) -> str:
    return os.path.join(folder, "words.db")
