"""Terms that stand together: what two terms say when they are near one another.

It is for terms that came without a question: a question's own words are looked at together where it
re-ranks (`recense.core.recall.rerank`), and what is said twice would count twice.

Two terms whose whole words stand within NEAR_BYTES of each other are one more term of the message:
its frequency is how near they come, its rarity that among the best hits that hold two terms, and
machine output counts in full. What is halved there is how often a term occurs; a line that names
two things says something of both, whoever wrote it.

Two near terms as a term of their own, with a kernel for its frequency, are the cross terms of Zhao,
Huang and He (CRTER: Using Cross Terms to Enhance Probabilistic Information Retrieval, 2011); that
only terms which follow one another in the text are compared is from Büttcher, Clarke and Lushman
(Term Proximity Scoring for Ad-Hoc Retrieval, 2006); the window of eight words from Metzler and
Croft (A Markov Random Field Model for Term Dependencies, 2005).

Laws: a score never falls; figures come from the texts of verified hits, and the order in which
these are given changes nothing.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import nsmallest
from itertools import combinations, islice, pairwise
from math import fsum
from typing import Final

import msgspec

from recense.core.late_patterns import late_regex
from recense.core.recall.bm25 import Corpus, TermFigures, contributions, kind_weight, term_figures
from recense.core.recall.hits import Hit, HitKey, ScoredHit, key_of, order_of_equals
from recense.core.recall.stems import word_form
from recense.core.text.words import UNSPACED
from recense.limits import PAIRED_HITS_MAX, PAIRED_PLACES_MAX, RERANK_CODE_POINTS_MAX

NEAR_BYTES: Final = 48
"""Bytes of UTF-8 between two terms that are near: eight words, in English as in Chinese."""

_SPACED_LETTERS: Final = late_regex(rf"(?V1)[[\p{{L}}\p{{M}}]--{UNSPACED}]+")

_Place = tuple[int, int, int]
"""Where a term begins in a text, where it ends, and which one it is."""


class PairFigures(msgspec.Struct, frozen=True, kw_only=True):
    """What explains the part of a score that terms have together: each two terms, by their numbers,
    and their figures. ``of_hit`` is how near they come in each hit that was looked at.
    """

    pairs: tuple[tuple[int, int], ...]
    corpus: Corpus
    figures: tuple[TermFigures, ...]
    of_hit: Mapping[HitKey, Sequence[float]]

    def parts(self, hit: Hit) -> list[float]:
        """Return what each two terms add to a hit that was looked at."""
        near = self.of_hit[key_of(hit)]
        return contributions(self.figures, near, self.corpus, hit.length, "user", b=0.0)


def paired_hits(scored: Iterable[ScoredHit]) -> list[ScoredHit]:
    """Return the hits whose texts are looked at: of those that hold two terms or more, and are no
    echoes, the best PAIRED_HITS_MAX, machine output not halved.
    """
    candidates = (each for each in scored if not each.hit.echo and _holds_two(each.hit))
    return nsmallest(PAIRED_HITS_MAX, candidates, key=_promise)


def pair_figures(
    near_of: Mapping[HitKey, Sequence[float]], weights: Sequence[float], corpus: Corpus
) -> PairFigures:
    """Return the figures of each two terms, by the `nearness` of hits.

    ``weights`` are those of the terms; ``corpus`` is that of the store.
    """
    pairs = tuple(combinations(range(len(weights)), 2))
    of_pairs = [(weights[first] + weights[second]) / 2 for first, second in pairs]
    return PairFigures(
        pairs=pairs,
        corpus=corpus,
        figures=term_figures(corpus, near_of.values(), of_pairs),
        of_hit=near_of,
    )


def scored_together(scored: Iterable[ScoredHit], figures: PairFigures) -> list[ScoredHit]:
    """Return hits in the given order, with what their terms add together."""
    return [
        ScoredHit(hit=each.hit, score=fsum([each.score, *figures.parts(each.hit)]))
        if key_of(each.hit) in figures.of_hit
        else each
        for each in scored
    ]


def nearness(redacted_image: str, folded_terms: Sequence[str]) -> tuple[float, ...]:
    """Return how near each two terms come in a text, in the order of `itertools.combinations`: 1
    where nothing is between them, less by what is, 0 at NEAR_BYTES. Of a long text in its
    beginning, of a term the first PAIRED_PLACES_MAX places.
    """
    text = redacted_image[:RERANK_CODE_POINTS_MAX]
    places = sorted(
        place for number, term in enumerate(folded_terms) for place in _places(text, term, number)
    )
    near: dict[tuple[int, int], float] = {}
    for (_, end, one), (start, _, other) in pairwise(places):
        if one == other or not end <= start < end + NEAR_BYTES:
            continue
        share = 1 - len(text[end:start].encode()) / NEAR_BYTES
        pair = (min(one, other), max(one, other))
        near[pair] = max(near.get(pair, 0.0), share)
    return tuple(near.get(pair, 0.0) for pair in combinations(range(len(folded_terms)), 2))


def _places(text: str, term: str, number: int) -> Iterator[_Place]:
    """Yield where a term stands as whole words in a text, the last in whatever form."""
    for at in islice(_found(text, term), PAIRED_PLACES_MAX):
        end = at + len(term)
        if not _is_joined(text, at) and _ends_a_word(text, at, end):
            yield at, end, number


def _found(text: str, term: str) -> Iterator[int]:
    at = text.find(term)
    while at >= 0:
        yield at
        at = text.find(term, at + len(term))


def _is_joined(text: str, at: int) -> bool:
    """Whether a word goes on at a place of a text: scripts without spaces have no such places."""
    return 0 < at < len(text) and _SPACED_LETTERS.fullmatch(text, at - 1, at + 1) is not None


def _ends_a_word(text: str, at: int, end: int) -> bool:
    """Whether the letters after the end of a term are but another form of its last word."""
    if not _is_joined(text, end):
        return True
    rest = _SPACED_LETTERS.match(text, end)
    begun = end
    while begun > at and _SPACED_LETTERS.match(text, begun - 1, begun):
        begun -= 1
    said = text[begun : rest.end() if rest else end]
    return word_form(said) == word_form(text[begun:end])


def _holds_two(hit: Hit) -> bool:
    return sum(map(bool, hit.frequencies)) > 1


def _promise(scored: ScoredHit) -> tuple[float, tuple[bool, int, str, int]]:
    return -scored.score / kind_weight(scored.hit.kind), order_of_equals(scored)
