"""Keeping: what comes back, what replaces what, and what is seen of it."""

from recense.conformance.record_vocabulary import (
    NOTES,
    RecordCase,
    ids,
    listing,
    note,
    record_check,
    stored_bytes,
)
from recense.conformance.vocabulary import expect, expect_equal, expect_raises
from recense.errors import DimensionMismatch, InvalidRequest
from recense.ports.records import ContainsAny, Equals, Field, Record, RecordStore

LARGE_BYTES = 1024 * 1024


def _whole(record_id: str, **fields: Field) -> Record:
    return Record(
        collection=NOTES,
        record_id=record_id,
        body=b"\x00\xff" * 3,
        fields=fields,
        text="Grüße\x00 😀 数据",
        vector=(0.5, -0.0, 1.0),
        recorded_at=-5,
    )


@record_check("every type of value comes back as it was given, also after opening it again")
def _(case: RecordCase) -> None:
    store = case.subject()
    values: tuple[Field, ...] = (
        "",
        "\x00",
        "a\x00b",
        "😀\U0010ffff",
        "é",
        2**63 - 1,
        -(2**63),
        0,
        0.0,
        1.0,
        5e-324,
        1.7976931348623157e308,
        0.1,
        True,
        False,
        (),
        ("",),
        ("b", "a", "b", "\x00"),
    )
    fields: dict[str, Field] = {f"f{number}": value for number, value in enumerate(values)}
    records = [
        _whole("a", **fields),
        Record(collection=NOTES, record_id="large", body=bytes(range(256)) * (LARGE_BYTES // 256)),
        Record(collection=NOTES, record_id="", body=b"", text="", fields={"": ""}),
        Record(collection=NOTES, record_id="negative", body=b"", fields={"n": -0.0}),
    ]
    store.put(records)
    for found in (listing(store).records, listing(case.reopened(store)).records):
        expected = sorted(records, key=lambda record: record.record_id)
        expect_equal("ids", [each.record_id for each in found], ["", "a", "large", "negative"])
        for one, other in zip(found, expected, strict=True):
            expect_equal(f"record {other.record_id!r}", one, other)
            shapes = {name: repr(value) for name, value in one.fields.items() if value != 0}
            given = {name: repr(value) for name, value in other.fields.items() if value != 0}
            expect_equal(f"types of {other.record_id!r}", shapes, given)


@record_check("what cannot be kept as it is is refused, and nothing is kept with it")
def _(case: RecordCase) -> None:
    store = case.subject()
    fields: tuple[Field, ...] = (
        float("nan"),
        float("inf"),
        float("-inf"),
        2**63,
        -(2**63) - 1,
        "\ud800",
        ("a", "\udfff"),
    )
    bad = [
        *(note("x", f=value) for value in fields),
        note("x", recorded_at=1),
        note("\ud800"),
        Record(collection=NOTES, record_id="x", body=b"", text="\ud800"),
        Record(collection=NOTES, record_id="x", body=b"", vector=()),
        Record(collection=NOTES, record_id="x", body=b"", vector=(float("nan"),)),
        Record(collection=NOTES, record_id="x", body=b"", vector=(1e300,)),
    ]
    for record in bad:
        expect_raises(
            f"{record}", InvalidRequest, lambda record=record: store.put([note("good"), record])
        )
    expect_equal("kept", ids(store), [])


@record_check("a record that is put again is replaced with all that found it")
def _(case: RecordCase) -> None:
    store = case.subject()
    for number in range(600):
        store.put([_whole("a", subject=f"s{number % 3}", touches=(f"t{number % 3}",))])
    store.put([_whole("a", subject="new", touches=("x", "y")), _whole("b", subject="s1")])
    store.put([note("b", b"1", subject="new", gone="x")])
    store.put([note("b", b"1", subject="new"), note("b", b"2", subject="last")])
    expect_equal("total", listing(store).total, 2)
    for number in range(3):
        by_list = (ContainsAny(field="touches", values=(f"t{number}",)),)
        expect_equal("by an old list", ids(store, by_list), [])
        expect_equal(
            "by an old text", ids(store, (Equals(field="subject", value=f"s{number}"),)), []
        )
    expect_equal("by the new text", ids(store, (Equals(field="subject", value="new"),)), ["a"])
    expect_equal(
        "the last of one batch", ids(store, (Equals(field="subject", value="last"),)), ["b"]
    )
    (b,) = listing(store, (Equals(field="subject", value="last"),)).records
    expect_equal("whole", b, note("b", b"2", subject="last"))


@record_check("what one collection holds no other shows, whatever their names")
def _(case: RecordCase) -> None:
    store = case.subject()
    names = [
        "a",
        "A",
        "a/b",
        "a%",
        "a_",
        "a'",
        '"',
        "a\x00",
        "数据",
        "\u00e9",
        "e\u0301",
        "",
        "records",
    ]
    for name in names:
        store.put([note(name, name.encode(), collection=name, subject=name, touches=("all",))])
    where = (ContainsAny(field="touches", values=("all",)),)
    for name in names:
        for conditions in ((), where, (Equals(field="subject", value=name),)):
            found = listing(store, conditions, collection=name)
            expect_equal(f"{name!r}", [each.record_id for each in found.records], [name])
    expect_equal("deleted", store.delete("a", ["a", "A"]), 1)
    for name in names[1:]:
        expect_equal(f"{name!r} afterwards", listing(store, collection=name).total, 1)


@record_check("a snapshot stays as it was while others write")
def _(case: RecordCase) -> None:
    store = case.subject()
    store.put([note("a", b"1"), note("b", b"1")])
    with store.snapshot() as reader:
        before = reader.list(NOTES)
        store.put([note("a", b"2"), note("c", b"1")])
        expect_equal("in the snapshot", reader.list(NOTES), before)
    expect_equal("in the next", [each.body for each in listing(store).records], [b"2", b"1", b"1"])


@record_check("a batch is kept whole or not at all", "atomic_batch")
def _(case: RecordCase) -> None:
    store = case.subject()
    store.put([_whole("a")])
    short = Record(collection=NOTES, record_id="z", body=b"", vector=(1.0,))
    expect_raises("a batch", DimensionMismatch, lambda: store.put([_whole("b"), note("a"), short]))
    expect_equal("kept", listing(store).records, (_whole("a"),))


@record_check("what is deleted is gone, with all that found it, and can come again")
def _(case: RecordCase) -> None:
    store = case.subject()
    store.put([_whole(f"r{number}", subject="s", touches=("t",)) for number in range(5)])
    expect_equal("deleted", store.delete(NOTES, ["r1", "r3", "r3", "x", "\ud800"]), 2)
    expect_equal("again", store.delete(NOTES, ["r1", "r3"]), 0)
    expect_equal("of no ids", store.delete(NOTES, ()), 0)
    expect_equal("of a collection that is not there", store.delete("nothing", ()), 0)
    for where in (
        (),
        (Equals(field="subject", value="s"),),
        (ContainsAny(field="touches", values=("t",)),),
    ):
        expect_equal("left", ids(store, where), ["r0", "r2", "r4"])
    store.put([_whole("r1", subject="s", touches=("t",))])
    store = case.reopened(store)
    expect_equal("after it came again", ids(store), ["r0", "r1", "r2", "r4"])


CANARY = "zqcanaryqz"


def _secret(record_id: str) -> Record:
    """Return a record that says the canary wherever a record can say something."""
    return Record(
        collection=NOTES,
        record_id=record_id,
        body=f"{CANARY}body".encode(),
        fields={"subject": f"{CANARY}subject", "touches": (f"{CANARY}list",), "x": f"{CANARY}x"},
        text=f"{CANARY}text",
    )


def _put_among_others(store: RecordStore, record: Record) -> None:
    filler = [_whole(f"f{number}", subject="other") for number in range(700)]
    store.put([*filler[:300], record])
    store.put(filler[300:])


def _expect_no_canary(case: RecordCase, store: RecordStore) -> None:
    expect("nothing is left", holds=CANARY.encode() not in stored_bytes(case, store).lower())


@record_check("of what is deleted no byte is left in the files", "physical_delete")
def _(case: RecordCase) -> None:
    store = case.subject()
    stored_bytes(case, store)
    _put_among_others(store, _secret(f"{CANARY}id"))
    expect_equal("deleted", store.delete(NOTES, [f"{CANARY}id"]), 1)
    _expect_no_canary(case, store)
    expect_equal("the others", listing(store).total, 700)


@record_check(
    "of what was replaced no byte is left in the files after a deletion of nothing",
    "physical_delete",
)
def _(case: RecordCase) -> None:
    store = case.subject()
    stored_bytes(case, store)
    for collection in (NOTES, "nothing"):
        _put_among_others(store, _secret("r"))
        store.put([_whole("r", subject="other")])
        expect_equal("deleted", store.delete(collection, ()), 0)
        _expect_no_canary(case, store)
    expect_equal("all of them", listing(store).total, 701)
