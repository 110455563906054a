"""What a message index offers and finds, where a store keeps one."""

from msgspec.structs import replace

from recense.conformance.index_material import (
    TEXTS,
    converted,
    image,
    images,
    indexed_store,
    keeps_index,
    offered_of,
    page_of,
)
from recense.conformance.vocabulary import Case, check, expect, expect_equal, fail
from recense.limits import WINDOW_BYTES, WINDOW_OVERLAP_BYTES


@check("an index offers every message that holds a term, of any length and any script")
def _(case: Case) -> None:
    store = indexed_store(case, "alpha", "beta")
    if store is None:
        return
    with store.snapshot() as reader:
        index = reader.message_index() or fail("the index is gone")
        alpha, beta = (index.number(each) or 0 for each in ("alpha", "beta"))
        for term, place in {"fern": 1, "晚": 2, "安": 2, "good morning": 0, "n": 0, '"': 3}.items():
            found = {
                (number, each.position)
                for number, each in index.offered([term.encode()])
                if term in each.image.decode()
            }
            expected = {
                (number, n)
                for number in (alpha, beta)
                for n in range(len(TEXTS))
                if term in TEXTS[n]
            }
            expect_equal(term, found, expected)
            expect(f"{term} was meant", holds=place == len(TEXTS) or (alpha, place) in found)
        several = list(index.offered([b"fern", "晚安".encode(), b"water"]))
        places = [(number, each.position) for number, each in several]
        expect_equal("each once", len(places), len(set(places)))
        expect("all of them", holds={(alpha, 1), (alpha, 2), (beta, 2)} <= set(places))


@check("a long text is offered wherever in it a term stands, and once")
def _(case: Case) -> None:
    store = case.subject()
    if not keeps_index(store):
        return
    converted(store)
    stride = WINDOW_BYTES - WINDOW_OVERLAP_BYTES
    for at in (0, WINDOW_BYTES - 4, stride - 3, stride + 1, 2 * stride + 5, 3 * WINDOW_BYTES - 8):
        text = ("." * at + "needle!" + "." * (3 * WINDOW_BYTES))[: 3 * WINDOW_BYTES]
        rows = (image(0, text), image(1), image(2))
        store.empty_index()
        store.write_index(page_of(images(store, "alpha", *rows)))
        places = [position for _, position in offered_of(store, "needle")]
        expect_equal(f"at {at}", places, [0])
    expect_equal("faults", list(store.check_index()), [])


@check("a term longer than what windows share is found wherever it stands, and nothing else is")
def _(case: Case) -> None:
    store = case.subject()
    if not keeps_index(store):
        return
    converted(store)
    stride = WINDOW_BYTES - WINDOW_OVERLAP_BYTES
    term = "".join(f"<{n}>" for n in range(WINDOW_OVERLAP_BYTES))
    for at in (0, stride - 1, stride + 1, WINDOW_BYTES - WINDOW_OVERLAP_BYTES // 2):
        text = "." * at + term + "." * WINDOW_BYTES
        rows = (image(0, text), image(1, text.replace("<7>", "<8>")), image(2, term))
        store.empty_index()
        store.write_index(page_of(images(store, "alpha", *rows)))
        with store.snapshot() as reader:
            index = reader.message_index() or fail("the index is gone")
            found = [
                (each.position, each.image.count(term.encode()))
                for _, each in index.offered([term.encode()])
            ]
        expect_equal(f"at {at}", found, [(0, 1), (2, 1)])


@check("places, events and materials of an index are found by session and order")
def _(case: Case) -> None:
    store = case.subject()
    if not keeps_index(store):
        return
    converted(store)
    rows = (
        replace(image(0), has_materials=True),
        replace(image(1), has_materials=True, turn="alpha 1"),
        replace(image(2), has_materials=True),
    )
    store.write_index(page_of(images(store, "alpha", *rows)))
    with store.snapshot() as reader:
        index = reader.message_index() or fail("the index is gone")
        number = index.number("alpha") or 0
        expect_equal("before", [each.position for each in index.before(number, 2)], [1, 0])
        expect_equal("after", [each.position for each in index.after(number, 0)], [1, 2])
        expect_equal("no text", {each.image for each in index.after(number, -1)}, {b""})
        found = index.of_event(number, "alpha 1") or fail("no message of the event")
        expect_equal("of an event", found, replace(rows[1], image=b"", redacted=None))
        expect_equal("of no event", index.of_event(number, "beta 1"), None)
        expect_equal("beyond the end", index.at(number, 3), None)
        shelf = [each.position for each in index.with_materials(number, "e0")]
        expect_equal("with materials", shelf, [0, 2])
