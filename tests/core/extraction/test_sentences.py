"""The sentences that judge the offline extractor are as many and as exact as they claim."""

from collections import Counter
from pathlib import Path

import msgspec
import pytest

from recense.core.facts.changes import NOTE
from recense.core.facts.starters import CODING, PERSONAL
from recense.core.values import Value

PREDICATES = frozenset(each.predicate for each in (*CODING, *PERSONAL, NOTE))


class Statement(Value, kw_only=True, forbid_unknown_fields=True):
    """A fact that a careful reader accepts: under any of the predicates, with this value."""

    predicates: tuple[str, ...]
    value: str


class Sentence(Value, kw_only=True, forbid_unknown_fields=True):
    """A user message and what may be filed from it; a trap expects nothing."""

    text: str
    language: str
    expected: tuple[Statement, ...]
    why: str


class Sentences(Value, kw_only=True, forbid_unknown_fields=True):
    """The whole file."""

    date: str
    about: str
    sentences: tuple[Sentence, ...]


@pytest.fixture(scope="module")
def sentences() -> tuple[Sentence, ...]:
    """The sentences, in the order of the file."""
    held = Path(__file__).with_name("sentences.json").read_bytes()
    return msgspec.json.decode(held, type=Sentences).sentences


def test_half_of_two_hundred_sentences_are_traps(sentences: tuple[Sentence, ...]) -> None:
    traps = [each for each in sentences if not each.expected]
    assert (len(sentences), len(traps)) == (200, 100)


def test_both_languages_have_as_many_traps_as_statements(sentences: tuple[Sentence, ...]) -> None:
    counted = Counter((each.language, bool(each.expected)) for each in sentences)
    assert counted == {("en", True): 60, ("en", False): 60, ("zh", True): 40, ("zh", False): 40}


def test_no_text_stands_twice(sentences: tuple[Sentence, ...]) -> None:
    counted = Counter(each.text.strip().casefold() for each in sentences)
    assert [text for text, times in counted.items() if times > 1] == []


def test_every_sentence_says_what_it_tries(sentences: tuple[Sentence, ...]) -> None:
    assert [each.text for each in sentences if not each.why] == []


def test_every_statement_names_predicates_of_the_starters(sentences: tuple[Sentence, ...]) -> None:
    named = [statement.predicates for each in sentences for statement in each.expected]
    assert all(named)
    assert {predicate for some in named for predicate in some} <= PREDICATES


def test_every_value_stands_verbatim_in_its_sentence(sentences: tuple[Sentence, ...]) -> None:
    absent = [
        (each.text, statement.value)
        for each in sentences
        for statement in each.expected
        if not statement.value or statement.value.casefold() not in each.text.casefold()
    ]
    assert absent == []
