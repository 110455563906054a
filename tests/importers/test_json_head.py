import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.importers.json_head import HeadObject, first_object

WHOLE = b'{"a": 1, "b": {"c": [1, {"d": 2}]}, "e": "x,\\"y{", "f": [], "g": null}'


def fields(head: bytes) -> dict[str, bytes] | None:
    found = first_object(head)
    return None if found is None else {name: each.token for name, each in found.fields.items()}


@pytest.mark.parametrize("before", [b"", b"[", b" [\n ", b"\xef\xbb\xbf", b"\xef\xbb\xbf[ "])
def test_the_fields_of_the_first_object_are_seen_and_none_below(before: bytes) -> None:
    expected = {"a": b"1", "b": b"{", "e": b'"x,\\"y{"', "f": b"[", "g": b"null"}
    assert fields(before + WHOLE) == expected
    found = first_object(before + WHOLE)
    assert found is not None
    assert not found.is_cut
    assert found.word("e") == 'x,"y{'
    assert (found.word("a"), found.word("none")) == ("", "")
    assert found.begins("b", b"{")
    assert not found.begins("b", b"[")
    assert not found.begins("none", b"")


def test_a_cut_head_shows_what_stands_before_the_cut() -> None:
    for size in range(1, len(WHOLE)):
        found = first_object(WHOLE[:size])
        assert found is not None
        assert found.is_cut
        assert list(found.fields) == [*"abefg"][: len(found.fields)]
    assert first_object(b'{"role": "us') is not None
    found = first_object(b'{"a": 1, "conten')
    assert (found and found.started, found and list(found.fields)) == ("conten", ["a"])
    assert fields(b'{"a": ') == {"a": b""}


def test_where_no_object_begins_there_is_none() -> None:
    for head in (b"[[", b"[1", b'"a"', b"[]", b"oops"):
        assert first_object(head) is None


def test_a_head_that_ends_before_its_object_is_cut() -> None:
    for head in (b"", b"[", b" \n", b"\xef\xbb\xbf["):
        assert first_object(head) == HeadObject(fields={}, is_cut=True)


def test_an_object_is_found_where_a_field_begins() -> None:
    head = b'{"messages": [{"role": "user"}]}'
    outer = first_object(head)
    assert outer is not None
    inner = first_object(head, outer.fields["messages"].at)
    assert inner is not None
    assert inner.word("role") == "user"


VALUES = st.text(max_size=8) | st.none() | st.lists(st.text(max_size=4), max_size=2)


@given(st.dictionaries(st.text(max_size=4), VALUES, max_size=4))
def test_the_names_are_those_that_a_decoder_finds(value: dict[str, object]) -> None:
    assert list(fields(json.dumps(value).encode()) or {}) == list(value)


@given(st.binary(max_size=100))
def test_no_bytes_make_it_raise(data: bytes) -> None:
    first_object(data)
    first_object(b'{"a":' + data)
