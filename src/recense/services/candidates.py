"""Candidates: which sessions are read for an answer, as the sources of candidates narrow it.

Law: a source may only leave out what it vouches cannot hold a hit; one that declines or fails costs
time and never an answer.
"""

from collections.abc import Sequence
from typing import Literal

from recense.core.recall.scanning import scanned_spellings
from recense.core.transcript.records import Session
from recense.core.values import Value
from recense.errors import StoreFault
from recense.limits import PIECES_BETWEEN_CHECKS
from recense.ports.search import CandidateSource
from recense.ports.transcripts import TranscriptReader
from recense.services.cancelling import IsCancelled, require_wanted


class LedgerScan:
    """The source that looks for terms in the stored bytes of events: what is left where no index
    answers. It declines where a term has a line break.
    """

    def offer(
        self, reader: TranscriptReader, eligible: Sequence[Session], folded_terms: Sequence[str]
    ) -> Sequence[Session] | None:
        """Return the sessions that may hold a term by the bytes of their events."""
        spellings = scanned_spellings(folded_terms)
        if spellings is None:
            return None
        return [
            session
            for session in eligible
            if session.open_streams or reader.may_hold(session.session_id, spellings)
        ]


class Candidates(Value, kw_only=True):
    """The sessions to read, in the order given, and which sources named them: none (``scan``), all
    (``narrowed``), or some while others declined or failed (``mixed``).
    """

    sessions: tuple[Session, ...]
    path: Literal["narrowed", "scan", "mixed"]


def candidates(
    reader: TranscriptReader,
    eligible: Sequence[Session],
    folded_terms: Sequence[str],
    sources: Sequence[CandidateSource],
    *,
    is_cancelled: IsCancelled,
) -> Candidates:
    """Return the eligible sessions that every source which answers names; all when none does.

    Raises Cancelled.
    """
    left = tuple(eligible)
    answered = 0
    for source in sources:
        offered = _offer(source, reader, eligible, folded_terms, is_cancelled)
        if offered is not None:
            answered += 1
            ids = {session.session_id for session in offered}
            left = tuple(session for session in left if session.session_id in ids)
    if not answered:
        return Candidates(sessions=left, path="scan")
    return Candidates(sessions=left, path="narrowed" if answered == len(sources) else "mixed")


def _offer(
    source: CandidateSource,
    reader: TranscriptReader,
    eligible: Sequence[Session],
    folded_terms: Sequence[str],
    is_cancelled: IsCancelled,
) -> Sequence[Session] | None:
    """Return what a source offers, asked some sessions at a time: each may be read for it."""
    offered: list[Session] = []
    try:
        for first in range(0, len(eligible) or 1, PIECES_BETWEEN_CHECKS):
            require_wanted(is_cancelled)
            asked = eligible[first : first + PIECES_BETWEEN_CHECKS]
            part = source.offer(reader, asked, folded_terms)
            if part is None:
                return None
            offered += part
    except StoreFault:
        return None  # a source that fails declines; were the store itself at fault, reading says so
    return offered
