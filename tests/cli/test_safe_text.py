import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.cli.safe_text import safe_line, safe_text
from tests.cli.samples import HOSTILE


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_loses_its_power_and_stays_visible(text: str) -> None:
    shown = safe_text(text)
    assert not any(
        unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"} and character != "\n"
        for character in shown
    )
    assert shown != text
    assert len(shown) >= len(text)


@given(st.text(st.characters(codec=None)))
def test_only_line_feeds_and_tabs_of_all_controls_are_left(text: str) -> None:
    shown = safe_text(text)
    controls = {c for c in shown if unicodedata.category(c) in {"Cc", "Cs"}}
    assert controls <= {"\n", "\t"}
    assert {unicodedata.bidirectional(c) for c in shown}.isdisjoint(
        {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    )


@given(st.text())
def test_making_safe_twice_is_making_safe_once(text: str) -> None:
    assert safe_text(safe_text(text)) == safe_text(text)


def test_ordinary_text_of_every_script_is_left_alone() -> None:
    text = "naïve 时区 カナ שלום 👩‍🚀\tx\ny"
    assert safe_text(text) == text


@given(st.text())
def test_a_safe_line_is_one_line(text: str) -> None:
    assert len(safe_line(text).splitlines()) <= 1
