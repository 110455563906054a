"""The one estimate of tokens."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.core.text.tokens import estimate_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("abcd", 1),
        ("abcde", 2),
        ("数据库", 3),
        ("Привет", 3),
        ("ab数", 2),
        ("🙂", 1),
    ],
)
def test_a_token_is_four_bytes_and_what_is_begun_counts(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


@given(st.text(), st.text())
def test_cutting_never_makes_a_text_cheaper(one: str, other: str) -> None:
    together = estimate_tokens(one + other)
    assert max(estimate_tokens(one), estimate_tokens(other)) <= together
    assert together <= estimate_tokens(one) + estimate_tokens(other)


def test_a_lone_surrogate_counts_like_the_mark_that_replaces_it() -> None:
    assert estimate_tokens("a\ud800") == estimate_tokens("a?") == 1
