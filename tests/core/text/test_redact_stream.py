"""Streams: however a text is cut, it comes out as `redact` makes it, never a part of a secret."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recense.core.text import redact_stream
from recense.core.text.edits import Edit
from recense.core.text.markers import marker
from recense.core.text.redact import UNFINISHED, redact
from recense.core.text.redact_stream import StreamRedactor
from recense.limits import STREAM_CONTEXT_CODE_POINTS, STREAM_HELD_CODE_POINTS_MAX
from tests.core.text.secret_shapes import HARD_NEGATIVES, SHAPES, SecretShape, mixtures
from tests.rows import each_row

PART = 4
"""Characters of a secret in a row that are a part of it."""

PROSE = "The deploy is in progress and we don't know when it ends, so let's wait for the rest.\n"
PEM = next(shape for shape in SHAPES if shape.name == "openssh key").text


def _given(pieces: list[str], context: str = "") -> list[str]:
    """Return what is given out after each piece, and at the end."""
    redactor = StreamRedactor(context)
    return [*(redactor.feed(piece).text for piece in pieces), redactor.finish().text]


def _parts(secret: str, text: str) -> set[str]:
    """Return the parts of a secret that ``text`` holds."""
    parts = {secret[at : at + PART] for at in range(len(secret) - PART + 1)}
    return {part for part in parts if part in text}


def _assert_safe(shape: SecretShape, pieces: list[str], whole: str) -> None:
    out = _given(pieces)
    assert "".join(out) == whole, (shape.name, pieces)
    before_the_end = "".join(out[:-1])
    assert _parts(shape.secret, before_the_end) <= _parts(shape.secret, whole), shape.name


@each_row("shape", SHAPES, ids=lambda shape: shape.name)
def test_a_secret_cut_anywhere_is_hidden_whole(shape: SecretShape) -> None:
    text, whole = shape.text, redact(shape.text).text
    for at in range(len(text) + 1):
        _assert_safe(shape, [text[:at], text[at:]], whole)
    _assert_safe(shape, list(text), whole)


@each_row("shape", SHAPES[::4], ids=lambda shape: shape.name)
def test_a_secret_in_the_middle_of_prose_is_hidden_one_character_at_a_time(
    shape: SecretShape,
) -> None:
    text = f"{PROSE}As I said: {shape.text}\n{PROSE}"
    assert "".join(_given(list(text))) == redact(text).text


@each_row(("name", "text"), HARD_NEGATIVES)
def test_what_only_looks_like_a_secret_comes_out_as_it_went_in(name: str, text: str) -> None:
    assert "".join(_given(list(text))) == text, name


@given(mixtures(), st.data())
def test_any_text_cut_anyhow_comes_out_as_redaction_makes_it(
    text: str, data: st.DataObject
) -> None:
    sizes = data.draw(st.lists(st.integers(1, 24), max_size=40))
    pieces: list[str] = []
    at = 0
    for size in sizes:
        pieces.append(text[at : at + size])
        at += size
    pieces.append(text[at:])
    assert "".join(_given(pieces)) == redact(text).text


@settings(max_examples=20)
@given(mixtures())
def test_any_text_one_code_point_at_a_time_comes_out_as_redaction_makes_it(text: str) -> None:
    assert "".join(_given(list(text))) == redact(text).text


@pytest.mark.parametrize(
    ("pieces", "given_out"),
    [
        (["deploy ", "in progress"], ["deploy ", "in progress"]),
        (["The token expired ", "yesterday, so "], ["The token expired ", "yesterday, so "]),
        (["don't wait ", 'for "this" one'], ["don't wait ", 'for "this" ']),
        (["部署进行中，", "请稍候"], ["部署进行中，", "请稍候"]),
        (["| a | b |\n|---|---|\n"], ["| a | b |\n|---|---|\n"]),
    ],
)
def test_prose_is_given_out_at_once(pieces: list[str], given_out: list[str]) -> None:
    assert _given(pieces)[:-1] == given_out


@pytest.mark.parametrize(
    ("text", "given_out"),
    [
        ("Authorization: Bearer ", "Authorization"),
        ("password = ", "password"),
        ("deploy --token ", "deploy --token"),
        ("see https://nadia:", "see "),
        ('{"api_key"', '{"'),
        ("-----BEGIN " + "PRIVATE KEY-----\n", ""),
        ("the verification code", "the verification code"),
        ("password: letmein", "password"),
        ("ok \x1b[3", "ok "),
        ("it is [redac", "it is ["),
        ("mysql -u root -p", "mysql "),
    ],
)
def test_what_a_secret_may_be_arriving_in_waits(text: str, given_out: str) -> None:
    redactor = StreamRedactor()
    assert redactor.feed(text).text == given_out
    assert redactor.held == len(text) - len(given_out)


def test_a_header_and_its_value_may_be_pieces_apart() -> None:
    secret = "3f9a1c7e5b2d8046" + "e1f7a93c0d5b8e24"
    out = _given(
        ["-H 'Authorization", ": ", "Bearer ", secret[:9], secret[9:], "' https://x.test\n"]
    )
    assert _parts(secret, "".join(out)) == set()
    assert "".join(out).endswith(" https://x.test\n")


def test_a_key_block_is_given_out_as_one_marker_after_its_last_line() -> None:
    redactor = StreamRedactor()
    lines = PEM.splitlines(keepends=True)
    assert [redactor.feed(line).text for line in lines] == [""] * len(lines)
    assert redactor.finish().text == marker("private-key")


def test_a_surrogate_half_and_a_cut_grapheme_are_text_like_any_other() -> None:
    text = "a\ud83d\ude00e\u0301 \U0001f469\u200d\U0001f4bb token=abc\u200bdef12345678 ok"
    assert "".join(_given(list(text))) == redact(text).text


def test_a_marker_names_what_follows_as_a_key_does() -> None:
    text = "gh" + "p_" + "Zr7Kq2MvX9tB4wLhD8nPc3FyGs6JaU5eRkTo = Kq2MvX9tB4wLhD8n and more"
    assert redact(text).text.count("[redacted:") == 2
    assert "".join(_given(list(text))) == redact(text).text


def test_a_stream_goes_on_after_its_context() -> None:
    out = _given(["hun" + "ter2", " and more"], context="the password: ")
    assert "".join(out) == "[redacted:password] and more"


def test_the_kinds_of_what_was_hidden_are_told_once() -> None:
    redactor = StreamRedactor()
    kinds = [*redactor.feed("password: hun" + "ter2 and").findings, *redactor.finish().findings]
    assert kinds == ["password"]


@pytest.mark.parametrize(
    ("opening", "filler", "after"),
    [
        ("see ", "Zr7Kq2MvX9", " and more"),
        ("-----BEGIN " + "PRIVATE KEY-----\n", "Zr7Kq2MvX9tB4wLhD8nPc3Fy\n", "($) and more"),
        ('password = "', "a1 ", '"\n and more'),
    ],
)
def test_an_open_span_beyond_the_bound_is_hidden_whole_and_left_out_to_its_end(
    opening: str, filler: str, after: str
) -> None:
    redactor = StreamRedactor()
    out, at_most = [redactor.feed(opening).text], 0
    for _ in range(2 * STREAM_HELD_CODE_POINTS_MAX // len(filler)):
        out.append(redactor.feed(filler).text)
        at_most = max(at_most, redactor.held)
    out += (redactor.feed(after).text, redactor.finish().text)
    text = "".join(out)
    assert marker(UNFINISHED) in text
    assert text.endswith(" and more")
    assert filler.strip() not in text
    assert at_most <= STREAM_HELD_CODE_POINTS_MAX * 9 // 8


def test_the_values_of_an_endless_manifest_are_hidden_as_secrets_and_the_rest_stays() -> None:
    line = "  a: Zr7Kq2MvX9tB4w\n"
    lines = 2 * STREAM_HELD_CODE_POINTS_MAX // len(line)
    text = "".join(_given(["kept: yes\ndata:\n", *[line] * lines, "last: no\n"]))
    hidden = "  a: [redacted:kubernetes-secret]\n" * lines
    assert len(text) == len("kept: yes\ndata:\n" + hidden + "last: no\n")
    assert "Zr7Kq2" not in text


@pytest.mark.parametrize(
    ("text", "searched_max"),
    [
        (PROSE, 20),
        (PROSE.replace("\n", " "), 2 * STREAM_CONTEXT_CODE_POINTS // 10),
        ('{"name": "alpha", "count": 12, "max_tokens": 5}', 2 * STREAM_CONTEXT_CODE_POINTS // 10),
        ("password=", 20),
        (PEM + "\n", 40),
        ("iVBORw0KGgoAAAANSUhEUg", 20),
    ],
)
def test_work_is_linear_in_the_text(
    text: str, searched_max: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched = 0
    find = redact_stream.find_edits

    def counting(given_text: str) -> tuple[Edit, ...]:
        nonlocal searched
        searched += len(given_text)
        return find(given_text)

    monkeypatch.setattr(redact_stream, "find_edits", counting)
    counts: list[float] = []
    for size in (5_000, 20_000):
        searched = 0
        whole = (text * (size // len(text) + 1))[:size]
        _given([whole[at : at + 10] for at in range(0, size, 10)])
        counts.append(searched / size)
    assert counts[1] <= searched_max
    assert counts[1] <= counts[0] * 1.5
