"""``recense bench facts``: how fast are facts remembered, read, searched and folded, and does that
depend on how many there are?

One store grows to a hundredth, a tenth and the whole of the corpus; at each size single statements,
reads and searches are measured, in an order drawn from the seed, and rows ``.at_1k`` and so on say
which. Then a pair of ten thousand events is listed, decoded and folded, and one subject gets as
many notes as there are facts.

Beside it, in the same run and at a size of their own, rows ``PEER.…``: LangGraph's SQLite store and
mem0 with inference off, each in a process of its own, where they are installed. They embed by a
stub on the loopback, so what is compared are stores and no models.
"""

import os
import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import mean
from time import process_time
from typing import Final, TypeVar

from msgspec.structs import replace

from recense.adapters.sqlite.file import open_sqlite_file
from recense.adapters.sqlite.records import SqliteRecords
from recense.adapters.system import SystemUptime
from recense.bench.asking import memory_at
from recense.bench.fact_corpus import corrections, made_facts, notes, subject_of
from recense.bench.fact_peer import LANGGRAPH, MEM0, PeerFact
from recense.bench.fact_peers import PeerEnded, is_installed, running_peer
from recense.bench.measuring import Assertions, machine, row, seconds, versions
from recense.bench.peers import bytes_of
from recense.bench.requests import FactsRequest
from recense.bench.results import BenchResult, Row
from recense.bench.stub_embedder import stub_embedder
from recense.core.facts.event import FactEvent, Touch, identified
from recense.core.facts.values import value_key
from recense.core.values import Value
from recense.operations.admin import Progress
from recense.operations.facts import GetFacts, RememberFact, SearchFacts
from recense.ports.records import Append
from recense.services.fact_records import event_record
from recense.services.memory import Memory
from recense.testing.chance import SeededChance

REMEMBERED: Final = 200
"""Single statements that are measured at each size."""

READ: Final = 100
SEARCHED: Final = 30
EVENTS_OF_PAIR: Final = 10
FOLDED_EVENTS: Final = 10_000
FOLDS: Final = 5
PEER_FACTS: Final = 1_000
NOTES_PAGE: Final = 20
_READ_AGAIN: Final = 10
_BULK: Final = 2_000
_US: Final = 1e6
_MS: Final = 1e3
_TICK: Final = 1e-6
BY_PROCESSOR: Final = ".processor"

_Result = TypeVar("_Result")

Report = Callable[[Progress], None]


def run_facts(request: FactsRequest, progress: Report) -> BenchResult:
    """Grow a store of facts made from the seed, and measure it as it grows."""
    asserted = Assertions()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "recense.db")
        with memory_at(f"sqlite://{path}", folder) as memory:
            bench = _Bench(memory, request, asserted, progress)
            rows = list(bench.grown())
            rows.append(row("store_mb", "MB", [bytes_of(path) / 1e6]))
        rows += _fold_rows(path, folder, asserted)
        with memory_at(f"sqlite://{path}", folder) as memory:
            rows += _Bench(memory, request, asserted, progress).noted()
        rows += _peer_rows(folder, request, asserted, rows)
    return BenchResult(
        bench="facts",
        seed=request.seed,
        machine=machine(),
        versions=versions(),
        rows=(row("facts", "facts", [request.facts]), *rows),
        asserted=asserted.sentences(),
    )


class FactSpent(Value, kw_only=True):
    """Seconds by the clock, and those of the processor."""

    took: float
    busy: float


class _Bench:
    """One store and what is measured of it."""

    def __init__(
        self, memory: Memory, request: FactsRequest, asserted: Assertions, progress: Report
    ) -> None:
        self._memory: Final = memory
        self._seed: Final = request.seed
        self._facts: Final = request.facts
        self._asserted: Final = asserted
        self._progress: Final = progress

    def grown(self) -> Iterator[Row]:
        """Yield the rows of every size, and last those of the whole."""
        there, bulk = 0, list[FactSpent]()
        whole: dict[str, Row] = {}
        for size in sorted({max(1, self._facts // part) for part in (100, 10, 1)}):
            parts = self._filled(there, size)
            yield from _rows(f"bulk_per_s.at_{_words(size)}", "1/s", parts, _rate(1))
            bulk += parts
            there = size
            for each in self._measured(size):
                whole[each.name] = each
                name, _, by = each.name.partition(".")
                yield replace(each, name=f"{name}.at_{_words(size)}{by and '.' + by}")
        yield from _rows("bulk_per_s", "1/s", bulk, _rate(1))
        yield row("bulk_per_s.in_all", "1/s", [_rate(1)(mean(each.took for each in bulk))])
        for each in whole.values():
            yield replace(each, name=each.name.replace("search_ms", "search_100k_ms"))

    def _filled(self, there: int, size: int) -> list[FactSpent]:
        """Remember the facts up to a size; return what each statement took, part by part."""
        rates: list[FactSpent] = []
        for begin in range(there, size, _BULK):
            said = made_facts(self._seed, min(_BULK, size - begin), begin)
            self._tell("remembering", begin, size)
            took = _took(lambda said=said: self._memory.remember_facts(said))
            rates.append(_each(took, len(said)))
        return rates

    def _measured(self, size: int) -> list[Row]:
        """Return the rows of one size: one piece of work after the other in an order of chance."""
        dice = random.Random(self._seed + size)
        fresh = made_facts(self._seed + 1, REMEMBERED, size)
        pairs = [f"corrected {size} {number}" for number in range(READ)]
        for subject in pairs:
            self._memory.remember_facts(corrections(subject, EVENTS_OF_PAIR))
        asked = dice.sample(made_facts(self._seed, size), min(SEARCHED, size))
        runs: dict[str, list[FactSpent]] = {"remember": [], "read": [], "again": [], "search": []}
        work: list[Callable[[], None]] = [
            *(lambda said=said: runs["remember"].append(self._remember(said)) for said in fresh),
            *(lambda name=name: self._read(name, runs) for name in pairs),
            *(lambda said=said: runs["search"].append(self._search(said)) for said in asked),
        ]
        dice.shuffle(work)
        for done, each in enumerate(work):
            self._tell("searching", done, len(work))
            each()
        return [
            *_rows("remember_per_s", "1/s", runs["remember"], _rate(1)),
            *_rows("uncached_read_us", "us", runs["read"], _in_us),
            *_rows("cached_read_us", "us", runs["again"], _in_us),
            *_rows("search_ms", "ms", runs["search"], _in_ms),
        ]

    def _remember(self, said: RememberFact) -> FactSpent:
        took = _took(lambda: self._memory.remember_fact(said))
        pair = GetFacts(subject=said.subject, predicate=said.predicate)
        self._asserted.hold(
            said.value in {each.value for each in self._memory.facts(pair).beliefs},
            "what was remembered is read back",
            f"{said.subject} {said.predicate}",
        )
        return took

    def _read(self, subject: str, runs: dict[str, list[FactSpent]]) -> None:
        pair = GetFacts(subject=subject, predicate="lives_in")
        runs["read"].append(_took(lambda: self._memory.facts(pair)))
        for _ in range(_READ_AGAIN):
            runs["again"].append(_took(lambda: self._memory.facts(pair)))
        values = [each.value for each in self._memory.facts(pair).beliefs]
        newest = corrections(subject, EVENTS_OF_PAIR)[-1].value
        self._asserted.hold(
            values == [newest], "a corrected pair holds its newest value alone", subject
        )

    def _search(self, said: RememberFact) -> FactSpent:
        """Search for what holds of a pair that a statement was about."""
        pair = GetFacts(subject=said.subject, predicate=said.predicate)
        held = self._memory.facts(pair).beliefs[0]
        found, took = _spent(lambda: self._memory.search_facts(SearchFacts(text=held.sentence)))
        self._asserted.hold(
            held.event_id in {each.event_id for each in found.beliefs},
            "a search for a sentence finds what it says",
            held.sentence,
        )
        return took

    def noted(self) -> Iterator[Row]:
        """Yield the rows of one subject that gets as many notes as there are facts."""
        subject, parts = "a place of many notes", list[FactSpent]()
        for begin in range(0, self._facts, _BULK):
            said = notes(subject, begin, min(_BULK, self._facts - begin))
            self._tell("remembering", begin, self._facts)
            took = _took(lambda said=said: self._memory.remember_facts(said))
            parts.append(_each(took, len(said)))
        tenth = max(1, len(parts) // 10)
        yield from _rows("notes.bulk_per_s.first", "1/s", parts[:tenth], _rate(1))
        yield from _rows("notes.bulk_per_s.last", "1/s", parts[-tenth:], _rate(1))
        more = notes(subject, self._facts, SEARCHED)
        single = [_took(lambda said=said: self._memory.remember_fact(said)) for said in more]
        yield from _rows("notes.remember_per_s", "1/s", single, _rate(1))
        page = GetFacts(subject=subject, predicate="note", limit=NOTES_PAGE)
        pages: list[FactSpent] = []
        for said in notes(subject, self._facts + SEARCHED, FOLDS):
            self._memory.remember_fact(said)
            answer, took = _spent(lambda: self._memory.facts(page))
            pages.append(took)
            self._asserted.hold(
                len(answer.beliefs) == min(NOTES_PAGE, self._facts),
                "a page of notes is full",
            )
        yield from _rows("notes.first_page_ms", "ms", pages, _in_ms)

    def _tell(self, label: str, done: int, total: int) -> None:
        self._progress(
            Progress(phase="searching", done=done, total=total, unit="facts", label=label)
        )


def _fold_rows(path: str, folder: str, asserted: Assertions) -> list[Row]:
    """Return the row of a pair with FOLDED_EVENTS events, written as an import writes them."""
    subject = subject_of(0) + " who moves"
    file = open_sqlite_file(Path(path), synchronous="normal", chance=SeededChance(), create=False)
    store = SqliteRecords(file, SystemUptime())
    try:
        records = tuple(event_record(_moved(subject, n), ()) for n in range(FOLDED_EVENTS))
        store.append(Append(records=records), now=FOLDED_EVENTS)
    finally:
        store.close()
    pair = GetFacts(subject=subject, predicate="lives_in")
    runs: list[FactSpent] = []
    for _ in range(FOLDS):
        with memory_at(f"sqlite://{path}", folder) as memory:
            memory.registry()
            answer, took = _spent(lambda memory=memory: memory.facts(pair))
            runs.append(took)
            asserted.hold(
                [each.value for each in answer.beliefs] == [f"place {FOLDED_EVENTS - 1}"],
                "of a pair of many events the newest holds",
            )
    return _rows("fold_10k_ms", "ms", runs, _in_ms)


def _moved(subject: str, number: int) -> FactEvent:
    value = f"place {number}"
    key = value_key(value)
    return identified(
        FactEvent(
            subject=subject,
            predicate="lives_in",
            value=value,
            value_key=key,
            observed_at=1_700_000_000_000_000 + number,
            touches=(Touch(subject=subject, predicate="lives_in", value_key=key),),
        )
    )


def _peer_rows(
    folder: str, request: FactsRequest, asserted: Assertions, rows: Sequence[Row]
) -> Iterator[Row]:
    """Yield the rows of the peers that are installed, ours of the smallest size beside them; of one
    that is not, or that ends instead of answering, a row that says so.
    """
    count = min(PEER_FACTS, request.facts)
    ours = {
        each.name.partition(".at_")[0]: each
        for each in reversed(rows)
        if ".at_" in each.name and not each.name.endswith(BY_PROCESSOR)
    }
    beside = {"remember": "remember_per_s", "read": "uncached_read_us", "search": "search_ms"}
    said = made_facts(request.seed, 4 * count)
    held = {(each.subject, each.predicate): each for each in said}
    facts = [_as_peers_have_it(each) for each in list(held.values())[:count]]
    dice = random.Random(request.seed)
    peers = [LANGGRAPH, MEM0]
    dice.shuffle(peers)
    with stub_embedder() as embedder:
        for name in peers:
            if not is_installed(name):
                yield row(f"{name}.is_installed", "", [0])
                continue
            yield row(f"{name}.is_installed", "", [1])
            asked = dice.sample(facts, min(READ, len(facts)))
            try:
                with running_peer(name, folder, embedder) as peer:
                    remembered = peer.do("remember", facts)
                    read, searched = peer.do("read", asked), peer.do("search", asked[:SEARCHED])
            except PeerEnded:
                yield row(f"{name}.is_running", "", [0])
                continue
            asserted.hold(read.right == len(asked), "a peer reads back what it remembered", name)
            yield row(f"{name}.search.found", "facts", [searched.right])
            per_s = [1 / each for each in remembered.seconds]
            for work, unit, runs in (
                ("remember", "1/s", per_s),
                ("read", "us", [each * _US for each in read.seconds]),
                ("search", "ms", [each * 1_000 for each in searched.seconds]),
            ):
                mine = ours[beside[work]]
                made = row(f"{name}.{beside[work].removeprefix('uncached_')}", unit, runs)
                yield replace(made, baseline=mine.name, ratio=made.value / mine.value)


def _as_peers_have_it(said: RememberFact) -> PeerFact:
    words = f"{said.subject} {said.predicate.replace('_', ' ')} {said.value}"
    return PeerFact(
        subject=said.subject, predicate=said.predicate, value=str(said.value), text=words
    )


def _each(spent: FactSpent, count: int) -> FactSpent:
    """Return what one of several took."""
    return FactSpent(took=spent.took / count, busy=spent.busy / count)


def _words(size: int) -> str:
    return f"{size // 1_000}k" if size % 1_000 == 0 else str(size)


def _took(work: Callable[[], object]) -> FactSpent:
    return _spent(work)[1]


def _spent(work: Callable[[], _Result]) -> tuple[_Result, FactSpent]:
    """Return the result of a piece of work, and the seconds that it took by the clock and of the
    processor.
    """
    began = process_time()
    result, took = seconds(work)
    return result, FactSpent(took=took, busy=process_time() - began)


def _rows(
    name: str, unit: str, spent: Sequence[FactSpent], of: Callable[[float], float]
) -> list[Row]:
    """Return a row by the clock, and one by the time of the processor."""
    return [
        row(name, unit, [of(each.took) for each in spent]),
        row(f"{name}{BY_PROCESSOR}", unit, [of(each.busy) for each in spent]),
    ]


def _rate(count: int) -> Callable[[float], float]:
    return lambda took: count / max(took, _TICK)


def _in_us(took: float) -> float:
    return took * _US


def _in_ms(took: float) -> float:
    return took * _MS
