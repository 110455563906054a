import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.core.instants import text_from_instant
from recense.importers.foreign_values import arguments_of, instant_of, size_of

MOMENT = 1_770_112_800_000_000


INSTANTS: list[tuple[object, int | None]] = [
    (1_770_112_800, MOMENT),
    (1_770_112_800.25, MOMENT + 250_000),
    (1_770_112_800_000, MOMENT),
    (MOMENT, MOMENT),
    (1_770_112_800_000_000_000, MOMENT),
    ("1770112800", MOMENT),
    (" 2026-02-03T10:00:00+00:00 ", MOMENT),
    ("2026-02-03T15:45:00+05:45", MOMENT),
]
NONE: list[object] = [
    0,
    -5,
    0.0,
    None,
    True,
    "",
    "soon",
    "nan",
    "inf",
    [],
    {},
    1e30,
    10**400,
    float("nan"),
]


@pytest.mark.parametrize(("value", "expected"), [*INSTANTS, *((none, None) for none in NONE)])
def test_an_instant_is_read_in_any_unit(value: object, expected: int | None) -> None:
    assert instant_of(value) == expected


@given(st.floats() | st.integers() | st.text())
def test_every_instant_that_is_read_can_be_written(value: object) -> None:
    instant = instant_of(value)
    if instant is not None:
        text_from_instant(instant)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('{"a": 1}', {"a": 1}),
        (' {"a": 1}', {"a": 1}),
        ("{nope", "{nope"),
        ("[1]", "[1]"),
        ("{}", {}),
        ("", ""),
        (None, None),
        ([1], [1]),
    ],
)
def test_arguments_are_an_object_where_the_text_is_one(value: object, expected: object) -> None:
    assert arguments_of(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"), [(5, 5), (5.5, 5), (0, 0), (-5, 0), (True, 0), ("5", 0), (1e300, 0)]
)
def test_a_size_is_a_number_of_bytes_or_nothing(value: object, expected: int) -> None:
    assert size_of(value) == expected
