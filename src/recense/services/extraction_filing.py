"""What becomes of what a batch proposed: each proposal a statement, a refusal, or a question.

Laws:

- What a person stated ends by what a person states and by nothing that was inferred, in whichever
  order the two are read. An inference that would end it waits for the person; a statement of the
  person that is read after a later inference from elsewhere is said again behind that one.
- Which proposals still wait is worked out when it is asked: those that would end a statement of the
  person now, as they would have then. Whoever states it, states otherwise or takes back what stands
  in its way has answered, and nothing is to be crossed off.
"""

from typing import Final

from msgspec.structs import replace

from recense.core.extraction.quotation import Quotation
from recense.core.facts.event import Source
from recense.core.instants import instant_from_text, text_from_instant
from recense.errors import NeedsConfirmation, RequestRefused
from recense.operations.extraction import FiledProposal
from recense.operations.facts import (
    EventView,
    RememberedFact,
    RememberFact,
    ReplaceRequest,
)
from recense.services.extraction_records import KeptBatch
from recense.services.extraction_runs import ReadableTexts, refused_proposal
from recense.services.filing import Filing

_SOURCES: Final[dict[str, Source]] = {
    "user": "user_stated",
    "agent": "agent_inferred",
    "tool": "tool_result",
}
"""What a statement is, by who wrote its words."""

_INFERRED: Final = frozenset({"agent_inferred", "tool_result"})


class BatchFiling:
    """Files what batches proposed in one store."""

    def __init__(self, filing: Filing, texts: ReadableTexts) -> None:
        self._filing: Final = filing
        self._texts: Final = texts

    def done(self, batch: KeptBatch) -> KeptBatch:
        """Return a pending batch as it is kept once each of its proposals is filed, refused or
        known; they are filed when this returns, under keys of their own. ``quotations`` are then
        those that wait for the person.
        """
        filed: list[FiledProposal] = []
        waiting: list[Quotation] = []
        for position, each in enumerate(batch.quotations):
            # a machine whose clock was wrong wrote tomorrow's instants; nobody observes tomorrow
            at = None if each.at is None else min(each.at + position, batch.at)
            quoted = replace(each, at=at)
            filed.append(self._filed(batch, f"{batch.batch}-{position}", quoted))
            if filed[-1].outcome == "needs_confirmation":
                waiting.append(quoted)
        return replace(
            batch,
            state="done",
            filed=(*filed, *batch.refused),
            quotations=tuple(waiting),
            refused=(),
        )

    def waiting(self, batch: KeptBatch) -> tuple[FiledProposal, ...]:
        """Return what of a batch that is done waits for the person now. Writes nothing."""
        found: list[FiledProposal] = []
        for each in batch.quotations:
            try:
                statement = self._statement(batch, each)
                self._filing.file_sparing(statement, is_trial=True)
            except NeedsConfirmation as error:
                if not self._is_stated(batch, each):
                    found.append(refused_proposal(each.proposal, error, self._anchor(batch, each)))
            except RequestRefused:
                continue  # the registry has changed: nobody can confirm it any more
        return tuple(found)

    def _filed(self, batch: KeptBatch, key: str, quoted: Quotation) -> FiledProposal:
        where = self._anchor(batch, quoted)
        try:
            statement = replace(self._statement(batch, quoted), idempotency_key=key)
            remembered = self._filing.file_sparing(statement)
            self._say_again(statement, remembered)
        except RequestRefused as error:
            return refused_proposal(quoted.proposal, error, where)
        return FiledProposal(
            proposal=quoted.proposal,
            outcome="filed" if remembered.stored else "known",
            anchor=where,
            event_id=None if remembered.belief is None else remembered.belief.event_id,
            ended=tuple(view.sentence for view in remembered.superseded),
        )

    def _say_again(self, statement: RememberFact, remembered: RememberedFact) -> None:
        """State what a person said behind each inference that ended it, and take that one back."""
        while (inference := _did_not_know(statement, remembered)) is not None:
            at = instant_from_text(inference.observed_at) or 0
            statement = replace(
                statement,
                observed_at=text_from_instant(at + 1),
                replaces=(ReplaceRequest(event_id=inference.event_id),),
                idempotency_key=f"{statement.idempotency_key}+",
            )
            remembered = self._filing.file_sparing(statement)

    def _is_stated(self, batch: KeptBatch, quoted: Quotation) -> bool:
        """Whether the person said since what a proposal says, whatever it would replace."""
        alone = replace(self._statement(batch, quoted), replaces=())
        try:
            belief = self._filing.file_sparing(alone, is_trial=True).belief
        except RequestRefused:
            return False
        return belief is not None and belief.source == "user_stated"

    def _statement(self, batch: KeptBatch, quoted: Quotation) -> RememberFact:
        origin = self._texts.origin(batch.read_by.session, quoted)
        return self._filing.statement(
            quoted.proposal,
            origin.evidence,
            source=_SOURCES[quoted.author],
            writer=origin.writer,
            observed_at=None if quoted.at is None else text_from_instant(quoted.at),
        )

    def _anchor(self, batch: KeptBatch, quoted: Quotation) -> str | None:
        return self._texts.origin(batch.read_by.session, quoted).evidence.anchor


def _did_not_know(statement: RememberFact, remembered: RememberedFact) -> EventView | None:
    """Return the inference because of which a person's words hold no longer, where it did not know
    of them: it ended nothing else, and no person said anything in their place since.
    """
    inference = remembered.ended_by
    if statement.source != "user_stated" or remembered.current or inference is None:
        return None
    if inference.source not in _INFERRED or inference.retraction:
        return None
    if inference.predicate != statement.predicate:
        return inference  # it excludes them; what else holds of their own pair is beside them
    for each in remembered.outranked_by:
        knew = any(gone.event_id != remembered.event_id for gone in each.replaced)
        if each.source not in _INFERRED or (each.event_id == inference.event_id and knew):
            return None
    return inference
