"""Filing: how a proposal becomes a statement.

Law: a proposal is looked at as any statement is. A predicate that nobody registered makes a note of
it, in words; what it would replace is then left alone, for a note replaces nothing.
"""

from collections.abc import Sequence
from typing import Final

from recense.core.extraction.proposals import Proposal
from recense.core.extraction.quotation import Quotation
from recense.core.facts.changes import NOTE, Definition
from recense.core.facts.event import Source
from recense.core.facts.registry import Registry
from recense.operations.facts import (
    EvidenceRequest,
    RememberedFact,
    RememberFact,
    ReplaceRequest,
)
from recense.ports.clock import Clock
from recense.ports.records import RecordStore
from recense.ports.review import Reviewer
from recense.services.fact_admission import FactAdmission
from recense.services.fact_reading import Registries, open_moment
from recense.services.fact_views import said
from recense.services.fact_writing import FactWriting
from recense.services.reviewing import Reviewed, Reviewing


class Filing:
    """Files proposals in one store."""

    def __init__(
        self,
        store: RecordStore,
        clock: Clock,
        registries: Registries,
        writing: FactWriting,
        *,
        redact_secrets: bool,
        reviewer: Reviewer,
    ) -> None:
        self._store: Final = store
        self._clock: Final = clock
        self._registries: Final = registries
        self._writing: Final = writing
        self._reviewing: Final = Reviewing(store, clock, registries, reviewer)
        self._admission: Final = FactAdmission(redact_secrets=redact_secrets)

    def reviewed(self, quotations: Sequence[Quotation]) -> Reviewed:
        """Return proposals as the reviewer leaves them; see `Reviewing.reviewed`."""
        return self._reviewing.reviewed(quotations)

    def vocabulary(self) -> tuple[Definition, ...]:
        """Return the predicates that are registered."""
        return self._registry().definitions()

    def file(
        self,
        proposal: Proposal,
        evidence: EvidenceRequest,
        *,
        source: Source,
        writer: str,
        observed_at: str | None,
    ) -> RememberedFact:
        """File one proposal, under a note where its predicate is not registered. Raises as
        `FactWriting.remember_fact`.
        """
        return self._writing.remember_fact(
            self.statement(
                proposal, evidence, source=source, writer=writer, observed_at=observed_at
            )
        )

    def file_sparing(self, statement: RememberFact, *, is_trial: bool = False) -> RememberedFact:
        """File what was made of a proposal unless it is an inference that would end what the person
        stated (NeedsConfirmation); as a trial, see `FactWriting.remember_fact`. Raises as that.
        """
        return self._writing.remember_fact(statement, spares_stated=True, is_trial=is_trial)

    def statement(
        self,
        proposal: Proposal,
        evidence: EvidenceRequest,
        *,
        source: Source,
        writer: str,
        observed_at: str | None,
    ) -> RememberFact:
        """Return what a proposal states. Raises InvalidRequest and CredentialShaped."""
        registry = self._registry()
        predicate, subject = proposal.predicate, self._admission.subject(proposal.subject)
        value = self._admission.stated(subject, predicate, proposal.value)
        replaces = tuple(
            ReplaceRequest(value=self._admission.stated(subject, predicate, each))
            for each in proposal.replaces
        )
        if registry.definition(predicate) is None:
            name = self._admission.text(predicate)  # before its underscores make it other words
            value = said(registry, proposal.subject, name, value)
            predicate, replaces = NOTE.predicate, ()
        return RememberFact(
            subject=proposal.subject,
            predicate=predicate,
            value=value,
            kind=proposal.kind,
            confidence=proposal.confidence,
            source=source,
            writer=writer,
            observed_at=observed_at,
            evidence=(evidence,),
            replaces=replaces,
        )

    def _registry(self) -> Registry:
        with self._store.snapshot() as reader:
            return open_moment(reader, self._registries, self._clock.now()).registry
