import json
import tracemalloc
from base64 import b64encode
from io import BytesIO
from itertools import chain, repeat

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recense.core.transcript.gate import payload_of
from recense.core.transcript.lifting import Lift, LiftedLine
from recense.importers import lines as module
from recense.importers.lines import LineReader, SourceLine, head_objects, settled
from recense.limits import LIFTED_LINE_BYTES_MAX, NESTING_MAX


def read(data: bytes, offset: int = 0) -> tuple[list[SourceLine], int]:
    reader = LineReader(BytesIO(data), offset)
    found = list(reader)
    assert offset + sum(line.size for line in found) + reader.waiting == len(data)
    return found, reader.waiting


def records(data: bytes) -> list[bytes]:
    return [line.record for line in read(data)[0]]


def reasons(data: bytes) -> list[str]:
    return [line.reason for line in read(data)[0]]


def test_each_line_is_a_record_with_its_exact_bytes() -> None:
    data = b'{"b": 1,  "a":"\\u00e9"}\n{"c":2.50}\n'
    assert records(data) == [b'{"b": 1,  "a":"\\u00e9"}', b'{"c":2.50}']


def test_a_last_line_without_line_feed_is_taken_when_it_is_whole() -> None:
    found, waiting = read(b'{"a":1}\n{"b":2}')
    assert [line.record for line in found] == [b'{"a":1}', b'{"b":2}']
    assert waiting == 0


@pytest.mark.parametrize("torn", [b'{"b":', b'{"b":"x', b"{", b"nonsense", b'"text"', b"12"])
def test_a_torn_last_line_waits_for_its_end(torn: bytes) -> None:
    found, waiting = read(b'{"a":1}\n' + torn)
    assert [line.record for line in found] == [b'{"a":1}']
    assert waiting == len(torn)


def test_objects_glued_together_are_a_record_each() -> None:
    found, _ = read(b'{"a":"}{"}{"b":{"c":"\\""}} {"d":[{}]}\n')
    assert [line.record for line in found] == [
        b'{"a":"}{"}',
        b'{"b":{"c":"\\""}}',
        b'{"d":[{}]}',
    ]


def test_what_follows_good_objects_on_a_line_is_one_bad_record() -> None:
    found, _ = read(b'{"a":1}{"b":2}{"c": oops {"d":4}\n{"e":5}\n')
    assert [(line.record, line.reason) for line in found] == [
        (b'{"a":1}', ""),
        (b'{"b":2}', ""),
        (b'{"c": oops {"d":4}', "not JSON"),
        (b'{"e":5}', ""),
    ]


def test_a_line_that_is_no_json_is_one_bad_record_that_is_kept() -> None:
    found, _ = read(b'so it goes {"a":1}\n{"b":2}\n')
    assert found[0].record == b'so it goes {"a":1}'
    assert found[0].value is None
    assert reasons(b'so it goes {"a":1}\n{"b":2}\n') == ["not JSON", ""]


@pytest.mark.parametrize("value", [b"12", b'"text"', b"[1,2]", b'[{"a":1}]', b"null", b"true"])
def test_a_value_that_is_no_object_is_a_bad_record(value: bytes) -> None:
    assert reasons(value + b"\n") == ["JSON, but not an object"]


def test_line_ends_and_the_byte_order_mark_of_other_systems_are_settled() -> None:
    data = b'\xef\xbb\xbf{"a":1}\r\n{"b":2}\r\n'
    assert records(data) == [b'{"a":1}', b'{"b":2}']


def test_a_byte_order_mark_inside_the_file_is_no_mark() -> None:
    assert reasons(b'{"a":1}\n\xef\xbb\xbf{"b":2}\n') == ["", "not JSON"]


def test_blank_lines_belong_to_the_record_before_them_and_first_ones_to_the_first() -> None:
    found, waiting = read(b'\n \n{"a":1}\n\n\n{"b":2}\n\r\n ')
    assert [line.size for line in found] == [3 + 8 + 2, 8 + 3]
    assert waiting == 0


@pytest.mark.parametrize("data", [b"\n", b" \r\n\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n"])
def test_a_file_of_blanks_gives_nothing_and_waits(data: bytes) -> None:
    assert read(data) == ([], len(data))


def test_an_empty_file_gives_nothing() -> None:
    assert read(b"") == ([], 0)


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        (rb'{"t":"a\ud83d b"}', rb'{"t":"a\ufffd b"}'),
        (rb'{"t":"a\ude00 b"}', rb'{"t":"a\ufffd b"}'),
        (rb'{"t":"\uDE00\uD83D"}', rb'{"t":"\ufffd\ufffd"}'),
        (rb'{"t":"\ud83d\ude00"}', rb'{"t":"\ud83d\ude00"}'),
        (rb'{"t":"\ud83d\ud83d\ude00"}', rb'{"t":"\ufffd\ud83d\ude00"}'),
        (rb'{"t":"a\u0000b"}', rb'{"t":"a\ufffdb"}'),
        (rb'{"t":"C:\\ud83d\\u0000"}', rb'{"t":"C:\\ud83d\\u0000"}'),
        (b'{"t":"a\x00b"}', '{"t":"a\ufffdb"}'.encode()),
        (b'{"t":"a\xed\xa0\x80b"}', '{"t":"a\ufffdb"}'.encode()),
        ('{"t":"한글 😀"}'.encode(), '{"t":"한글 😀"}'.encode()),
        (rb'{"t":"a\u2028b\u0085"}', rb'{"t":"a\u2028b\u0085"}'),
    ],
)
def test_nul_and_lone_surrogates_become_replacements_and_nothing_else_changes(
    written: bytes, kept: bytes
) -> None:
    assert records(written + b"\n") == [kept]
    assert reasons(written + b"\n") == [""]


def test_bytes_that_are_no_utf8_make_a_bad_record_that_is_valid_utf8() -> None:
    found, _ = read(b'{"a":"\xff\xfe"}\n')
    assert found[0].value is None
    assert found[0].record.decode() == '{"a":"\ufffd\ufffd"}'


@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
def test_deep_nesting_is_a_bad_record(opening: bytes) -> None:
    closing = b"]" if opening == b"[" else b"}"
    for depth in (NESTING_MAX, 900, 100_000):
        inner = opening * depth + b"1" + closing * depth
        assert reasons(b'{"x":' + inner + b"}\n") == [
            f"JSON nested deeper than {NESTING_MAX} levels"
        ]


def test_nesting_up_to_the_bound_is_good() -> None:
    depth = NESTING_MAX - 1
    assert reasons(b'{"x":' + b"[" * depth + b"]" * depth + b"}\n") == [""]


@pytest.mark.parametrize("number", [b"9" * 5000, b"1e999", b"-1e999"])
def test_a_number_that_no_reader_takes_is_a_bad_record(number: bytes) -> None:
    assert reasons(b'{"n":' + number + b"}\n") == ["a number that no JSON reader takes"]


def test_a_record_of_too_many_values_is_bad_before_it_is_decoded_and_is_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "RECORD_COMMAS_MAX", 3)
    found, _ = read(b'{"a":[1,2,3,4]}\n{"a":[1,2,3,4,5]}\n')
    assert [line.reason for line in found] == ["", "a record with more than 3 commas"]
    assert found[1].record == b'{"a":[1,2,3,4,5]}'


def test_a_line_over_the_bound_is_one_bad_record_with_no_bytes_and_its_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "LINE_BYTES_MAX", 40)
    monkeypatch.setattr(module, "READ_BYTES", 16)
    long = b'{"long":"' + b"x" * 100 + b'"}\n'
    found, waiting = read(b'{"a":1}\n' + long + b'{"b":2}\n')
    assert [(line.record, line.size) for line in found] == [
        (b'{"a":1}', 8),
        (b"", len(long)),
        (b'{"b":2}', 8),
    ]
    assert found[1].reason == "a line longer than 40 bytes without its payloads"
    assert waiting == 0


def test_a_line_over_the_bound_that_has_not_ended_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LINE_BYTES_MAX", 40)
    found, waiting = read(b'{"a":1}\n{"long":"' + b"x" * 100)
    assert len(found) == 1
    assert waiting == 109


def test_a_long_line_is_read_past_without_being_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LINE_BYTES_MAX", 1000)
    monkeypatch.setattr(module, "READ_BYTES", 100)

    class Endless:
        """A line without an end, of which no more than a piece ever exists."""

        def __init__(self) -> None:
            self.left = 10_000_000

        def seek(self, offset: int, /) -> int:
            return offset

        def read(self, size: int, /) -> bytes:
            self.left -= size
            return b"x" * size if self.left >= 0 else b""

    reader = LineReader(Endless(), 0)
    assert list(reader) == []
    assert reader.waiting == 10_000_000


def test_a_line_of_images_is_kept_without_them_and_its_size_counts_them() -> None:
    picture = b"\x89PNG\r\n" + bytes(range(256)) * 2_000
    encoded = b64encode(picture)
    first = b'{"data":"' + encoded + b'"}'
    second = b'{"base64":"' + encoded + b'","a":1}'
    data = b'{"b":1}\n' + first + second + b" oops\n" + b'{"c":2}\n' + first
    found, waiting = read(data)
    assert [line.value is not None for line in found] == [True, True, True, False, True, True]
    assert [line.size for line in found] == [8, len(first), len(second), 6, 8, len(first)]
    assert [[blob.data == picture for blob in line.blobs] for line in found] == [
        [],
        [True],
        [True],
        [],
        [],
        [True],
    ]
    assert all(len(line.record) < 200 for line in found)
    assert waiting == 0


def test_a_line_of_a_hundred_megabytes_streams() -> None:
    size = 100 * 1024 * 1024

    class Enormous:
        """One line around base64, of which no more than a piece ever exists."""

        def __init__(self) -> None:
            self.pieces = chain([b'{"data":"'], repeat(b"AAAA" * 262_144, 100), [b'"}\n{"a":1}\n'])

        def seek(self, offset: int, /) -> int:
            return offset

        def read(self, _size: int, /) -> bytes:
            return next(self.pieces, b"")

    tracemalloc.start()
    found = list(LineReader(Enormous(), 0))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [line.size for line in found] == [size + 12, 8]
    assert [len(line.record) < 200 for line in found] == [True, True]
    assert found[0].value is not None
    assert payload_of(str(found[0].value["data"])) == (None, size // 4 * 3)
    assert peak < 2 * LIFTED_LINE_BYTES_MAX


def test_a_line_torn_inside_an_image_waits() -> None:
    picture = b64encode(b"\x89PNG\r\n" + bytes(range(256)) * 2_000)
    data = b'{"a":1}\n{"data":"' + picture
    found, waiting = read(data)
    assert [line.record for line in found] == [b'{"a":1}']
    assert waiting == len(data) - 8


def test_blanks_without_end_are_read_past_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "READ_BYTES", 64 * 1024)
    asked = 0

    class Blanks:
        """Line feeds by the million, and a record at the end."""

        def __init__(self) -> None:
            self.data = BytesIO(b'{"a":1}\n' + b"\n \r\n" * 2_000_000 + b'{"b":2}\n')

        def seek(self, offset: int, /) -> int:
            return self.data.seek(offset)

        def read(self, size: int, /) -> bytes:
            return self.data.read(size)

    def counted(*, rest: bytes | None, size: int, lifts: tuple[Lift, ...] = ()) -> LiftedLine:
        nonlocal asked
        asked += 1
        return LiftedLine(rest=rest, size=size, lifts=lifts)

    monkeypatch.setattr(module, "LiftedLine", counted)
    found = list(LineReader(Blanks(), 0))
    assert [line.size for line in found] == [8 + 8_000_000, 8]
    assert asked < 1_000


FRAGMENTS = st.one_of(
    st.sampled_from(
        [
            b"\n",
            b"\r\n",
            b" ",
            b'{"a":1}',
            b'{"b":{"c":"}{\\""}}',
            b'{"d":"\\ud800 \\u0000 \xed\xa0\x80 \x00"}',
            '{"e":"😀 한"}'.encode(),
            b"\xef\xbb\xbf",
            b"{",
            b"}",
            b'"',
            b"\\",
            b"[1]",
            b"7",
            b"null",
            b"\xff",
        ]
    ),
    st.binary(max_size=4),
)
FILES = st.lists(FRAGMENTS, max_size=12).map(b"".join)


@given(FILES | st.binary(max_size=200), st.lists(st.integers(0, 200), max_size=4))
@example(b'{"c":"\x00"}\xff{"a":1}', [9])
def test_a_file_that_grows_by_any_bytes_gives_the_records_of_the_whole(
    data: bytes, sizes: list[int]
) -> None:
    whole, waiting = read(data)
    grown: list[SourceLine] = []
    offset = left = 0
    for size in (*sorted(min(size, len(data)) for size in sizes), len(data)):
        found, left = read(data[:size], offset)
        grown += found
        offset += sum(line.size for line in found)
    assert [(line.record, line.reason) for line in grown] == [
        (line.record, line.reason) for line in whole
    ]
    more_waits = data[len(data) - left : len(data) - waiting]
    assert not more_waits.strip(b" \t\r\n")  # blanks that came after the record they follow


@given(FILES)
def test_every_good_record_is_valid_json_without_nul_or_lone_surrogates(data: bytes) -> None:
    for line in read(data)[0]:
        text = line.record.decode()
        if line.value is not None:
            decoded = json.dumps(json.loads(text), ensure_ascii=False)
            assert "\x00" not in decoded
            decoded.encode()
            assert msgspec.json.decode(line.record) == line.value


@given(FILES | st.binary(max_size=200))
def test_settling_settles_at_once_and_keeps_what_is_sound(data: bytes) -> None:
    once = settled(data)
    assert settled(once) == once
    assert b"\x00" not in once


@pytest.mark.parametrize(
    ("head", "objects"),
    [
        (b"", None),
        (b"  \n", None),
        (b'{"a":', None),
        (b'\xef\xbb\xbf{"a":', None),
        (b"\x28\xb5\x2f\xfd\x00", []),
        (b"# Notes", []),
        (b"nonsense\n", []),
        (b'{"a":1}\n{"b":', [{"a": 1}]),
        (b'oops\n{"b":2}\n', [{"b": 2}]),
    ],
)
def test_a_head_shows_its_objects_or_that_it_is_cut_inside_the_first(
    head: bytes, objects: list[dict[str, object]] | None
) -> None:
    found = head_objects(head)
    assert (None if found is None else list(found)) == objects
