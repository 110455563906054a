"""Words as a person types them, where there are few to choose from: origins and others."""

from collections.abc import Sequence
from typing import Final, Literal, TypeVar

from recense.core.transcript.records import Origin
from recense.errors import InvalidRequest

OriginOrAll = Origin | Literal["all"]

ORIGINS: Final[tuple[OriginOrAll, ...]] = (
    "interactive",
    "subagent",
    "headless",
    "agent",
    "all",
)

Word = TypeVar("Word", bound=str)


def origin_named(text: str) -> OriginOrAll:
    """Return the origin of this name. Raises InvalidRequest for a name that is none."""
    return word_named("--origin", text, ORIGINS, hint="--origin all for every one")


def word_named(option: str, text: str, words: Sequence[Word], *, hint: str = "") -> Word:
    """Return the word of a choice that a text spells. Raises InvalidRequest for any other text."""
    for word in words:
        if text == word:
            return word
    raise InvalidRequest(f"{option} {text!r} is none of {', '.join(words)}", hint=hint)
