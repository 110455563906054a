"""What was forgotten is in no file of the store."""

import random
import re
import tracemalloc
from pathlib import Path

import pytest
from msgspec.structs import replace

from recense.adapters.sqlite.driver import Connection, read_number
from recense.adapters.sqlite.scrubbing import dirty_gaps
from recense.adapters.sqlite.store import SqliteStore
from recense.conformance.material import (
    append,
    archive,
    arrive,
    birth,
    blob_of,
    contents,
    event,
    next_page,
    record,
    row,
    session_of,
)
from recense.core.transcript.records import SessionFacts
from recense.limits import CHUNK_BYTES, STORE_CACHE_BYTES
from recense.testing import SeededChance
from tests.adapters.stores import hear, open_store, opened, program, tell

NOISE = SeededChance(11)
SESSIONS = 8
ROUNDS = 100
CANARY_LETTERS = 16
HEXADECIMAL = re.compile(rb"[0-9a-f]{16,}")
LARGE_BYTES = 16 * 1024 * 1024
TABLES = (
    "sessions session_states archive_records archive_chunks events messages blobs blob_holders"
    " streams stream_segments redactions"
).split()


def left_in(folder: Path, canaries: set[bytes]) -> list[tuple[str, bytes]]:
    """Return what of the canaries is in any file of a folder."""
    return [
        (path.name, canary)
        for path in sorted(folder.iterdir())
        for run in HEXADECIMAL.findall(path.read_bytes())
        for start in range(len(run) - CANARY_LETTERS + 1)
        for canary in (run[start : start + CANARY_LETTERS],)
        if canary in canaries
    ]


def writer_of(store: SqliteStore) -> Connection:
    return store._file.writer  # pyright: ignore[reportPrivateUsage]


def rows_of(store: SqliteStore, table: str) -> int | None:
    return read_number(writer_of(store), f"SELECT count(*) FROM {table}")  # noqa: S608


class Talker:
    """Fills sessions with texts that are known again: 16 letters each that stand nowhere else."""

    def __init__(self, store: SqliteStore, seed: int) -> None:
        self._store = store
        self._draw = random.Random(seed)
        self.canaries: dict[str, set[bytes]] = {}
        self._counts: dict[str, int] = {}

    def introduce(self, number: int) -> str:
        """Open a session whose id, path, folder and title are canaries."""
        session_id = NOISE.token(8).hex()
        self.canaries[session_id] = {session_id.encode()}
        self._counts[session_id] = 0
        born = replace(birth(session_id, number), source_path=self._canary(session_id))
        facts = SessionFacts(
            title=self._canary(session_id), title_rank=3, workspace=self._canary(session_id)
        )
        self._store.open_session(born, facts)
        return session_id

    def say(self, session_id: str) -> None:
        """Add something of one kind to a session."""
        kind = self._draw.choice((self._archive, self._append, self._append, self._arrive))
        kind(session_id)

    def _archive(self, session_id: str) -> None:
        size = self._draw.choice((0, 30, 300, 3_000, 20_000, 2 * CHUNK_BYTES))
        blob = blob_of(self._text(session_id, size))
        bodies = [self._text(session_id, self._draw.choice((0, 30, 300))) for _ in range(6)]
        records = [
            replace(
                record(session_id, self._next(session_id), body=body, blobs=[blob]),
                uuid=self._canary(session_id),
                type=self._canary(session_id),
            )
            for body in (*bodies, self._text(session_id, size))
        ]
        archive(self._store, records, births=[], blobs=[blob])

    def _append(self, session_id: str) -> None:
        events = [
            event(
                self._canary(session_id), self._text(session_id, self._draw.choice((0, 90, 9_000)))
            )
            for _ in range(4)
        ]
        page = replace(
            next_page(self._store, session_id),
            events=tuple(events),
            facts=SessionFacts(title=self._canary(session_id) * 4, title_rank=3),
            projection_state=self._text(session_id, self._draw.choice((0, 5_000))),
            opened=tuple(
                replace(row(self._next(session_id)), event_id=each.event_id) for each in events
            ),
            ended_streams=("reply",) if self._draw.random() < 0.3 else (),
        )
        append(self._store, page)

    def _arrive(self, session_id: str) -> None:
        arrive(
            self._store,
            session_id,
            "reply",
            self._canary(session_id) * self._draw.choice((1, 50)),
            payload=self._canary(session_id).encode(),
        )

    def _canary(self, session_id: str) -> str:
        text = NOISE.token(8).hex()
        self.canaries[session_id].add(text.encode())
        return text

    def _text(self, session_id: str, size: int) -> bytes:
        """Return bytes that cannot be made shorter, so that they are kept as they are."""
        return NOISE.token(size) + self._canary(session_id).encode() + NOISE.token(size // 2)

    def _next(self, session_id: str) -> int:
        self._counts[session_id] += 1
        return self._counts[session_id]


@pytest.mark.parametrize("seed", range(2))
def test_no_byte_of_what_was_forgotten_is_in_any_file(seed: int, tmp_path: Path) -> None:
    with opened(tmp_path / "store.sqlite") as store, opened(tmp_path / "store.sqlite") as other:
        talker = Talker(store, seed)
        draw = random.Random(seed)
        ids = [talker.introduce(number) for number in range(SESSIONS)]
        for _ in range(ROUNDS):
            talker.say(draw.choice(ids))
        assert left_in(tmp_path, talker.canaries[ids[0]])
        gone: set[bytes] = set()
        while ids:
            names = [ids.pop(draw.randrange(len(ids))) for _ in range(2)]
            gone = gone.union(*(talker.canaries[name] for name in names))
            assert store.forget(names).bytes_gone
            assert left_in(tmp_path, gone) == []
            # Whoever writes afterwards, with pages as they were in memory, brings nothing back.
            for session_id in ids:
                for writer in (store, other):
                    writer.set_private(session_id, private=writer is store)
                talker.say(session_id)
            assert left_in(tmp_path, gone) == []
            assert store.check() == ()
        kept = {table: rows_of(store, table) for table in TABLES}
        assert kept == dict.fromkeys(TABLES, 0)


def test_a_reader_of_an_earlier_moment_keeps_the_bytes_until_it_ends(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    canary = NOISE.token(8).hex()
    with opened(path, busy_wait_ms=50) as store:
        archive(store, [record("alpha", 0, body=canary.encode())])
        with program("read_until_told", str(path)) as process:
            hear(process, "reading")
            assert not store.forget(["alpha"]).bytes_gone
            assert contents(store)["sessions"] == []
            assert left_in(tmp_path, {canary.encode()})
            tell(process, "stop")
            hear(process, "read alpha")
            process.wait()
        assert store.forget(["alpha"]).bytes_gone
        assert left_in(tmp_path, {canary.encode()}) == []


def test_forgetting_a_large_session_takes_no_more_memory_than_a_small_one(tmp_path: Path) -> None:
    with opened(tmp_path / "store.sqlite") as store:
        for start in range(0, LARGE_BYTES, 16 * CHUNK_BYTES):
            body = NOISE.token(16 * CHUNK_BYTES)
            archive(store, [record("alpha", start, body=body)])
        resident = _resident_bytes()
        tracemalloc.start()
        try:
            assert store.forget(["alpha"]).bytes_gone
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak < 4 * 1024 * 1024
    assert _resident_bytes() - resident < STORE_CACHE_BYTES


def _resident_bytes() -> int:
    """Return how much memory this process has had at most."""
    status = Path("/proc/self/status")
    if not status.exists():
        return 0
    (line,) = (
        line for line in status.read_text(encoding="utf-8").splitlines() if line.startswith("VmHWM")
    )
    return int(line.split()[1]) * 1024


def test_a_store_that_is_full_can_forget(tmp_path: Path) -> None:
    with opened(tmp_path / "store.sqlite") as store:
        archive(store, [record("alpha", n, body=NOISE.token(900)) for n in range(300)])
        archive(store, [record("beta", 0)])
        writer = writer_of(store)
        pages = read_number(writer, "PRAGMA page_count")
        writer.execute(f"PRAGMA max_page_count = {pages}")
        forgotten = store.forget(["alpha"])
        assert (forgotten.records, forgotten.identities, forgotten.bytes_gone) == (300, 300, True)
        assert session_of(store, "beta").records == 1
        assert store.check() == ()


def test_a_page_that_is_no_part_of_a_tree_has_no_gap() -> None:
    leaf = bytearray(4096)
    leaf[0], leaf[4], leaf[5:7] = 13, 1, (4_000).to_bytes(2, "big")
    leaf[100] = leaf[3_999] = leaf[4_001] = 1
    overflow = bytes([0, 0, 0, 13]) + b"x" * 4092
    assert list(dirty_gaps(bytes(leaf) + overflow, 4096, is_head=False)) == [(10, 3_990)]
    clean = bytes(leaf[:10]) + bytes(3_990) + bytes(leaf[4_000:])
    assert list(dirty_gaps(clean + overflow, 4096, is_head=False)) == []
    nonsense = bytearray(leaf)
    nonsense[3:5] = b"\xff\xff"
    assert list(dirty_gaps(bytes(nonsense), 4096, is_head=False)) == []


def test_opening_a_store_gives_no_session_back(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with opened(path) as store:
        archive(store, [record("alpha", 0)])
        store.forget(["alpha"])
    store = open_store(path)
    with store.snapshot() as reader:
        assert reader.is_forgotten("alpha")
        assert not reader.is_forgotten("beta")
    store.close()
