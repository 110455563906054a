"""Index words: what a text search of short texts (facts, episodes) compares.

Law: a text and a question are cut by this one function, so that what is asked in the words of a
text is found: a word in its form (`recense.core.recall.stems.word_form`), a code token whole and by
its parts, and, where no space separates words, each character and each pair of neighbours. No stop
words are left out: how rare a word is decides what it counts.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from recense.core.late_patterns import late_regex
from recense.core.recall.stems import word_form
from recense.core.text.fold import fold
from recense.core.text.words import UNSPACED, words
from recense.limits import INDEX_WORDS_REMEMBERED_MAX

_RUN: Final = late_regex(f"(?V1){UNSPACED}+")
_INNER_CAPITAL: Final = late_regex(r"(?<=\p{Ll})(?=\p{Lu})")
_JOINT: Final = late_regex(r"[_.·,;\d]+")


def index_words(text: str) -> list[str]:
    """Return the distinct index words of a text, folded, in the order in which they first stand."""
    return list(dict.fromkeys(_words_of(text)))


def _words_of(text: str) -> Iterator[str]:
    folded = fold(text)
    for word in words(folded):
        yield from _forms(word)
    if not folded.isascii():
        for run in _RUN.findall(folded):
            yield from run
    if not text.islower():
        spaced = _INNER_CAPITAL.sub(" ", text)
        if spaced != text:
            yield from map(word_form, words(fold(spaced)))


@lru_cache(maxsize=INDEX_WORDS_REMEMBERED_MAX)
def _forms(word: str) -> tuple[str, ...]:
    """Return what a word gives: its form, and those of the parts of a code token (``user_id`` has
    two).
    """
    if _RUN.fullmatch(word):
        return (word,)
    parts = [part for part in _JOINT.split(word) if part]
    if len(parts) < 2:  # noqa: PLR2004 - a word is no part of itself
        return (word_form(word),)
    return (word_form(word), *map(word_form, parts))
