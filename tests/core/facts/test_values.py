"""Subjects, predicates and values, and which values are one."""

import unicodedata
from hashlib import sha256
from typing import Final, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.core.facts.values import (
    FactValue,
    normal_subject,
    require_predicate,
    require_value,
    value_key,
)
from recense.errors import InvalidRequest
from recense.limits import (
    FACT_TEXT_BYTES_MAX,
    PREDICATE_BYTES_MAX,
    SUBJECT_CODE_POINTS_MAX,
)

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
FORMS: Final[tuple[Literal["NFC", "NFD"], ...]] = ("NFC", "NFD")
INT64_MAX = 2**63 - 1
INT64_MIN = -(2**63)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (8000, 8000.0),
        (0, -0.0),
        (0.0, -0.0),
        (2.0**62, 2**62),
        (INT64_MIN, float(INT64_MIN)),
        (2**53, float(2**53)),
        ("Straße", "STRASSE"),
        ("caf\u00e9", "cafe\u0301"),
        ("\u1e9b\u0323", "\u017f\u0323\u0307"),
        ("ΟΔΟΣ", "οδος"),
        ("A", "a"),
    ],
)
def test_values_that_mean_the_same_have_one_key(one: FactValue, other: FactValue) -> None:
    assert value_key(one) == value_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (True, 1),
        (True, 1.0),
        (False, 0),
        (True, "true"),
        (1, "1"),
        (True, False),
        (INT64_MAX, float(INT64_MAX)),
        (2**53 + 1, float(2**53)),
        (0.1, 0.1 + 2**-56),
        ("a", "a "),
        ("e", "é"),
    ],
)
def test_values_that_differ_have_two_keys(one: FactValue, other: FactValue) -> None:
    assert value_key(one) != value_key(other)


@given(st.integers(INT64_MIN, INT64_MAX), st.floats(allow_nan=False, allow_infinity=False))
def test_two_numbers_have_one_key_if_and_only_if_they_are_equal(whole: int, real: float) -> None:
    assert (value_key(whole) == value_key(real)) == (whole == real)


@given(texts)
def test_a_text_has_the_key_of_all_its_spellings(text: str) -> None:
    for form in FORMS:
        assert value_key(unicodedata.normalize(form, text)) == value_key(text)
    assert value_key(text.casefold()) == value_key(text)


def test_a_key_has_64_hexadecimal_digits_and_never_changes() -> None:
    assert value_key("A") == sha256(b"string:a").hexdigest()
    assert value_key(1.0) == sha256(b"number:1").hexdigest()
    assert value_key(0.5) == sha256(b"number:0.5").hexdigest()
    assert value_key("true") == sha256(b"string:true").hexdigest()


@given(texts)
def test_a_subject_is_normal_once_and_for_all(text: str) -> None:
    try:
        subject = normal_subject(text)
    except InvalidRequest:
        return
    assert normal_subject(subject) == subject
    assert normal_subject(f" {text}\t") == subject
    assert unicodedata.is_normalized("NFC", subject)


def test_a_subject_is_trimmed_and_in_lower_case() -> None:
    assert normal_subject("  Mira O'Neil\n") == "mira o'neil"
    assert normal_subject("Cafe\u0301") == "caf\u00e9"
    assert normal_subject("Straße") == "straße"


@pytest.mark.parametrize("text", ["", " \t\n", "x" * (SUBJECT_CODE_POINTS_MAX + 1), " Recense:x"])
def test_what_is_no_subject_is_refused(text: str) -> None:
    with pytest.raises(InvalidRequest):
        normal_subject(text)


def test_a_subject_may_have_as_many_code_points_as_the_bound_says() -> None:
    assert normal_subject("ß" * SUBJECT_CODE_POINTS_MAX) == "ß" * SUBJECT_CODE_POINTS_MAX


@pytest.mark.parametrize("name", ["a", "lives_in", "a1_", "x" * PREDICATE_BYTES_MAX])
def test_a_predicate_is_as_it_is(name: str) -> None:
    assert require_predicate(name) == name


@pytest.mark.parametrize(
    "name", ["", "A", "1a", "_a", "a-b", "a b", "é", "a\n", "x" * (PREDICATE_BYTES_MAX + 1)]
)
def test_what_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(InvalidRequest):
        require_predicate(name)


@pytest.mark.parametrize("value", [True, 0, INT64_MIN, INT64_MAX, 1e308, "", "x", -0.0])
def test_a_value_is_kept_exactly(value: FactValue) -> None:
    assert require_value(value) is value


@pytest.mark.parametrize(
    "value",
    [
        INT64_MAX + 1,
        INT64_MIN - 1,
        float("nan"),
        float("inf"),
        None,
        [],
        b"x",
        "\ud800",
        "x" * (FACT_TEXT_BYTES_MAX + 1),
        "é" * (FACT_TEXT_BYTES_MAX // 2 + 1),
    ],
)
def test_what_cannot_be_kept_is_refused(value: object) -> None:
    with pytest.raises(InvalidRequest):
        require_value(value)


def test_a_refusal_quotes_neither_a_secret_nor_a_long_text() -> None:
    secret = "gh" + "p_" + "Q7zK2m9xW4tB6rJ8hD3vNpLc5FyGsA1e5R"
    with pytest.raises(InvalidRequest) as refusal:
        require_predicate(secret)
    assert secret not in refusal.value.message
    with pytest.raises(InvalidRequest) as refusal:
        require_predicate("X" * 100_000)
    assert len(refusal.value.message) < 1_000


def test_an_integer_too_long_to_be_written_is_refused_like_any_other() -> None:
    with pytest.raises(InvalidRequest, match="16610 bits"):
        require_value(10**5_000)
