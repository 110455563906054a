"""Watermarks: what tells that a collection is as it was."""

from collections.abc import Callable

from recense.conformance.record_vocabulary import (
    NOTES,
    RecordCase,
    append,
    note,
    record_check,
)
from recense.conformance.vocabulary import expect, expect_equal
from recense.ports.records import RecordStore


def _mark(store: RecordStore, collection: str = NOTES) -> object:
    return store.watermark(collection)


@record_check("a watermark changes with every mutation of its collection", "watermark")
def _(case: RecordCase) -> None:
    store = case.subject()
    other = _mark(store, "other")
    seen = [_mark(store)]
    mutations: list[Callable[[], object]] = [
        lambda: store.put([note("a")]),
        lambda: store.put([note("a", b"1")]),
        lambda: store.put([note("b"), note("c")]),
        lambda: store.delete(NOTES, ["a"]),
        lambda: store.put([note("a", b"1")]),
        lambda: store.delete(NOTES, ["a", "b", "c"]),
    ]
    if "compare_and_append" in store.capabilities:
        mutations.append(lambda: append(store, note("d")))
    if "fenced_put" in store.capabilities:
        lease = store.acquire("l", "h", ttl_ms=600_000)
        mutations.append(lambda: store.fenced_put(lease, [note("e")]))
    for number, mutate in enumerate(mutations):
        mutate()
        mark = _mark(store)
        expect(f"mutation {number} gives a new one", holds=mark not in seen)
        expect_equal("and stays", _mark(store), mark)
        seen.append(mark)
    expect_equal("of another collection", _mark(store, "other"), other)


@record_check(
    "a watermark is never used again, also when all is deleted and opened again", "watermark"
)
def _(case: RecordCase) -> None:
    store = case.subject()
    seen: list[object] = []
    for _ in range(3):
        store.put([note("a")])
        seen.append(_mark(store))
        store.delete(NOTES, ["a"])
        seen.append(_mark(store))
        store = case.reopened(store)
        expect_equal("opened again", _mark(store), seen[-1])
    expect_equal("different ones", len(set(map(str, seen))), len(seen))


@record_check("what is read between two equal watermarks is of one state", "watermark")
def _(case: RecordCase) -> None:
    store = case.subject()
    store.put([note("a")])
    before = store.watermark(NOTES)
    with store.snapshot() as reader:
        expect_equal("while it is read", store.watermark(NOTES), before)
        store.put([note("b")])
        expect("another one after a write", holds=store.watermark(NOTES) != before)
        expect_equal("records in the snapshot", reader.list(NOTES).total, 1)
    after = store.watermark(NOTES)
    with store.snapshot() as reader:
        expect_equal("records later", reader.list(NOTES).total, 2)
    expect_equal("between two that are equal", store.watermark(NOTES), after)
