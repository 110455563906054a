"""Selectors: who says which of several sentences a person means.

Law: a selector names numbers of a list that it is shown, and nothing else comes of it; what it
names is looked at by who asked.
"""

from collections.abc import Sequence
from typing import Protocol

from recense.core.values import Value


class Selected(Value, kw_only=True):
    """The numbers, from 1, of the sentences that are meant, and whether the person left no doubt;
    and the tokens that the call took.
    """

    numbers: tuple[int, ...] = ()
    is_certain: bool = False
    tokens_in: int = 0
    tokens_out: int = 0


class Selector(Protocol):
    """Selects among sentences; may be asked by several threads."""

    @property
    def overhead_tokens(self) -> int:
        """The most tokens that a call is sent beside the text and the sentences."""
        ...

    @property
    def answer_tokens(self) -> int:
        """The most tokens of an answer."""
        ...

    def select(self, text: str, sentences: Sequence[str]) -> Selected:
        """Return which sentences a text asks to forget. Raises ModelFault."""
        ...
