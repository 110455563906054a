"""JSON as models write it: what is whole, what was cut, what is broken and where."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.core.extraction.loose_json import BrokenValue, FoundValue, values_in

_SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(),
)
_JSON = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(_JSON.map(lambda value: [value]), st.booleans())
def test_valid_json_is_read_as_what_it_says(value: object, is_ascii: bool) -> None:
    text = json.dumps(value, ensure_ascii=is_ascii)
    assert list(values_in(text)) == [FoundValue(value=value)]


@given(
    st.lists(
        st.dictionaries(st.text(), _SCALARS | st.lists(_SCALARS, max_size=3), max_size=3),
        min_size=1,
        max_size=4,
    ),
    st.data(),
)
def test_a_list_that_ends_too_early_keeps_its_whole_objects(
    items: list[dict[str, object]], data: st.DataObject
) -> None:
    before = "[" + "".join(f"{json.dumps(each)}," for each in items[:-1])
    last = json.dumps(items[-1])
    text = before + last[: data.draw(st.integers(0, len(last) - 1))]
    assert next(values_in(text)) == FoundValue(value=items[:-1], is_cut=True)


@pytest.mark.parametrize(
    "end", ["", "t", "fals", "nul", "-", "1", "1.", "2e", '"', '"a', '"a\\', "["]
)
def test_a_text_may_end_inside_anything(end: str) -> None:
    assert list(values_in(f'{{"facts": [{{"a": 1}}, {{"a": {end}')) == [
        FoundValue(value={"facts": [{"a": 1}]}, is_cut=True)
    ]


def test_what_is_cut_keeps_the_list_that_objects_were_written_into() -> None:
    text = '[{"facts": [{"a": ["x"]}, {"a": ["y", "z"'
    assert list(values_in(text)) == [FoundValue(value=[{"facts": [{"a": ["x"]}]}], is_cut=True)]


def test_an_object_that_is_cut_outside_of_any_list_is_broken_at_the_end() -> None:
    text = '{"a": "b'
    assert list(values_in(text)) == [
        BrokenValue(start=0, at=6, reason="expected more: the text ends here")
    ]


@pytest.mark.parametrize(
    ("text", "at", "wanted"),
    [
        ("{a}", 1, "a key in quotation marks or a closing bracket"),
        ('{"a", 1}', 4, "a colon"),
        ('{"a": b}', 6, "a value"),
        ('{"a": 1 "b": 2}', 8, "a comma or a closing bracket"),
        ("[1, 2}", 5, "a comma or a closing bracket"),
        ("[,]", 1, "a value or a closing bracket"),
        ("[01]", 1, "a value or a closing bracket"),
        ("[NaN]", 1, "a value or a closing bracket"),
        ("[1.5.2]", 1, "a value or a closing bracket"),
    ],
)
def test_what_is_broken_says_where_and_what_should_stand_there(
    text: str, at: int, wanted: str
) -> None:
    assert next(values_in(text)) == BrokenValue(start=0, at=at, reason=f"expected {wanted}")


def test_what_is_broken_is_looked_into() -> None:
    assert list(values_in('[{"a": 1}, oops, [2], ]'))[1:] == [
        FoundValue(value={"a": 1}),
        FoundValue(value=[2]),
    ]


def test_what_is_too_tangled_is_given_up_and_said() -> None:
    *_, last = values_in('{"facts":[' * 2_000)
    assert isinstance(last, BrokenValue)
    assert last.reason == "it is too tangled to be read further"
