"""Listings: how many, in which order, and page by page."""

from recense.conformance.record_vocabulary import (
    NOTES,
    RecordCase,
    ids,
    listing,
    note,
    read,
    record_check,
    with_field,
)
from recense.conformance.vocabulary import expect, expect_equal, expect_raises
from recense.errors import InvalidRequest, NotFound
from recense.ports.records import RECORDED_AT, Between, Equals, Order

MANY = 10_001


@record_check("a collection that nothing was written to is empty")
def _(case: RecordCase) -> None:
    store = case.subject()
    expect_equal("listing", listing(store).total, 0)
    expect_equal("with a condition", ids(store, (Equals(field="a", value="a"),)), [])
    expect_equal("deleted", store.delete(NOTES, ["a"]), 0)
    expect_raises("behind nothing", NotFound, lambda: listing(store, after="a"))


@record_check("what is there is got by its id, and what is not is left out", "get")
def _(case: RecordCase) -> None:
    store = case.subject()
    records = [note("a", b"1", n=1), note("A", b"2"), note("é", b"3"), note("a\x00", b"4")]
    store.put(records)
    wanted = ["a", "A", "é", "a\x00", "b", "", "\ud800", "a"]
    found = read(store, lambda reader: reader.get(NOTES, wanted))
    expect_equal("found", found, {each.record_id: each for each in records})
    expect_equal("in capitals", read(store, lambda reader: reader.get(NOTES, ["É"])), {})
    expect_equal("elsewhere", read(store, lambda reader: reader.get("other", ["a"])), {})


@record_check("a listing has the first of all that match, and says how many match in all")
def _(case: RecordCase) -> None:
    store = case.subject()
    store.put([note(f"r{number:05}", n=number, even=number % 2 == 0) for number in range(9)])
    for limit in (0, 1, 4, 5, 6, 9, 10, None):
        found = listing(store, (Equals(field="even", value=True),), limit=limit)
        expected = [f"r{number:05}" for number in range(0, 9, 2)][:limit]
        expect_equal(f"{limit}", [each.record_id for each in found.records], expected)
        expect_equal(f"total at {limit}", found.total, 5)
    for enough in (0, 1, 4, 5, 6):
        counted = listing(store, (Equals(field="even", value=True),), limit=0, enough=enough).total
        may_be = range(min(5, enough), 6)
        expect(f"{enough} are enough", holds=counted in may_be)
    expect_raises("a negative limit", InvalidRequest, lambda: listing(store, limit=-1))


@record_check("ten thousand and one records are counted, listed and paged without one missing")
def _(case: RecordCase) -> None:
    store = case.subject()
    names = [f"r{number:05}" for number in range(MANY)]
    store.put([note(name, n=number) for number, name in enumerate(names)])
    whole = listing(store)
    expect_equal("total", whole.total, MANY)
    expect("every record once, in order", holds=[e.record_id for e in whole.records] == names)
    at_limit = listing(store, limit=MANY - 1)
    expect_equal("total at a limit", at_limit.total, MANY)
    expect("a smaller limit is a beginning", holds=at_limit.records == whole.records[:-1])
    page = listing(store, limit=10, after=names[-11])
    expect_equal("the last page", [each.record_id for each in page.records], names[-10:])


@record_check("pages follow each other in any order, and have every record once")
def _(case: RecordCase) -> None:
    store = case.subject()
    records = [
        note("a", v=10),
        note("b", v=9),
        note("c", v="9"),
        note("d", v=9.5),
        note("e", v=10.0),
        note("f", v=True),
        note("g"),
        note("h", v=("x",)),
        note("i", v="10"),
        note("é", v=-1),
        note("z", v="\x00"),
        note("😀", v="～"),
    ]
    ascending = ["é", "b", "d", "a", "e", "z", "i", "c", "😀", "f", "g", "h"]
    descending = [*reversed(ascending[:9]), "h", "g", "f"]
    for field in ("v", "observed_at"):
        named = [
            with_field(each.record_id, field if each.fields else "none", each.fields.get("v", 0))
            for each in records
        ]
        store.delete(NOTES, ids(store))
        store.put(named)
        for order, expected in (
            (Order(field=field), ascending),
            (Order(field=field, descending=True), descending),
            (Order(), sorted(ascending)),
            (Order(descending=True), sorted(ascending, reverse=True)),
        ):
            expect_equal(f"{field} {order}", ids(store, order=order), expected)
            paged: list[str] = []
            while len(paged) < len(expected):
                after = paged[-1] if paged else None
                page = listing(store, limit=2, order=order, after=after)
                expect_equal("total of a page", page.total, len(expected))
                expect("a page moves on", holds=bool(page.records))
                paged += [each.record_id for each in page.records]
            expect_equal(f"{field} {order} by pages", paged, expected)


@record_check("a page behind a record that does not match is refused")
def _(case: RecordCase) -> None:
    store = case.subject()
    store.put([note("a", n=1), note("b", n=2), note("c", n=3)])
    where = (Between(field="n", at_least=2),)
    page = listing(store, where, after="b")
    expect_equal("behind b", [each.record_id for each in page.records], ["c"])
    for gone in ("a", "x", "\ud800"):
        expect_raises(gone, NotFound, lambda gone=gone: listing(store, where, after=gone))


@record_check("stamps that were put are filtered and ordered by, and kept")
def _(case: RecordCase) -> None:
    store = case.subject()
    stamps = {"a": 30, "b": 10, "c": None, "d": 20}
    for name, stamp in stamps.items():
        given = note(name)
        store.put([type(given)(collection=NOTES, record_id=name, body=b"", recorded_at=stamp)])
    order = Order(field=RECORDED_AT, descending=True)
    expect_equal("newest first", ids(store, order=order), ["a", "d", "b", "c"])
    where = (Between(field=RECORDED_AT, at_least=10, at_most=20),)
    expect_equal("until 20", ids(store, where, order=order), ["d", "b"])
    found = {each.record_id: each.recorded_at for each in listing(store).records}
    expect_equal("stamps", found, stamps)
