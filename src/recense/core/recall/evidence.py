"""Evidence: what a question's hits say for one another before any text is looked at.

Two things come to the BM25 of a message. Its session, as one document
(`recense.core.recall.whole_sessions`); and its instant, where the question names a date: a date is
a term that a message holds by when it was said. How much a date says depends on how many of the
hits are near it, not on the whole store: where all are of one year, a year says nothing.

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
    score,
)
from recense.core.recall.dates import NamedDate, day_of, named_dates, nearness
from recense.core.recall.hits import Hit, ScoredHit
from recense.core.recall.whole_sessions import SessionSizes, SessionTotals, session_totals

DATE_WEIGHT: Final = 4.0
"""What a date counts beside a term of the message alone: a term counts again by its session and by
its whole words, and a date is written with two or three words.
"""


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """The terms in whole sessions; the dates that the question names, and their figures (None
    where it names none).
    """

    whole: SessionTotals
    dates: tuple[NamedDate, ...]
    date_figures: TermFigures | None

    def date_part(self, hit: Hit) -> float:
        """Return what the question's dates add to a hit."""
        if self.date_figures is None:
            return 0.0
        return _date_part(self.date_figures, self.nearness_of(hit), hit)

    def nearness_of(self, hit: Hit) -> float:
        """Return how near a hit is to the question's dates."""
        return 0.0 if hit.at is None else nearness(self.dates, day_of(hit.at))


def evidence_of(
    question: str, hits: Sequence[Hit], weights: Sequence[float], sizes: SessionSizes
) -> Evidence:
    """Return the evidence among hits; ``weights`` and ``sizes`` as in `session_totals`."""
    dates = named_dates(question)
    near = _nearness_by_day(dates, hits) if dates else {}
    df = sum(1 for hit in hits if hit.at is not None and near.get(day_of(hit.at)))
    among = Corpus(messages=len(hits), length=0)
    return Evidence(
        whole=session_totals(((hit, hit.frequencies) for hit in hits), weights, sizes),
        dates=dates,
        date_figures=TermFigures(
            df=df, idf=inverse_document_frequency(among, df), weight=DATE_WEIGHT
        )
        if dates
        else None,
    )


def scored_with(
    evidence: Evidence, hits: Sequence[Hit], figures: Sequence[TermFigures], corpus: Corpus
) -> list[ScoredHit]:
    """Return hits with their scores: BM25, their session's, and the question's dates'."""
    whole = evidence.whole
    of_session = {session_id: fsum(whole.parts(session_id)) for session_id in whole.frequencies}
    near = _nearness_by_day(evidence.dates, hits) if evidence.date_figures else {}
    scored: list[ScoredHit] = []
    for hit in hits:
        parts = [
            score(figures, hit, corpus),
            kind_weight(hit.kind) * of_session[hit.session_id],
        ]
        if evidence.date_figures and hit.at is not None:
            parts.append(_date_part(evidence.date_figures, near[day_of(hit.at)], hit))
        scored.append(ScoredHit(hit=hit, score=fsum(parts)))
    return scored


def _date_part(figures: TermFigures, near: float, hit: Hit) -> float:
    return kind_weight(hit.kind) * figures.weight * figures.idf * near


def _nearness_by_day(dates: Sequence[NamedDate], hits: Sequence[Hit]) -> dict[int, float]:
    days = {day_of(hit.at) for hit in hits if hit.at is not None}
    return {day: nearness(dates, day) for day in days}
