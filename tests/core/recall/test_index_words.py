"""The words by which short texts are found."""

from hypothesis import given
from hypothesis import strategies as st

from recense.core.recall.index_words import index_words


def test_a_text_and_a_question_in_other_forms_of_its_words_meet() -> None:
    assert set(index_words("she studies in Lisbon")) & set(index_words("Studied LISBON?"))
    assert index_words("cities") == index_words("city")


def test_each_word_stands_once_in_the_order_of_the_text() -> None:
    assert index_words("tea milk Tea") == index_words("tea milk")


def test_no_word_is_too_frequent_to_be_found() -> None:
    assert len(index_words("to be or not to be")) == 4


def test_a_code_token_is_found_whole_and_by_its_parts() -> None:
    for token in ("user_id", "user.id"):
        assert {"user", "id"} <= set(index_words(token))
    assert index_words("user_id")[0] == "user_id"
    assert {"user", "id"} <= set(index_words("userId"))


def test_characters_and_their_pairs_are_words_where_no_space_separates_words() -> None:
    found = index_words("我在上海")
    assert {"我", "在", "上", "海", "上海"} <= set(found)


def test_case_and_the_form_of_marks_do_not_count() -> None:
    assert index_words("CAF\u00c9") == index_words("cafe\u0301")
    assert index_words("STRASSE") == index_words("Straße")


def test_what_has_no_words_has_no_index_words() -> None:
    assert index_words("") == ()
    assert index_words(" … !? ") == ()


@given(st.text(max_size=40))
def test_index_words_are_distinct_and_never_empty(text: str) -> None:
    found = index_words(text)
    assert len(found) == len(set(found))
    assert all(found)
    assert index_words(text) == found
