import json
from collections.abc import Iterator
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from recense.core.transcript.records import SourceRecord
from recense.importers import json_list
from recense.importers.json_list import (
    Element,
    ElementReader,
    Reached,
    expanded_pages,
    fields_of,
    items_of,
    progress_of,
    record_from,
    settled_text,
)
from recense.limits import PAGE_BYTES_MAX

AWKWARD: list[object] = [
    {"a": 'x\\{}"', "b": [1, {"c": "é{"}]},
    {},
    {"k": "\\\\", "l": '\\"'},
    {"z": "[],{}" * 10, "deep": {"er": {"est": {}}}},
]
PIECE_SIZES = [3, 7, 1000]


def elements(data: bytes, offset: int = 0) -> tuple[list[Element], ElementReader]:
    reader = ElementReader(BytesIO(data), offset)
    return list(reader), reader


def values(found: list[Element]) -> list[object]:
    return [None if element.raw is None else json.loads(element.raw) for element in found]


@pytest.mark.parametrize("piece", PIECE_SIZES)
@pytest.mark.parametrize("indent", [None, 2])
def test_a_list_cut_anywhere_gives_its_whole_objects_and_the_rest_when_it_comes(
    piece: int, indent: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_list, "READ_BYTES", piece)
    data = b"\xef\xbb\xbf" + json.dumps(AWKWARD, indent=indent).encode() + b"\n"
    for cut in range(len(data) + 1):
        found, reader = elements(data[:cut])
        taken = sum(element.size for element in found)
        assert taken + reader.waiting == cut
        assert values(found) == AWKWARD[: len(found)]
        rest, later = elements(data, taken)
        assert values(rest) == AWKWARD[len(found) :]
        assert later.fault == ""
        if len(b"\xef\xbb\xbf") < cut < len(data) - 1:
            assert reader.fault == "the list ends before it is closed"


def test_objects_may_follow_each_other_without_a_list() -> None:
    found, reader = elements(b'{"a":1}\n{"b":2} {"c":3}')
    assert values(found) == [{"a": 1}, {"b": 2}, {"c": 3}]
    assert (reader.waiting, reader.fault) == (0, "")


def test_what_stands_in_the_place_of_an_object_is_bad() -> None:
    found, reader = elements(b'[1, "x", {"a":1}, null, {"b":2}]')
    assert values(found) == [None, {"a": 1}, None, {"b": 2}]
    assert [element.reason for element in found] == ["no JSON object", "", "no JSON object", ""]
    assert reader.waiting == 0


@pytest.mark.parametrize("piece", PIECE_SIZES)
def test_an_object_beyond_the_bound_is_passed_over(
    piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_list, "READ_BYTES", piece)
    monkeypatch.setattr(json_list, "OBJECT_BYTES_MAX", 20)
    data = json.dumps([{"a": '\\"{' * 40, "b": [{}]}, {"c": 1}]).encode()
    found, reader = elements(data)
    assert values(found) == [None, {"c": 1}]
    assert sum(element.size for element in found) == len(data)
    assert reader.fault == ""


VALUES = st.recursive(
    st.text(max_size=8) | st.integers(),
    lambda below: (
        st.lists(below, max_size=3) | st.dictionaries(st.text(max_size=4), below, max_size=3)
    ),
    max_leaves=8,
)


@given(VALUES)
def test_any_object_is_found_whole(value: object) -> None:
    data = json.dumps([{"v": value}, {"v": value}]).encode()
    assert values(elements(data)[0]) == [{"v": value}] * 2


@given(st.binary(max_size=300))
def test_every_byte_is_taken_or_waits(data: bytes) -> None:
    found, reader = elements(data)
    assert sum(element.size for element in found) + reader.waiting == len(data)


# --- raw parts ------------------------------------------------------------------------------------


def test_parts_are_cut_out_as_they_are() -> None:
    assert {
        key: bytes(raw) for key, raw in (fields_of(b'{"a": {"b": 1 }, "c":2}') or {}).items()
    } == {
        "a": b'{"b": 1 }',
        "c": b"2",
    }
    assert [bytes(raw) for raw in items_of(b'[1, {"a": 2}]') or []] == [b"1", b'{"a": 2}']


@pytest.mark.parametrize("raw", [b"5", b"[", b"nope", b'{"a":}', b""])
def test_what_has_no_parts_is_none(raw: bytes) -> None:
    assert fields_of(raw) is None
    assert items_of(raw) is None


def test_parts_are_cut_out_of_text_that_no_store_could_carry() -> None:
    fields = fields_of(rb'{"a":"\ud800x","b":"' + b"\x00\xed\xa0\x80" + rb'","c":"\ud83d\ude00"}')
    assert fields is not None
    assert [json.loads(bytes(raw)) for raw in fields.values()] == [
        "\ufffdx",
        "\ufffd\ufffd",
        "\U0001f600",
    ]


def test_parts_are_counted_where_they_are_and_not_in_texts_or_below(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(json_list, "OBJECT_PARTS_MAX", 3)
    within = [b'{"a":",,,,","b":[1,2,3,4,5],"c":{"d":1,"e":2,"f":3,"g":4}}', b'{"a":",\\",,,"}']
    beyond = [b'{"a":1,"b":2,"c":3,"d":4}', b'{"a":{"x":",,"},"b":[{}],"c":",","d":4}']
    assert all(fields_of(raw) for raw in within)
    assert not any(fields_of(raw) for raw in beyond)
    assert items_of(b"[[1,2,3,4],2,3]")
    assert not items_of(b"[[1,2],2,3,4]")


def test_settling_by_pieces_is_settling(monkeypatch: pytest.MonkeyPatch) -> None:
    name = rb"\ud83d\ude00 ,{\ud800} \\ \u0000, \\ud800 \ud83d\\ "
    text = b'{"' + name + b'": "' + name + rb'\ud83d", "x": "\\\\ \ " }'
    whole = settled_text(text)
    assert whole != text
    for size in range(12):
        monkeypatch.setattr("recense.importers.json_list._SETTLED_BYTES", size)
        assert settled_text(text) == whole


def test_an_object_over_lines_is_one_record() -> None:
    made = record_from(json.dumps({"a": [1, "b\n"]}, indent=2).encode())
    assert made.value == {"a": [1, "b\n"]}
    assert b"\n" not in made.record
    assert record_from(b"{nope}").reason == "not JSON"


# --- pages ----------------------------------------------------------------------------------------


def record(number: int, size: int, length: int = 1) -> SourceRecord:
    return SourceRecord(
        source_session_id="s",
        position=number,
        type="t",
        at=None,
        disposition="parsed",
        record=b"x" * length,
        content=b"",
        size=size,
    )


class Made:
    """Objects of a made-up document."""

    def __init__(self, sizes: list[int]) -> None:
        self.sizes = sizes
        self.waiting = 0
        self.fault = ""

    def __iter__(self) -> Iterator[Element]:
        for size in self.sizes:
            yield Element(raw=b"x" * size, size=size)


@given(st.lists(st.tuples(st.integers(1, 900), st.integers(0, 9)), max_size=5))
def test_sizes_add_up_and_the_last_record_of_an_object_takes_what_is_left(
    objects: list[tuple[int, int]],
) -> None:
    guesses = dict(objects)

    def records_of(element: Element) -> list[SourceRecord]:
        return [record(number, guesses[element.size]) for number in range(element.size)]

    source = Made([count for count, _ in objects])
    pages = list(expanded_pages(source, 0, Reached(), records_of, bytes))
    offset = 0
    for page in pages:
        offset += sum(each.size for each in page.records)
        assert page.offset == offset
        assert all(each.size >= 0 for each in page.records)
    assert offset == sum(source.sizes)


def test_a_page_holds_no_more_bytes_than_it_may() -> None:
    def records_of(_element: Element) -> list[SourceRecord]:
        return [record(number, 1, PAGE_BYTES_MAX // 2) for number in range(5)]

    pages = list(expanded_pages(Made([10]), 0, Reached(), records_of, lambda: b"own"))
    assert [len(page.records) for page in pages] == [2, 2, 1]
    reached = [progress_of(page.state) for page in pages]
    assert [(each.begun, each.done, each.state) for each in reached] == [
        (2, 2, b"own"),
        (4, 4, b"own"),
        (0, 0, b"own"),
    ]


def test_a_fault_is_said_on_a_page_of_its_own_where_there_is_nothing_else() -> None:
    source = Made([])
    source.fault = "torn"
    source.waiting = 3
    (page,) = expanded_pages(source, 7, Reached(), lambda _element: [], bytes)
    assert (page.records, page.offset, page.waiting, page.fault) == ((), 7, 3, "torn")
    assert replace(page, fault="") != page
