"""Which terminal is sent an image, and how."""

import base64
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.cli.images import graphics_of, picture_text
from tests.cli.samples import PNG

KITTY = {"TERM": "xterm-kitty"}
ITERM = {"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"TERM": "xterm-256color", "KITTY_WINDOW_ID": "1"}, "kitty"),
        (KITTY, "kitty"),
        ({"TERM": "xterm-ghostty"}, "kitty"),
        (ITERM, "iterm"),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, "iterm"),
        ({}, None),
        ({"TERM": "xterm-256color"}, None),
        ({"TERM": "dumb", "KITTY_WINDOW_ID": "1"}, None),
        ({"TERM": "linux"}, None),
        ({"TERM": "tmux-256color", "KITTY_WINDOW_ID": "1"}, None),
        ({**KITTY, "TMUX": "/tmp/tmux-0/default,1,0"}, None),
        ({"TERM": "screen", "TERM_PROGRAM": "iTerm.app"}, None),
        ({"TERM": "xterm", "TERM_PROGRAM": "vscode"}, None),
        ({"TERM": "xterm", "KITTY_WINDOW_ID": ""}, None),
    ],
    ids=str,
)
def test_a_terminal_is_known_by_its_environment(
    environment: dict[str, str], expected: str | None
) -> None:
    assert graphics_of(environment) == expected
    assert bool(picture_text(PNG, environment)) is (expected is not None)


@given(st.binary(max_size=20_000))
def test_kitty_is_sent_chunks_that_together_are_the_image(rest: bytes) -> None:
    data = PNG + rest
    sent = picture_text(data, KITTY)
    parts = re.findall(r"\x1b_G([^;]*);([^\x1b]*)\x1b\\", sent)
    assert "".join(f"\x1b_G{keys};{chunk}\x1b\\" for keys, chunk in parts) + "\n" == sent
    assert base64.b64decode("".join(chunk for _, chunk in parts)) == data
    assert all(len(chunk) <= 4_096 for _, chunk in parts)
    assert all(len(chunk) % 4 == 0 for _, chunk in parts[:-1])
    assert [keys[-1] for keys, _ in parts] == ["1"] * (len(parts) - 1) + ["0"]
    assert parts[0][0].startswith("a=T,f=100,q=2,m=")
    assert {keys for keys, _ in parts[1:]} <= {"m=0", "m=1"}


@given(st.binary(max_size=200))
def test_iterm_is_sent_the_image_and_its_size(rest: bytes) -> None:
    data = PNG + rest
    encoded = base64.b64encode(data).decode()
    expected = f"\x1b]1337;File=inline=1;size={len(data)}:{encoded}\x07\n"
    assert picture_text(data, ITERM) == expected


@pytest.mark.parametrize("environment", [KITTY, ITERM], ids=["kitty", "iterm"])
@pytest.mark.parametrize("data", [b"", b"\x1b[2J", b"<svg/>", b"%PDF-1.7", PNG[1:]])
def test_bytes_that_are_no_image_are_not_sent(environment: dict[str, str], data: bytes) -> None:
    assert picture_text(data, environment) == ""


def test_a_photograph_is_shown_only_where_it_can_be_read() -> None:
    jpeg = b"\xff\xd8\xff\xe0 and so on"
    assert picture_text(jpeg, ITERM)
    assert picture_text(jpeg, KITTY) == ""
