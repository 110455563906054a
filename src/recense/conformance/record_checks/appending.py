"""Appending on condition: counters, stamps, repeats, and writers at the same time."""

import multiprocessing
import pickle
import threading
from functools import partial
from queue import SimpleQueue

from recense.conformance.record_vocabulary import (
    NOTES,
    RecordCase,
    RecordOpener,
    append,
    ids,
    listing,
    note,
    read,
    record_check,
)
from recense.conformance.vocabulary import expect, expect_equal, expect_raises
from recense.errors import InvalidRequest, StoreConflict
from recense.ports.records import Append, Record, RecordStore

WRITERS = 3
APPENDS = 25
TRIES_MAX = 2_000
WAIT_SECONDS = 120


def _counters(store: RecordStore, *names: str) -> object:
    return read(store, lambda reader: reader.counters(names))


@record_check("an append keeps its records and raises its counters", "compare_and_append")
def _(case: RecordCase) -> None:
    store = case.subject()
    append(store, note("a", b"1", subject="s"), bump=["x", "é\x00"], expected={"x": 0, "y": 0})
    append(store, note("b"), bump=["x"], expected={"x": 1})
    append(store, bump=["x", "X"])
    expected = {"x": 3, "X": 1, "é\x00": 1, "y": 0}
    expect_equal("counters", _counters(store, *expected), expected)
    store = case.reopened(store)
    expect_equal("opened again", _counters(store, *expected), expected)
    expect_equal("kept", ids(store), ["a", "b"])


@record_check("an append on other counters is a conflict, and keeps nothing", "compare_and_append")
def _(case: RecordCase) -> None:
    store = case.subject()
    append(store, note("a"), bump=["x"])
    before = read(store, lambda reader: (reader.list(NOTES), reader.counters(["x", "y"])))
    for expected in ({"x": 0}, {"x": 2}, {"x": 1, "y": 1}):
        expect_raises(
            f"{expected}",
            StoreConflict,
            lambda expected=expected: append(
                store, note("b"), expected=expected, bump=["x", "y"], now=9
            ),
        )
    after = read(store, lambda reader: (reader.list(NOTES), reader.counters(["x", "y"])))
    expect_equal("afterwards", after, before)
    bad = note("b", n=float("nan"))
    expect_raises("a bad record", InvalidRequest, lambda: append(store, note("c"), bad, bump=["x"]))
    expect_equal("after a bad record", _counters(store, "x"), {"x": 1})


@record_check(
    "an append that is repeated keeps what is there, and adds nothing twice", "compare_and_append"
)
def _(case: RecordCase) -> None:
    store = case.subject()
    given = Append(
        records=(note("a", b"1", subject="s"), note("b", b"1"), note("a", b"2", subject="t")),
        bump=frozenset({"x"}),
    )
    first = store.append(given, now=10)
    expect_equal("stamps", first.stamps, {(NOTES, "a"): 10, (NOTES, "b"): 11})
    before = listing(store)
    expect_equal("the first of equal ids", before.records[0].body, b"1")
    store = case.reopened(store)
    again = store.append(Append(records=(*given.records, note("c"))), now=10)
    expect_equal("new", again.stamps, {(NOTES, "c"): 12})
    found = listing(store)
    expect_equal("as they were", found.records[:2], before.records)
    expect_equal("total", found.total, 3)


@record_check("stamps grow with every record, however the clock goes", "compare_and_append")
def _(case: RecordCase) -> None:
    store = case.subject()
    expect_equal("at first", append(store, note("a"), note("b"), now=-7), [-7, -6])
    expect_equal("a later clock", append(store, note("c"), now=50), [50])
    elsewhere = note("d", collection="other")
    expect_equal("a clock gone back", append(store, elsewhere, note("e"), now=3), [51, 52])
    store = case.reopened(store)
    store.delete(NOTES, ["e"])
    expect_equal("nothing new", append(store, note("a"), now=99), [])
    expect_equal("after a deletion", append(store, note("f"), now=3), [53])
    store.put([Record(collection=NOTES, record_id="g", body=b"", recorded_at=1_000)])
    expect_equal("after a stamp was put", append(store, note("h"), now=60), [1_001])
    stamps = {each.record_id: each.recorded_at for each in listing(store).records}
    expect_equal("kept", stamps, {"a": -7, "b": -6, "c": 50, "f": 53, "g": 1_000, "h": 1_001})


def _write(opener: RecordOpener, name: str, writer: int) -> None:
    """Append under one shared counter, again after each conflict."""
    store = opener(name)
    for number in range(APPENDS):
        for _ in range(TRIES_MAX):
            with store.snapshot() as reader:
                expected = reader.counters(["shared"])
            given = Append(
                records=(note(f"w{writer}-{number:03}", seen=expected["shared"]),),
                expected=expected,
                bump=frozenset({"shared"}),
            )
            try:
                store.append(given, now=writer)
            except StoreConflict:
                continue
            break


@record_check("of writers at the same time none loses a record or a count", "compare_and_append")
def _(case: RecordCase) -> None:
    store = case.subject()
    work = partial(_write, case.opener(), case.name_of(store))
    _together(case, work)
    total = WRITERS * APPENDS
    found = listing(store)
    expect_equal("records", found.total, total)
    expect_equal("counted", _counters(store, "shared"), {"shared": total})
    seen = sorted(int(str(each.fields["seen"])) for each in found.records)
    expect_equal("each on what the one before left", seen, list(range(total)))
    by_stamp = sorted(found.records, key=lambda each: each.recorded_at or 0)
    expect_equal("order of stamps", [each.fields["seen"] for each in by_stamp], seen)
    expect("stamps differ", holds=len({each.recorded_at for each in by_stamp}) == total)


def _together(case: RecordCase, work: "partial[None]") -> None:
    """Let writers work at the same time: processes where the opener can go there, else threads."""
    try:
        pickle.dumps(work)
    except (pickle.PicklingError, TypeError, AttributeError):
        case.note("by threads: the opener cannot be pickled")
        _by_threads(work)
        return
    case.note("by processes")
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=work, args=(each,)) for each in range(WRITERS)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(WAIT_SECONDS)
    codes = [process.exitcode for process in processes]
    for process in processes:
        process.kill()
    expect_equal("how the processes ended", codes, [0] * WRITERS)


def _by_threads(work: "partial[None]") -> None:
    failures: SimpleQueue[BaseException] = SimpleQueue()
    threads = [
        threading.Thread(target=_noting, args=(failures, work, each)) for each in range(WRITERS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT_SECONDS)
    expect("every thread ended", holds=not any(thread.is_alive() for thread in threads))
    if not failures.empty():
        raise failures.get()


def _noting(failures: "SimpleQueue[BaseException]", work: "partial[None]", writer: int) -> None:
    try:
        work(writer)
    except BaseException as failure:  # noqa: BLE001 - raised again where the threads are waited for
        failures.put(failure)
