"""Which lines match, where, and that no pattern reaches what was hidden."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.core.recall.grep import Pattern, admit_pattern, matched_text
from recense.core.recall.predicate import matching, redacted_runs
from recense.core.text.fold import fold
from recense.core.transcript.messages import Message, Run
from recense.errors import CredentialShaped, InvalidRequest
from recense.limits import MATCH_COLUMNS_MAX
from tests.core.recall.messages_by_hand import SECRET, message
from tests.rows import each_row

LINES = st.text(st.sampled_from("ab ßéＡσ\u0301时\n.[]"), max_size=40)
PATTERNS = st.text(st.sampled_from("abs ßéaσ\u0301时."), min_size=1, max_size=4).filter(
    lambda text: bool(text.strip())
)


def pattern(text: str, *, is_regex: bool = False, heeds_case: bool = False) -> Pattern:
    return admit_pattern(text, is_regex=is_regex, heeds_case=heeds_case)


def found(of: Message, wanted: Pattern) -> list[tuple[int, str, list[str]]]:
    """Return each matching line: its number, the line, and the texts in its columns."""
    matched = matched_text(of, wanted)
    if matched is None:
        return []
    return [
        (
            each.number,
            matched.text[each.start : each.end],
            [
                matched.text[each.start + first : each.start + last]
                for first, last in matched.columns(each)
            ],
        )
        for each in matched.lines()
    ]


def lines_of(text: str, words: str, **options: bool) -> list[tuple[int, str, list[str]]]:
    return found(message(0, text), pattern(words, **options))


def numbers(text: str, words: str, **options: bool) -> list[int]:
    return [number for number, _, _ in lines_of(text, words, **options)]


def test_a_match_is_a_line_however_often_it_holds_the_pattern() -> None:
    assert lines_of("one\nTwo two\n\nthree\ntwo", "two") == [
        (2, "Two two", ["Two", "two"]),
        (5, "two", ["two"]),
    ]


def test_case_is_told_apart_when_asked() -> None:
    assert numbers("Two\ntwo", "Two", heeds_case=True) == [1]
    assert numbers("Two\ntwo", "T.o", is_regex=True, heeds_case=True) == [1]
    assert numbers("Two\ntwo", "T.o", is_regex=True) == [1, 2]


def test_folded_texts_are_found_as_recall_finds_them_and_shown_as_they_are() -> None:
    assert lines_of("die Straße\nＦＵＬＬ", "STRASSE") == [(1, "die Straße", ["Straße"])]
    assert lines_of("die Straße\nＦＵＬＬ width", "full") == [(2, "ＦＵＬＬ width", ["ＦＵＬＬ"])]
    assert lines_of("Maß", "s") == [(1, "Maß", ["ß"])]


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        ("a\nab\nb", "^a", [1, 2]),
        ("a\nab\nb", "b$", [2, 3]),
        ("a\nb", "a[^x]b", []),
        ("a\nb", r"a\sb", []),
        ("a\nb", r"a\nb", []),
        ("a\nb", r"(?s)a.*b", []),
        ("a\n\nb", "^$", [2]),
        ("a\nb\n", "x*", [1, 2]),
        ("时区\n区", "^.区", [1]),
        ("时区", r"\C", [1]),
        ("时区", r"\C\C", [1]),
        ("\n", "^$", [1]),
        ("axa\n", "a|b", [1]),
        ("ab", "(?P<x>a)(b)", [1]),
        ("foo.bar", r"\bbar\b", [1]),
    ],
)
def test_a_regular_expression_sees_one_line_at_a_time(
    text: str, words: str, expected: list[int]
) -> None:
    assert numbers(text, words, is_regex=True) == expected


def test_columns_of_a_regular_expression_are_in_characters() -> None:
    assert lines_of("时区 = Oslo, 时区 = Rom", "区 = .", is_regex=True) == [
        (1, "时区 = Oslo, 时区 = Rom", ["区 = O", "区 = R"])
    ]


@pytest.mark.parametrize("words", ["(", "a{1001}", "(?=a)", r"(a)\1", "[", "(?<!x)y", "*"])
def test_what_is_no_expression_is_refused_in_the_words_of_its_reader(words: str) -> None:
    with pytest.raises(InvalidRequest, match="the pattern is no regular expression") as refused:
        pattern(words, is_regex=True)
    assert "(?m)" not in refused.value.message
    assert refused.value.message.split(": ", 1)[1]
    assert "RE2" in refused.value.hint
    assert numbers(f"x{words}y", words) == [1]


def test_an_expression_that_needs_too_much_memory_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="too large"):
        pattern(r"\pL{1000}", is_regex=True)


@pytest.mark.parametrize("words", ["", " ", "\t", "x" * 501, "a\nb", "a\r"])
@pytest.mark.parametrize("is_regex", [True, False])
def test_blank_long_and_broken_patterns_are_refused(words: str, is_regex: bool) -> None:
    with pytest.raises(InvalidRequest):
        pattern(words, is_regex=is_regex)


@pytest.mark.parametrize("is_regex", [True, False])
@pytest.mark.parametrize("heeds_case", [True, False])
def test_a_pattern_that_looks_like_a_secret_is_refused(is_regex: bool, heeds_case: bool) -> None:
    with pytest.raises(CredentialShaped) as refused:
        pattern(SECRET, is_regex=is_regex, heeds_case=heeds_case)
    assert SECRET not in refused.value.message


def test_space_at_the_ends_of_a_pattern_counts() -> None:
    assert numbers("two\n two\ntwo ", " two") == [2]
    assert numbers("two\n two\ntwo ", "two ", heeds_case=True) == [3]


# --- what was hidden ------------------------------------------------------------------------------


def hidden_line() -> tuple[Message, str]:
    """Return a message with a secret in its second of three lines, and that line as it leaves."""
    of = message(0, f"before\nkey {SECRET} after\nend")
    line = "".join(run.text for run in redacted_runs(of)).split("\n")[1]
    assert SECRET not in line
    return of, line


@each_row("length", range(1, len(SECRET) + 1))
def test_no_beginning_of_a_secret_is_told_from_anything_else(length: int) -> None:
    of, _ = hidden_line()
    guess = SECRET[:length]
    wrong = guess[:-1] + ("x" if guess[-1] != "x" else "y")
    for before, after in (("key ", ""), ("key .?", ""), (r"key \b", r"\w*"), ("", ".* after")):
        for each in (guess, wrong):
            words = "(?:)".join(each)  # spelled apart, it looks like no secret
            assert found(of, pattern(before + words + after, is_regex=True)) == []


def test_a_match_neither_lies_in_a_marker_nor_reaches_across_it() -> None:
    of, line = hidden_line()
    marker = line.removeprefix("key ").removesuffix(" after")
    assert found(of, pattern("key .* after", is_regex=True)) == []
    assert found(of, pattern(re.escape(marker)[:6], is_regex=True)) == []
    assert found(of, pattern(marker[:6], heeds_case=True)) == []
    assert found(of, pattern("redacted")) == []
    assert found(of, pattern("key .*", is_regex=True)) == [(2, line, ["key "])]
    assert found(of, pattern(".+", is_regex=True)) == [
        (1, "before", ["before"]),
        (2, line, ["key ", " after"]),
        (3, "end", ["end"]),
    ]


def test_the_ends_of_a_marker_are_no_ends_of_a_line() -> None:
    of, line = hidden_line()
    assert found(of, pattern("key $", is_regex=True)) == []
    assert found(of, pattern("^ after", is_regex=True)) == []
    assert found(of, pattern(" after$", is_regex=True)) == [(2, line, [" after"])]


def test_a_line_of_nothing_but_a_marker_never_matches() -> None:
    of = message(0, f"a\n{SECRET}\nb")
    assert [number for number, _, _ in found(of, pattern("x*", is_regex=True))] == [1, 3]
    assert [number for number, _, _ in found(of, pattern("$", is_regex=True))] == [1, 3]


def test_what_we_wrote_ourselves_never_matches() -> None:
    of = Message(
        position=0,
        event_id="e",
        ordinal=0,
        turn="e",
        kind="user",
        at=None,
        runs=(Run(text="see "), Run(text="[image, 9 bytes]", synthetic=True), Run(text=" it")),
    )
    for heeds_case in (True, False):
        assert found(of, pattern("image", heeds_case=heeds_case)) == []
        assert found(of, pattern("im.ge", is_regex=True, heeds_case=heeds_case)) == []
    assert found(of, pattern("see .* it", is_regex=True)) == []


# --- laws -----------------------------------------------------------------------------------------


@given(LINES, PATTERNS)
def test_the_messages_that_match_are_those_that_match_in_recall(text: str, words: str) -> None:
    of = message(0, text)
    is_hit = matching(of, (fold(words),)) is not None
    assert bool(found(of, pattern(words))) is is_hit


@given(LINES, PATTERNS)
def test_lines_are_in_order_whole_and_their_columns_hold_the_pattern(text: str, words: str) -> None:
    lines = text.split("\n")
    for heeds_case in (True, False):
        matches = lines_of(text, words, heeds_case=heeds_case)
        assert [number for number, _, _ in matches] == sorted({n for n, _, _ in matches})
        for number, line, columns in matches:
            assert line == lines[number - 1]
            assert columns
            for column in columns:
                assert words in column if heeds_case else fold(words) in fold(column)


@given(LINES, PATTERNS)
def test_letters_and_the_expression_that_spells_them_find_the_same(text: str, words: str) -> None:
    letters = lines_of(text, words, heeds_case=True)
    expression = lines_of(text, re.escape(words), is_regex=True, heeds_case=True)
    assert letters == expression


@given(LINES, st.sampled_from(["a", "a.", "^a", "b$", "[^a]", "a|时", "^.a", r"\w+", "ab?"]))
def test_an_expression_finds_what_another_engine_finds_line_by_line(text: str, words: str) -> None:
    expected = [
        number
        for number, line in enumerate(text.split("\n"), start=1)
        if re.search(words, line, re.ASCII)
    ]
    assert numbers(text, words, is_regex=True, heeds_case=True) == expected


def test_columns_reach_as_far_as_a_line_is_shown_and_lines_are_all_there() -> None:
    of = message(0, "é" * 100_000 + "\nx\n" + "é" * 10)
    matched = matched_text(of, pattern("É"))
    assert matched is not None
    first, second = matched.lines()
    assert (first.number, second.number) == (1, 3)
    assert [len(matched.columns(each)) for each in (first, second)] == [MATCH_COLUMNS_MAX, 10]
