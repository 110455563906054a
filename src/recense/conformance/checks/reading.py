"""Snapshots: one moment of the whole store, also while others write."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from msgspec.structs import replace

from recense.conformance.material import (
    append,
    archive,
    birth,
    contents,
    event,
    mark,
    next_page,
    record,
    row,
    session_of,
)
from recense.conformance.vocabulary import Case, check, expect, expect_equal
from recense.ports.transcripts import TranscriptReader

WAIT_SECONDS_MAX: Final = 60.0
"""How long a thread of a check waits for the other one."""

NO_IDS: Final[frozenset[str]] = frozenset()

WRITERS: Final = 4
PAGES_EACH: Final = 25


@check("an empty store answers every question with nothing")
def _(case: Case) -> None:
    store = case.subject()
    with store.snapshot() as reader:
        expect_equal("sessions", list(reader.sessions()), [])
        expect_equal("files", list(reader.files()), [])
        expect_equal("blobs", list(reader.blob_ids()), [])
        _expect_nothing_of(reader, "nobody")
    expect_equal("faults", list(store.check()), [])


@check("a session without records or events is a session all the same")
def _(case: Case) -> None:
    store = case.subject()
    archive(store, [], births=[birth("", None), birth("alpha")])
    with store.snapshot() as reader:
        expect_equal("ids", [each.session_id for each in reader.sessions()], ["alpha", ""])
        for session_id in ("", "alpha"):
            expect("it is there", holds=reader.session(session_id) is not None)
            _expect_nothing_of(reader, session_id, there=True)
    append(store, next_page(store, "alpha"))
    expect_equal("faults", list(store.check()), [])


@check("sessions are listed by their start, those without one last")
def _(case: Case) -> None:
    store = case.subject()
    starts = {"z": 1, "b": 2, "a": 2, "数": None, "A": None, "y": -1, "x": 0}
    archive(store, [], births=[birth(name, start) for name, start in starts.items()])
    with store.snapshot() as reader:
        found = [each.session_id for each in reader.sessions()]
    expect_equal("order", found, ["y", "x", "z", "a", "b", "A", "数"])


@check("a snapshot does not see what is written after it")
def _(case: Case) -> None:
    store = case.subject()
    archive(store, [record("alpha", 0), record("alpha", 1)])
    append(store, replace(next_page(store, "alpha"), events=(event("e0"),), opened=(row(0),)))
    with store.snapshot() as reader:
        before = _everything(reader)
        archive(store, [record("alpha", 2), record("beta", 0)])
        page = replace(
            next_page(store, "alpha"),
            events=(event("e1"),),
            opened=(row(1, name="new"),),
            conversion=mark(2, "drop"),
        )
        append(store, page)
        expect_equal("the snapshot", _everything(reader), before)
        expect_equal("a new event", reader.known_event_ids("alpha", ["e1"]), NO_IDS)
    with store.snapshot() as reader:
        expect("the next snapshot sees it", holds=_everything(reader) != before)


@check("two snapshots of one thread see their own moments")
def _(case: Case) -> None:
    store = case.subject()
    archive(store, [record("alpha", 0)])
    with store.snapshot() as first:
        archive(store, [record("alpha", 1)])
        with store.snapshot() as second:
            archive(store, [record("alpha", 2)])
            for reader, expected in ((first, 1), (second, 2)):
                session = reader.session("alpha")
                expect_equal("records", session and session.records, expected)


@check("a snapshot holds while another thread writes, and never sees half a page")
def _(case: Case) -> None:
    store = case.subject()
    archive(store, [record("alpha", 0)])
    opened, written = threading.Event(), threading.Event()

    def write() -> None:
        opened.wait(WAIT_SECONDS_MAX)
        append(store, replace(next_page(store, "alpha"), events=(event("e0"), event("e1"))))
        archive(store, [record("alpha", 1), record("beta", 0)])
        written.set()

    def read() -> None:
        with store.snapshot() as reader:
            before = _everything(reader)
            opened.set()
            expect("the write ended meanwhile", holds=written.wait(WAIT_SECONDS_MAX))
            expect_equal("the snapshot", _everything(reader), before)

    _together(write, read)
    expect_equal("events afterwards", session_of(store, "alpha").events, 2)


@check("threads that write at once lose nothing")
def _(case: Case) -> None:
    store = case.subject()
    start = threading.Barrier(WRITERS, timeout=WAIT_SECONDS_MAX)

    def write(name: str) -> Callable[[], None]:
        def pages() -> None:
            start.wait()
            for n in range(PAGES_EACH):
                archive(
                    store, [record(name, n), record("shared", n, name=f"{name} {n}")], path=name
                )
                append(store, replace(next_page(store, name), events=(event(f"e{n}"),)))

        return pages

    names = [f"writer {n}" for n in range(WRITERS)]
    _together(*(write(name) for name in names))
    for name in names:
        found = session_of(store, name)
        expect_equal(name, (found.records, found.events), (PAGES_EACH, PAGES_EACH))
    expect_equal("shared", session_of(store, "shared").records, WRITERS * PAGES_EACH)
    expect_equal("faults", list(store.check()), [])


@check("a snapshot that ends by an error leaves the store usable")
def _(case: Case) -> None:
    store = case.subject()
    archive(store, [record("alpha", n) for n in range(3)])
    for _ in range(3):
        try:
            with store.snapshot() as reader:
                next(reader.sessions())
                next(reader.files())
                raise KeyError  # noqa: TRY301 - stands for any error of a caller's
        except KeyError:
            archive(store, [record("alpha", 9)])
    expect_equal("records", session_of(store, "alpha").records, 4)


@check("a store opened again holds what it held")
def _(case: Case) -> None:
    store = case.subject()
    archive(store, [record("alpha", n, name=f"n{n}") for n in range(3)])
    page = replace(
        next_page(store, "alpha"),
        events=(event("e0"),),
        opened=(row(0, name="same"),),
        conversion=mark(2, "drop"),
    )
    append(store, page)
    key, before = store.key(), contents(store)
    store = case.reopened(store)
    expect_equal("contents", contents(store), before)
    expect_equal("key", store.key(), key)
    archive(store, [record("alpha", 1, name="n1"), record("alpha", 3)])
    expect_equal("records", session_of(store, "alpha").records, 4)
    expect_equal("faults", list(store.check()), [])


@check("a store's key is 32 bytes of its own")
def _(case: Case) -> None:
    keys = {case.subject().key() for _ in range(3)}
    expect_equal("lengths", {len(key) for key in keys}, {32})
    expect_equal("different keys", len(keys), 3)


@check("a store says what it is")
def _(case: Case) -> None:
    description = case.subject().description()
    for name in ("kind", "place", "engine", "durability"):
        expect(f"it says its {name}", holds=bool(description.get(name)))


def _everything(reader: TranscriptReader) -> list[object]:
    sessions = list(reader.sessions())
    return [
        sessions,
        [reader.records(each.session_id, 0, 100, 100_000) for each in sessions],
        [list(reader.events(each.session_id)) for each in sessions],
        [list(reader.message_rows(each.session_id)) for each in sessions],
        list(reader.files()),
    ]


def _expect_nothing_of(reader: TranscriptReader, session_id: str, *, there: bool = False) -> None:
    if not there:
        expect_equal("session", reader.session(session_id), None)
    expect_equal("records", reader.records(session_id, 0, 10, 10), [])
    expect_equal("events", list(reader.events(session_id)), [])
    expect_equal("rows", list(reader.message_rows(session_id)), [])
    expect_equal("ids", reader.known_event_ids(session_id, ["e0"]), NO_IDS)
    expect_equal("file", reader.file("sample", session_id), None)
    expect_equal("blob", reader.blob(session_id), None)


def _together(*tasks: Callable[[], None]) -> None:
    """Run tasks in a thread each and wait for all; the first failure fails the check."""
    with ThreadPoolExecutor(len(tasks)) as pool:
        for future in [pool.submit(task) for task in tasks]:
            future.result(WAIT_SECONDS_MAX)
