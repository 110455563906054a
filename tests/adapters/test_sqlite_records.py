"""Records in SQLite: beside transcripts, by several processes, by the clock of the boot."""

import multiprocessing
from pathlib import Path

import apsw
import pytest
from msgspec.structs import replace

from recense.adapters.sqlite.file import SqliteFile, open_sqlite_file
from recense.adapters.sqlite.record_plans import plan_of
from recense.adapters.sqlite.records import SqliteRecords
from recense.adapters.sqlite.store import SqliteStore
from recense.adapters.system import SystemUptime
from recense.core.transcript.records import SessionBirth, SessionFacts
from recense.errors import StoreBusy
from recense.limits import (
    RECORDS_WAITING_MAX,
    STATEMENTS_READ_AHEAD_MAX,
    STORE_CACHE_BYTES,
)
from recense.ports.records import Append, Between, ContainsAny, Equals, OneOf, Order, Record
from recense.testing import FakeUptime, SeededChance

PROCESSES = 8
APPENDS = 1_000
TOUCHED_AT_MOST = 10
"""Keys of a statement: its pair, and pairs that exclude it or that it excludes, under all names."""


def opened(path: Path) -> SqliteFile:
    return open_sqlite_file(path, synchronous="normal", chance=SeededChance(), create=True)


def record(record_id: str, **fields: str | int | tuple[str, ...]) -> Record:
    return Record(collection="c", record_id=record_id, body=b"b" * 100, fields=fields, text="w x")


def _append_many(path: Path, process: int) -> None:
    store = SqliteRecords(opened(path), SystemUptime())
    for number in range(APPENDS):
        given = record(f"{process}-{number}", subject=f"s{process}", pairs=(f"p{number}",))
        store.append(Append(records=(given,), bump=frozenset({f"p{number}"})), now=number)
    store.close()


def test_of_eight_processes_that_append_none_loses_anything_or_hears_of_another(
    tmp_path: Path,
) -> None:
    path = tmp_path / "store.db"
    opened(path).close()
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=_append_many, args=(path, each)) for each in range(PROCESSES)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(200)
    assert [worker.exitcode for worker in workers] == [0] * PROCESSES
    store = SqliteRecords(opened(path), FakeUptime())
    with store.snapshot() as reader:
        assert reader.list("c", limit=0).total == PROCESSES * APPENDS
        for process in range(PROCESSES):
            where = (Equals(field="subject", value=f"s{process}"),)
            assert reader.list("c", where, limit=0).total == APPENDS
        assert reader.list("c", (ContainsAny(field="pairs", values=("p7",)),)).total == PROCESSES
        names = [f"p{number}" for number in range(APPENDS)]
        assert set(reader.counters(names).values()) == {PROCESSES}
        stamps = {each.recorded_at for each in reader.list("c").records}
        assert len(stamps) == PROCESSES * APPENDS
    store.close()


def test_transcripts_and_records_share_a_file_and_are_closed_once(tmp_path: Path) -> None:
    file = opened(tmp_path / "store.db")
    transcripts, records = SqliteStore(file), SqliteRecords(file, FakeUptime())
    birth = SessionBirth(
        session_id="s",
        source="x",
        source_session_id="s",
        origin="interactive",
        parent_session_id=None,
        created_at=None,
    )
    transcripts.open_session(birth, SessionFacts())
    records.put([record("a")])
    with transcripts.snapshot() as reader, records.snapshot() as other:
        assert reader.session("s") is not None
        assert other.list("c").total == 1
    assert transcripts.check() == ()
    records.close()
    transcripts.close()


def test_a_write_inside_another_of_the_same_file_is_busy_after_a_bounded_wait(
    tmp_path: Path,
) -> None:
    file = open_sqlite_file(
        tmp_path / "store.db",
        synchronous="normal",
        chance=SeededChance(),
        create=True,
        busy_wait_ms=20,
    )
    records = SqliteRecords(file, FakeUptime())
    with file.transaction(), pytest.raises(StoreBusy):
        records.put([record("a")])
    records.close()


@pytest.mark.parametrize("more", [-1, 0, 1, RECORDS_WAITING_MAX, 2 * RECORDS_WAITING_MAX + 1])
def test_what_waits_to_be_indexed_is_found_like_what_is(tmp_path: Path, more: int) -> None:
    store = SqliteRecords(opened(tmp_path / "store.db"), FakeUptime())
    count = RECORDS_WAITING_MAX + more
    for number in range(count):
        given = record(f"{number:05}", subject=f"s{number % 2}", observed_at=number)
        store.append(Append(records=(given,)), now=number)
    newest = Order(field="observed_at", descending=True)
    with store.snapshot() as reader:
        found = reader.list("c", limit=3, order=newest)
        assert [each.fields["observed_at"] for each in found.records] == [
            count - 1,
            count - 2,
            count - 3,
        ]
        assert found.total == count
        where = (Equals(field="subject", value="s1"),)
        assert reader.list("c", where, limit=1).total == count // 2
        assert len(reader.search_text("c", ["w"], count)) == count
    store.delete("c", [f"{count - 1:05}"])
    store.put([record("last", subject="s1", observed_at=-1)])
    with store.snapshot() as reader:
        assert reader.list("c", limit=1, order=newest).records[0].record_id == f"{count - 2:05}"
        assert reader.list("c", limit=0).total == count
    store.close()


def test_counting_stops_where_it_is_enough(tmp_path: Path) -> None:
    store = SqliteRecords(opened(tmp_path / "store.db"), FakeUptime())
    count = 2 * RECORDS_WAITING_MAX
    store.put(record(f"r{number}", subject="s", observed_at=number) for number in range(count))
    conditions = (Equals(field="subject", value="s"), Between(field="observed_at", at_least=0))
    with store.snapshot() as reader:
        for where in (conditions, conditions[:1], conditions[1:]):
            assert reader.list("c", where, limit=0, enough=3).total == 3
            assert reader.list("c", where, limit=0, enough=count + 1).total == count
            assert reader.list("c", where, limit=0).total == count


def test_a_statement_is_planned_without_a_look_at_what_is_bound(tmp_path: Path) -> None:
    file = opened(tmp_path / "store.db")
    with file.reading() as reader, file.alone() as writer:
        for connection in (reader, writer):
            assert connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, -1) == 1


def test_what_a_connection_had_read_before_is_no_damage_when_the_store_is_checked(
    tmp_path: Path,
) -> None:
    """The engine remembers where its index of words lay when the connection last asked it."""
    file = opened(tmp_path / "store.db")
    store, records = SqliteStore(file), SqliteRecords(file, FakeUptime())
    for part in range(12):
        for number in range(10):
            records.put(record(f"{part}-{number}-{n}") for n in range(2 * RECORDS_WAITING_MAX))
        assert store.check() == ()
        assert store.check_index() == ()


def test_many_records_are_written_in_few_steps_of_the_engine(tmp_path: Path) -> None:
    """At each step another thread may take the interpreter and keep it for milliseconds."""
    file = opened(tmp_path / "store.db")
    steps: list[str] = []

    def count(_cursor: object, statement: str, _bindings: object) -> bool:
        steps.append(statement)
        return True

    connection = file.writer
    assert isinstance(connection, apsw.Connection)
    connection.exec_trace = count
    store = SqliteRecords(file, FakeUptime())
    names = frozenset(f"p{number}" for number in range(1_000))
    given = tuple(record(f"r{number}", subject=f"s{number}") for number in range(1_000))
    store.append(Append(records=given, bump=names, expected=dict.fromkeys(names, 0)), now=5)
    assert len(steps) < 100
    with store.snapshot() as reader:
        assert reader.list("c").total == 1_000
        assert reader.counters(names) == dict.fromkeys(names, 1)


def test_what_was_written_does_not_stay_in_memory(tmp_path: Path) -> None:
    """The driver keeps what was bound last in each statement that it keeps."""
    store = SqliteRecords(opened(tmp_path / "store.db"), FakeUptime())
    before = apsw.memory_used()
    long = (replace(record(f"r{number}"), body=bytes(1_000_000)) for number in range(32))
    store.append(Append(records=tuple(long)), now=5)
    assert apsw.memory_used() - before < STORE_CACHE_BYTES + 4_000_000


def test_conditions_of_many_values_are_answered_however_many_they_are(tmp_path: Path) -> None:
    store = SqliteRecords(opened(tmp_path / "store.db"), FakeUptime())
    store.put(
        record(f"r{number}", subject=f"s{number}", kind=f"k{number % 3}", pairs=(f"p{number}",))
        for number in range(2 * RECORDS_WAITING_MAX)
    )
    many = [f"{number}" for number in range(5_000)]
    where = (
        OneOf(field="subject", values=("s3", "s4", "s40", *many)),
        OneOf(field="kind", values=("k0", *many)),
        ContainsAny(field="pairs", values=("p3", "p4", "p42", *many)),
        OneOf(field="kind", values=("k0", "k1", *many)),
    )
    with store.snapshot() as reader:
        assert [each.record_id for each in reader.list("c", where).records] == ["r3"]
        assert [each.record_id for each in reader.search_text("c", ["w"], 9, where)] == ["r3"]


def test_a_listing_by_thousands_of_keys_asks_an_index_and_no_record() -> None:
    keys = tuple(f"p{number}" for number in range(STATEMENTS_READ_AHEAD_MAX * TOUCHED_AT_MOST))
    plan = plan_of((ContainsAny(field="pairs", values=keys),))
    assert plan.at_once is not None
    assert not plan.rest
