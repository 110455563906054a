"""How texts are cut into words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.core.text.words import bigrams, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("Deploy the app.", ["Deploy", "the", "app"]),
        ("v0.6.22 of pool.py", ["v0.6.22", "of", "pool.py"]),
        ("don't can’t", ["don't", "can’t"]),
        ("1,000 3.14 a,b", ["1,000", "3.14", "a", "b"]),
        ("pre-edit std::vector user_id", ["pre", "edit", "std", "vector", "user_id"]),
        ("数据库迁移", ["数据", "据库", "库迁", "迁移"]),
        ("用pgbouncer连", ["用", "pgbouncer", "连"]),
        ("データ", ["デー", "ータ"]),
        ("설정했다", ["설정", "정했", "했다"]),
        ("Привет, мир!", ["Привет", "мир"]),
        ("cafe\u0301", ["cafe\u0301"]),
    ],
)
def test_words_are_cut_at_spaces_or_into_pairs(text: str, expected: list[str]) -> None:
    assert list(words(text)) == expected


@given(st.text(max_size=60))
def test_any_text_has_words_that_stand_in_it(text: str) -> None:
    at = 0
    for word in words(text):
        at = text.index(word, max(0, at - 1))
        assert word


def test_a_single_letter_without_neighbours_is_its_own_pair() -> None:
    assert bigrams("库") == ["库"]


@given(st.text("ab_9 .,;'·:é库", max_size=30), st.text("aZ09_.,;' :-", max_size=30))
def test_plain_text_is_cut_as_the_same_text_beside_other_letters(other: str, plain: str) -> None:
    assert list(words(f"{plain} é")) == [*words(plain), "é"]
    assert list(words(f"{other} é")) == [*words(other), "é"]
