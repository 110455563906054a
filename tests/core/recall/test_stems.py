"""What the forms of a word have in common."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.core.recall.stems import stem, without_possessive, word_form


@pytest.mark.parametrize(
    ("word", "beginning"),
    [
        *(("deploying", "deploy"), ("deployed", "deploy"), ("running", "run"), ("used", "used")),
        *(("policies", "polic"), ("policy", "polic"), ("deploy", "deploy"), ("class", "class")),
        *(("caches", "cach"), ("cache", "cach"), ("install", "install"), ("sessions", "session")),
        *(("studied", "stud"), ("study", "stud"), ("suggestion", "suggest"), ("quickly", "quick")),
        *(("region", "region"), ("action", "action"), ("straße", "straße"), ("c3po", "c3po")),
    ],
)
def test_a_stem_is_a_beginning_that_its_other_forms_share(word: str, beginning: str) -> None:
    assert stem(word) == beginning
    assert word.startswith(beginning)


@pytest.mark.parametrize(
    "forms",
    [
        ("study", "studies", "studied", "studying"),
        ("run", "runs", "running"),
        ("cache", "caches", "cached", "caching"),
        ("adopt", "adoption", "adopted", "adopts"),
        ("class", "classes"),
        ("quick", "quickly"),
        ("maria", "maria's", "maria’s"),
    ],
)
def test_the_forms_of_a_word_are_one(forms: tuple[str, ...]) -> None:
    assert len({word_form(word) for word in forms}) == 1


@pytest.mark.parametrize(
    ("word", "form"),
    [
        *(("red", "red"), ("ring", "ring"), ("this", "this"), ("bus", "bus"), ("is", "is")),
        *(("数据", "数据"), ("straße", "straße"), ("http2", "http2"), ("family", "famili")),
    ],
)
def test_what_has_no_ending_keeps_what_it_has(word: str, form: str) -> None:
    assert word_form(word) == form


@given(st.text(alphabet=st.sampled_from("abeinosuy'’sdglé数1"), max_size=12))
def test_a_stem_begins_its_word_and_a_form_begins_as_it_does(word: str) -> None:
    assert word.startswith(stem(word))
    assert word_form(word)[:2] == without_possessive(word)[:2]
