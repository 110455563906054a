"""Who may hold a hit: sources of candidates.

Law: storage narrows, the predicate decides. A source may only leave out what it can vouch cannot
match; what it is unsure of it offers. Adding a source never changes an answer, only its cost.
"""

from collections.abc import Sequence
from typing import Protocol

from recense.core.transcript.records import Session
from recense.ports.transcripts import TranscriptReader


class CandidateSource(Protocol):
    """Names the sessions that may hold a message in which one of the folded terms occurs."""

    def offer(
        self, reader: TranscriptReader, eligible: Sequence[Session], folded_terms: Sequence[str]
    ) -> Sequence[Session] | None:
        """Return the eligible sessions that may hit, in the given order; None declines to answer.

        All sources of one answer are handed the same snapshot. A session with ``open_streams`` is
        always offered: what has arrived of a text is no event yet, and no index knows it.
        """
        ...
