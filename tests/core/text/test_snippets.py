"""What part of a long text is shown, within how many bytes."""

import msgspec
import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from recense.core.text.snippets import (
    Excerpt,
    excerpt_around,
    excerpt_from,
    grapheme_end,
    grapheme_start,
    json_bytes,
)

FAMILY = "👩‍👩‍👧‍👦"
pieces = st.sampled_from(
    [
        *(
            "a",
            "needle",
            " ",
            "\n",
            "\r\n",
            '"',
            "\\",
            "\x00",
            "\x01",
            "/",
            "é",
            "e\u0301",
            "库",
            "각",
        ),
        *(
            FAMILY,
            "🇩🇪",
            "🇫🇷",
            "🇩",
            "👍🏽",
            "नमस्ते",
            "\u0600",
            "\u200d",
            "\ufe0f",
            "क\u094dष",
            "\u0e33",
        ),
    ]
)
texts = st.one_of(
    st.lists(pieces, max_size=60).map("".join),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=80),
    st.sampled_from(["🇩🇪" * 300, "ab" * 400, "e" + "\u0301" * 700, "库" * 400, FAMILY * 60]),
)


def boundaries(text: str) -> set[int]:
    return {0} | {each.end() for each in regex.finditer(r"\X", text)}


def fits(excerpt: Excerpt, bytes_max: int) -> bool:
    return len(msgspec.json.encode(excerpt.text)) - 2 <= bytes_max


@given(texts, st.data())
def test_grapheme_boundaries_are_those_of_reading_from_the_start(
    text: str, data: st.DataObject
) -> None:
    offset = data.draw(st.integers(0, len(text)))
    known = boundaries(text)
    assert grapheme_start(text, offset) == max(each for each in known if each <= offset)
    assert grapheme_end(text, offset) == min(each for each in known if each >= offset)


@given(texts, st.integers(0, 700), st.data())
def test_an_excerpt_is_a_piece_of_the_text_within_its_bytes(
    text: str, bytes_max: int, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    excerpt = excerpt_around(text, start, end, bytes_max)
    assert text[excerpt.offset : excerpt.offset + len(excerpt.text)] == excerpt.text
    assert fits(excerpt, bytes_max)


@given(texts, st.integers(150, 700), st.data())
def test_an_excerpt_holds_its_span_and_cuts_no_grapheme_where_they_fit(
    text: str, bytes_max: int, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 6)))
    first, last = grapheme_start(text, start), grapheme_end(text, end)
    excerpt = excerpt_around(text, start, end, bytes_max)
    if json_bytes(text[first:last]) <= bytes_max:
        assert excerpt.offset <= first
        assert last <= excerpt.offset + len(excerpt.text)
        assert {excerpt.offset, excerpt.offset + len(excerpt.text)} <= boundaries(text)


@given(texts, st.integers(6, 200))
def test_pages_are_together_the_whole_text(text: str, bytes_max: int) -> None:
    read = ""
    while len(read) < len(text):
        page = excerpt_from(text, len(read), bytes_max)
        assert fits(page, bytes_max)
        assert page.offset <= len(read) < page.offset + len(page.text)
        read = read[: page.offset] + page.text
    assert read == text


def test_the_span_stands_in_the_middle() -> None:
    text = "a" * 1_000 + "needle" + "b" * 1_000
    assert excerpt_around(text, 1_000, 1_006, 106) == Excerpt(
        offset=950, text="a" * 50 + "needle" + "b" * 50
    )


@pytest.mark.parametrize(("start", "offset"), [(3, 0), (1_990, 1_900)])
def test_what_one_side_does_not_need_the_other_gets(start: int, offset: int) -> None:
    excerpt = excerpt_around("x" * 2_000, start, start + 5, 100)
    assert (excerpt.offset, len(excerpt.text)) == (offset, 100)


def test_a_family_is_shown_whole_or_not_at_all() -> None:
    text = "x" * 40 + FAMILY + "y" * 40
    for bytes_max in range(1, 120):
        shown = excerpt_around(text, 20, 21, bytes_max).text
        assert FAMILY in shown or not set(FAMILY) & set(shown)


def test_escapes_count_as_they_leave() -> None:
    assert json_bytes('"\\\n\x01é库🙂') == 2 + 2 + 2 + 6 + 2 + 3 + 4


@pytest.mark.parametrize("text", ["🇩🇪" * 200_000, "e" + "\u0301" * 400_000, "ab " * 400_000])
def test_the_middle_of_a_megabyte_is_found_without_cutting_it_wrong(text: str) -> None:
    middle = len(text) // 2 + 1
    excerpt = excerpt_around(text, middle, middle + 1, 4_000)
    assert 3_000 < json_bytes(excerpt.text) <= 4_000
