import pytest
from msgspec.structs import replace

from recense.adapters.memory.records import MemoryRecords
from recense.adapters.memory.store import MemoryStore
from recense.conformance.material import archive, arrive, birth, contents, next_page, record
from recense.core.transcript.records import SessionFacts
from recense.errors import StoreBusy, StoreConflict
from recense.ports.commits import ImportFile
from recense.ports.records import Append, Record, RecordStore
from recense.testing import (
    Boundary,
    FakeClock,
    FakeUptime,
    Fault,
    FaultyRecords,
    FaultyStore,
    SeededChance,
)

LOST = Boundary(method="archive", call=2, moment="after")
REFUSED = Boundary(method="archive", call=2, moment="before")


def test_the_clock_stands_still_until_it_is_told_to_move() -> None:
    clock = FakeClock(1_000)
    assert [clock.now() for _ in range(3)] == [1_000] * 3
    clock.advance(2.5)
    assert (clock.now(), clock.elapsed_ms()) == (3_500, 2.5)


def test_a_stepping_clock_moves_at_each_question() -> None:
    clock = FakeClock(0, step_ms=1.0)
    assert [clock.now(), clock.now()] == [0, 1_000]
    assert [clock.elapsed_ms(), clock.elapsed_ms()] == [2.0, 3.0]


def test_a_clock_that_jumps_back_has_not_lived_less() -> None:
    clock = FakeClock(5_000_000)
    clock.advance(10)
    clock.jump(-1)
    assert (clock.now(), clock.elapsed_ms()) == (-1, 10)


def test_seeded_chance_repeats_itself_and_nothing_else() -> None:
    def tokens(seed: int) -> list[bytes]:
        chance = SeededChance(seed)
        return [chance.token(size) for size in (32, 32, 5, 0)]

    assert tokens(1) == tokens(1)
    assert [len(token) for token in tokens(1)] == [32, 32, 5, 0]
    assert len({*tokens(1)[:2], *tokens(2)[:2]}) == 4


def memory() -> MemoryStore:
    return MemoryStore(SeededChance())


def test_a_fault_before_a_commit_keeps_nothing() -> None:
    store = FaultyStore(memory(), [Fault.raising(REFUSED, StoreBusy("somebody writes"))])
    archive(store, [record("alpha", 0)])
    before = contents(store)
    with pytest.raises(StoreBusy):
        archive(store, [record("alpha", 1)])
    assert contents(store) == before
    assert archive(store, [record("alpha", 1)]) == ("parsed",)


def test_a_lost_acknowledgement_kept_everything() -> None:
    store = FaultyStore(memory(), [Fault.raising(LOST, StoreBusy("who knows"))])
    archive(store, [record("alpha", 0)])
    with pytest.raises(StoreBusy):
        archive(store, [record("alpha", 1)])
    assert archive(store, [record("alpha", 1)]) == ("duplicate",)


def test_a_fault_may_do_anything() -> None:
    seen: list[object] = []
    inner = memory()
    store = FaultyStore(inner, [Fault(at=LOST, act=lambda: seen.append(contents(inner)))])
    archive(store, [record("alpha", 0)])
    archive(store, [record("alpha", 1)])
    assert seen == [contents(inner)]


def test_the_boundaries_passed_are_listed_and_a_refused_commit_has_no_other_side() -> None:
    store = FaultyStore(memory())
    file = ImportFile(source="sample", path="/home/ada/one.jsonl")
    store.open_session(birth("alpha"), SessionFacts())
    store.note_file(None, file)
    with pytest.raises(StoreConflict):
        store.note_file(None, file)
    store.append(next_page(store, "alpha"))
    archive(store, [record("alpha", 0)])
    arrive(store, "alpha", "reply", "deploy ")
    store.set_private("alpha", private=True)
    store.forget(["alpha"])
    assert [(each.method, each.call, each.moment) for each in store.passed] == [
        ("open_session", 1, "before"),
        ("open_session", 1, "after"),
        ("note_file", 1, "before"),
        ("note_file", 1, "after"),
        ("note_file", 2, "before"),
        ("append", 1, "before"),
        ("append", 1, "after"),
        ("archive", 1, "before"),
        ("archive", 1, "after"),
        ("stream", 1, "before"),
        ("stream", 1, "after"),
        ("set_private", 1, "before"),
        ("set_private", 1, "after"),
        ("forget", 1, "before"),
        ("forget", 1, "after"),
    ]


def test_without_faults_the_store_is_the_one_it_wraps() -> None:
    inner = memory()
    store = FaultyStore(inner)
    archive(store, [record("alpha", 0)])
    assert contents(store) == contents(inner)
    assert (store.key(), store.check(), store.description()) == (
        inner.key(),
        inner.check(),
        inner.description(),
    )
    store.close()


def test_records_fail_at_their_boundaries_too_and_are_else_the_store_they_wrap() -> None:
    at = Boundary(method="fenced_put", call=2, moment="after")
    records = MemoryRecords(FakeUptime())
    faulty: RecordStore = FaultyRecords(records, [Fault.raising(at, StoreBusy("who knows"))])
    note = Record(collection="notes", record_id="a", body=b"1")
    lease = faulty.acquire("index", "ada", ttl_ms=1_000)
    faulty.renew(lease)
    faulty.fenced_put(lease, [note])
    with pytest.raises(StoreBusy):
        faulty.fenced_put(lease, [replace(note, record_id="b")])
    faulty.put([replace(note, record_id="c")])
    assert faulty.append(Append(records=()), now=1).stamps == {}
    faulty.release(lease)
    with faulty.snapshot() as reader:
        assert [each.record_id for each in reader.list("notes").records] == ["a", "b", "c"]
    assert faulty.delete("notes", ["a"]) == 1
    assert faulty.watermark("notes") == records.watermark("notes")
    assert faulty.capabilities == records.capabilities
    faulty.close()
    assert isinstance(faulty, FaultyRecords)
    assert [each.method for each in faulty.passed if each.moment == "before"] == [
        "acquire",
        "renew",
        "fenced_put",
        "fenced_put",
        "put",
        "append",
        "release",
        "delete",
    ]
