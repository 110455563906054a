"""The laws of grams: whatever holds a term is asked for by grams that stand together in it."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.core.text import grams as grams_module
from recense.core.text.fold import fold
from recense.core.text.grams import (
    GRAM_BYTES,
    asked_grams,
    distinct_grams,
    gram_counts,
    piece_of,
    window_count,
    window_start,
    windows,
)
from recense.limits import GRAMS_ASKED_MAX, WINDOW_BYTES, WINDOW_OVERLAP_BYTES

SMALL_WINDOW = 64
SMALL_OVERLAP = 20

letters = st.sampled_from("aeb \n.数据库迁移éß😀\uffff")
texts = st.text(letters, max_size=120)
sizes = st.integers(0, 4 * WINDOW_BYTES)


@pytest.fixture(scope="module", autouse=True)
def _small_windows() -> object:
    """Windows of a few bytes, so that short texts have many; the bounds are tried below."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grams_module, "WINDOW_BYTES", SMALL_WINDOW)
        patch.setattr(grams_module, "WINDOW_OVERLAP_BYTES", SMALL_OVERLAP)
        yield


def _grams_of(window: bytes) -> set[bytes]:
    return {window[at : at + GRAM_BYTES] for at in range(len(window) - GRAM_BYTES + 1)}


@given(texts.map(fold).map(str.encode))
def test_windows_cover_a_text_and_overlap(image: bytes) -> None:
    found = list(windows(image))
    assert len(found) == window_count(len(image)) >= 1
    assert all(len(window) <= SMALL_WINDOW for window in found)
    joined = found[0]
    for before, window in pairwise(found):
        assert len(before) == SMALL_WINDOW
        assert len(window) > SMALL_OVERLAP
        assert window.startswith(before[-SMALL_OVERLAP:])
        joined += window[SMALL_OVERLAP:]
    assert joined == image


@given(texts.map(fold).map(str.encode))
def test_a_window_is_where_its_number_says(image: bytes) -> None:
    for number, window in enumerate(windows(image)):
        start = window_start(number)
        assert image[start : start + SMALL_WINDOW] == window


@given(texts, texts, st.text(letters, min_size=1, max_size=30))
def test_where_a_term_stands_all_its_asked_grams_stand_in_one_window(
    before: str, after: str, term: str
) -> None:
    image = fold(before + term + after).encode()
    folded = fold(term).encode()
    asked = distinct_grams(folded)
    if folded in image:
        assert any(
            _grams_of(window) >= {*asked} and piece_of(folded) in window
            for window in windows(image)
        )


@given(texts, st.data())
def test_every_piece_of_a_text_is_found_by_its_own_grams(text: str, data: st.DataObject) -> None:
    image = fold(text).encode()
    start = data.draw(st.integers(0, len(image)))
    end = data.draw(st.integers(start, len(image)))
    asked = distinct_grams(image[start:end])
    piece = piece_of(image[start:end])
    assert any(_grams_of(window) >= {*asked} and piece in window for window in windows(image))


@given(st.binary(max_size=60), st.dictionaries(st.binary(min_size=3, max_size=3), st.integers(0)))
def test_a_term_is_asked_for_by_few_of_its_grams_and_always_by_the_same(
    term: bytes, texts: dict[bytes, int]
) -> None:
    grams = distinct_grams(term)
    assert {*grams} == _grams_of(piece_of(term))
    assert bool(grams) == (len(term) >= GRAM_BYTES)
    asked = asked_grams(grams, texts)
    assert asked == asked_grams(grams, texts)
    assert len({*asked}) == len(asked) == min(len(grams), GRAMS_ASKED_MAX)
    assert {*asked} <= {*grams}


@pytest.mark.parametrize("term", ["", "a", "ab", "é", "ß"])
def test_a_term_shorter_than_a_gram_asks_nothing(term: str) -> None:
    assert distinct_grams(term.encode()) == ()


@pytest.mark.parametrize("term", ["数", "가", "あ", "abc"])
def test_one_character_of_three_bytes_is_a_gram_by_itself(term: str) -> None:
    assert distinct_grams(term.encode()) == (term.encode(),)


def test_the_rarest_grams_are_asked_for_and_where_none_is_counted_the_seemingly_rarest() -> None:
    assert "数".encode() in asked_grams(distinct_grams("the rest of 数 and others".encode()), {})
    grams = distinct_grams(b"taste of zqx that")
    assert b"zqx" in asked_grams(grams, {})
    counted = {gram: 2 for gram in grams if b"t" not in gram}
    assert all(b"t" in gram for gram in asked_grams(grams, counted))


@given(st.lists(st.binary(max_size=30), max_size=5))
def test_grams_are_counted_once_a_text(images: list[bytes]) -> None:
    counts = gram_counts(images)
    assert counts.keys() == set[bytes]().union(*map(_grams_of, images))
    assert all(counts[gram] == sum(gram in image for image in images) for gram in counts)


@given(sizes)
def test_the_count_is_that_of_the_windows_at_the_true_bounds(size: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grams_module, "WINDOW_BYTES", WINDOW_BYTES)
        patch.setattr(grams_module, "WINDOW_OVERLAP_BYTES", WINDOW_OVERLAP_BYTES)
        found = list(windows(bytes(size)))
        assert len(found) == window_count(size)
        assert sum(map(len, found)) == size + WINDOW_OVERLAP_BYTES * (len(found) - 1)
        assert max(map(len, found)) <= WINDOW_BYTES


def test_neighbouring_windows_share_much_and_are_not_the_same() -> None:
    assert GRAM_BYTES < WINDOW_OVERLAP_BYTES < WINDOW_BYTES
