"""Words: what a text is cut into when whole words count.

Law: words are cut as UAX 29 cuts them where scripts put spaces between words, and as bigrams of
characters where they do not (Han, kana, Thai, Lao, Khmer, Myanmar) or where endings cling to words
(Hangul): no dictionary, so no release of a dictionary can change an answer.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from recense.core.late_patterns import late_pattern, late_regex

UNSPACED: Final = (
    r"[\p{L}\p{M}\p{N}&&[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
    r"ー々]]"
)
"""A character class (of the ``regex`` module, version 1) of letters that no space separates."""

_PIECE: Final = r"[[\p{L}\p{M}\p{N}_]--" + UNSPACED + "]"
_LETTER: Final = r"(?<=[\p{L}\p{M}])"
_DIGIT: Final = r"(?<=\p{N})"

_WORD: Final = late_regex(
    f"(?V1)(?P<run>{UNSPACED}+)"
    f"|{_PIECE}+"
    # UAX 29, WB6, WB7, WB11 and WB12: what joins letters, what joins digits, what joins both. The
    # colon, which joins letters in Swedish alone, is left out: in code it separates.
    rf"(?:(?:['’.]|{_LETTER}·(?=\p{{L}})|{_DIGIT}[,;](?=\p{{N}})){_PIECE}+)*"
)

_ASCII_WORD: Final = late_pattern(r"\w+(?:(?:['.]|(?<=[0-9])[,;](?=[0-9]))\w+)*", re.ASCII)
"""What ``_WORD`` is in a text of ASCII, where it is found ten times faster."""


def words(text: str) -> Iterable[str]:
    """Return the words of a text in order, as they are spelled; fold the text first to compare
    them.

    A run of letters that no space separates gives its bigrams, or its only letter.
    """
    return _ASCII_WORD.findall(text) if text.isascii() else _words(text)


def _words(text: str) -> Iterator[str]:
    for found in _WORD.finditer(text):
        word = found.group()
        if found.group("run") is None:
            yield word
        else:
            yield from bigrams(word)


def bigrams(run: str) -> list[str]:
    """Return the pairs of neighbouring characters of a run; a single character stands for
    itself.
    """
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]
