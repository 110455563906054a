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

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, pairwise
from math import fsum
from typing import Final

import msgspec
import regex

from recense.core.recall.bm25 import Corpus, TermFigures, contributions, kind_weight, term_figures
from recense.core.recall.hits import Hit, ScoredHit, in_order
from recense.core.recall.pairs import weighted_pairs
from recense.core.recall.repeats import RepeatCandidate, kept, sketch
from recense.core.recall.stems import without_possessive, word_form
from recense.core.recall.stopwords import CHINESE_PARTICLES, ENGLISH
from recense.core.recall.whole_sessions import SessionTotals, session_totals
from recense.core.text.fold import fold
from recense.core.text.words import UNSPACED, words
from recense.core.values import Value
from recense.limits import RERANK_CODE_POINTS_MAX

WORD_WEIGHT: Final = 1.0
"""What a whole word of the question counts beside a term."""

WORD_B: Final = 0.2
"""How much length counts where whole words are compared."""

PHRASE_WEIGHT: Final = 0.6
"""What two words that stand together count beside a term."""

TURN_SHARE: Final = 0.5
"""What a word counts in a hit that has it only beside it."""

_TOGETHER: Final = 3
"""How many words on the second of two words that stand together may come."""

_RUN: Final = regex.compile(f"{UNSPACED}+", regex.V1)

HitKey = tuple[str, int]
"""A hit by its session's id and its position there."""


class AskedWord(Value, kw_only=True):
    """A word of a question: as it stands there, folded; the form in which it is compared; and what
    it counts beside others.
    """

    spelled: str
    form: str
    weight: float = 1.0


class HitWords(msgspec.Struct, frozen=True, kw_only=True):
    """What re-ranking keeps of a hit's text: how often each of the question's words stands in it,
    whether each two neighbours of the question stand together in it (1 or 0), and a sample of
    its shingles.
    """

    frequencies: tuple[int, ...]
    together: tuple[int, ...]
    sketch: frozenset[int] = frozenset()


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


def question_words(question: str) -> tuple[AskedWord, ...]:
    """Return the words of a question in its order, each form once, without stop words."""
    found: dict[str, AskedWord] = {}
    for spelled, weight in _spelled_words(fold(question)):
        form = word_form(spelled)
        found.setdefault(form, AskedWord(spelled=spelled, form=form, weight=weight))
    return tuple(found.values())


def hit_words(redacted_image: str, asked: Sequence[AskedWord]) -> HitWords:
    """Return what re-ranking needs of a hit's redacted image; of a long one, of its beginning."""
    said = list(words(redacted_image[:RERANK_CODE_POINTS_MAX]))
    number_of = {word.form: number for number, word in enumerate(asked)}
    beginnings = {word.form[:2] for word in asked}
    numbers = {word: number_of.get(word_form(word)) for word in set(said) if word[:2] in beginnings}
    counted: Counter[int] = Counter()
    last = [-_TOGETHER - 1] * len(asked)
    together = [0] * max(0, len(asked) - 1)
    for place, word in enumerate(said):
        number = numbers.get(word)
        if number is None:
            continue
        counted[number] += 1
        if number and place - last[number - 1] <= _TOGETHER:
            together[number - 1] = 1
        last[number] = place
    return HitWords(
        frequencies=tuple(counted[number] for number in range(len(asked))),
        together=tuple(together),
        sketch=sketch(said),
    )


def rerank(
    ranked: Sequence[ScoredHit],
    words_of: Mapping[HitKey, HitWords],
    asked: Sequence[AskedWord],
    corpus: Corpus,
    lengths: Mapping[str, int],
) -> Reranked:
    """Return the ranked hits re-ranked.

    ``words_of`` holds the words of the hits that take part; they are the first of ``ranked``.
    ``corpus`` is that of the store, ``lengths`` the stored lengths of its sessions.
    """
    pool = [scored for scored in ranked if key_of(scored.hit) in words_of]
    figures = _figures([scored.hit for scored in pool], words_of, asked, corpus, lengths)
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


def key_of(hit: Hit) -> HitKey:
    """Return by what a hit's words are found."""
    return (hit.session_id, hit.position)


def _spelled_words(folded: str) -> Iterator[tuple[str, float]]:
    """Yield the words of a folded question that say something, and what each counts."""
    at = 0
    for run in [*_RUN.finditer(folded), None]:
        end = len(folded) if run is None else run.start()
        for word in words(folded[at:end]):
            if word not in ENGLISH and without_possessive(word) not in ENGLISH:
                yield word, 1.0
        if run is not None:
            for _, pair, weight in weighted_pairs(run.group(), CHINESE_PARTICLES.isdisjoint):
                yield pair, weight
            at = run.end()


def _figures(
    pool: Sequence[Hit],
    words_of: Mapping[HitKey, HitWords],
    asked: Sequence[AskedWord],
    corpus: Corpus,
    lengths: Mapping[str, int],
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
            lengths,
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
        sketch=held.sketch,
        holds=frozenset(number for number, frequency in enumerate(held.frequencies) if frequency),
    )
