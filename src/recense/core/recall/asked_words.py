"""Asked words: the words of a question, and what the text of a hit holds of them.

A word is compared whole and in whatever form (`recense.core.recall.stems.word_form`). Where no
space separates words, a pair of characters stands for one and is found anywhere.

Law: a text is searched for the words and never cut into its own: what is read costs by the words of
the question, so that long logs are no dearer than their length.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

import msgspec

from recense.core.late_patterns import late_pattern, late_regex
from recense.core.recall.pairs import weighted_pairs
from recense.core.recall.repeats import sketch
from recense.core.recall.stems import without_possessive, word_form
from recense.core.recall.stopwords import CHINESE_PARTICLES, ENGLISH
from recense.core.text.fold import fold
from recense.core.text.words import UNSPACED, words
from recense.core.values import Value
from recense.limits import RERANK_CODE_POINTS_MAX, SKETCHED_CODE_POINTS_MAX

TOGETHER_WORDS: Final = 2
"""Words that may come between two words that stand together."""

_TOGETHER_CODE_POINTS: Final = 48
"""Code points, in which those words have room."""

_RUN: Final = late_regex(f"(?V1){UNSPACED}+")
_WORD: Final = late_pattern(r"\w+")
_CHARACTER: Final = late_pattern(r"\w")
_SPACED_CHARACTERS: Final = late_regex(rf"(?V1)[\w--{UNSPACED}]+")

Place = tuple[int, int]
"""Where a word begins in a text, and where it ends."""


class AskedWord(Value, kw_only=True):
    """A word of a question: as it stands there, folded; the form in which it is compared; what it
    counts beside others; and whether it is a pair of characters out of a longer run.
    """

    spelled: str
    form: str
    weight: float = 1.0
    is_pair: bool = False


class HitWords(msgspec.Struct, frozen=True, kw_only=True):
    """What re-ranking keeps of a hit's text: how often each of the question's words stands in it,
    whether each two neighbours of the question stand together in it (1 or 0), and a sample of
    its shingles.
    """

    frequencies: tuple[int, ...]
    together: tuple[int, ...]
    sketch: frozenset[int] = frozenset()


def question_words(question: str) -> tuple[AskedWord, ...]:
    """Return the words of a question in its order, each form once, without stop words."""
    found: dict[str, AskedWord] = {}
    for word in _words_of(fold(question)):
        found.setdefault(word.form, word)
    return tuple(found.values())


def hit_words(redacted_image: str, asked: Sequence[AskedWord]) -> HitWords:
    """Return what re-ranking needs of a hit's redacted image; of a long one, of its beginning.

    Of two neighbours of the question, the second stands at most TOGETHER_WORDS words after the
    first.
    """
    text = redacted_image[:RERANK_CODE_POINTS_MAX]
    places = [list(_places(text, word)) for word in asked]
    together = (
        _stand_together(text, first, second, are_pairs=a.is_pair and b.is_pair)
        for (a, first), (b, second) in pairwise(zip(asked, places, strict=True))
    )
    return HitWords(
        frequencies=tuple(map(len, places)),
        together=tuple(map(int, together)),
        sketch=sketch(_WORD.findall(text, 0, SKETCHED_CODE_POINTS_MAX)),
    )


def _words_of(folded: str) -> Iterator[AskedWord]:
    at = 0
    for run in [*_RUN.finditer(folded), None]:
        end = len(folded) if run is None else run.start()
        for word in words(folded[at:end]):
            if word not in ENGLISH and without_possessive(word) not in ENGLISH:
                yield AskedWord(spelled=word, form=word_form(word))
        if run is not None:
            for _, pair, weight in weighted_pairs(run.group(), CHINESE_PARTICLES.isdisjoint):
                yield AskedWord(spelled=pair, form=pair, weight=weight, is_pair=len(pair) > 1)
            at = run.end()


def _places(text: str, asked: AskedWord) -> Iterator[Place]:
    """Yield the places of a word in a text, in order."""
    if asked.is_pair:
        yield from ((at, at + len(asked.form)) for at in _found(text, asked.form))
        return
    is_plain = asked.form.isascii() and asked.form.isalpha()
    # An i at the end of a form stands for y, and for ies.
    beginning = (asked.form.removesuffix("i") if is_plain else "") or asked.form
    beside = _SPACED_CHARACTERS if _SPACED_CHARACTERS.match(asked.form) else _RUN
    for at in _found(text, beginning):
        if at and beside.match(text, at - 1, at):
            continue
        word = _SPACED_CHARACTERS.match(text, at)
        end = max(at + len(beginning), word.end() if word else 0)
        said = word_form(text[at:end]) if is_plain else text[at:end]
        if said == asked.form and not beside.match(text, end, end + 1):
            yield at, end


def _found(text: str, part: str) -> Iterator[int]:
    """Yield where a part stands in a text, also where it overlaps itself."""
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


def _stand_together(
    text: str, firsts: Sequence[Place], seconds: Sequence[Place], *, are_pairs: bool
) -> bool:
    """Whether one of the second places comes soon enough after one of the first."""
    starts = [start for start, _ in firsts]
    for start, _ in seconds:
        before = bisect_left(starts, start) - 1
        if before < 0:
            continue
        begun, ended = firsts[before]
        if start - ended > _TOGETHER_CODE_POINTS:
            continue
        if are_pairs:
            between = len(_CHARACTER.findall(text, begun + 1, start))
        else:
            between = len(_WORD.findall(text, ended, max(ended, start)))
        if between <= TOGETHER_WORDS:
            return True
    return False
