"""Index words: what a text search of short texts (facts, episodes) compares.

Law: a text and a question are cut by this one function, so that what is asked in the words of a
text is found: a word in its form (`recense.core.recall.stems.word_form`), a code token whole and by
its parts, and, where no space separates words, each character and each pair of neighbours. No stop
words are left out: how rare a word is decides what it counts.
"""

import re
from functools import lru_cache
from typing import Final

from recense.core.late_patterns import late_pattern, late_regex
from recense.core.recall.stems import word_form
from recense.core.text.fold import fold
from recense.core.text.words import UNSPACED, words
from recense.limits import (
    FORMS_KEPT_CODE_POINTS_MAX,
    INDEXED_TEXT_KEPT_CODE_POINTS_MAX,
    INDEXED_TEXTS_KEPT_MAX,
    WORDS_KEPT_MAX,
)

_RUN: Final = late_regex(f"(?V1){UNSPACED}+")
_INNER_CAPITAL: Final = late_regex(r"(?<=\p{Ll})(?=\p{Lu})")
_PLAIN_INNER_CAPITAL: Final = late_pattern(r"(?<=[a-z])(?=[A-Z])", re.ASCII)
_JOINT: Final = late_regex(r"[_.·,;\d]+")


def index_words(text: str) -> tuple[str, ...]:
    """Return the distinct index words of a text, folded, in the order in which they first stand."""
    if len(text) <= INDEXED_TEXT_KEPT_CODE_POINTS_MAX:
        return _kept_words(text)
    return _words_of(text)


def _words_of(text: str) -> tuple[str, ...]:
    found: dict[str, None] = {}
    folded = fold(text)
    is_plain = folded.isascii()
    for word in words(folded):
        if not is_plain and _RUN.fullmatch(word):
            found[word] = None
        elif len(word) <= FORMS_KEPT_CODE_POINTS_MAX:
            found |= _kept_forms(word)
        else:
            found |= _forms(word)
    if not is_plain:
        for run in _RUN.findall(folded):
            found |= dict.fromkeys(run)
    if not text.islower():
        inner = _PLAIN_INNER_CAPITAL if text.isascii() else _INNER_CAPITAL
        spaced = inner.sub(" ", text)
        if spaced != text:
            found |= dict.fromkeys(map(word_form, words(fold(spaced))))
    return tuple(found)


_kept_words: Final = lru_cache(maxsize=INDEXED_TEXTS_KEPT_MAX)(_words_of)
"""The same, of short texts: each is cut when it is written and again when it is indexed."""


def _forms(word: str) -> dict[str, None]:
    """Return the form of a word and, of a code token (``user_id`` has two parts), those of its
    parts.
    """
    parts = [part for part in _JOINT.split(word) if part]
    return dict.fromkeys((word_form(word), *(map(word_form, parts) if len(parts) > 1 else ())))


_kept_forms: Final = lru_cache(maxsize=WORDS_KEPT_MAX)(_forms)
"""The same: texts are made of the same words, and most of them are common."""
