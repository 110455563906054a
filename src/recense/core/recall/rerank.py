"""Re-ranking by a question: its whole words, among the best hits of its terms.

A term is found anywhere inside a word; a question knows more: its words are whole. For the first
RERANKED_HITS_MAX hits by base score, the question's words (UAX 29, bigrams where no space
separates) are additional BM25 at WORD_WEIGHT, whose corpus is those hits and nothing else. Then
the question and the answer of one turn support each other, and of hits that say the same in the
same words the best one stays, unless a person said them: the same prompt in another session has
another answer.

Laws: a score never falls, so that a re-ranked hit stays before every hit that was not; what a store
holds besides the verified hits has no say.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from itertools import islice
from math import fsum
from typing import Final

import msgspec

from recense.core.recall.bm25 import Corpus, TermFigures, contributions, term_figures
from recense.core.recall.hits import Hit, ScoredHit, in_order
from recense.core.recall.stopwords import CHINESE_PARTICLES, ENGLISH
from recense.core.text.fold import fold
from recense.core.text.words import words
from recense.limits import RERANK_CODE_POINTS_MAX

WORD_WEIGHT: Final = 0.3
"""What a whole word of the question counts beside a term."""

SUPPORT_WEIGHT: Final = 0.3
"""What the other side of a turn adds of its score."""

_OTHER_SIDE: Final = {"user": "assistant", "assistant": "user"}

_WORDS_MIN: Final = 8
"""Fewer words than this say the same by chance."""


class HitWords(msgspec.Struct, frozen=True, kw_only=True):
    """What re-ranking keeps of a hit's text: how often each of the question's words stands in
    it, and a digest of all its words, empty when they are few.
    """

    frequencies: tuple[int, ...]
    digest: bytes


class Reranked(msgspec.Struct, frozen=True, kw_only=True):
    """Hits in their new order, and what explains it."""

    ranked: list[ScoredHit]
    corpus: Corpus
    figures: tuple[TermFigures, ...]


def question_words(question: str) -> tuple[str, ...]:
    """Return the distinct words of a question, folded, in its order, without stop words."""
    return tuple(
        dict.fromkeys(
            word
            for word in words(fold(question))
            if word not in ENGLISH and not CHINESE_PARTICLES.intersection(word)
        )
    )


def hit_words(redacted_image: str, asked: Sequence[str]) -> HitWords:
    """Return what re-ranking needs of a hit's redacted image; of a long one, of its beginning."""
    counted: Counter[str] = Counter()
    digest = blake2b(digest_size=16)
    total = 0
    for word in words(redacted_image[:RERANK_CODE_POINTS_MAX]):
        counted[word] += 1
        digest.update(word.encode() + b"\n")
        total += 1
    return HitWords(
        frequencies=tuple(counted[word] for word in asked),
        digest=digest.digest() if total >= _WORDS_MIN else b"",
    )


def rerank(
    ranked: Sequence[ScoredHit], words_of: Mapping[tuple[str, int], HitWords], asked: Sequence[str]
) -> Reranked:
    """Return the ranked hits re-ranked.

    ``words_of`` holds the words of the hits that take part, by (session id, position); they are the
    first of ``ranked``.
    """
    pool = [scored for scored in ranked if _key(scored.hit) in words_of]
    corpus = Corpus(messages=len(pool), length=sum(scored.hit.length for scored in pool))
    frequencies = [words_of[_key(scored.hit)].frequencies for scored in pool]
    figures = term_figures(corpus, frequencies, len(asked), WORD_WEIGHT)
    worded = [
        ScoredHit(
            hit=scored.hit,
            score=fsum(
                [
                    scored.score,
                    *contributions(figures, counts, corpus, scored.hit.length, scored.hit.kind),
                ]
            ),
        )
        for scored, counts in zip(pool, frequencies, strict=True)
    ]
    supported = _without_repeats(in_order(_supported(worded)), words_of)
    return Reranked(
        ranked=supported + list(islice(ranked, len(pool), None)), corpus=corpus, figures=figures
    )


def _supported(worded: Sequence[ScoredHit]) -> list[ScoredHit]:
    """Return the hits with what the best hit of the other side of their turn adds."""
    best: dict[tuple[str, str, str], float] = {}
    for scored in worded:
        side = (scored.hit.session_id, scored.hit.turn, scored.hit.kind)
        best[side] = max(best.get(side, 0.0), scored.score)
    supported: list[ScoredHit] = []
    for scored in worded:
        hit = scored.hit
        other = _OTHER_SIDE.get(hit.kind, "")
        support = SUPPORT_WEIGHT * best.get((hit.session_id, hit.turn, other), 0.0)
        supported.append(ScoredHit(hit=hit, score=scored.score + support, support=support))
    return supported


def _without_repeats(
    ranked: Sequence[ScoredHit], words_of: Mapping[tuple[str, int], HitWords]
) -> list[ScoredHit]:
    """Return the hits without those that repeat, word for word, one that ranks before them."""
    seen: set[bytes] = set()
    kept: list[ScoredHit] = []
    for scored in ranked:
        digest = words_of[_key(scored.hit)].digest
        if scored.hit.kind == "user" or not digest or digest not in seen:
            kept.append(scored)
        seen.add(digest)
    return kept


def _key(hit: Hit) -> tuple[str, int]:
    return (hit.session_id, hit.position)
