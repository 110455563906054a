"""Statements as they are asked for, admitted before a store is looked at."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

import msgspec

from recense.core.facts.event import Evidence
from recense.core.facts.values import FactValue, value_key
from recense.core.facts.writing import AdmittedStatement
from recense.core.values import Value
from recense.errors import RecenseError
from recense.operations.facts import EvidenceRequest, RememberFact
from recense.ports.clock import Clock
from recense.ports.records import Record
from recense.services.admission import typed
from recense.services.fact_admission import FactAdmission, admit_request, observed_instant
from recense.services.fact_collections import EPISODES
from recense.services.fact_planning import StatedWords
from recense.services.fact_records import excerpt_reference
from recense.services.fact_requests import admit_key

_ENCODER: Final = msgspec.json.Encoder(order="sorted")
_NO_WORDS: Final = StatedWords()


class StatedFact(Value, kw_only=True):
    """A request and the statement that it makes, which lacks what a store has to be asked for: the
    value as its predicate keeps it, and what it replaces.

    ``spares_stated`` refuses an inference that would end what the person stated.
    """

    request: RememberFact
    value: FactValue
    statement: AdmittedStatement
    words: StatedWords
    spares_stated: bool = False


class Statements:
    """Admits what is asked to be remembered."""

    def __init__(
        self, admission: FactAdmission, clock: Clock, *, store_key: Callable[[], bytes]
    ) -> None:
        self._admission: Final = admission
        self._clock: Final = clock
        self._store_key: Final = store_key

    def stated(
        self,
        request: RememberFact,
        *,
        may_replace_notes: bool = False,
        spares_stated: bool = False,
    ) -> StatedFact:
        """Return a request as it is admitted. Raises InvalidRequest, and CredentialShaped."""
        request = typed(request, RememberFact)
        admit_request(request)
        admit_key(request.idempotency_key)
        admission = self._admission
        subject = admission.subject(request.subject)
        value = admission.stated(subject, request.predicate, request.value)
        writer = admission.writer(request.writer)
        words = self._words(admission.evidence(request.evidence)) if request.evidence else _NO_WORDS
        statement = AdmittedStatement(
            subject=subject,
            predicate=request.predicate,
            value=value,
            value_key=value_key(value),
            kind=request.kind,
            confidence=request.confidence,
            source=request.source,
            writer=writer,
            observed_at=observed_instant(request.observed_at, self._clock.now()),
            evidence=words.evidence,
            may_replace_notes=may_replace_notes,
        )
        return StatedFact(
            request=request,
            value=value,
            statement=statement,
            words=words,
            spares_stated=spares_stated,
        )

    def stated_first(
        self, requests: Iterable[RememberFact]
    ) -> tuple[list[StatedFact], RecenseError | None]:
        """Return requests up to the first that is refused, and why that is; None where all are
        admitted.
        """
        stated: list[StatedFact] = []
        try:
            stated.extend(map(self.stated, requests))
        except RecenseError as refusal:
            return stated, refusal
        return stated, None

    def _words(self, pieces: Sequence[EvidenceRequest]) -> StatedWords:
        """Return evidence by reference, and the records of the words."""
        evidence: list[Evidence] = []
        records: dict[str, Record] = {}
        for piece in pieces:
            reference, excerpt = excerpt_reference(self._store_key(), piece.excerpt)
            evidence.append(Evidence(excerpt=reference, episode=piece.episode, anchor=piece.anchor))
            records[reference] = Record(
                collection=EPISODES, record_id=reference, body=_ENCODER.encode(excerpt)
            )
        return StatedWords(
            evidence=tuple(evidence),
            texts=tuple(piece.excerpt for piece in pieces),
            records=tuple(records.values()),
        )
