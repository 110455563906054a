"""What is read for facts, and what reading it did: sessions and texts are read alike."""

from collections.abc import Sequence
from typing import Final, Protocol

from recense.core.extraction.exchanges import Exchange
from recense.core.extraction.proposals import Proposal, presentable
from recense.core.extraction.quotation import Quotation
from recense.core.values import Value
from recense.errors import ModelFault, NeedsConfirmation, RequestRefused
from recense.operations.extraction import FiledProposal, FilingOutcome, RunEnd, SessionRun
from recense.operations.facts import EvidenceRequest
from recense.services.extraction_records import KeptBatch


class WordsOrigin(Value, kw_only=True):
    """Where words of evidence come from, and by what name who told them is known: empty for the
    person.
    """

    evidence: EvidenceRequest
    writer: str = ""


class ReadableTexts(Protocol):
    """What can be read for facts, by its ids."""

    def pieces(self, session_id: str) -> Sequence[Exchange]:
        """Return the pieces in which it is read, as it is now; none where it is not to be read."""
        ...

    def is_shown(self, session_id: str) -> bool:
        """Whether it is there and may be shown to a reader."""
        ...

    def called(self, session_id: str) -> str:
        """Return what it is called in an error."""
        ...

    def origin(self, session_id: str, quoted: Quotation) -> WordsOrigin:
        """Return where words in it come from."""
        ...


class OngoingRun:
    """What reading one session did so far."""

    def __init__(self, session: str, since: int | None, *, is_named: bool) -> None:
        self.session: Final = session
        self.since: Final = since
        self.is_named: Final = is_named
        self.batches = self.replayed = self.failed = 0
        self.tokens_read = self.tokens_taken = 0
        self.proposals: list[FiledProposal] = []
        self.dropped: list[str] = []

    def took(self, kept: KeptBatch, dropped: Sequence[str]) -> None:
        """Count a batch that was read; ``dropped`` says what of the answer was no proposal."""
        self.batches += 1
        self.tokens_read += kept.tokens_read
        self.tokens_taken += kept.tokens_taken
        self.dropped += dropped

    def failed_with(self, error: ModelFault) -> None:
        """Count a batch that was not read, and what that took as far as it is known."""
        self.failed += 1
        self.tokens_taken += error.tokens_in + error.tokens_out

    def ended(self, end: RunEnd, reason: str = "") -> SessionRun:
        """Return all of it."""
        return SessionRun(
            session=self.session,
            end=end,
            reason=reason,
            batches=self.batches,
            replayed=self.replayed,
            failed=self.failed,
            tokens_read=self.tokens_read,
            tokens_taken=self.tokens_taken,
            proposals=tuple(self.proposals),
            dropped=tuple(self.dropped),
        )


def refused_proposal(
    proposal: Proposal, error: RequestRefused, where: str | None = None
) -> FiledProposal:
    """Return that a proposal was not filed, and why."""
    outcome: FilingOutcome = (
        "needs_confirmation" if isinstance(error, NeedsConfirmation) else "refused"
    )
    return FiledProposal(
        proposal=presentable(proposal), outcome=outcome, anchor=where, reason=error.message
    )
