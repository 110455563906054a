"""Secrets that terminal escapes or invisible characters hide from a search, not from the eye."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.core.text.hidden_characters import plain_view
from recense.core.text.json_literals import Path
from recense.core.text.redact import redact
from recense.core.text.redact_json import redact_json
from tests.core.text.secret_shapes import HARD_NEGATIVES, SHAPES, SecretShape
from tests.rows import each_row

_HIDDEN = [
    *("\x1b[31m", "\x1b[0m", "\x1b[1;38;5;208m", "\x1b[2K", "\x1b]0;title\x07", "\x1b(B"),
    *("\x1b]8;;https://x.test\x1b\\", "\\u001b[31m", "\\x1b[0m", "\\033[1m", "\\e[0m"),
    *("\u200b", "\u200d", "\u200e", "\u2060", "\ufeff", "\u00ad", "\u202e", "\U000e0041"),
]
_TOKEN = "gh" + "p_" + "a1B2c3D4e5F6" * 3
_PASSWORD = "hunter" + "2x"


def _nothing(_path: Path) -> bool:
    return False


@each_row("hidden", _HIDDEN)
@each_row("place", [1, 3, 4, 12, 39])
def test_a_token_is_hidden_whole_with_what_stands_inside_it(hidden: str, place: int) -> None:
    text = f"use {_TOKEN[:place]}{hidden}{_TOKEN[place:]} now"
    assert redact(text).text == "use [redacted:github-token] now"
    record = json.dumps([text]).encode()
    assert json.loads(redact_json(record, _nothing).record) == [redact(text).text]


@each_row("hidden", _HIDDEN)
def test_what_stands_around_a_token_stays(hidden: str) -> None:
    text = f"use {hidden}{_TOKEN}{hidden} now"
    redacted = redact(text)
    assert redacted.text == f"use {hidden}[redacted:github-token]{hidden} now"
    assert [(each.start, each.end) for each in redacted.findings] == [
        (4 + len(hidden), 4 + len(hidden) + len(_TOKEN))
    ]


@each_row("hidden", _HIDDEN)
@each_row("shell", ["pass{}word: {}", "password{}:{} {}", "password:{} hun{}ter2x"[:12] + "{}{}"])
def test_a_name_and_its_value_are_joined_across_it(hidden: str, shell: str) -> None:
    text = shell.replace("{}", hidden) + _PASSWORD
    assert _PASSWORD not in redact(text).text
    record = json.dumps({"log": text}).encode()
    assert _PASSWORD.encode() not in redact_json(record, _nothing).record


@pytest.mark.parametrize("hidden", ["\x1b[1m", "\u200b", "\u00ad"])
@pytest.mark.parametrize("escaped", [False, True])
def test_a_key_of_a_record_is_read_without_it(hidden: str, escaped: bool) -> None:
    record = json.dumps({f"pass{hidden}word": _PASSWORD}, ensure_ascii=escaped).encode()
    redacted = json.loads(redact_json(record, _nothing).record)
    assert redacted == {f"pass{hidden}word": "[redacted:password]"}


def test_a_secret_inside_an_escape_is_found_too() -> None:
    text = f"\x1b]8;;https://x.test/?access_token={_TOKEN}\x07here\x1b]8;;\x07"
    assert _TOKEN not in redact(text).text


def test_a_token_that_a_colour_parts_from_a_word_is_found() -> None:
    assert _TOKEN not in redact(f"user\x1b[1m{_TOKEN}\x1b[0m").text


@each_row("shape", SHAPES, ids=lambda shape: shape.name)
def test_a_secret_of_every_shape_is_hidden_in_colour(shape: SecretShape) -> None:
    middle = shape.text.index(shape.secret) + len(shape.secret) // 2
    half = len(shape.secret) // 2
    for hidden in ("\x1b[31m", "\u200b", "\\u001b[1m"):
        redacted = redact(shape.text[:middle] + hidden + shape.text[middle:]).text
        assert shape.secret[:half] + hidden + shape.secret[half:] not in redacted
        assert shape.secret[half:] not in redacted or len(shape.secret[half:]) < 4


@each_row("hidden", ["\x1b[31m", "\u200b"])
@each_row(("name", "text"), HARD_NEGATIVES, ids=[name for name, _ in HARD_NEGATIVES])
def test_a_look_alike_in_colour_is_left_alone(name: str, text: str, hidden: str) -> None:
    coloured = f"{hidden}{text}{hidden}"
    assert redact(coloured).text == coloured


@given(st.lists(st.sampled_from(_HIDDEN) | st.text(max_size=4), max_size=8))
def test_a_view_knows_where_each_of_its_characters_stands(pieces: list[str]) -> None:
    text = "".join(pieces)
    view = plain_view(text)
    if view is None:
        return
    assert len(view.text) < len(text)
    spans = [(at, at + 1) for at in range(len(view.text))]
    for (start, end), (first, last) in zip(spans, view.spans(spans), strict=True):
        assert view.text[start:end] == text[first:last]
    whole = (0, len(view.text))
    if view.text:
        ((first, last),) = view.spans([whole])
        assert [plain_view(text[first:last]) or text[first:last]]


@pytest.mark.parametrize("text", ["", "plain", "é 密码 😀", "C:\\users\\e", "a [31m b"])
def test_a_text_that_hides_nothing_has_no_view(text: str) -> None:
    assert plain_view(text) is None
