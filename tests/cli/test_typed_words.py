import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.cli.typed_words import number_in, typed_value
from recense.errors import InvalidRequest


@given(st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_that_can_be_kept_is_read_as_it_is_printed(number: float) -> None:
    read = number_in(str(number))
    assert (read, type(read)) == (number, type(number))


@pytest.mark.parametrize(
    "words", ["", "x", "1 2", "1_000", "0x10", "nan", "inf", "1e", "१२", "1,5", "--1", "9" * 401]
)
def test_what_is_no_number_in_decimal_digits_is_none(words: str) -> None:
    assert number_in(words) is None
    with pytest.raises(InvalidRequest, match="budget takes a number"):
        typed_value(words, "number", "budget")


@given(st.text())
def test_a_text_is_kept_as_it_was_typed(words: str) -> None:
    assert typed_value(words, "text") == words


@pytest.mark.parametrize(("words", "truth"), [(" Yes ", True), ("no", False), ("TRUE", True)])
def test_a_truth_is_typed_as_people_say_it(words: str, truth: bool) -> None:
    assert typed_value(words, "boolean") is truth
