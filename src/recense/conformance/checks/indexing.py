"""The message index, where a store keeps one: it answers for what it covers and for nothing else.

A store need not keep an index. What is said of indexes here then says nothing of it, and the first
check holds that it writes nothing.
"""

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from recense.conformance.index_material import (
    EVENTS,
    converted,
    image,
    images,
    indexed_of,
    indexed_store,
    is_vouched,
    keeps_index,
    offered_of,
    page_of,
    whole_page,
)
from recense.conformance.material import (
    append,
    archive,
    arrive,
    birth,
    contents,
    event,
    mark,
    next_page,
    record,
    row,
    session_of,
)
from recense.conformance.vocabulary import Case, check, expect, expect_equal, fail
from recense.core.recall.versions import INDEX_VERSION, REDACTION_VERSION
from recense.core.transcript.changes import Standing
from recense.core.transcript.records import Counts, without_states
from recense.ports.index import IndexedThrough
from recense.ports.transcripts import TranscriptStore

NOTHING: Final[frozenset[str]] = frozenset()


@check("an index changes nothing of a store, and a store without one writes nothing of it")
def _(case: Case) -> None:
    store = case.subject()
    converted(store)
    before = contents(store)
    written = store.write_index(whole_page(store))
    expect_equal("written", written, frozenset({"alpha"} if keeps_index(store) else ()))
    expect_equal("contents", contents(store), before)
    expect("it was whole", holds=not store.mend_index())
    expect_equal("faults of the index", list(store.check_index()), [])
    store.empty_index()
    expect_equal("contents when it is emptied", contents(store), before)
    expect_equal("faults", [*store.check(), *store.check_index()], [])


@check("an index answers for a session when it is written to its end, and not before")
def _(case: Case) -> None:
    store = case.subject()
    if not keeps_index(store):
        return
    converted(store)
    expect("nothing is vouched for at first", holds=not is_vouched(store, "alpha"))
    store.write_index(page_of(images(store, "alpha", image(0), through=1)))
    expect("half of it is not vouched for", holds=not is_vouched(store, "alpha"))
    with store.snapshot() as reader:
        index = reader.message_index() or fail("the index is gone")
        expect_equal("unvouched", index.unvouched(), ["alpha"])
        expect_equal("waiting", index.waiting(), ["alpha"])
        through = IndexedThrough(events=1, state=b"after 1")
        expect_equal("through", index.through("alpha"), through)
    store.write_index(page_of(images(store, "alpha", image(1), image(2), expected=1)))
    with store.snapshot() as reader:
        index = reader.message_index() or fail("the index is gone")
        expect_equal("nothing is unvouched", index.unvouched(), [])
        expect_equal("nothing waits", index.waiting(), [])
        vouched = index.vouched("alpha") or fail("it is not vouched for")
        expect_equal("its row", vouched.session, without_states(session_of(store, "alpha")))
        expect_equal("its number", index.number("alpha"), vouched.number)
        expect_equal("by its number", index.vouched_number(vouched.number), vouched)
        expect("its redaction is current", holds=vouched.is_redaction_current)
        expect_equal("of nobody", (index.vouched("nobody"), index.number("nobody")), (None, None))
    expect_equal("faults", list(store.check_index()), [])


@check("whatever happens to a session takes back what an index said of it")
def _(case: Case) -> None:
    version = mark(1).importer_version
    changes: dict[str, Callable[[TranscriptStore], object]] = {
        "an event": lambda store: append(
            store, replace(next_page(store, "alpha"), events=(event("more"),))
        ),
        "a record": lambda store: archive(store, [record("alpha", 1)], path="alpha"),
        "a stream": lambda store: arrive(store, "alpha", "reply", "deploy"),
        "a new conversion": lambda store: store.restart("alpha", version),
        "forgetting": lambda store: store.forget(["alpha"]),
        "an unreadable event": lambda store: store.append(
            replace(next_page(store, "alpha"), counts=Counts(unreadable_events=1))
        ),
    }
    for name, change in changes.items():
        store = indexed_store(case, "alpha", "beta")
        if store is None:
            return
        change(store)
        expect(f"it is not vouched for after {name}", holds=not is_vouched(store, "alpha"))
        expect(f"another one still is after {name}", holds=is_vouched(store, "beta"))


@check("what is no change of a session leaves an index as it was")
def _(case: Case) -> None:
    store = indexed_store(case, "alpha")
    if store is None:
        return
    archive(store, [record("alpha", 0), record("beta", 0)], path="beta")
    store.set_private("alpha", private=True)
    store.set_private("alpha", private=False)
    arrive(store, "beta", "reply", "deploy")
    store.forget(["beta"])
    expect("it is vouched for", holds=is_vouched(store, "alpha"))
    expect("it is vouched for after all", holds=is_vouched(case.reopened(store), "alpha"))


@check("a page of an index on another base writes nothing, and others on it are written")
def _(case: Case) -> None:
    store = case.subject()
    if not keeps_index(store):
        return
    converted(store)
    converted(store, "beta")
    good = images(store, "alpha", *(image(n) for n in range(EVENTS)))
    other = images(store, "beta", *(image(n) for n in range(EVENTS)))
    for name, stale in {
        "as if some were indexed": replace(good, expected_events=1),
        "beyond its end": replace(good, through=EVENTS + 1),
        "of another last event": replace(good, last_event=("alpha 1", 4_000)),
        "of one that was recorded again": replace(good, last_event=("alpha 2", 4_001)),
        "of no last event": replace(good, last_event=None),
        "of another conversion": replace(good, importer_version=4),
        "of a session that is not there": replace(good, session_id="nobody"),
    }.items():
        expect_equal(name, store.write_index(page_of(stale)), NOTHING)
        expect_equal(f"rows, {name}", indexed_of(store, "alpha"), [])
    mixed = page_of(replace(good, importer_version=4), other)
    expect_equal("of two", store.write_index(mixed), frozenset({"beta"}))
    expect_equal("vouched", [is_vouched(store, each) for each in ("alpha", "beta")], [False, True])
    store.write_index(page_of(good))
    grown = replace(good, rows=(image(0, "again"),))
    again = replace(grown, expected_events=EVENTS)
    expect_equal("what is there", store.write_index(page_of(again)), frozenset({"alpha"}))
    expect_equal("the last event", indexed_of(store, "alpha")[0].image, b"again")


@check("rows of an index replace those at their places, and a page on nothing replaces all")
def _(case: Case) -> None:
    store = case.subject()
    if not keeps_index(store):
        return
    converted(store)
    first = replace(image(0, "deploy"), more_ordinals=(1, 2), redacted=b"dep", identity=b"i" * 16)
    rows = (first, replace(image(1), at=None, has_materials=True, echo=True, kind="note"))
    store.write_index(page_of(images(store, "alpha", *rows, through=2)))
    expect_equal("as written", indexed_of(store, "alpha"), list(rows))
    more = (image(0, "deployed today"), image(2))
    store.write_index(page_of(images(store, "alpha", *more, expected=2)))
    expect_equal("after a page", indexed_of(store, "alpha"), [more[0], rows[1], more[1]])
    places = [position for _, position in offered_of(store, "deployed")]
    expect_equal("found by the new text", places, [0])
    store.empty_index()
    store.write_index(page_of(images(store, "alpha", image(0), through=1)))
    converted(store, "beta")
    store.write_index(
        replace(page_of(images(store, "alpha", image(2, "anew"))), redaction_version=99)
    )
    expect_equal("on nothing", [each.position for each in indexed_of(store, "alpha")], [2])
    expect_equal("faults", list(store.check()), [])


@check("standings of a page apply to the rows of an index, one after the other")
def _(case: Case) -> None:
    store = case.subject()
    if not keeps_index(store):
        return
    converted(store)
    standings = (
        Standing(first=0, last=2, live=False),
        Standing(first=1, last=1, live=True),
    )
    rows = (image(0), image(1, live=False), image(2))
    store.write_index(page_of(images(store, "alpha", *rows, standings=standings)))
    live = [each.live for each in indexed_of(store, "alpha")]
    expect_equal("after one page", live, [False, True, False])
    append(store, replace(next_page(store, "alpha"), events=(event("more"),)))
    page = page_of(
        images(store, "alpha", expected=EVENTS, standings=(Standing(first=2, last=2, live=True),))
    )
    store.write_index(page)
    live = [each.live for each in indexed_of(store, "alpha")]
    expect_equal("after the next page", live, [False, True, True])


@check("an index answers for nothing that other rules made, or that could not be read")
def _(case: Case) -> None:
    store = case.subject()
    if not keeps_index(store):
        return
    converted(store)
    whole = whole_page(store)
    for name, page in {
        "other rules": replace(whole, index_version=INDEX_VERSION + 1),
        "an unreadable event": replace(
            whole, sessions=(replace(whole.sessions[0], is_readable=False),)
        ),
    }.items():
        store.empty_index()
        expect_equal(name, store.write_index(page), frozenset({"alpha"}))
        expect(f"not vouched for: {name}", holds=not is_vouched(store, "alpha"))
        with store.snapshot() as reader:
            index = reader.message_index() or fail("the index is gone")
            expect_equal(f"unvouched: {name}", index.unvouched(), ["alpha"])
    store.empty_index()
    store.write_index(replace(whole, redaction_version=REDACTION_VERSION + 1))
    with store.snapshot() as reader:
        index = reader.message_index() or fail("the index is gone")
        found = index.vouched("alpha") or fail("other rules of redaction take the vouch")
        expect("its redaction is not current", holds=not found.is_redaction_current)
        expect_equal("it waits", index.waiting(), ["alpha"])
        expect_equal("through", index.through("alpha"), IndexedThrough(events=0, state=b""))


@check("emptying an index takes back all that it answers for")
def _(case: Case) -> None:
    store = indexed_store(case, "alpha", "beta")
    if store is None:
        return
    store.empty_index()
    for session_id in ("alpha", "beta"):
        expect(f"{session_id} is not vouched for", holds=not is_vouched(store, session_id))
        expect_equal("rows", indexed_of(store, session_id), [])
    expect_equal("offered", offered_of(store, "morning"), [])
    with store.snapshot() as reader:
        index = reader.message_index() or fail("the index is gone")
        expect_equal("waiting", index.waiting(), ["alpha", "beta"])
    store.write_index(whole_page(store))
    expect("it is made anew", holds=is_vouched(store, "alpha"))


@check("forgetting leaves nothing of a session in an index")
def _(case: Case) -> None:
    store = indexed_store(case, "alpha", "beta")
    if store is None:
        return
    store.forget(["alpha"])
    expect_equal("rows", indexed_of(store, "alpha"), [])
    expect_equal("offered, of the one that stays", len(offered_of(store, "fern")), 1)
    expect_equal("faults", list(store.check_index()), [])


@check("a conversion made anew is indexed anew")
def _(case: Case) -> None:
    store = indexed_store(case, "alpha")
    if store is None:
        return
    stale = whole_page(store)
    store.restart("alpha", mark(1).importer_version)
    expect_equal("rows", indexed_of(store, "alpha"), [])
    page = replace(
        next_page(store, "alpha"),
        events=tuple(replace(event(f"alpha {n}"), recorded_at=4_001) for n in range(EVENTS)),
        opened=tuple(row(n) for n in range(EVENTS)),
        conversion=mark(1),
    )
    append(store, page)
    expect("it is not vouched for", holds=not is_vouched(store, "alpha"))
    expect_equal("what was read before", store.write_index(stale), NOTHING)
    store.write_index(whole_page(store))
    expect("it is vouched for again", holds=is_vouched(store, "alpha"))
    expect_equal("faults", list(store.check_index()), [])


@check("a session without events is vouched for as well, and one that waits for records is not")
def _(case: Case) -> None:
    store = case.subject()
    if not keeps_index(store):
        return
    archive(store, [record("beta", 0)], births=[birth("alpha"), birth("beta")])
    page = page_of(images(store, "alpha"), images(store, "beta"))
    expect_equal("written", store.write_index(page), frozenset({"alpha", "beta"}))
    expect("without events", holds=is_vouched(store, "alpha"))
    expect("with a record that waits", holds=not is_vouched(store, "beta"))
    with store.snapshot() as reader:
        index = reader.message_index() or fail("the index is gone")
        expect_equal("unvouched, of settled ones", index.unvouched(), [])


@check("an index is read as it was at the snapshot's moment")
def _(case: Case) -> None:
    store = indexed_store(case, "alpha")
    if store is None:
        return
    with store.snapshot() as reader:
        index = reader.message_index() or fail("the index is gone")
        append(store, replace(next_page(store, "alpha"), events=(event("more"),)))
        store.empty_index()
        expect("it is vouched for at that moment", holds=index.vouched("alpha") is not None)
        expect_equal("offered", len(list(index.offered([b"fern"]))), 1)
    expect("not at the next one", holds=not is_vouched(store, "alpha"))
