"""Re-ranking by a question: its whole words, among the best hits of its terms.

A term is found anywhere inside a word; a question knows more: its words are whole, in whatever form
(`recense.core.recall.stems.word_form`), and they stand together. For the first RERANKED_HITS_MAX
hits, what their redacted images hold of the question adds

- the question's words as BM25, in which length counts little (WORD_B): a message that holds them
  all is no worse for saying more;
- the same words in whole sessions, as far as the hits make them up;
- neighbours of the question that are neighbours in the hit, too;
- what the rest of the turn holds: a word that the hit lacks and another hit of its turn has, or
  the message before or after it, counts TURN_SHARE of what it counts there.

Then hits that say nearly the same as a better one go (`recense.core.recall.repeats`).

Laws: a score never falls, so that a re-ranked hit stays before every hit that was not; what a store
holds besides the verified hits has no say, apart from the counts stored with its sessions; the
order in which hits are given changes nothing.
"""

from collections.abc import Mapping, Sequence
from itertools import islice, pairwise
from math import fsum
from typing import Final

import msgspec

from recense.core.recall.asked_words import AskedWord, HitWords
from recense.core.recall.bm25 import Corpus, TermFigures, contributions, kind_weight, term_figures
from recense.core.recall.hits import Hit, HitKey, ScoredHit, in_order, key_of
from recense.core.recall.repeats import RepeatCandidate, kept
from recense.core.recall.whole_sessions import SessionSizes, SessionTotals, session_totals

WORD_WEIGHT: Final = 1.0
"""What a whole word of the question counts beside a term."""

WORD_B: Final = 0.2
"""How much length counts where whole words are compared."""

PHRASE_WEIGHT: Final = 0.6
"""What two words that stand together count beside a term."""

TURN_SHARE: Final = 0.5
"""What a word counts in a hit that has it only beside it."""


class QuestionFigures(msgspec.Struct, frozen=True, kw_only=True):
    """What explains a re-ranking: the question's words and phrases, and their figures.

    ``of_hit`` is what each re-ranked hit holds of them; ``whole`` the words in whole sessions.
    """

    words: tuple[AskedWord, ...]
    corpus: Corpus
    word_figures: tuple[TermFigures, ...]
    phrase_figures: tuple[TermFigures, ...]
    of_hit: Mapping[HitKey, HitWords]
    whole: SessionTotals

    def word_parts(self, hit: Hit) -> list[float]:
        """Return what each word adds to a re-ranked hit."""
        frequencies = self.of_hit[key_of(hit)].frequencies
        return contributions(
            self.word_figures, frequencies, self.corpus, hit.length, hit.kind, b=WORD_B
        )

    def phrase_parts(self, hit: Hit) -> list[float]:
        """Return what each two neighbours add to a re-ranked hit."""
        together = self.of_hit[key_of(hit)].together
        return contributions(
            self.phrase_figures, together, self.corpus, hit.length, hit.kind, b=0.0
        )


class Reranked(msgspec.Struct, frozen=True, kw_only=True):
    """Hits in their new order, and what explains it."""

    ranked: list[ScoredHit]
    figures: QuestionFigures


def rerank(
    ranked: Sequence[ScoredHit],
    words_of: Mapping[HitKey, HitWords],
    asked: Sequence[AskedWord],
    corpus: Corpus,
    sizes: SessionSizes,
) -> Reranked:
    """Return the ranked hits re-ranked.

    ``words_of`` holds the words of the hits that take part; they are the first of ``ranked``.
    ``corpus`` is that of the store, ``sizes`` that of its sessions.
    """
    pool = [scored for scored in ranked if key_of(scored.hit) in words_of]
    figures = _figures([scored.hit for scored in pool], words_of, asked, corpus, sizes)
    parts = [figures.word_parts(scored.hit) for scored in pool]
    supports = _supports([scored.hit for scored in pool], parts)
    of_session = {
        session_id: fsum(figures.whole.parts(session_id))
        for session_id in figures.whole.frequencies
    }
    worded = [
        ScoredHit(
            hit=scored.hit,
            score=fsum(
                [
                    scored.score,
                    *of_words,
                    *figures.phrase_parts(scored.hit),
                    kind_weight(scored.hit.kind) * of_session[scored.hit.session_id],
                    support,
                ]
            ),
            support=support,
        )
        for scored, of_words, support in zip(pool, parts, supports, strict=True)
    ]
    best = _without_repeats(in_order(worded), words_of)
    return Reranked(ranked=best + list(islice(ranked, len(pool), None)), figures=figures)


def _figures(
    pool: Sequence[Hit],
    words_of: Mapping[HitKey, HitWords],
    asked: Sequence[AskedWord],
    corpus: Corpus,
    sizes: SessionSizes,
) -> QuestionFigures:
    held = [words_of[key_of(hit)] for hit in pool]
    weights = [WORD_WEIGHT * word.weight for word in asked]
    phrase_weights = [
        PHRASE_WEIGHT * (first.weight + second.weight) / 2 for first, second in pairwise(asked)
    ]
    return QuestionFigures(
        words=tuple(asked),
        corpus=corpus,
        word_figures=term_figures(corpus, (each.frequencies for each in held), weights),
        phrase_figures=term_figures(corpus, (each.together for each in held), phrase_weights),
        of_hit=words_of,
        whole=session_totals(
            ((hit, each.frequencies) for hit, each in zip(pool, held, strict=True)),
            weights,
            sizes,
        ),
    )


def _supports(pool: Sequence[Hit], parts: Sequence[Sequence[float]]) -> list[float]:
    """Return what the rest of its turn and the messages beside it add to each hit."""
    at_place = {key_of(hit): of_words for hit, of_words in zip(pool, parts, strict=True)}
    best: dict[tuple[str, str], list[float]] = {}
    for hit, of_words in zip(pool, parts, strict=True):
        turn = (hit.session_id, hit.turn)
        best[turn] = list(map(max, best.get(turn, of_words), of_words))
    supports: list[float] = []
    for hit, of_words in zip(pool, parts, strict=True):
        around = [
            best[hit.session_id, hit.turn],
            at_place.get((hit.session_id, hit.position - 1), of_words),
            at_place.get((hit.session_id, hit.position + 1), of_words),
        ]
        supports.append(
            fsum(
                max(0.0, TURN_SHARE * max(beside) - own)
                for own, *beside in zip(of_words, *around, strict=True)
            )
        )
    return supports


def _without_repeats(
    ranked: Sequence[ScoredHit], words_of: Mapping[HitKey, HitWords]
) -> list[ScoredHit]:
    candidates = (_candidate(scored.hit, words_of[key_of(scored.hit)]) for scored in ranked)
    return [scored for scored, stays in zip(ranked, kept(candidates), strict=True) if stays]


def _candidate(hit: Hit, held: HitWords) -> RepeatCandidate:
    return RepeatCandidate(
        by_person=hit.kind == "user",
        length=hit.length,
        sketch=held.sketch,
        holds=frozenset(number for number, frequency in enumerate(held.frequencies) if frequency),
    )
