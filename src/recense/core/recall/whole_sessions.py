"""Whole sessions: what the session of a hit says for it.

A question is often answered by a session rather than by one sentence of it: its words stand in many
of the session's messages. So a session is scored as one document: the frequency of a term is the
sum over its verified hits, its length is the stored one, and df counts the sessions with hits. All
hits of a session gain the same by it, but that machine output counts half, as everywhere.

Law: the figures come from the verified hits and from counts stored with the eligible sessions, and
do not depend on the order of hits: frequencies are sums of halves, which floating point keeps
exact.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from recense.core.recall.bm25 import (
    Corpus,
    TermFigures,
    contributions,
    corpus_of,
    kind_weight,
    term_figures,
)
from recense.core.recall.hits import Hit

SESSION_WEIGHT: Final = 1.5
"""What a term counts in the session beside the same term in the message."""


class SessionSizes(msgspec.Struct, frozen=True, kw_only=True):
    """How many sessions are eligible, the sum of their stored lengths, and the stored lengths of
    those with hits by id.
    """

    sessions: int
    length: int
    lengths: Mapping[str, int]


class SessionTotals(msgspec.Struct, frozen=True, kw_only=True):
    """Some terms in whole sessions: the sessions as a corpus, the figures of the terms among them,
    the terms' frequencies by session, and the sessions' lengths.
    """

    corpus: Corpus
    figures: tuple[TermFigures, ...]
    frequencies: Mapping[str, Sequence[float]]
    lengths: Mapping[str, int]

    def parts(self, session_id: str) -> list[float]:
        """Return what each term in a session with hits adds to a hit that a person or an agent
        said.
        """
        return contributions(
            self.figures,
            self.frequencies[session_id],
            self.corpus,
            self.lengths[session_id],
            "user",
        )


def session_totals(
    hits: Iterable[tuple[Hit, Sequence[int]]], weights: Sequence[float], sizes: SessionSizes
) -> SessionTotals:
    """Return the totals of hits, each given with the frequencies of the terms in it.

    ``weights`` are those of the terms.
    """
    totals: dict[str, list[float]] = {}
    for hit, frequencies in hits:
        total = totals.get(hit.session_id)
        if total is None:
            total = totals[hit.session_id] = [0.0] * len(weights)
        scale = kind_weight(hit.kind)
        for term, frequency in enumerate(frequencies):
            if frequency:
                total[term] += scale * frequency
    lengths = {session_id: sizes.lengths.get(session_id, 0) for session_id in totals}
    corpus = corpus_of(sizes.sessions, sizes.length, list(lengths.values()))
    return SessionTotals(
        corpus=corpus,
        figures=term_figures(
            corpus, totals.values(), [SESSION_WEIGHT * weight for weight in weights]
        ),
        frequencies=totals,
        lengths=lengths,
    )
