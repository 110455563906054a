"""Redaction of a JSON record in its own bytes."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.core.text.detectors import fired_probes
from recense.core.text.json_literals import Path
from recense.core.text.redact import redact
from recense.core.text.redact_json import KindCount, redact_json
from tests.core.text.secret_shapes import HARD_NEGATIVES, SHAPES, SecretShape, mixtures
from tests.rows import each_row

_TOKEN = "gh" + "p_" + "a1B2c3D4e5F6" * 3
_PASSWORD = "hunter" + "2"
_TEXTS = [shape.text for shape in SHAPES] + [text for _, text in HARD_NEGATIVES]
_KEYS = ["a", "text", "password", "api_key", "token", "name", "value", "密码", "input_tokens", "id"]


def _nothing(_path: Path) -> bool:
    return False


def _ids(path: Path) -> bool:
    return path[-1:] == ("id",)


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12) | st.sampled_from(_TEXTS),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_KEYS), inner, max_size=4)
    ),
    max_leaves=8,
)


@each_row("shape", SHAPES, ids=lambda shape: shape.name)
def test_a_secret_of_every_shape_is_hidden_in_a_record(shape: SecretShape) -> None:
    for escaped in (False, True):
        record = json.dumps({"output": [shape.text]}, ensure_ascii=escaped).encode()
        redacted = json.loads(redact_json(record, _nothing).record)
        assert redacted == {"output": [redact(shape.text).text]}
        assert shape.secret not in redacted["output"][0]


@given(_VALUES, st.booleans())
def test_json_stays_json_and_repeating_changes_nothing(value: object, escaped: bool) -> None:
    record = json.dumps(value, ensure_ascii=escaped).encode("utf-8", "surrogatepass")
    try:
        once = redact_json(record, _ids)
    except UnicodeDecodeError:
        return  # an unpaired surrogate written as bytes is no UTF-8
    json.loads(once.record)
    again = redact_json(once.record, _ids)
    assert again.record == once.record
    assert again.findings == ()


@given(_VALUES)
def test_a_record_without_findings_is_the_same_bytes(value: object) -> None:
    record = json.dumps(value).encode()
    redacted = redact_json(record, _nothing)
    assert (redacted.record == record) == (redacted.findings == ())


@given(mixtures())
def test_what_holds_a_secret_fires_in_its_json_escape_too(text: str) -> None:
    if redact(text).findings:
        raw = json.dumps(text, ensure_ascii=False).encode("utf-8", "surrogatepass")
        assert fired_probes(raw)


def test_every_other_byte_stays() -> None:
    record = (
        b'{ "a":1.50e+2,\t"b" : "caf\\u00e9 \\/ \\ud83d\\ude00 token ' + _TOKEN.encode() + b' \\n",'
        b'"c":[ ] , "c":null }'
    )
    redacted = redact_json(record, _nothing)
    assert redacted.record == record.replace(_TOKEN.encode(), b"[redacted:github-token]")
    assert redacted.findings == (KindCount(kind="github-token", count=1),)


def test_a_secret_spelled_with_escapes_is_found() -> None:
    record = b'{"b": "x \\ud83d\\ude00 \\u0067hp_' + _TOKEN[4:].encode() + b' y\\u00e9"}'
    assert redact_json(record, _nothing).record == (
        b'{"b": "x \\ud83d\\ude00 [redacted:github-token] y\\u00e9"}'
    )


def test_a_key_spelled_with_escapes_is_sensitive() -> None:
    record = b'{"pass\\u0077ord": "' + _PASSWORD.encode() + b'", "\\u5bc6\\u7801": "abc' + b'd99"}'
    assert redact_json(record, _nothing).record == (
        b'{"pass\\u0077ord": "[redacted:password]", "\\u5bc6\\u7801": "[redacted:password]"}'
    )


@pytest.mark.parametrize(
    ("written", "hidden"),
    [
        ('"letmein"', '"[redacted:password]"'),
        ('["letmein", "swordfish"]', '["[redacted:password]", "[redacted:password]"]'),
        ("8402917365", '"[redacted:password]"'),
        ("1234567", "1234567"),
        ("true", "true"),
        ("null", "null"),
        ('"<your-password>"', '"<your-password>"'),
        ('"${DB_PASSWORD}"', '"${DB_PASSWORD}"'),
        ('"Enter your password"', '"Enter your password"'),
        ('{"min_length": 12}', '{"min_length": 12}'),
    ],
)
def test_a_value_under_a_sensitive_key_is_hidden_unless_it_stands_for_one(
    written: str, hidden: str
) -> None:
    record = f'{{"db":{{"password":{written}}}}}'.encode()
    assert redact_json(record, _nothing).record == f'{{"db":{{"password":{hidden}}}}}'.encode()


def test_structural_leaves_are_never_changed() -> None:
    record = f'{{"id":"{_TOKEN}","text":"{_TOKEN}","deep":[{{"id":"{_TOKEN}"}}]}}'.encode()
    asked: list[Path] = []

    def structural(path: Path) -> bool:
        asked.append(path)
        return path[-1:] == ("id",)

    redacted = redact_json(record, structural)
    assert json.loads(redacted.record) == {
        "id": _TOKEN,
        "text": "[redacted:github-token]",
        "deep": [{"id": _TOKEN}],
    }
    assert asked == [("id",), ("text",), ("deep", "id")]


def test_a_key_that_holds_a_secret_is_redacted() -> None:
    record = f'{{"seen {_TOKEN}": 1}}'.encode()
    assert redact_json(record, _nothing).record == b'{"seen [redacted:github-token]": 1}'


@pytest.mark.parametrize(
    "members",
    [
        '"name": "DB_PASSWORD", "value": "{}"',
        '"value": "{}", "name": "DB_PASSWORD"',
        '"key": "Authorization", "note": [1], "value": "{}"',
    ],
)
def test_the_value_beside_a_sensitive_name_is_hidden(members: str) -> None:
    secret = "f0rest" + "-Path-77"
    record = ("[{" + members.replace("{}", secret) + "}]").encode()
    assert secret.encode() not in redact_json(record, _nothing).record


def test_json_inside_a_string_stays_json_when_a_number_is_hidden() -> None:
    inner = '{"password": 8402917365}'
    record = json.dumps({"arguments": inner}).encode()
    arguments = json.loads(redact_json(record, _nothing).record)["arguments"]
    assert json.loads(arguments) == {"password": "[redacted:password]"}


def test_an_unpaired_surrogate_escape_is_read() -> None:
    record = b'{"a": "\\ud800 ' + _TOKEN.encode() + b'"}'
    assert redact_json(record, _nothing).record == b'{"a": "\\ud800 [redacted:github-token]"}'


@pytest.mark.parametrize(
    "record",
    [b"", b"{", b'{"a":1,}', b"[1] 2", b"NaN", b"{'a': 1}", b'"\\x"', b'"\xff"', b'"\\ud800" 1',
     b"[" * 200_000 + b"]" * 200_000],
    ids=["nothing", "torn", "comma", "two", "nan", "quotes", "escape", "bytes", "glued", "deep"],
)  # fmt: skip
def test_what_is_not_one_json_value_is_refused(record: bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        redact_json(record, _nothing)


@pytest.mark.parametrize("record", [b"1", b" null ", b'"text"', b"[]", b'{"a":{}}'])
def test_any_json_value_is_a_record(record: bytes) -> None:
    assert redact_json(record, _nothing).record == record
