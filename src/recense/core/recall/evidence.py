"""Evidence: what a question's hits say for one another before any text is looked at.

Two things come to the BM25 of a message. Its session, as one document
(`recense.core.recall.whole_sessions`); and its instant, where the question names a time (a date, or
a period before the present): a time is a term that a message holds by when it was said. How much a
date says depends on how many of the hits are near it, not on the whole store: where all are of one
year, a year says nothing.

Law: everything comes from the verified hits and from the lengths stored with the eligible sessions,
whatever the order in which hits are given.
"""

from collections.abc import Sequence
from math import fsum
from typing import Final

import msgspec

from recense.core.recall.bm25 import (
    Corpus,
    TermFigures,
    inverse_document_frequency,
    kind_weight,
    scores_of,
)
from recense.core.recall.dates import NamedDate, day_of, named_dates, nearness
from recense.core.recall.hits import Hit, ScoredHit
from recense.core.recall.when import AskedPeriod
from recense.core.recall.whole_sessions import SessionSizes, SessionTotals, session_totals

DATE_WEIGHT: Final = 4.0
"""What a date counts beside a term of the message alone: a term counts again by its session and by
its whole words, and a date is written with two or three words.
"""


class WordEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """The terms in whole sessions; the dates and periods that the question names, and their figures
    (None where it names none).
    """

    whole: SessionTotals
    dates: tuple[NamedDate, ...]
    periods: tuple[AskedPeriod, ...]
    date_figures: TermFigures | None

    def date_part(self, hit: Hit) -> float:
        """Return what the question's dates add to a hit."""
        if self.date_figures is None:
            return 0.0
        return _date_part(self.date_figures, self.nearness_of(hit), hit)

    def nearness_of(self, hit: Hit) -> float:
        """Return how near a hit is to the question's dates and periods."""
        return _Nearness(self.dates, self.periods).of(hit)


def evidence_of(
    question: str,
    hits: Sequence[Hit],
    weights: Sequence[float],
    sizes: SessionSizes,
    periods: tuple[AskedPeriod, ...] = (),
) -> WordEvidence:
    """Return the evidence among hits; ``weights`` and ``sizes`` as in `session_totals`, ``periods``
    those that the question names from where the asker stands.
    """
    dates = named_dates(question)
    near = _Nearness(dates, periods)
    df = sum(near.of(hit) > 0 for hit in hits) if dates or periods else 0
    among = Corpus(messages=len(hits), length=0)
    return WordEvidence(
        whole=session_totals(((hit, hit.frequencies) for hit in hits), weights, sizes),
        dates=dates,
        periods=periods,
        date_figures=TermFigures(
            df=df, idf=inverse_document_frequency(among, df), weight=DATE_WEIGHT
        )
        if dates or periods
        else None,
    )


def scored_with(
    evidence: WordEvidence, hits: Sequence[Hit], figures: Sequence[TermFigures], corpus: Corpus
) -> list[ScoredHit]:
    """Return hits with their scores: BM25, their session's, and the question's dates'."""
    whole = evidence.whole
    of_session = {session_id: fsum(whole.parts(session_id)) for session_id in whole.frequencies}
    near = _Nearness(evidence.dates, evidence.periods)
    scored: list[ScoredHit] = []
    for hit, score in zip(hits, scores_of(figures, hits, corpus), strict=True):
        parts = [
            score,
            kind_weight(hit.kind) * of_session[hit.session_id],
        ]
        if evidence.date_figures and hit.at is not None:
            parts.append(_date_part(evidence.date_figures, near.of(hit), hit))
        scored.append(ScoredHit(hit=hit, score=fsum(parts)))
    return scored


def _date_part(figures: TermFigures, near: float, hit: Hit) -> float:
    return kind_weight(hit.kind) * figures.weight * figures.idf * near


class _Nearness:
    """How near hits are to dates and periods; of many hits of one day it is known once."""

    def __init__(self, dates: Sequence[NamedDate], periods: Sequence[AskedPeriod]) -> None:
        self._dates = dates
        self._periods = periods
        self._by_day: dict[int, float] = {}

    def of(self, hit: Hit) -> float:
        """Return 1 at a date or in a period, less near a date, else 0."""
        if hit.at is None:
            return 0.0
        if any(period.holds(hit.at) for period in self._periods):
            return 1.0
        day = day_of(hit.at)
        if day not in self._by_day:
            self._by_day[day] = nearness(self._dates, day)
        return self._by_day[day]
