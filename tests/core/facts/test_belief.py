"""An event in words."""

import pytest

from recense.core.facts.belief import sentence
from recense.core.facts.values import FactValue


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("Lisbon", "mira lives in Lisbon"),
        (True, "mira lives in yes"),
        (False, "mira lives in no"),
        (3, "mira lives in 3"),
        (3.0, "mira lives in 3.0"),
        (0.1, "mira lives in 0.1"),
        (None, "mira lives in anything"),
    ],
)
def test_a_sentence_is_subject_predicate_with_spaces_and_value(
    value: FactValue | None, words: str
) -> None:
    assert sentence("mira", "lives_in", value, withdrawn=False) == words
    assert sentence("mira", "lives_in", value, withdrawn=True) == f"not: {words}"
