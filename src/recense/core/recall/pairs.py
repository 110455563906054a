"""Pairs: the neighbouring characters by which a script without spaces is searched.

Pairs overlap, so that four characters give three pairs and two give one. Were each to count as a
word does, a long name would drown a short one beside it. So the pairs of a stretch of n characters
count n / 2 words together, which is what they spell.
"""

from collections.abc import Callable, Iterator

from recense.core.text.words import bigrams


def weighted_pairs(
    stretch: str, is_telling: Callable[[str], bool]
) -> Iterator[tuple[int, str, float]]:
    """Yield (offset, pair, weight) of the pairs of a stretch that say something, in order.

    Pairs that follow one another share their weight; a stretch of one character is a pair.
    """
    together: list[tuple[int, str]] = []
    for offset, pair in enumerate(bigrams(stretch)):
        if is_telling(pair):
            together.append((offset, pair))
            continue
        yield from _weighted(together)
        together = []
    yield from _weighted(together)


def _weighted(together: list[tuple[int, str]]) -> Iterator[tuple[int, str, float]]:
    for offset, pair in together:
        yield offset, pair, (len(together) + 1) / 2 / len(together)
