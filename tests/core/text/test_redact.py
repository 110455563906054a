"""The redaction gate: what is hidden, what is left alone, and the laws of doing it."""

import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.core.text.detectors import DETECTORS
from recense.core.text.known_secrets import NOTHING_KNOWN, KnownSecrets
from recense.core.text.redact import (
    KINDS,
    MARKER,
    find_edits,
    is_credential_shaped,
    redact,
    search,
)
from tests.core.text.secret_shapes import HARD_NEGATIVES, SHAPES, SecretShape, mixtures
from tests.rows import each_row


@each_row("shape", SHAPES, ids=lambda shape: shape.name)
def test_a_secret_of_every_shape_is_hidden(shape: SecretShape) -> None:
    assert shape.secret in shape.text
    redacted = redact(shape.text)
    assert shape.secret not in redacted.text
    assert redacted.findings


@each_row("shape", SHAPES, ids=lambda shape: shape.name)
def test_a_secret_is_hidden_in_the_middle_of_a_log(shape: SecretShape) -> None:
    text = f"10:41 start\n10:42 ran this:\n\n{shape.text}\n\n10:43 done, exit code 0\n"
    assert shape.secret not in redact(text).text


@each_row(("name", "text"), HARD_NEGATIVES, ids=[name for name, _ in HARD_NEGATIVES])
def test_a_look_alike_is_left_alone(name: str, text: str) -> None:
    assert redact(text).text == text


def test_the_fixture_holds_sixty_shapes() -> None:
    assert len({shape.name for shape in SHAPES}) == len(SHAPES) >= 60


@given(mixtures())
def test_redacting_twice_changes_nothing_and_finds_nothing(text: str) -> None:
    once = redact(text)
    again = redact(once.text)
    assert again.text == once.text
    assert again.findings == ()


@given(mixtures())
def test_findings_are_sorted_and_disjoint_and_of_known_kinds(text: str) -> None:
    at = 0
    for finding in redact(text).findings:
        assert at <= finding.start < finding.end <= len(text)
        assert finding.kind in KINDS
        at = finding.end


@given(mixtures())
def test_everything_outside_the_findings_stays(text: str) -> None:
    parts: list[str] = []
    at = 0
    for edit in find_edits(text):
        assert MARKER.fullmatch(edit.replacement.strip("\\\"'"))
        parts += (text[at : edit.start], edit.replacement)
        at = edit.end
    parts.append(text[at:])
    redacted = redact(text)
    assert redacted.text == "".join(parts)
    assert [(f.kind, f.start, f.end) for f in redacted.findings] == [
        (e.kind, e.start, e.end) for e in find_edits(text)
    ]


@given(mixtures())
def test_a_text_is_credential_shaped_exactly_when_it_would_change(text: str) -> None:
    assert is_credential_shaped(text) == (redact(text).text != text)


@given(st.sampled_from(sorted(KINDS)))
def test_a_marker_is_no_secret_wherever_it_stands(kind: str) -> None:
    marker = f"[redacted:{kind}]"
    assert MARKER.fullmatch(marker)
    for text in (
        f"password={marker}",
        f'{{"token": "{marker}"}}',
        f"Authorization: Bearer {marker}",
        f"https://nadia:{marker}@host.test/",
        f"Cookie: {marker}",
        f"curl -u nadia:{marker} https://x.test",
        f"{marker}: {marker}={marker}",
    ):
        assert redact(text).text == text


def test_a_marker_of_an_unknown_kind_is_ordinary_text() -> None:
    assert MARKER.search("[redacted:of-no-kind]") is None


def test_offsets_count_code_points() -> None:
    before = "😀 é 密 "
    secret = "hunter" + "2!"
    found = redact(f"{before}password={secret} 😀").findings
    assert [(f.kind, f.start, f.end) for f in found] == [
        ("password", len(before) + 9, len(before) + 9 + len(secret))
    ]


def test_a_number_in_json_becomes_a_string_and_a_setting_does_not() -> None:
    number = "8402" + "917365"
    assert redact(f'{{"password": {number}, "n": 1}}').text == (
        '{"password": "[redacted:password]", "n": 1}'
    )
    assert redact(f'"{{\\"password\\": {number}}}"').text == (
        '"{\\"password\\": \\"[redacted:password]\\"}"'
    )
    assert redact(f"PASSWORD={number}").text == "PASSWORD=[redacted:password]"


@pytest.mark.parametrize("depth", range(4))
def test_a_member_of_json_is_found_however_often_it_was_escaped(depth: int) -> None:
    mark = "\\" * (2**depth - 1) + '"'
    secret = "hunter" + "2"
    text = f"{{{mark}user{mark}: {mark}nadia{mark}, {mark}password{mark}: {mark}{secret}{mark}}}"
    assert redact(text).text == text.replace(secret, "[redacted:password]")


def test_two_tokens_side_by_side_are_both_hidden() -> None:
    first, second = "gh" + "p_" + "a1B2c3D4e5F6" * 3, "gl" + "pat-" + "Zr7Kq2MvX9tB4wLhD8nP"
    redacted = redact(f"{first},{second}")
    assert [finding.kind for finding in redacted.findings] == ["github-token", "gitlab-token"]


def test_a_token_under_a_key_is_one_finding_named_by_the_token() -> None:
    text = "export GITHUB_TOKEN=" + "gh" + "p_" + "a1B2c3D4e5F6" * 3
    assert [finding.kind for finding in redact(text).findings] == ["github-token"]


def test_a_cut_key_block_loses_what_is_left_of_it() -> None:
    line = "MIIEowIBAAKCAQEAxyz0123456789abcdefABCDEF"
    text = "-----BEGIN RSA PRIVATE " + f"KEY-----\n{line}\n{line}"
    assert line not in redact(text).text


def test_code_that_only_names_a_key_block_is_left_alone() -> None:
    text = 'if head == "-----BEGIN PRIVATE ' + 'KEY-----" and tail == "-----END PRIVATE KEY-----":'
    assert redact(text).text == text


@given(mixtures())
def test_probes_only_leave_out_detectors_that_find_nothing(text: str) -> None:
    assert search(text) == search(text, range(len(DETECTORS)))


_ENDLESS = [
    *(
        "password=",
        "token=",
        'token="',
        '"token":"',
        "password: ",
        "token= token:",
        "密码是",
        "a",
        "{",
    ),
    *(
        "://",
        "://a:b",
        "http://a:b@",
        "a@",
        "eyJ",
        "sk-",
        "AKIA",
        "\\",
        '\\"',
        "'\"`",
        "${",
        "<",
        "(",
    ),
    *(
        "Authorization: ",
        "Authorization: Bearer ",
        "Cookie: a=b",
        "Bearer ",
        "curl -u ",
        "mysql -p",
    ),
    *("-----BEGIN PRIVATE " + "KEY-----", "-----BEGIN PRIVATE " + "KEY-----\n", "kind: Secret\n"),
    *("---\nkind: Secret\ndata:\n  a: bbbbbbbbbbbb\n", "verification code ", "code is ", "1234 "),
    *(
        '"a" == ',
        '"a" == password ',
        "[redacted:token]",
        "password=[redacted:token]",
        "password for ",
    ),
    *(
        'auth=("a","',
        '"passwords": ["',
        "identified by '",
        "login a password b ",
        "é",
        "密",
        "\x1b[0m",
        "\x1b]",
        "\x1b]0;a\x07",
        "a\x1b[1mb",
        "\u200b",
        "a\u00ad",
        "\\u001b[",
        "\\e[1m",
    ),
    *(
        "password for a ",
        "password for a: ",
        "token de b ",
        "пароль от ",
        "password to ",
        "密码改为",
        "the code is ",
        "your code ",
        "pass\u200bword=",
        "password - ",
        "«",
        "{{{",
    ),
]


_IN_VALUES = [
    *("_", "a_", "a-", "aB", "a.", "A1", "${", "{{", "$(", "(", "a(", "1.", "x:", " a", "a'", "%s"),
    *("<", "[a]", "\\", "\\n", " ", "\t", "a b ", "=", "é", "密", "`", "#{", ")", "...", "0", "a,"),
]


def _seconds(text: str, known: KnownSecrets) -> float:
    start = time.process_time()
    redact(text, known)
    return time.process_time() - start


def _grows_with(small: str, large: str, known: KnownSecrets = NOTHING_KNOWN) -> bool:
    """Whether four times the text takes no more than nine times the work: far from sixteen.

    Of three timings the least counts: what a text takes when nothing else runs.
    """
    redact(small, known)
    allowed = 9 * max(min(_seconds(small, known) for _ in range(3)), 0.001)
    return any(_seconds(large, known) < allowed for _ in range(3))


@each_row("unit", _ENDLESS)
def test_four_times_the_text_takes_about_four_times_the_work(unit: str) -> None:
    assert _grows_with(unit * (4_000 // len(unit)), unit * (16_000 // len(unit)))


@pytest.mark.parametrize("unit", ["ab" * 4, "ab", "a", "abab\x1b[m", "%61%62", "\\", "\\u0061"])
def test_known_secrets_are_looked_for_in_linear_time(unit: str) -> None:
    known = KnownSecrets.of(["ab" * 6, "ba" * 7 + "/", "\\" * 6 + "ab12", "é" * 3 + "abc"])
    assert _grows_with(unit * (4_000 // len(unit)), unit * (16_000 // len(unit)), known)


@each_row(
    "shell",
    [
        'token: "{}!"',
        '"auth_token": "{}!"',
        "secret={}!",
        "password>{}!",
        "token{}!",
        'curl -u {}"',
    ],
)
@each_row("unit", _IN_VALUES)
def test_a_long_value_is_judged_in_linear_time(unit: str, shell: str) -> None:
    small, large = (shell.replace("{}", unit * (size // len(unit))) for size in (4_000, 16_000))
    assert _grows_with(small, large)


@pytest.mark.parametrize(
    "unit", ["a", "-----BEGIN PRIVATE " + "KEY-----", "Authorization: ", "curl "]
)
def test_a_long_text_that_promises_a_secret_at_every_step_is_still_read(unit: str) -> None:
    text = unit * (300_000 // len(unit)) + "\nSMTP_PASSWORD=" + "letters" + "only\n"
    assert redact(text).text.endswith("SMTP_PASSWORD=[redacted:password]\n")


def test_importing_the_gate_builds_no_automaton() -> None:
    program = "import re2; re2.compile = re2.Set = None; import recense.core.text.redact_json"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
