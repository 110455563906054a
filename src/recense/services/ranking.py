"""Ranking: from verified hits to those that are shown, and why.

Law: every figure comes from the verified hits and from counts stored with the eligible sessions;
which sessions were read to find the hits has no say.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, Literal

import msgspec

from recense.core.recall.asked_words import AskedWord, HitWords, hit_words, question_words
from recense.core.recall.bm25 import (
    B,
    Corpus,
    TermFigures,
    contributions,
    corpus_of,
    kind_weight,
    length_norm,
    scores_of,
    term_figures,
)
from recense.core.recall.evidence import WordEvidence, evidence_of, scored_with
from recense.core.recall.hits import (
    Hit,
    HitKey,
    ScoredHit,
    best_of_each_turn,
    in_order,
    key_of,
)
from recense.core.recall.quota import Decision, choose, family_of_session
from recense.core.recall.rerank import WORD_B, QuestionFigures, rerank
from recense.core.recall.together import (
    PairFigures,
    nearness,
    pair_figures,
    paired_hits,
    scored_together,
)
from recense.core.recall.whole_sessions import SessionSizes, SessionTotals
from recense.operations.recall import Explanation, TermScore
from recense.services.requests import Query
from recense.services.searching import Searched
from recense.services.texts import Texts

_PAIR: Final = 2

_Of = Literal["term", "session", "date", "question", "question_session", "phrase", "together"]


class Placement(msgspec.Struct, frozen=True, kw_only=True):
    """A hit that is shown, and how it got its place."""

    scored: ScoredHit
    decision: Decision


class AskedQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """What a question brought: to every hit, and to those that were re-ranked."""

    evidence: WordEvidence
    figures: QuestionFigures


class Ranking(msgspec.Struct, frozen=True, kw_only=True):
    """The hits that are shown, in order, and the figures that put them there.

    ``figures`` are those of the query's terms among ``corpus``; ``pairs`` is what they say
    together, None where there are fewer than two, or a question; ``asked`` is what the question
    brought, None where none is asked.
    """

    places: Sequence[Placement]
    corpus: Corpus
    figures: tuple[TermFigures, ...]
    pairs: PairFigures | None = None
    asked: AskedQuestion | None = None


def rank(query: Query, found: Searched) -> Ranking:
    """Return the hits that are shown: scored by their terms, and by what these say together or
    what a question says; one a turn, by the quota.
    """
    corpus = _corpus(query, found)
    frequencies = (hit.frequencies for hit in found.hits)
    weights = [term.weight for term in query.terms]
    figures = term_figures(corpus, frequencies, weights)
    if query.question is None:
        scores = scores_of(figures, found.hits, corpus)
        scored = [
            ScoredHit(hit=hit, score=score) for hit, score in zip(found.hits, scores, strict=True)
        ]
        pairs = _pairs(query, found, scored, corpus)
        ranked = in_order(scored if pairs is None else scored_together(scored, pairs))
        places = _places(ranked, query, found)
        return Ranking(places=places, corpus=corpus, figures=figures, pairs=pairs)
    sizes = _session_sizes(query, found)
    evidence = evidence_of(query.question, found.hits, weights, sizes, query.asked_periods)
    ranked = in_order(scored_with(evidence, found.hits, figures, corpus))
    asked = question_words(query.question)
    pool = [scored.hit for scored in ranked[: query.reranked_max]]
    words_of = dict(_words_of(found.texts, pool, asked))
    reranked = rerank(ranked, words_of, asked, corpus, sizes)
    return Ranking(
        places=_places(reranked.ranked, query, found),
        corpus=corpus,
        figures=figures,
        asked=AskedQuestion(evidence=evidence, figures=reranked.figures),
    )


def by_session(hits: Sequence[Hit]) -> dict[str, list[Hit]]:
    """Return hits by session id, both in the given order: so each session is loaded once."""
    sessions: dict[str, list[Hit]] = {}
    for hit in hits:
        sessions.setdefault(hit.session_id, []).append(hit)
    return sessions


def explanation_of(query: Query, ranking: Ranking, place: Placement) -> Explanation:
    """Return what put a hit where it stands: every term and word of the question that it holds,
    and what its session, its turn and its instant add.
    """
    hit = place.scored.hit
    spelled = [term.spelled for term in query.terms]
    terms = _term_scores(spelled, ranking.figures, hit.frequencies, ranking.corpus, hit, of="term")
    if ranking.pairs is not None:
        terms += _pair_scores(spelled, ranking.pairs, hit)
    sessions = Corpus(messages=0, length=0)
    if ranking.asked is not None:
        evidence = ranking.asked.evidence
        sessions = evidence.whole.corpus
        terms += _session_scores(spelled, evidence.whole, hit, of="session")
        terms += _date_scores(evidence, hit)
        terms += _question_scores(ranking.asked.figures, hit)
    return Explanation(
        terms=terms,
        corpus_messages=ranking.corpus.messages,
        corpus_length=ranking.corpus.length,
        corpus_sessions=sessions.messages,
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


def _session_sizes(query: Query, found: Searched) -> SessionSizes:
    """Return the sizes of the eligible sessions, owned or held as in `_corpus`."""
    totals, sessions = found.totals, found.sessions
    if query.session is not None:
        lengths = {name: session.counts.length for name, session in sessions.items()}
        return SessionSizes(sessions=totals.sessions, length=totals.length, lengths=lengths)
    lengths = {name: session.owned_length for name, session in sessions.items()}
    return SessionSizes(sessions=totals.sessions, length=totals.owned_length, lengths=lengths)


def _places(ranked: Sequence[ScoredHit], query: Query, found: Searched) -> list[Placement]:
    """Return what is shown: an echo takes no place that anything else could fill."""

    def family_of(scored: ScoredHit) -> str:
        return family_of_session(scored.hit.session_id, found.sessions)

    others = (each for each in best_of_each_turn(ranked) if not each.hit.echo)
    chosen = choose(others, family_of, query.limit)
    echoes = (each for each in best_of_each_turn(ranked) if each.hit.echo)
    chosen += choose(echoes, family_of, query.limit - len(chosen))
    return [Placement(scored=scored, decision=decision) for scored, decision in chosen]


def _pairs(
    query: Query, found: Searched, scored: Sequence[ScoredHit], corpus: Corpus
) -> PairFigures | None:
    """Return what terms that came without a question say together; None where there are fewer than
    two.
    """
    if len(query.terms) < _PAIR:
        return None
    folded = query.folded_terms()
    near_of: dict[HitKey, Sequence[float]] = {}
    for session_id, hits in by_session([each.hit for each in paired_hits(scored)]).items():
        for hit in hits:
            redacted_image = found.texts.redacted_image(session_id, hit.position)
            near_of[key_of(hit)] = nearness(redacted_image, folded)
    return pair_figures(near_of, [term.weight for term in query.terms], corpus)


def _words_of(
    texts: Texts, pool: Sequence[Hit], asked: Sequence[AskedWord]
) -> Iterator[tuple[HitKey, HitWords]]:
    """Yield the words of hits by (session id, position)."""
    for session_id, hits in by_session(pool).items():
        for hit in hits:
            redacted_image = texts.redacted_image(session_id, hit.position)
            yield key_of(hit), hit_words(redacted_image, asked)


def _term_scores(
    spelled: Sequence[str],
    figures: Sequence[TermFigures],
    frequencies: Sequence[int],
    corpus: Corpus,
    hit: Hit,
    *,
    of: _Of,
    b: float = B,
) -> tuple[TermScore, ...]:
    added = contributions(figures, frequencies, corpus, hit.length, hit.kind, b=b)
    norm = length_norm(corpus, hit.length, b)
    return _held(spelled, figures, frequencies, added, norm, of=of)


def _pair_scores(spelled: Sequence[str], pairs: PairFigures, hit: Hit) -> tuple[TermScore, ...]:
    """Return what terms add together, where a hit was looked at for it."""
    near = pairs.of_hit.get(key_of(hit))
    if near is None:
        return ()
    named = [f"{spelled[first]} + {spelled[second]}" for first, second in pairs.pairs]
    return _held(named, pairs.figures, near, pairs.parts(hit), 1.0, of="together")


def _session_scores(
    spelled: Sequence[str], whole: SessionTotals, hit: Hit, *, of: _Of
) -> tuple[TermScore, ...]:
    """Return what the terms in a hit's session add to it."""
    scale = kind_weight(hit.kind)
    added = [scale * part for part in whole.parts(hit.session_id)]
    norm = length_norm(whole.corpus, whole.lengths[hit.session_id])
    frequencies = whole.frequencies[hit.session_id]
    return _held(spelled, whole.figures, frequencies, added, norm, of=of)


def _date_scores(evidence: WordEvidence, hit: Hit) -> tuple[TermScore, ...]:
    near = evidence.nearness_of(hit)
    if evidence.date_figures is None or not near:
        return ()
    spelled = ", ".join(each.spelled for each in (*evidence.dates, *evidence.periods))
    added = evidence.date_part(hit)
    return _held([spelled], [evidence.date_figures], [near], [added], 1.0, of="date")


def _question_scores(figures: QuestionFigures, hit: Hit) -> tuple[TermScore, ...]:
    """Return what the question's words add to a hit, when it is one of those re-ranked."""
    held = figures.of_hit.get(key_of(hit))
    if held is None:
        return ()
    words = [word.spelled for word in figures.words]
    pairs = [f"{first} {second}" for first, second in pairwise(words)]
    corpus = figures.corpus
    return (
        *_term_scores(
            words, figures.word_figures, held.frequencies, corpus, hit, of="question", b=WORD_B
        ),
        *_term_scores(
            pairs, figures.phrase_figures, held.together, corpus, hit, of="phrase", b=0.0
        ),
        *_session_scores(words, figures.whole, hit, of="question_session"),
    )


def _held(
    spelled: Sequence[str],
    figures: Sequence[TermFigures],
    frequencies: Sequence[float],
    added: Sequence[float],
    norm: float,
    *,
    of: _Of,
) -> tuple[TermScore, ...]:
    """Return the scores of the terms that are there."""
    return tuple(
        TermScore(
            of=of,
            term=term,
            tf=frequency,
            df=figure.df,
            idf=figure.idf,
            length_norm=norm,
            weight=figure.weight,
            score=score,
        )
        for term, figure, frequency, score in zip(spelled, figures, frequencies, added, strict=True)
        if frequency
    )
