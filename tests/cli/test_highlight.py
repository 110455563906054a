import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.cli.highlight import highlighted
from recense.core.text.fold import fold


def marked(text: str, *terms: str) -> str:
    return "".join(
        f"<{part.text}>" if part.style == "term" else part.text for part in highlighted(text, terms)
    )


@pytest.mark.parametrize(
    ("text", "terms", "expected"),
    [
        ("The Timetable is late", ("timetable",), "The <Timetable> is late"),
        ("时区丢了，时区", ("时区",), "<时区>丢了，<时区>"),
        ("ＡＰＩ key", ("api",), "<ＡＰＩ> key"),
        ("Straße", ("STRASSE",), "<Straße>"),
        ("aaaa", ("aa",), "<aaaa>"),
        ("abcd", ("abc", "bcd"), "<abcd>"),
        ("a.b", (".",), "a<.>b"),
        ("nothing", ("else",), "nothing"),
        ("", ("x",), ""),
        ("x", (), "x"),
    ],
)
def test_terms_are_marked_as_recall_finds_them(
    text: str, terms: tuple[str, ...], expected: str
) -> None:
    assert marked(text, *terms) == expected


@given(st.text(), st.lists(st.text(min_size=1, max_size=4), max_size=3))
def test_spans_are_the_whole_text_in_order(text: str, terms: list[str]) -> None:
    spans = highlighted(text, terms)
    assert "".join(part.text for part in spans) == text
    assert all(part.text for part in spans)


@given(st.text(max_size=5), st.text(min_size=1, max_size=5), st.text(max_size=5))
def test_a_term_that_is_there_is_marked(before: str, term: str, after: str) -> None:
    text = before + term + after
    if fold(term) in fold(text):
        assert any(part.style == "term" for part in highlighted(text, (term,)))
