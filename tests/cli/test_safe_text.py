import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.cli.safe_text import safe_line, safe_text

HOSTILE = {
    "colour": "\x1b[31mred",
    "clear the screen": "\x1b[2J\x1b[H",
    "set the title": "\x1b]0;owned\x07",
    "write to the clipboard": "\x1b]52;c;ZXZpbA==\x07",
    "a hyperlink": "\x1b]8;;https://example.org\x1b\\click\x1b]8;;\x1b\\",
    "one-byte CSI": "\x9b2J",
    "one-byte OSC": "\x9d0;owned\x9c",
    "backspace over": "safe\x08\x08\x08\x08evil",
    "carriage return over": "safe\revil",
    "delete": "\x7f",
    "nul": "\x00",
    "override of direction": "\u202egnp.exe",
    "isolate": "\u2066a\u2069",
    "line separator": "a\u2028b",
    "lone surrogate": "\udc9b2J",
}


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
