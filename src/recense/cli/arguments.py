"""Words as a person types them, where there are few to choose from."""

from collections.abc import Sequence
from typing import TypeVar

from recense.errors import InvalidRequest

Word = TypeVar("Word", bound=str)


def word_named(option: str, text: str, words: Sequence[Word], *, hint: str = "") -> Word:
    """Return the word of a choice that a text spells. Raises InvalidRequest for any other text."""
    for word in words:
        if text == word:
            return word
    raise InvalidRequest(f"{option} {text!r} is none of {', '.join(words)}", hint=hint)
