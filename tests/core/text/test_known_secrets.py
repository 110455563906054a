"""Values that a person named: read from `.env` files, hidden wherever and however they stand."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.core.text.json_literals import Path
from recense.core.text.known_secrets import KNOWN_SECRET, NOTHING_KNOWN, KnownSecrets, parse_env
from recense.core.text.redact import redact
from recense.core.text.redact_json import redact_json

_VALUE = "tea" + 'pot/"11 & q'
_PLAIN = "moon" + "flower"
_MARKER = f"[redacted:{KNOWN_SECRET}]"


def _nothing(_path: Path) -> bool:
    return False


def _ids(path: Path) -> bool:
    return path[-1:] == ("id",)


def test_a_value_of_no_shape_is_hidden_exactly() -> None:
    known = KnownSecrets.of([_PLAIN])
    redacted = redact(f"we saw {_PLAIN}, and moon flower", known)
    assert redacted.text == f"we saw {_MARKER}, and moon flower"
    assert [(each.kind, each.start, each.end) for each in redacted.findings] == [
        (KNOWN_SECRET, 7, 17)
    ]


@pytest.mark.parametrize(
    "spelled",
    [
        _VALUE,
        json.dumps(_VALUE)[1:-1],
        json.dumps(json.dumps(_VALUE)[1:-1])[1:-1],
        json.dumps(_VALUE)[1:-1].replace("/", "\\/"),
        "teapot%2F%2211%20%26%20q",
        "teapot/%2211+%26+q",
        "teapot%2f%2211%20%26%20q",
        "teapot/&quot;11 &amp; q",
        "teapot/\\u002211 \\u0026 q".replace("\\u0022", '\\"'),
        'tea\x1b[1mpot/"11 &\x1b[0m q',
        'teapot\u200b/"11 & q',
    ],
)
def test_a_value_is_found_however_it_is_spelled(spelled: str) -> None:
    known = KnownSecrets.of([_VALUE])
    assert redact(f"<{spelled}>", known).text == f"<{_MARKER}>"
    assert redact(f"<{spelled}>").text != f"<{_MARKER}>"


def test_a_value_beyond_ascii_is_found_in_its_escapes() -> None:
    value = "пион-😀-é7"
    known = KnownSecrets.of([value])
    for spelled in (value, json.dumps(value)[1:-1], json.dumps(json.dumps(value))[3:-3]):
        assert redact(f"({spelled})", known).text == f"({_MARKER})"


def test_values_that_overlap_are_hidden_together() -> None:
    known = KnownSecrets.of(["abc" + "xyz7", "xyz7" + "uvw"])
    assert redact("-abcxyz7uvw-", known).text == f"-{_MARKER}-"


def test_what_text_holds_by_chance_is_left_out_and_counted() -> None:
    common = [
        *("short", "1234567", "production", "localhost", "changeme", "<your-key>", "${HOME}/x"),
        *("http://localhost:3000", "/usr/local/bin", "us-east-1", "true", "development"),
    ]
    known = KnownSecrets.of([*common, _PLAIN, _PLAIN, ""])
    assert known.count == 1
    assert known.ignored == len(common)
    text = " ".join(common)
    assert redact(text, KnownSecrets.of(common)).text == text


@pytest.mark.parametrize(
    "value",
    [
        *(
            "ab<g>hx" + "yz9",
            "$ecret" + "Pa55",
            "tango-lemon-" + "91",
            "a${b}" + "cdef7",
            "{{x" + "y9z",
        ),
        *("await9" + "xyz", "config." + "tulip", "myKitten" + "Secret", "in_your_" + "dreams"),
        *(
            "HORSE_" + "BATTERY",
            "fooxxxx" + "bar9",
            "my dog is " + "Rex",
            "correct horse " + "battery",
        ),
        *("/9j4" + "AAQk7", "https://x.test/hook/" + "T0B1", "Kq7Lz" + ".json", "kranz!" + "()"),
        "-----BEGIN X-----\nabcDEF123\nghiJKL456\n-----END X-----",
    ],
)
def test_what_only_resembles_a_placeholder_is_a_secret_where_a_person_says_so(value: str) -> None:
    known = KnownSecrets.of([value])
    assert (known.count, known.ignored) == (1, 0)
    assert redact(f"we saw {value} here", known).text == f"we saw {_MARKER} here"
    assert value not in json.loads(json.dumps(redact(json.dumps(value), known).text))


@pytest.mark.parametrize(
    "value",
    [
        *(
            "<your-key>",
            "${HOME}",
            "{{ token }}",
            "xxxxxxxx",
            "********",
            "your-api-key",
            "$HOME/bin",
        ),
        *("us-east-1", "europe-west1", "ap-southeast-2", "20240102", "2024-01-02", "10.20.30.40"),
        *("config/settings.yml", "https://example.com/app", "~/data", "secret_token", "change-me"),
    ],
)
def test_an_exact_placeholder_or_a_common_value_is_counted_and_nothing_more(value: str) -> None:
    known = KnownSecrets.of([value])
    if value.isdecimal():
        assert known.count == 1
        return
    assert (known.count, known.ignored) == (0, 1)
    assert value not in repr(known)


def test_of_a_url_the_password_is_the_secret() -> None:
    known = KnownSecrets.of(["postgres://app:" + _PLAIN + "@db.test/app"])
    assert redact(f"it was {_PLAIN}", known).text == f"it was {_MARKER}"


def test_nothing_of_the_values_is_shown() -> None:
    known = KnownSecrets.of([_PLAIN, "short"])
    assert repr(known) == str(known) == "KnownSecrets(<1 values>, ignored=1)"


def test_knowing_nothing_changes_nothing() -> None:
    assert redact(f"we saw {_PLAIN}", NOTHING_KNOWN).findings == ()


@given(st.lists(st.text(min_size=1, max_size=12), max_size=4), st.text(max_size=40), st.booleans())
def test_redacting_what_is_known_twice_changes_nothing(
    values: list[str], text: str, nested: bool
) -> None:
    known = KnownSecrets.of(values)
    whole = text.join(values)
    if nested:
        whole = json.dumps({"a": whole})
    once = redact(whole, known)
    assert redact(once.text, known).findings == ()


@given(st.text(alphabet='ab"\\/<&é密 \n%+', min_size=8, max_size=12))
def test_every_value_that_is_kept_is_hidden(value: str) -> None:
    known = KnownSecrets.of([value])
    if known.count:
        for text in (value.strip(), json.dumps(value.strip())):
            assert value.strip() not in redact(f"x {text} y", known).text


def test_a_record_is_searched_in_strings_keys_and_numbers_but_not_in_structure() -> None:
    number = "8402" + "91736551"
    known = KnownSecrets.of([_PLAIN, number])
    record = json.dumps(
        {
            "id": _PLAIN,
            "text": f"the {_PLAIN}",
            f"k {_PLAIN}": 1,
            "pin": int(number),
            "nested": json.dumps({"a": [f"x{_PLAIN}"]}),
        }
    ).encode()
    redacted = redact_json(record, _ids, known)
    assert json.loads(redacted.record) == {
        "id": _PLAIN,
        "text": f"the {_MARKER}",
        f"k {_MARKER}": 1,
        "pin": _MARKER,
        "nested": json.dumps({"a": [f"x{_MARKER}"]}),
    }
    assert redact_json(redacted.record, _ids, known).findings == ()


def test_a_known_number_in_json_text_becomes_a_string() -> None:
    known = KnownSecrets.of(["8402" + "91736551"])
    text = '{"n": 840291736551, "m": 2}'
    assert redact(text, known).text == f'{{"n": "{_MARKER}", "m": 2}}'
    record = json.dumps({"arguments": text}).encode()
    arguments = json.loads(redact_json(record, _nothing, known).record)["arguments"]
    assert json.loads(arguments) == {"n": _MARKER, "m": 2}


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("A=one\nB=two", ("one", "two")),
        ("export A=one # note\n#B=two\n  C = three  ", ("one", "three")),
        (
            'A=\'it is # all $of it\'\nB="a\\nb \\"c\\" \\\\d"',
            ("it is # all $of it", 'a\nb "c" \\d'),
        ),
        ('A="first\nsecond\nthird"\nB=after', ("first\nsecond\nthird", "after")),
        ("A='one\ntwo' # note\nB=`x y`", ("one\ntwo", "x y")),
        ('A="never closed\nB=two', ('"never closed', "two")),
        ("A=\nB=''\nC= \nno assignment\n=x\n", ()),
        ("A=with#hash\nB=with #comment", ("with#hash", "with")),
        ("\ufeffA=one\r\nB=two\r\n", ("one", "two")),
        ("A: one\nB.c-d=two", ("one", "two")),
        ("A=a=b==", ("a=b==",)),
    ],
)
def test_values_of_an_env_file_are_read_in_order(text: str, values: tuple[str, ...]) -> None:
    assert parse_env(text) == values


@given(st.text(alphabet="A='\"`\\\n# x", max_size=60))
def test_any_text_is_an_env_file(text: str) -> None:
    assert all(value for value in parse_env(text))
