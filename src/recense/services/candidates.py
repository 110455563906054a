"""Candidates: which sessions are read for an answer, as the sources of candidates narrow it.

Law: a source may only leave out what it vouches cannot hold a hit; one that declines or fails costs
time and never an answer.
"""

from collections.abc import Sequence
from typing import Literal

from recense.core.transcript.records import Session
from recense.core.values import Value
from recense.errors import StoreFault
from recense.ports.search import CandidateSource
from recense.ports.transcripts import TranscriptReader


class FullScan:
    """The source that vouches for nothing: every session may hold a hit."""

    def offer(
        self, reader: TranscriptReader, eligible: Sequence[Session], folded_terms: Sequence[str]
    ) -> Sequence[Session] | None:
        """Return every eligible session, whatever is asked."""
        return eligible


class Candidates(Value, kw_only=True):
    """The sessions to read, in the order given, and which kind of source named them."""

    sessions: tuple[Session, ...]
    path: Literal["narrowed", "scan", "mixed"]


def candidates(
    reader: TranscriptReader,
    eligible: Sequence[Session],
    folded_terms: Sequence[str],
    sources: Sequence[CandidateSource],
) -> Candidates:
    """Return the eligible sessions that every source which answers names; all when none does.

    The path is ``scan`` when only the full scan answered, ``narrowed`` when every other source did,
    and ``mixed`` when one of those declined or failed. A full scan beside them changes nothing.
    """
    left = tuple(eligible)
    narrowed: list[bool] = []
    for source in sources:
        offered = _offer(source, reader, eligible, folded_terms)
        if not isinstance(source, FullScan):
            narrowed.append(offered is not None)
        if offered is not None:
            ids = {session.session_id for session in offered}
            left = tuple(session for session in left if session.session_id in ids)
    if not any(narrowed):
        return Candidates(sessions=left, path="scan")
    return Candidates(sessions=left, path="narrowed" if all(narrowed) else "mixed")


def _offer(
    source: CandidateSource,
    reader: TranscriptReader,
    eligible: Sequence[Session],
    folded_terms: Sequence[str],
) -> Sequence[Session] | None:
    try:
        return source.offer(reader, eligible, folded_terms)
    except StoreFault:
        return None  # a source that fails declines; were the store itself at fault, reading says so
