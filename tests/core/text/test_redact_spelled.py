"""Secrets that stand in a text as its escapes spell them: JSON in JSON, markup, CSV, bytes."""

import ast
import html
import json
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.core.text.known_secrets import KnownSecrets
from recense.core.text.redact import redact
from recense.core.text.redact_json import Path, redact_json
from recense.core.text.redact_stream import StreamRedactor
from recense.core.text.spelled_characters import spelled_view
from recense.core.text.views import views
from tests.core.text.secret_shapes import HARD_NEGATIVES, SHAPES, SecretShape, mixtures
from tests.rows import each_row

_PASSWORD = "Kaktus" + "99!"
_KEY = "Kq7Lz4Xv9Rt2" + "A8mKq7Lz4Xv9"


def _nothing(_path: Path) -> bool:
    return False


def _safe_for_markup(text: str) -> str:
    written = json.dumps(text)
    for character in "=&<>'":
        written = written.replace(character, f"\\u{ord(character):04x}")
    return written


def _in_csv(text: str) -> str:
    return 'a,"' + text.replace('"', '""') + '",b'


_WAYS: dict[str, Callable[[str], str]] = {
    "json": json.dumps,
    "json in json": lambda text: json.dumps({"y": json.dumps({"x": text})}),
    "json for markup": _safe_for_markup,
    "json for markup in json": lambda text: json.dumps(_safe_for_markup(text)),
    "a literal of python": ascii,
    "bytes": lambda text: repr(text.encode("utf-8", "replace")),
    "bytes in json": lambda text: json.dumps(repr(text.encode("utf-8", "replace"))),
    "markup": html.escape,
    "markup of ascii": lambda text: (
        text.encode("utf-8", "replace").decode().encode("ascii", "xmlcharrefreplace").decode()
    ),
    "markup in markup": lambda text: html.escape(html.escape(text)),
    "markup in json for markup": lambda text: _safe_for_markup(html.escape(text)),
    "csv": _in_csv,
    "blanks of print": lambda text: text.replace(" ", "\u00a0"),
    "narrow blanks": lambda text: text.replace(" ", "\u202f"),
    "wide blanks": lambda text: text.replace(" ", "\u3000"),
}


@pytest.mark.parametrize("way", _WAYS)
@each_row("shape", SHAPES, ids=lambda shape: shape.name)
def test_a_secret_of_every_shape_is_hidden_however_its_text_was_written(
    shape: SecretShape, way: str
) -> None:
    written = _WAYS[way](shape.text)
    spelled = _WAYS[way](shape.secret).strip("\"'")
    redacted = redact(written).text
    assert shape.secret not in redacted
    assert spelled not in redacted
    record = json.dumps({"content": written}, ensure_ascii=len(written) % 2 == 0).encode()
    assert json.loads(redact_json(record, _nothing).record) == {"content": redacted}


@each_row("shape", SHAPES, ids=lambda shape: shape.name)
@pytest.mark.parametrize("depth", [1, 2])
def test_arguments_that_are_json_of_ascii_stay_json_and_lose_their_secret(
    shape: SecretShape, depth: int
) -> None:
    arguments: object = {"x": shape.text}
    for _ in range(depth):
        arguments = {"y": json.dumps(arguments)}
    record = json.dumps({"arguments": json.dumps(arguments)}).encode()
    redacted = redact_json(record, _nothing).record
    assert shape.secret.encode() not in redacted
    inner: dict[str, str] = json.loads(json.loads(redacted)["arguments"])
    for _ in range(depth):
        inner = json.loads(inner["y"])
    assert "[redacted:" in inner["x"]


@pytest.mark.parametrize(
    "text",
    [
        '{"p":"\\u5bc6\\u7801\\uff1a' + _PASSWORD + '"}',
        '"\\u043f\\u0430\\u0440\\u043e\\u043b\\u044c: ' + _PASSWORD + '"',
        "password\\u003d" + _PASSWORD,
        "password\\\\u003d" + _PASSWORD,
        "password\\x3d" + _PASSWORD,
        "password&#61;" + _PASSWORD,
        "password&#x3D;" + _PASSWORD,
        "password&equals;" + _PASSWORD,
        "password&amp;#61;" + _PASSWORD,
        "password\\u0026#61;" + _PASSWORD,
        "{\\u0022password\\u0022: \\u0022" + _PASSWORD + "\\u0022}",
        "&quot;password&quot;:&quot;" + _PASSWORD + "&quot;",
        '{""password"": ""' + _PASSWORD + '""}',
        "b'\\xe5\\xaf\\x86\\xe7\\xa0\\x81: " + _PASSWORD + "'",
        "contrase\\xf1a: " + _PASSWORD,
        "password\u00a0=\u00a0" + _PASSWORD,
        "\\u0070\\u0061\\u0073\\u0073\\u0077\\u006f\\u0072\\u0064: " + _PASSWORD,
    ],
)
def test_what_joins_a_name_to_its_value_may_be_spelled(text: str) -> None:
    redacted = redact(text).text
    assert redacted == text.replace(_PASSWORD, "[redacted:password]")
    assert json.loads(redact_json(json.dumps([text]).encode(), _nothing).record) == [redacted]


def test_an_escape_is_never_cut_in_two() -> None:
    text = "the password\\u003d" + "Kak\\u0074us\\u0039!\\u0039 and more"
    assert redact(text).text == "the password\\u003d[redacted:password] and more"


def test_a_marker_for_a_number_takes_the_quotation_marks_that_the_text_has() -> None:
    number = "8402" + "91736551"
    plain = '{"\\u5bc6\\u7801": ' + number + "}"
    assert redact(plain).text == plain.replace(number, '"[redacted:password]"')
    spelled = "{\\u0022password\\u0022: " + number + "}"
    assert '"' not in redact(spelled).text


def test_a_value_that_a_person_named_is_found_where_it_is_spelled() -> None:
    known = KnownSecrets.of(["teapot=11<é>"])
    for way in _WAYS.values():
        assert "teapot" not in redact(way("x teapot=11<é> y"), known).text


@pytest.mark.parametrize("way", ["json", "json for markup", "markup", "bytes"])
@each_row(("name", "text"), HARD_NEGATIVES, ids=[name for name, _ in HARD_NEGATIVES])
def test_a_look_alike_is_left_alone_however_it_was_written(name: str, text: str, way: str) -> None:
    written = _WAYS[way](text)
    assert redact(written).text == written, name


@pytest.mark.parametrize(
    "text",
    [
        *(
            'def f():\n    """Return the password."""\n    return ""\n',
            'password = ""',
            'x = "" + a',
        ),
        *(
            '{"password":"","user":"admin1234","b":""}',
            "C:\\users\\xavier",
            "re.compile('[\\x00]')",
        ),
        *("a &amp; b &lt; c", "token\u00a0: voir la documentation", "\\u0000\\ud800 \\x9"),
    ],
)
def test_what_spells_no_secret_stays(text: str) -> None:
    assert redact(text).text == text


@given(st.lists(st.sampled_from([*SHAPES[::7]]) | st.none(), max_size=3), st.data())
def test_what_was_spelled_is_redacted_once(
    shapes: list[SecretShape | None], data: st.DataObject
) -> None:
    pieces = [data.draw(st.text(max_size=6)) if shape is None else shape.text for shape in shapes]
    text = "".join(_WAYS[data.draw(st.sampled_from(sorted(_WAYS)))](piece) for piece in pieces)
    once = redact(text).text
    assert redact(once).findings == ()


_PIECES = st.sampled_from(
    [
        *("\\u5bc6", "\\\\u7801", "\\ud83d\\ude00", "\\ud83d", "\\xe5\\xaf\\x86", "\\xf1", "\\xe5"),
        *(
            "&quot;",
            "&#61;",
            "&#x1F600;",
            "&amp;",
            "&nope;",
            '""a""',
            '""',
            "\u00a0",
            "\\",
            "\\u12",
        ),
        *("é", "\u5bc6", "a", "=", "\x1b[31m", "\u200b", "\\u001b[1m"),
    ]
)


@given(st.lists(_PIECES | st.text(max_size=3), max_size=10))
def test_a_view_knows_where_each_of_its_characters_stands(pieces: list[str]) -> None:
    text = "".join(pieces)
    for view in views(text):
        spans = list(view.spans((at, at + 1) for at in range(len(view.text))))
        assert all(0 <= start < end <= len(text) for start, end in spans)
        assert all(first[1] <= second[0] for first, second in pairwise(spans))
        for character, (start, end) in zip(view.text, spans, strict=True):
            assert end - start > 1 or text[start] == character or text[start] in "\u00a0\u3000"


@given(st.text(alphabet="a\u5bc6\U0001f600\u00e9 '\"", max_size=20))
def test_a_literal_is_read_as_python_reads_it(text: str) -> None:
    written = ascii(text).replace("\\U0001f600", "\\ud83d\\ude00")
    view = spelled_view(written)
    read = written if view is None else view.text
    assert ast.literal_eval(ascii(text)) == text
    assert read.replace("\\'", "'")[1:-1] == text.replace('""', '"') or '"' in text


@pytest.mark.parametrize(
    "text", ["", "plain", "é 密码 😀", "C:\\users\\e", '{"a":""}', "a && b &c;"]
)
def test_a_text_that_spells_nothing_has_no_view(text: str) -> None:
    assert spelled_view(text) is None


@pytest.mark.parametrize("piece", ["\\", "\\u5bc6", "\\x41", "&", "&quot;", '""', '""a', "\u00a0"])
def test_reading_is_linear(piece: str) -> None:
    text = piece * 40_000
    for view in views(text):
        assert len(view.text) <= len(text)
    assert redact(text).text


def _given_out(pieces: list[str]) -> list[str]:
    redactor = StreamRedactor()
    return [*(redactor.feed(piece).text for piece in pieces), redactor.finish().text]


@pytest.mark.parametrize("way", _WAYS)
@each_row("shape", SHAPES[::13], ids=lambda shape: shape.name)
def test_a_stream_hides_what_it_spells_however_it_is_cut(shape: SecretShape, way: str) -> None:
    text = _WAYS[way](shape.text)
    whole = redact(text).text
    for at in range(0, len(text) + 1, 5):
        assert "".join(_given_out([text[:at], text[at:]])) == whole, (way, at)
    assert "".join(_given_out(list(text))) == whole


@given(mixtures(), st.sampled_from(sorted(_WAYS)), st.integers(1, 9))
def test_a_stream_of_anything_spelled_comes_out_as_redaction_makes_it(
    text: str, way: str, size: int
) -> None:
    written = _WAYS[way](text)
    pieces = [written[at : at + size] for at in range(0, len(written), size)]
    assert "".join(_given_out(pieces)) == redact(written).text
