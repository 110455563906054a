"""Patterns that are compiled when they are first used: the same as those compiled at once."""

import re

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from recense.core import late_patterns
from recense.core.late_patterns import late_pattern, late_regex


def test_a_late_pattern_is_compiled_at_its_first_use_and_only_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compiled: list[str] = []

    class Spy:
        @staticmethod
        def compile(pattern: str, flags: int) -> re.Pattern[str]:
            compiled.append(pattern)
            return re.compile(pattern, flags)

    monkeypatch.setattr(late_patterns, "re", Spy)
    pattern = late_pattern(r"[a-c]+")
    assert compiled == []
    assert pattern.fullmatch("abc")
    assert pattern.fullmatch("abd") is None
    assert pattern.sub("-", "xaby") == "x-y"
    assert compiled == [r"[a-c]+"]


@given(st.text("abAB1\n", max_size=20))
def test_a_late_pattern_finds_what_a_pattern_compiled_at_once_finds(text: str) -> None:
    flags = re.IGNORECASE | re.MULTILINE
    late = late_pattern(r"^(a|B)+", flags)
    assert [each.span() for each in late.finditer(text)] == [
        each.span() for each in re.compile(r"^(a|B)+", flags).finditer(text)
    ]
    data = text.encode()
    assert late_pattern(rb"[a-b]").split(data) == re.compile(rb"[a-b]").split(data)
    assert late_regex(r"(?V1)[\w--1]+").findall(text) == regex.compile(
        r"[\w--1]+", regex.V1
    ).findall(text)


def test_a_text_that_is_no_pattern_raises_where_it_is_first_used() -> None:
    broken = late_pattern("(")
    with pytest.raises(re.error):
        broken.match("")
