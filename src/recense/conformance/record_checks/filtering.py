"""Filters: typed, literal, and never met by what is missing."""

from recense.conformance.record_vocabulary import (
    NOTES,
    RecordCase,
    ids,
    note,
    record_check,
    with_field,
)
from recense.conformance.vocabulary import expect_equal, expect_raises
from recense.errors import InvalidRequest
from recense.ports.records import (
    Between,
    Condition,
    ContainsAny,
    Equals,
    Field,
    OneOf,
    Record,
    RecordStore,
)

FIELDS = ("subject", "value_key", "internal", "observed_at", "touches", "anything", "a.b", "$x'")
"""Names that a store may index, and names that it will not; the last two are hard to quote."""

VALUES: dict[str, Field] = {
    "nine": 9,
    "ten": 10,
    "hundred": 100,
    "ten-double": 10.0,
    "ten-text": "10",
    "true": True,
    "one": 1,
    "false": False,
    "zero": 0,
    "minus-zero": -0.0,
    "empty": "",
    "least": -(2**63),
    "most": 2**63 - 1,
    "beyond": float(2**63),
    "small": "ada",
    "capital": "Ada",
    "longer": "ada ",
    "cut": "ada\x00lovelace",
    "composed": "\u00e9",
    "decomposed": "e\u0301",
    "percent": "a%a",
    "under": "a_a",
    "star": "a*",
    "quote": "a'\"\\b",
    "astral": "😀",
    "list": ("ada", "10", ""),
    "empty-list": (),
}


def _filled(store: RecordStore, field: str) -> None:
    store.delete(NOTES, ids(store))
    store.put([with_field(name, field, value) for name, value in VALUES.items()])
    store.put([note("missing", other="ada")])


def _same(value: Field) -> list[str]:
    return sorted(
        name
        for name, each in VALUES.items()
        if each == value
        and isinstance(each, bool) == isinstance(value, bool)
        and isinstance(each, tuple) == isinstance(value, tuple)
    )


@record_check("an equality finds the same value of the same kind, whatever characters it has")
def _(case: RecordCase) -> None:
    store = case.subject()
    for field in FIELDS:
        _filled(store, field)
        for value in VALUES.values():
            if not isinstance(value, tuple):
                where = (Equals(field=field, value=value),)
                expect_equal(f"{field} is {value!r}", ids(store, where), _same(value))
        for value in ("a", "ad", "%", "ADA", "lovelace", "null", 11, 2**53 + 1):
            where = (Equals(field=field, value=value),)
            expect_equal(f"{field} is {value!r}", ids(store, where), [])


@record_check("one of several values is found once, and of none never")
def _(case: RecordCase) -> None:
    store = case.subject()
    for field in FIELDS:
        _filled(store, field)
        for values, expected in (
            ((), []),
            (("ada", "ada", "Ada", "x"), ["capital", "small"]),
            ((10, "10"), ["ten", "ten-double", "ten-text"]),
            ((True, 0), ["minus-zero", "true", "zero"]),
            (tuple(f"x{number}" for number in range(3000)), []),
            ((*(f"x{number}" for number in range(3000)), "ada"), ["small"]),
        ):
            where = (OneOf(field=field, values=values),)
            expect_equal(f"{field} of {len(values)}", ids(store, where), expected)


@record_check("a range compares numbers as numbers and texts by code points")
def _(case: RecordCase) -> None:
    store = case.subject()
    ranges: tuple[tuple[Between, list[str]], ...] = (
        (Between(field="", at_least=9, at_most=10), ["nine", "ten", "ten-double"]),
        (Between(field="", at_least=10.5, at_most=100.0), ["hundred"]),
        (Between(field="", at_least=2**63 - 1), ["beyond", "most"]),
        (Between(field="", at_least=float(2**63)), ["beyond"]),
        (Between(field="", at_most=-(2**63)), ["least"]),
        (Between(field="", at_least=0, at_most=0), ["minus-zero", "zero"]),
        (Between(field="", at_least="10", at_most="Ada"), ["capital", "ten-text"]),
        (Between(field="", at_most=""), ["empty"]),
        (Between(field="", at_least="\u00e9"), ["astral", "composed"]),
        (Between(field="", at_least="b", at_most="a"), []),
    )
    for field in FIELDS:
        _filled(store, field)
        for condition, expected in ranges:
            where = (Between(field=field, at_least=condition.at_least, at_most=condition.at_most),)
            expect_equal(f"{condition} of {field}", ids(store, where), expected)


@record_check("a list contains a text only as a whole, and a text contains nothing")
def _(case: RecordCase) -> None:
    store = case.subject()
    for field in FIELDS:
        _filled(store, field)
        for values, expected in (
            (("ada",), ["list"]),
            (("x", "10", "ada"), ["list"]),
            (("",), ["list"]),
            (("ad", "Ada", "ada "), []),
            ((), []),
        ):
            where = (ContainsAny(field=field, values=values),)
            expect_equal(f"{field} contains {values}", ids(store, where), expected)


@record_check("all conditions have to hold")
def _(case: RecordCase) -> None:
    store = case.subject()
    store.put(
        [
            Record(
                collection=NOTES,
                record_id=f"{number}",
                body=b"",
                fields={
                    "subject": "ada" if number % 2 else "bob",
                    "touches": (f"t{number % 3}", "all"),
                    "internal": number % 4 == 0,
                    "observed_at": number,
                    "free": number,
                },
            )
            for number in range(9)
        ]
    )
    ada: Condition = Equals(field="subject", value="ada")
    some: Condition = ContainsAny(field="touches", values=("t0", "t1"))
    late: Condition = Between(field="observed_at", at_least=3)
    free: Condition = OneOf(field="free", values=(1, 3, 7))
    outside: Condition = Equals(field="internal", value=True)
    for where, expected in (
        ((ada, some), ["1", "3", "7"]),
        ((some, late, ada), ["3", "7"]),
        ((late, free), ["3", "7"]),
        ((outside, late), ["4", "8"]),
        ((outside, ada), []),
        ((ada, free, late, some), ["3", "7"]),
    ):
        expect_equal(f"{where}", ids(store, where), expected)


@record_check("a condition that nothing could be compared with is refused")
def _(case: RecordCase) -> None:
    store = case.subject()
    store.put([note("a", n=1)])
    for condition in (
        Equals(field="n", value=float("nan")),
        OneOf(field="n", values=(1, float("inf"))),
        Equals(field="n", value=2**63),
        Between(field="n"),
        Between(field="n", at_least=1, at_most="2"),
        Between(field="n", at_least=True),
        Between(field="n", at_most=float("-inf")),
        ContainsAny(field="n", values=("\ud800",)),
    ):
        expect_raises(f"{condition}", InvalidRequest, lambda where=(condition,): ids(store, where))
