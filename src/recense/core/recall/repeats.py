"""Repeats: hits that say nearly the same as one that ranks before them.

Two texts are compared by their shingles, runs of three words. Of a text's shingles the SKETCH_MAX
with the least digests are kept, a sample that is the same for the same text; texts repeat each
other when nearly all of their samples are one, and they are about as long (Broder, On the
resemblance and containment of documents, 1997). A text of few words repeats nothing: it says the
same by chance.

Laws: what a person said stays, since the same prompt in another session has another answer; and a
hit goes only where the one that stays holds every word of the question that it holds.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from heapq import nsmallest
from math import ceil
from typing import Final
from zlib import crc32

from recense.core.values import Value

SKETCH_MAX: Final = 64
"""Shingles that stand for a text."""

_SAME_SHARE: Final = 0.85
"""The share of two sketches that must be one."""

_WORDS_MIN: Final = 8
"""Fewer words than this say the same by chance."""


class RepeatCandidate(Value, kw_only=True):
    """A hit as far as repeats go: who said it, its length, the sketch of its beginning, and which
    of the words asked for it holds.
    """

    by_person: bool
    length: int
    sketch: frozenset[int]
    holds: frozenset[int]


def sketch(words: Sequence[str]) -> frozenset[int]:
    """Return the sample of a text's shingles; of a text of few words none."""
    if len(words) < _WORDS_MIN:
        return frozenset()
    codes = list(map(crc32, map(str.encode, words)))
    shingles = {
        first ^ 3 * second ^ 5 * third
        for first, second, third in zip(codes, codes[1:], codes[2:], strict=False)
    }
    return frozenset(nsmallest(SKETCH_MAX, shingles))


def kept(ranked: Iterable[RepeatCandidate]) -> list[bool]:
    """Return for each candidate, best first, whether it stays."""
    stays: list[bool] = []
    with_shingle: defaultdict[int, list[int]] = defaultdict(list)
    seen: list[RepeatCandidate] = []
    for candidate in ranked:
        told_by = _telling(candidate.sketch)
        alike = {at for each in told_by for at in with_shingle.get(each, ())}
        is_repeat = not candidate.by_person and any(
            _says_the_same(candidate, seen[at]) for at in alike
        )
        stays.append(not is_repeat)
        if not is_repeat:
            for each in told_by:
                with_shingle[each].append(len(seen))
            seen.append(candidate)
    return stays


def _telling(sketch: Collection[int]) -> list[int]:
    """Return so many of the least shingles of a sketch that any other which is nearly the same has
    one of them among its own: of two sets that share all but a few of either, the least few and
    one of each cannot be apart (Chaudhuri, Ganti and Kaushik, A primitive operator for similarity
    joins in data cleaning, 2006).
    """
    unshared = len(sketch) - ceil(_SAME_SHARE * len(sketch))
    return nsmallest(unshared + 1, sketch)


def _says_the_same(later: RepeatCandidate, earlier: RepeatCandidate) -> bool:
    shorter, longer = sorted((later.length, earlier.length))
    shared = len(later.sketch & earlier.sketch)
    of_both = len(later.sketch | earlier.sketch)
    return (
        shared >= _SAME_SHARE * of_both
        and shorter >= _SAME_SHARE * longer
        and later.holds <= earlier.holds
    )
