"""Ranking: from verified hits to those that are shown, and why.

Law: every figure comes from the verified hits and from counts stored with the eligible sessions;
which sessions were read to find the hits has no say.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal

import msgspec

from recense.core.recall.bm25 import (
    Corpus,
    TermFigures,
    contributions,
    corpus_of,
    kind_weight,
    length_norm,
    score,
    term_figures,
)
from recense.core.recall.hits import Hit, ScoredHit, best_of_each_turn, in_order
from recense.core.recall.quota import Decision, choose, family_of_session
from recense.core.recall.rerank import HitWords, hit_words, question_words, rerank
from recense.limits import RERANKED_HITS_MAX
from recense.operations.recall import Explanation, TermScore
from recense.services.requests import Query
from recense.services.searching import Searched
from recense.services.texts import Texts

_TERM_WEIGHT: Final = 1.0


class Placement(msgspec.Struct, frozen=True, kw_only=True):
    """A hit that is shown, and how it got its place."""

    scored: ScoredHit
    decision: Decision


class Ranking(msgspec.Struct, frozen=True, kw_only=True):
    """The hits that are shown, in order, and the figures that put them there.

    ``figures`` are those of the query's terms among ``corpus``. ``asked`` are the question's
    words, ``asked_figures`` theirs among ``pool``, the hits that were re-ranked, and
    ``words_of`` what these hold of them, by (session id, position); all empty where no question
    is asked.
    """

    places: Sequence[Placement]
    corpus: Corpus
    figures: tuple[TermFigures, ...]
    asked: tuple[str, ...] = ()
    asked_figures: tuple[TermFigures, ...] = ()
    pool: Corpus = Corpus(messages=0, length=0)
    words_of: Mapping[tuple[str, int], HitWords] = {}


def rank(query: Query, found: Searched) -> Ranking:
    """Return the hits that are shown: scored, re-ranked by a question, one a turn, by the quota."""
    corpus = _corpus(query, found)
    frequencies = (hit.frequencies for hit in found.hits)
    figures = term_figures(corpus, frequencies, len(query.terms), _TERM_WEIGHT)
    ranked = in_order(ScoredHit(hit=hit, score=score(figures, hit, corpus)) for hit in found.hits)
    if query.question is None:
        return Ranking(places=_places(ranked, query, found), corpus=corpus, figures=figures)
    asked = question_words(query.question)
    pool = [scored.hit for scored in ranked[:RERANKED_HITS_MAX]]
    words_of = dict(_words_of(found.texts, pool, asked))
    reranked = rerank(ranked, words_of, asked)
    return Ranking(
        places=_places(reranked.ranked, query, found),
        corpus=corpus,
        figures=figures,
        asked=asked,
        asked_figures=reranked.figures,
        pool=reranked.corpus,
        words_of=words_of,
    )


def by_session(hits: Sequence[Hit]) -> dict[str, list[Hit]]:
    """Return hits by session id, both in the given order: so each session is loaded once."""
    sessions: dict[str, list[Hit]] = {}
    for hit in hits:
        sessions.setdefault(hit.session_id, []).append(hit)
    return sessions


def explanation_of(query: Query, ranking: Ranking, place: Placement) -> Explanation:
    """Return what put a hit where it stands: every term and word of the question that it holds."""
    hit = place.scored.hit
    spelled = [term.spelled for term in query.terms]
    terms = _term_scores(spelled, ranking.figures, hit.frequencies, ranking.corpus, hit, of="term")
    words = ranking.words_of.get((hit.session_id, hit.position))
    if words is not None:
        terms += _term_scores(
            ranking.asked,
            ranking.asked_figures,
            words.frequencies,
            ranking.pool,
            hit,
            of="question",
        )
    return Explanation(
        terms=terms,
        corpus_messages=ranking.corpus.messages,
        corpus_length=ranking.corpus.length,
        kind_weight=kind_weight(hit.kind),
        support=place.scored.support,
        quota=place.decision,
    )


def _corpus(query: Query, found: Searched) -> Corpus:
    """Return the corpus: owned counts, or held ones when the query names a session, since a copy in
    an earlier session is then no rival.
    """
    lengths = [hit.length for hit in found.hits]
    totals = found.totals
    if query.session is not None:
        return corpus_of(totals.messages, totals.length, lengths)
    return corpus_of(totals.owned_messages, totals.owned_length, lengths)


def _places(ranked: Sequence[ScoredHit], query: Query, found: Searched) -> list[Placement]:
    """Return what is shown: an echo takes no place that anything else could fill."""

    def family_of(scored: ScoredHit) -> str:
        return family_of_session(scored.hit.session_id, found.sessions)

    best = best_of_each_turn(ranked)
    chosen = choose([each for each in best if not each.hit.echo], family_of, query.limit)
    left = query.limit - len(chosen)
    chosen += choose([each for each in best if each.hit.echo], family_of, left)
    return [Placement(scored=scored, decision=decision) for scored, decision in chosen]


def _words_of(
    texts: Texts, pool: Sequence[Hit], asked: Sequence[str]
) -> Iterator[tuple[tuple[str, int], HitWords]]:
    """Yield the words of hits by (session id, position)."""
    for session_id, hits in by_session(pool).items():
        for hit in hits:
            redacted_image = texts.redacted_image(session_id, hit.position)
            yield (session_id, hit.position), hit_words(redacted_image, asked)


def _term_scores(
    spelled: Sequence[str],
    figures: Sequence[TermFigures],
    frequencies: Sequence[int],
    corpus: Corpus,
    hit: Hit,
    *,
    of: Literal["term", "question"],
) -> tuple[TermScore, ...]:
    added = contributions(figures, frequencies, corpus, hit.length, hit.kind)
    return tuple(
        TermScore(
            of=of,
            term=term,
            tf=frequency,
            df=figure.df,
            idf=figure.idf,
            length_norm=length_norm(corpus, hit.length),
            weight=figure.weight,
            score=contribution,
        )
        for term, figure, frequency, contribution in zip(
            spelled, figures, frequencies, added, strict=True
        )
        if frequency
    )
