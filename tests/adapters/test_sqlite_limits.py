"""A store that is full, busy or cannot be written refuses, keeps nothing of it, and goes on."""

import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from msgspec.structs import replace

from recense.adapters.sqlite.driver import Connection, read_number
from recense.adapters.sqlite.store import SqliteStore
from recense.conformance.material import (
    append,
    archive,
    arrive,
    birth,
    contents,
    event,
    next_page,
    record,
    session_of,
)
from recense.core.transcript.records import SessionFacts
from recense.errors import StoreBusy, StoreFault, StoreFull, StoreReadOnly
from recense.limits import CHUNK_BYTES, STORE_LOG_BYTES
from recense.ports.commits import ImportFile
from recense.testing import SeededChance
from tests.adapters.stores import WAIT_SECONDS_MAX, open_store, opened, program

NOISE = SeededChance(3)


def writer_of(store: SqliteStore) -> Connection:
    return store._file.writer  # pyright: ignore[reportPrivateUsage]


def test_a_full_disk_refuses_a_page_whole_and_takes_it_when_there_is_room(tmp_path: Path) -> None:
    with opened(tmp_path / "store.sqlite") as store:
        archive(store, [record("alpha", 0)])
        before = contents(store)
        pages = read_number(writer_of(store), "PRAGMA page_count")
        writer_of(store).execute(f"PRAGMA max_page_count = {pages}")
        long = [record("alpha", 1, body=NOISE.token(20 * CHUNK_BYTES)), record("alpha", 2)]
        for _ in range(2):
            with pytest.raises(StoreFull) as caught:
                archive(store, long)
            assert not caught.value.retryable
        events = (event("e0", payload=NOISE.token(10 * CHUNK_BYTES)),)
        with pytest.raises(StoreFull):
            append(store, replace(next_page(store, "alpha"), events=events))
        assert contents(store) == before
        assert store.check() == ()
        writer_of(store).execute("PRAGMA max_page_count = 1000000")
        assert archive(store, long) == ("parsed", "parsed")
        assert store.check() == ()


def test_every_write_on_a_full_disk_is_refused_or_kept_whole(tmp_path: Path) -> None:
    long = NOISE.token(10 * CHUNK_BYTES)
    with opened(tmp_path / "store.sqlite") as store:
        archive(store, [record("alpha", 0)])
        before = contents(store)
        page = replace(next_page(store, "alpha"), events=(event("e0", payload=long),))
        file = ImportFile(source="sample", path="/home/ada/other.jsonl", state=long)
        writes: dict[str, Callable[[], object]] = {
            "archive": lambda: archive(store, [record("alpha", 1, body=long)]),
            "append": lambda: store.append(page),
            "open_session": lambda: store.open_session(
                birth("beta"), SessionFacts(title=long.hex(), title_rank=3)
            ),
            "stream": lambda: arrive(store, "alpha", "reply", long.hex()),
            "note_file": lambda: store.note_file(None, file),
            "forget": lambda: store.forget(f"nobody {n}" for n in range(20_000)),
        }
        pages = read_number(writer_of(store), "PRAGMA page_count")
        writer_of(store).execute(f"PRAGMA max_page_count = {pages}")
        for name, write in writes.items():
            with pytest.raises(StoreFull):
                write()
            assert contents(store) == before, name
        store.set_private("alpha", private=True)  # which needs no room
        assert session_of(store, "alpha").private
        assert store.check() == ()
        writer_of(store).execute("PRAGMA max_page_count = 1000000")
        for write in writes.values():
            write()
        assert store.check() == ()


def test_a_connection_that_cannot_write_refuses_every_write(tmp_path: Path) -> None:
    with opened(tmp_path / "store.sqlite") as store:
        archive(store, [record("alpha", 0)])
        before = contents(store)
        page = replace(next_page(store, "alpha"), events=(event("e0"),))
        writer_of(store).execute("PRAGMA query_only = ON")
        with pytest.raises(StoreReadOnly):
            archive(store, [record("alpha", 1)])
        with pytest.raises(StoreReadOnly):
            append(store, page)
        assert contents(store) == before


CAN_BE_READ = "can read\ncannot write\ncan read\n"


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
@pytest.mark.parametrize(
    ("folder_mode", "is_open_elsewhere", "expected"),
    [
        (0o777, True, CAN_BE_READ),
        (0o777, False, CAN_BE_READ),
        (0o555, True, CAN_BE_READ),
        (0o555, False, CAN_BE_READ),
    ],
)
def test_a_file_without_permission_to_write_can_be_read(
    folder_mode: int, is_open_elsewhere: bool, expected: str
) -> None:
    with TemporaryDirectory() as folder:  # tmp_path is closed to others
        path = Path(folder) / "store.sqlite"
        store = open_store(path)
        archive(store, [record("alpha", 0)])
        if not is_open_elsewhere:
            store.close()
        for each in Path(folder).iterdir():
            each.chmod(0o444)
        Path(folder).chmod(folder_mode)
        with program("read_without_permission", str(path)) as process:
            said, complaints = process.communicate(timeout=WAIT_SECONDS_MAX)
        store.close()
        Path(folder).chmod(0o700)
    assert (said, complaints) == (expected, "")


def test_a_thread_that_waits_for_another_too_long_is_busy(tmp_path: Path) -> None:
    with opened(tmp_path / "store.sqlite", busy_wait_ms=20) as store:
        archive(store, [record("alpha", 0)])
        held, done = threading.Event(), threading.Event()

        def hold() -> None:
            with store._file.transaction():  # pyright: ignore[reportPrivateUsage]
                held.set()
                done.wait(WAIT_SECONDS_MAX)

        holder = threading.Thread(target=hold)
        holder.start()
        assert held.wait(WAIT_SECONDS_MAX)
        with pytest.raises(StoreBusy):
            archive(store, [record("alpha", 1)])
        assert session_of(store, "alpha").records == 1
        done.set()
        holder.join(WAIT_SECONDS_MAX)
        assert archive(store, [record("alpha", 1)]) == ("parsed",)


def test_an_error_of_the_caller_inside_a_write_gives_the_lock_back(tmp_path: Path) -> None:
    with opened(tmp_path / "store.sqlite") as store:
        for _ in range(3):
            with pytest.raises(KeyError):
                _fail_inside_a_write(store)
        archive(store, [record("alpha", 0)])
        assert store.check() == ()


def _fail_inside_a_write(store: SqliteStore) -> None:
    with store._file.transaction() as connection:  # pyright: ignore[reportPrivateUsage]
        connection.execute("INSERT INTO meta VALUES ('x', x'00')")
        raise KeyError


def test_readers_do_not_keep_a_writer_waiting_nor_a_writer_readers(tmp_path: Path) -> None:
    with opened(tmp_path / "store.sqlite", busy_wait_ms=0) as store:
        archive(store, [record("alpha", 0)])
        with store.snapshot() as first:
            archive(store, [record("alpha", 1)])
            with store._file.transaction(), store.snapshot() as second:  # pyright: ignore[reportPrivateUsage]
                counts = [len(each.records("alpha", 0, 9, 9_999)) for each in (first, second)]
        assert counts == [1, 2]


def test_the_log_is_cut_back_after_a_long_reader(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    log = tmp_path / "store.sqlite-wal"
    with opened(path) as store:
        archive(store, [record("alpha", 0)])
        with store.snapshot():
            for n in range(1, 13):
                body = NOISE.token(STORE_LOG_BYTES // 2)
                archive(store, [record("alpha", n, body=body)])
        grown = log.stat().st_size
        archive(store, [record("alpha", 20), record("alpha", 21, body=NOISE.token(1000))])
        archive(store, [record("alpha", 22)])
        archive(store, [record("alpha", 23)])
        assert log.stat().st_size < grown
        assert store.check() == ()


def test_what_a_process_that_was_killed_left_in_the_log_is_found(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    copy = tmp_path / "copy"
    copy.mkdir()
    with opened(path) as store:
        archive(store, [record("alpha", 0)])
        before = contents(store)
        for suffix in ("", "-wal"):
            shutil.copy(f"{path}{suffix}", copy / f"store.sqlite{suffix}")
    with opened(copy / "store.sqlite") as store:
        assert contents(store) == before
        assert store.check() == ()


def test_a_torn_log_loses_its_torn_commit_alone(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    copy = tmp_path / "copy"
    copy.mkdir()
    with opened(path) as store:
        archive(store, [record("alpha", 0)])
        before = contents(store)
        whole = (tmp_path / "store.sqlite-wal").stat().st_size
        archive(store, [record("alpha", 1), record("beta", 0, body=NOISE.token(30_000))])
        shutil.copy(path, copy)
        log = (tmp_path / "store.sqlite-wal").read_bytes()
    for cut in (len(log) - 1, len(log) - 4_200, whole + 10):
        (copy / "store.sqlite-wal").write_bytes(log[:cut])
        (copy / "store.sqlite-shm").unlink(missing_ok=True)
        fresh = tmp_path / f"cut-{cut}"
        shutil.copytree(copy, fresh)
        with opened(fresh / "store.sqlite") as store:
            assert contents(store) == before
            assert store.check() == ()


def test_after_close_a_store_refuses_to_write(tmp_path: Path) -> None:
    store = open_store(tmp_path / "store.sqlite")
    store.close()
    store.close()
    with pytest.raises(StoreFault, match="closed"):
        archive(store, [record("alpha", 0)])
