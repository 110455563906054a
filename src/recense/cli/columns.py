"""How much room a text takes in a terminal: East Asian wide characters take two columns."""

import unicodedata
from typing import Final

from recense.cli.safe_text import safe_line

CUT: Final = "..."
"""What stands at the end of a text that was cut."""


def columns_of(text: str) -> int:
    """Return how many columns a line of safe text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0
        if unicodedata.combining(character)
        else 2
        if unicodedata.east_asian_width(character) in "FW"
        else 1
        for character in text
    )


def cut_to(text: str, columns: int) -> str:
    """Return the longest head of a line that takes at most ``columns`` columns."""
    taken = 0
    for index, character in enumerate(text):
        taken += columns_of(character)
        if taken > columns:
            return text[:index]
    return text


def shortened(text: str, columns: int) -> str:
    """Return a text on one safe line of at most ``columns`` columns, marked where it was cut."""
    shown = safe_line(text)
    if columns_of(shown) <= columns:
        return shown
    return cut_to(shown, max(columns - len(CUT), 0)) + CUT[:columns]


def padded(text: str, columns: int) -> str:
    """Return a safe line with blanks after it, so that it takes ``columns`` columns at least."""
    return text + " " * (columns - columns_of(text))
