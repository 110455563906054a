"""Index words: what a text search of short texts (facts, episodes) compares.

Law: a text and a question are cut by this one function, so that what is asked in the words of a
text is found: a word in its form (`recense.core.recall.stems.word_form`), a code token whole and by
its parts, and, where no space separates words, each character and each pair of neighbours. No stop
words are left out: how rare a word is decides what it counts.
"""

from collections.abc import Iterator
from typing import Final

from recense.core.late_patterns import late_regex
from recense.core.recall.stems import word_form
from recense.core.text.fold import fold
from recense.core.text.words import UNSPACED, words

_RUN: Final = late_regex(f"(?V1){UNSPACED}+")
_INNER_CAPITAL: Final = late_regex(r"(?<=\p{Ll})(?=\p{Lu})")
_JOINT: Final = late_regex(r"[_.·,;\d]+")


def index_words(text: str) -> list[str]:
    """Return the distinct index words of a text, folded, in the order in which they first stand."""
    found: dict[str, None] = {}
    for word in _words_of(text):
        found.setdefault(word, None)
    return list(found)


def _words_of(text: str) -> Iterator[str]:
    folded = fold(text)
    for word in words(folded):
        if _RUN.fullmatch(word):
            yield word
            continue
        yield word_form(word)
        yield from _parts(word)
    for run in _RUN.findall(folded):
        yield from run
    if not text.islower():
        spaced = _INNER_CAPITAL.sub(" ", text)
        if spaced != text:
            yield from map(word_form, words(fold(spaced)))


def _parts(word: str) -> Iterator[str]:
    """Yield the parts of a code token (``user_id`` has two), in their forms."""
    parts = [part for part in _JOINT.split(word) if part]
    if len(parts) > 1:
        yield from map(word_form, parts)
