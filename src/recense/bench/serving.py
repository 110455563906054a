"""``recense bench serve``: how many calls a second does one process answer, how long does the
slowest in a hundred wait, and does it grow?

A server in a process of its own on one SQLite file with 10,000 facts and 20 MB of sessions, and a
generator in another on the same machine (`recense.bench.load`). ``mixed`` is half exact facts, a
fifth searches of facts, a tenth recalls and a fifth statements, over 32 connections; ``recall`` is
recalls alone. ``soak`` asks 10,000 mixed calls four times and looks at the memory of the server
after each. ``beside_slow`` measures one quick caller while 200 others send a byte now and then. At
last the server is killed amid statements, and what it had acknowledged is looked for.
"""

import os
import random
import socket
import tempfile
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Final

import msgspec

from recense.bench.asking import memory_at
from recense.bench.children import Children
from recense.bench.corpus import MadeCorpus, make_corpus, sessions_at
from recense.bench.fact_corpus import made_facts
from recense.bench.load import Load, LoadReport, Weighted
from recense.bench.measuring import Assertions, machine, row, row_of_percentile, versions
from recense.bench.requests import ServeRequest
from recense.bench.results import BenchResult, Row
from recense.bench.serving_process import RunningServer, issued_key, loaded, running_server
from recense.client.clients import Client
from recense.operations.admin import Progress
from recense.operations.facts import GetFacts, RememberFact, SearchFacts
from recense.operations.recall import RecallRequest

FACTS: Final = 10_000
CORPUS_SCALE: Final = 20 / 178
CONNECTIONS: Final = 32
SOAK_CALLS: Final = 10_000
SOAKS: Final = 4
SOAK_GROWTH_MAX: Final = 0.05
"""What memory may move by without growing: the allocator gives pages back when it likes."""
SLOW_CALLERS: Final = 200
QUICK_CALLS: Final = 200
_DRAWN: Final = 500
_COMPARED: Final = 20
_SOURCE: Final = "claude_code"
_MB: Final = 1e6

Report = Callable[[Progress], None]


def run_serve(request: ServeRequest, progress: Report) -> BenchResult:
    """Serve facts and sessions made from the seed, and ask for them."""
    asserted = Assertions()
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite://{os.path.join(folder, 'recense.db')}"
        corpus, facts = _filled(url, folder, request.seed, progress)
        children = Children(url, folder, os.path.join(folder, "compiled"), os.environ)
        bench = _Bench(children, folder, request, asserted, progress)
        rows = bench.rows(corpus, facts)
    return BenchResult(
        bench="serve",
        seed=request.seed,
        machine=machine(),
        versions=versions("litestar", "uvicorn"),
        rows=(row("source_mb", "MB", [corpus.bytes / _MB]), *rows),
        asserted=asserted.sentences(),
    )


def _filled(
    url: str, folder: str, seed: int, progress: Report
) -> tuple[MadeCorpus, Sequence[RememberFact]]:
    """Make a store with sessions and facts; return what is known to be in it."""
    source = os.path.join(folder, "source")
    os.mkdir(source)
    corpus = make_corpus(source, seed=seed, sessions=sessions_at(CORPUS_SCALE))
    facts = made_facts(seed, FACTS, 0)
    with memory_at(url, folder) as memory:
        memory.import_sessions(_SOURCE, [source], progress=progress)
        memory.remember_facts(facts)
    return corpus, facts


class _Bench:
    """A store that was filled, and what is asked of its server."""

    def __init__(
        self,
        children: Children,
        folder: str,
        request: ServeRequest,
        asserted: Assertions,
        progress: Report,
    ) -> None:
        self._children: Final = children
        self._folder: Final = folder
        self._key: Final = issued_key(children)
        self._request: Final = request
        self._asserted: Final = asserted
        self._progress: Final = progress

    def rows(self, corpus: MadeCorpus, facts: Sequence[RememberFact]) -> list[Row]:
        """Return the rows of one server, which is killed at last."""
        kinds = _kinds(corpus, facts, self._request.seed)
        recalls = tuple(each for each in kinds if each.kind == "recall")
        rows: list[Row] = []
        with running_server(self._children) as server:
            self._hold_equal(server, kinds)
            self._asked(server, kinds, calls=500, label="warming")
            mixed = self._asked(server, kinds, calls=self._request.calls, label="mixed")
            rows += _speed_rows("mixed", mixed)
            rows += [
                row_of_percentile(f"mixed_p99_ms.{kind}", "ms", took, 99)
                for kind, took in mixed.took_ms.items()
            ]
            recalled = self._asked(server, recalls, calls=self._request.calls // 4, label="recall")
            rows += _speed_rows("recall", recalled)
            rows += self._soaked(server, kinds)
            rows += self._beside_slow(server, kinds)
            self._killed_amid_statements(server, facts)
        return rows

    def _asked(
        self,
        server: RunningServer,
        kinds: Sequence[Weighted],
        *,
        calls: int,
        label: str,
        connections: int = CONNECTIONS,
    ) -> LoadReport:
        self._progress(Progress(phase="searching", done=0, total=calls, unit="calls", label=label))
        report = loaded(
            Load(
                host=server.host,
                port=server.port,
                key=self._key,
                connections=connections,
                calls=calls,
                asked=tuple(kinds),
                seed=self._request.seed,
            )
        )
        answered = sum(map(len, report.took_ms.values()))
        self._asserted.hold(
            answered == calls and not report.refused,
            "every call is answered with what was asked",
            str(report.refused),
        )
        return report

    def _soaked(self, server: RunningServer, kinds: Sequence[Weighted]) -> Iterator[Row]:
        """Yield the memory of the server after each ten thousand calls, and what the last of them
        added: caches that have bounds are full by then.
        """
        before = after = server.resident_bytes()
        for number in range(1, SOAKS + 1):
            self._asked(server, kinds, calls=SOAK_CALLS, label=f"soak {number} of {SOAKS}")
            before, after = after, server.resident_bytes()
            yield row(f"soak_rss_mb.after_{number * SOAK_CALLS}", "MB", [after / _MB])
        yield row("soak_rss_growth_mb", "MB", [(after - before) / _MB])
        self._asserted.hold(
            after - before < before * SOAK_GROWTH_MAX,
            "memory is flat once bounded caches are full",
            f"{before} bytes, then {after}",
        )

    def _hold_equal(self, server: RunningServer, kinds: Sequence[Weighted]) -> None:
        """Assert that the server answers some of the questions as the library does."""
        asked = {each.kind: each.bodies[:_COMPARED] for each in kinds}
        url = self._children.url
        with Client(server.url, self._key) as client, memory_at(url, self._folder) as memory:
            for body in asked["exact"]:
                request = msgspec.json.decode(body, type=GetFacts)
                self._hold_same(client.recall_facts(request).beliefs, memory.facts(request).beliefs)
            for body in asked["search"]:
                found = msgspec.json.decode(body, type=SearchFacts)
                self._hold_same(
                    client.search_facts(found).beliefs, memory.search_facts(found).beliefs
                )
            for body in asked["recall"]:
                terms = msgspec.json.decode(body, type=RecallRequest)
                self._hold_same(client.recall(terms).passages, memory.recall(terms).passages)

    def _hold_same(self, served: Sequence[object], read: Sequence[object]) -> None:
        self._asserted.hold(
            served == read and bool(read), "a server answers as the library does", str(served)
        )

    def _beside_slow(self, server: RunningServer, kinds: Sequence[Weighted]) -> list[Row]:
        """Return how long a quick caller waits alone, and beside many slow ones."""
        exact = [each for each in kinds if each.kind == "exact"]
        alone = self._asked(server, exact, calls=QUICK_CALLS, label="alone", connections=1)
        with _slow_callers(server):
            beside = self._asked(
                server, exact, calls=QUICK_CALLS, label="beside slow callers", connections=1
            )
        first = row_of_percentile("alone_p99_ms", "ms", alone.took_ms["exact"], 99)
        then = row_of_percentile("beside_slow_p99_ms", "ms", beside.took_ms["exact"], 99)
        ratio = then.value / first.value
        return [first, msgspec.structs.replace(then, baseline=first.name, ratio=ratio)]

    def _killed_amid_statements(self, server: RunningServer, facts: Sequence[RememberFact]) -> None:
        """Kill the server while it is told facts; assert that each acknowledged one is kept."""
        acknowledged = server.killed_while_told(
            self._key, made_facts(self._request.seed + 2, 400, FACTS)
        )
        self._asserted.hold(bool(acknowledged), "a server acknowledges before it is killed")
        with running_server(self._children) as again:
            missing = again.missing(self._key, acknowledged)
        self._asserted.hold(
            not missing,
            "what a server acknowledged is kept, though it was killed",
            f"{len(missing)} of {len(acknowledged)}",
        )


def _kinds(corpus: MadeCorpus, facts: Sequence[RememberFact], seed: int) -> tuple[Weighted, ...]:
    """Return what is asked: by weight, bodies drawn from the seed."""
    dice = random.Random(seed)
    some = dice.sample(facts, _DRAWN)
    told = made_facts(seed + 1, 4 * _DRAWN, FACTS)
    return (
        _weighted(
            "exact",
            0.5,
            "recall_facts",
            [GetFacts(subject=each.subject, predicate=each.predicate) for each in some],
        ),
        _weighted(
            "search",
            0.2,
            "search_facts",
            [SearchFacts(text=f"{each.subject} {each.value}") for each in some],
        ),
        _weighted(
            "recall",
            0.1,
            "recall",
            [RecallRequest(terms=(needle,)) for needle in (*corpus.needles, *corpus.han_needles)],
        ),
        _weighted("remember", 0.2, "remember_fact", told),
    )


def _weighted(
    kind: str, weight: float, operation: str, requests: Sequence[msgspec.Struct]
) -> Weighted:
    return Weighted(
        kind=kind,
        weight=weight,
        path=f"/v1/{operation}",
        bodies=tuple(msgspec.json.encode(each).decode() for each in requests),
    )


def _speed_rows(name: str, report: LoadReport) -> list[Row]:
    took = [each for some in report.took_ms.values() for each in some]
    per_second = row(f"{name}_req_s", "1/s", [len(took) / report.seconds])
    return [per_second, row_of_percentile(f"{name}_p99_ms", "ms", took, 99)]


@contextmanager
def _slow_callers(server: RunningServer) -> Generator[None]:
    """Hold connections of callers that have sent half a request, for a block."""
    with ExitStack() as stack:
        for _ in range(SLOW_CALLERS):
            caller = stack.enter_context(
                socket.create_connection((server.host, server.port), timeout=10)
            )
            caller.sendall(b"POST /v1/recall_facts HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
        yield
