"""The laws of folding, over Unicode as this Python knows it and over strings by Hypothesis."""

import json
import re
import sys
import unicodedata
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.core.text.fold import FOLD_VERSION, FoldedText, fold, folded_length, starts_segment


def formula(text: str) -> str:
    text = re.sub("[\x00\uffff\ud800-\udfff]", "\ufffd", text)
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def assigned() -> list[str]:
    """Return every character that means something, and one of each kind that does not."""
    every = map(chr, range(sys.maxunicode + 1))
    named = [each for each in every if unicodedata.category(each) not in {"Cn", "Co", "Cs"}]
    return [*named, "\ud800", "\udfff", "\ufdd0", "\uffff", "\U0010ffff"]


ASSIGNED = assigned()
MARKS = [each for each in ASSIGNED if unicodedata.category(each).startswith("M")]

hard = st.one_of(
    st.characters(),
    st.sampled_from([each for each in ASSIGNED if formula(each) != each]),
    st.sampled_from(MARKS),
    st.sampled_from([chr(number) for number in range(0x1100, 0x1200)]),
    st.sampled_from("ßẞİıςΣσΐŉǰﬁﬃ㎏Ａｶﾞが\u3099\u309a\u0345\u034f\u200d\ufe0f각하中，！…→─éE\u0301"),
    st.sampled_from("aZ 0\n\x00\uffff\ud800\udc00"),
)
texts = st.one_of(
    st.text(hard, max_size=40),
    st.text(st.sampled_from("数据库，。！中文ＡＢ E\n"), max_size=200),
    st.lists(st.text(hard, max_size=6), max_size=5).map("plain text ".join),
)


@given(texts)
def test_folding_is_nfkc_of_casefold_of_nfkc(text: str) -> None:
    assert fold(text) == formula(text)


@given(texts)
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


def test_every_character_folds_by_the_formula_once_and_to_something() -> None:
    folds = {each: fold(each) for each in ASSIGNED}
    assert [each for each, folded in folds.items() if folded != formula(each)] == []
    changed = {folded for each, folded in folds.items() if folded != each}
    assert [folded for folded in changed if not folded or fold(folded) != folded] == []


def test_every_cased_character_folds_by_the_formula_under_the_marks_of_its_alphabet() -> None:
    cased = [each for each in ASSIGNED if each.casefold() != each and each < "\u2c00"]
    for mark in "\u0300\u0301\u0308\u0313\u0314\u0342\u0345\u0327\u0331":
        for each in cased:
            for text in (each + mark, mark + each, "\u03b1" + mark + each + "\u0301"):
                folded = fold(text)
                assert folded == formula(text)
                assert folded == text or folded == fold(folded)


@given(texts)
def test_a_fold_holds_no_nul_no_joint_and_no_surrogate(text: str) -> None:
    assert re.search("[\x00\uffff\ud800-\udfff]", fold(text)) is None


@given(st.one_of(texts, st.text(st.characters(codec="ascii"))))
def test_the_folded_length_is_that_of_the_fold(text: str) -> None:
    assert folded_length(text) == len(fold(text))


@given(texts, texts, texts)
def test_a_fold_splits_where_a_segment_starts(before: str, starter: str, after: str) -> None:
    text = before + starter + after
    for at, each in enumerate(text):
        if starts_segment(each):
            assert fold(text) == fold(text[:at]) + fold(text[at:])


def test_nothing_that_composes_with_what_stands_before_starts_a_segment() -> None:
    pairs = [unicodedata.decomposition(each).split() for each in ASSIGNED]
    second = {chr(int(pair[1], 16)) for pair in pairs if len(pair) == 2 and "<" not in pair[0]}
    second |= {chr(number) for number in [*range(0x1161, 0x1176), *range(0x11A8, 0x11C3)]}
    assert [each for each in second if starts_segment(each)] == []
    assert [each for each in MARKS if unicodedata.combining(each) and starts_segment(each)] == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Straße", "STRASSE"),
        ("ΟΔΟΣ", "οδος"),
        ("ｐｇｂｏｕｎｃｅｒ", "PgBouncer"),
        ("ﬁnance", "FInance"),
        ("ｶﾞｲﾄﾞ", "ガイド"),
        ("e\u0301", "É"),
        ("각", "각"),
        ("a\u00a0b", "A b"),
    ],
)
def test_what_is_only_written_differently_folds_alike(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@pytest.mark.parametrize(("one", "other"), [("é", "e"), ("running", "run"), ("İ", "i")])
def test_accents_and_endings_stay(one: str, other: str) -> None:
    assert fold(one) != fold(other)


def test_the_version_names_the_unicode_it_folds_by() -> None:
    assert FOLD_VERSION.endswith(unicodedata.unidata_version)


@given(texts, st.data())
def test_the_way_back_covers_the_span_and_folds_to_it(text: str, data: st.DataObject) -> None:
    folded = FoldedText(text)
    end = data.draw(st.integers(0, len(folded.folded)))
    start = data.draw(st.integers(0, end))
    first, last = folded.original_span(start, end)
    assert 0 <= first <= last <= len(text)
    lead = len(fold(text[:first]))
    if start == end:
        assert first == last
        assert lead <= start
    else:
        covered = fold(text[first:last])
        assert fold(text[:first]) + covered + fold(text[last:]) == folded.folded
        assert lead <= start
        assert end <= lead + len(covered)


@given(texts, st.data())
def test_the_way_back_never_steps_back(text: str, data: st.DataObject) -> None:
    folded = FoldedText(text)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(folded.folded)), min_size=4, max_size=4)))
    one = folded.original_span(cuts[0], cuts[1])
    other = folded.original_span(cuts[2], cuts[3])
    assert one[0] <= other[0]


def test_the_way_back_is_exact_far_into_a_long_text() -> None:
    text = "ﬁ ß 数据库，" * 3_000 + "ﬃ needle Ａ" + "x" * 9
    folded = FoldedText(text)
    at = folded.folded.index("needle")
    first, last = folded.original_span(at, at + len("needle"))
    assert text[first:last] == "needle"


def test_the_shared_unicode_tables_fold_as_the_formula_says(shared_data: Path) -> None:
    lines = 0
    for name in ("case_expansions", "casefold", "normalization_compat", "hard_cases", "surrogates"):
        table = shared_data / "unicode" / f"{name}.jsonl"
        for line in table.read_text(encoding="utf-8").splitlines():
            row = cast("dict[str, object]", json.loads(line))
            for text in {value for value in row.values() if isinstance(value, str) and value}:
                folded = fold(text)
                assert folded == formula(text)
                assert folded == text or folded == fold(folded)
                assert FoldedText(text).original_span(0, len(folded)) == (0, len(text))
            lines += 1
    assert lines > 7_000


@given(st.lists(st.sampled_from(["\u0301", "\u0316", "\u0344", "a", "e"]), max_size=900))
def test_folding_twice_is_folding_once_under_any_pile_of_marks(pieces: list[str]) -> None:
    folded = fold("".join(pieces))
    assert fold(folded) == folded


def test_a_pile_of_marks_that_no_script_writes_is_cut_and_what_follows_is_kept() -> None:
    folded = fold("a" + "\u0301\u0316" * 50_000 + "Z")
    assert folded.count("\ufffd") > 90_000
    assert folded.endswith("z")
