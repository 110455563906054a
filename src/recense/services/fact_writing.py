"""Writing facts: read what can change, decide, append in one record, say what that did.

Law: what is acknowledged is kept, and what was read when it was decided had not changed when it was
written; else it is read and decided anew. A request with a key of its own is done once, and answers
the same when it comes again.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec

from recense.core.facts.event import Evidence, FactEvent, ReplacedBelief
from recense.core.facts.registry import NOTE, Definition, Registry
from recense.core.facts.typed_values import require_typed
from recense.core.facts.values import ANY_VALUE, FactValue, require_predicate, value_key
from recense.core.facts.writing import Decision, Statement, decide
from recense.core.values import Value
from recense.errors import InvalidRequest, NotFound
from recense.limits import FACT_CONFLICTS_MAX, RELATED_MAX
from recense.operations.facts import (
    EvidenceRequest,
    ForgetFact,
    ForgottenFacts,
    Remembered,
    RememberFact,
    ReplaceRequest,
    Unreplaced,
)
from recense.ports.clock import Clock
from recense.ports.records import Append, Record, RecordReader, RecordStore
from recense.services.admission import require_identifier, typed
from recense.services.conflicts import in_spite_of_conflicts
from recense.services.fact_admission import Admission, admit_request, observed_instant
from recense.services.fact_counters import (
    compared_counters,
    raised_counters,
    units_decided_by,
)
from recense.services.fact_reading import Moment, Registries, open_moment
from recense.services.fact_records import (
    EPISODES,
    MEMORY,
    REGISTRY_COUNTER,
    event_of,
    event_record,
    excerpt_reference,
    request_counter,
)
from recense.services.fact_requests import admit_key, known_answer, outcome_record
from recense.services.fact_search import related_beliefs
from recense.services.fact_views import belief_views, kept_excerpts
from recense.services.predicates import NewPredicate, Predicates

_ENCODER: Final = msgspec.json.Encoder(order="sorted")


class _Words(Value, kw_only=True):
    """The evidence of a statement: by reference, in words, and as it is kept."""

    evidence: tuple[Evidence, ...] = ()
    texts: tuple[str, ...] = ()
    records: tuple[Record, ...] = ()

    @property
    def by_reference(self) -> Mapping[str, str]:
        """The words by their references, also while no store has them."""
        references = (piece.excerpt for piece in self.evidence)
        return dict(zip(references, self.texts, strict=True))


class _Plan(Value, kw_only=True):
    """A decision and what is written for it, on the condition of what was read."""

    moment: Moment
    decision: Decision
    new_predicate: NewPredicate | None
    expected: Mapping[str, int]

    @property
    def new_events(self) -> tuple[FactEvent, ...]:
        """The events that define what the statement uses and nobody had defined."""
        return () if self.new_predicate is None else self.new_predicate.events


class FactWriting:
    """Remembers and withdraws facts in one store."""

    def __init__(
        self,
        store: RecordStore,
        clock: Clock,
        registries: Registries,
        predicates: Predicates,
        *,
        store_key: Callable[[], bytes],
        redact_secrets: bool,
    ) -> None:
        self._store: Final = store
        self._clock: Final = clock
        self._registries: Final = registries
        self._predicates: Final = predicates
        self._store_key: Final = store_key
        self._admission: Final = Admission(redact_secrets=redact_secrets)

    def remember_fact(
        self, request: RememberFact, *, may_replace_notes: bool = False
    ) -> Remembered:
        """Remember one statement with its corrections, as one event or, where it says nothing new,
        as none; and return what that makes of beliefs.

        Repeating it changes nothing. Raises InvalidRequest for what cannot be kept,
        CredentialShaped for names that are secrets, and StoreConflict when others were always
        faster.
        """
        request = typed(request, RememberFact)
        admit_request(request)
        admit_key(request.idempotency_key)
        subject = self._admission.subject(request.subject)
        value = self._admission.value(request.value)
        words = self._words(self._admission.evidence(request.evidence))
        at = observed_instant(request.observed_at, self._clock.now())

        def attempt() -> Remembered:
            with self._store.snapshot() as reader:
                known = known_answer(reader, request)
                if known is not None:
                    return msgspec.json.decode(known, type=Remembered)
                moment = open_moment(reader, self._registries, self._clock.now())
                new = self._predicates.resolved(
                    moment, request.predicate, value, request.cardinality
                )
                if new is not None:
                    moment = msgspec.structs.replace(moment, registry=new.registry)
                kept = require_typed(value, _definition(moment.registry, request.predicate))
                statement = Statement(
                    subject=subject,
                    predicate=request.predicate,
                    value=kept,
                    value_key=value_key(kept),
                    kind=request.kind,
                    confidence=request.confidence,
                    source=request.source,
                    writer=self._admission.writer(request.writer),
                    observed_at=at,
                    evidence=words.evidence,
                    replaces=self._wanted(reader, request, subject),
                    may_replace_notes=may_replace_notes,
                )
                plan = self._planned(moment, statement, new)
                answer = self._remembered(plan, words)
            self._write(plan, words, request, answer)
            return answer

        return in_spite_of_conflicts(attempt, attempts_max=FACT_CONFLICTS_MAX)

    def forget_fact(self, request: ForgetFact) -> ForgottenFacts:
        """Withdraw a value, or every value, that is held; what was held is kept as history.

        Returns what was withdrawn: nothing where nothing was held, and then nothing is written.
        Raises as `remember_fact`.
        """
        request = typed(request, ForgetFact)
        require_predicate(request.predicate)
        admit_key(request.idempotency_key)
        if (request.value is None) != request.all_values:
            raise InvalidRequest(
                "what to withdraw is not clear: give a value, or say that every value is meant",
                hint="recense fact forget SUBJECT PREDICATE VALUE, or --all",
            )
        subject = self._admission.subject(request.subject)
        value = None if request.value is None else self._admission.value(request.value)
        at = observed_instant(request.observed_at, self._clock.now())

        def attempt() -> ForgottenFacts:
            with self._store.snapshot() as reader:
                known = known_answer(reader, request)
                if known is not None:
                    return msgspec.json.decode(known, type=ForgottenFacts)
                moment = open_moment(reader, self._registries, self._clock.now())
                statement = Statement(
                    subject=subject,
                    predicate=request.predicate,
                    value=value,
                    value_key=ANY_VALUE if value is None else value_key(value),
                    source=request.source,
                    writer=self._admission.writer(request.writer),
                    observed_at=at,
                    retraction=True,
                )
                plan = self._planned(moment, statement, None)
                ended = plan.decision.ended
                event = plan.decision.event
                answer = ForgottenFacts(
                    event_id=None if event is None else event.event_id,
                    withdrawn=belief_views(reader, moment.registry, ended),
                )
            self._write(plan, _Words(), request, answer)
            return answer

        return in_spite_of_conflicts(attempt, attempts_max=FACT_CONFLICTS_MAX)

    def promote(self, event_id: str, predicate: str, value: FactValue | None = None) -> Remembered:
        """File a note under a predicate and withdraw it, as one event; without a value, as what the
        note says.

        Raises NotFound for an event that is no note, and as `remember_fact`.
        """
        require_identifier("the id of the note", event_id)
        with self._store.snapshot() as reader:
            record = reader.get(MEMORY, [event_id]).get(event_id)
            note = None if record is None else event_of(record)
            words = {} if note is None else kept_excerpts(reader, note.evidence)
        if note is None or note.predicate != NOTE.predicate or note.value is None:
            raise NotFound(
                f"the event {event_id!r} is no note",
                hint="recense fact search finds notes; --json shows their ids",
            )
        request = RememberFact(
            subject=note.subject,
            predicate=predicate,
            value=note.value if value is None else value,
            kind=note.kind,
            confidence=note.confidence,
            source=note.source,
            writer=note.writer,
            evidence=tuple(
                EvidenceRequest(
                    excerpt=words[piece.excerpt], episode=piece.episode, anchor=piece.anchor
                )
                for piece in note.evidence
                if piece.excerpt in words
            ),
            replaces=(ReplaceRequest(event_id=event_id),),
        )
        return self.remember_fact(request, may_replace_notes=True)

    def _words(self, pieces: Sequence[EvidenceRequest]) -> _Words:
        """Return evidence by reference, and the records of the words."""
        evidence: list[Evidence] = []
        records: dict[str, Record] = {}
        for piece in pieces:
            reference, excerpt = excerpt_reference(self._store_key(), piece.excerpt)
            evidence.append(Evidence(excerpt=reference, episode=piece.episode, anchor=piece.anchor))
            records[reference] = Record(
                collection=EPISODES, record_id=reference, body=_ENCODER.encode(excerpt)
            )
        return _Words(
            evidence=tuple(evidence),
            texts=tuple(piece.excerpt for piece in pieces),
            records=tuple(records.values()),
        )

    def _wanted(
        self, reader: RecordReader, request: RememberFact, subject: str
    ) -> tuple[ReplacedBelief | None, ...]:
        """Return what is to be replaced, each by what it says; None where that is not known."""
        ids = {each.event_id for each in request.replaces if each.event_id is not None}
        events = {
            key: event_of(record)
            for key, record in (reader.get(MEMORY, ids) if ids else {}).items()
        }
        return tuple(
            self._replaced(each, events, subject, request.predicate) for each in request.replaces
        )

    def _replaced(
        self,
        wanted: ReplaceRequest,
        events: Mapping[str, FactEvent],
        subject: str,
        predicate: str,
    ) -> ReplacedBelief | None:
        if wanted.event_id is not None:
            event = events.get(wanted.event_id)
            if event is None or event.retraction:
                return None
            return ReplacedBelief(
                subject=event.subject,
                predicate=event.predicate,
                value_key=event.value_key,
                event_id=event.event_id,
            )
        if wanted.value is None:
            raise InvalidRequest(
                "a belief to replace has neither an event's id nor a value",
                hint="name the event that stated it, or the value it says",
            )
        return ReplacedBelief(
            subject=subject if wanted.subject is None else self._admission.subject(wanted.subject),
            predicate=predicate
            if wanted.predicate is None
            else require_predicate(wanted.predicate),
            value_key=value_key(self._admission.value(wanted.value)),
        )

    def _planned(self, moment: Moment, statement: Statement, new: NewPredicate | None) -> _Plan:
        named, others = units_decided_by(moment, statement)
        counters = [REGISTRY_COUNTER, *(name for unit in named for name in compared_counters(unit))]
        expected = moment.reader.counters(counters)
        history = moment.history((*named, *others))
        decision = decide(statement, history, moment.registry, moment.now)
        return _Plan(moment=moment, decision=decision, new_predicate=new, expected=expected)

    def _remembered(self, plan: _Plan, words: _Words) -> Remembered:
        moment, decision, new = plan.moment, plan.decision, plan.new_predicate
        reader, registry = moment.reader, moment.registry
        belief, event = decision.belief, decision.event
        ended = {each.event_id for each in decision.ended}
        related = () if belief is None else related_beliefs(moment, belief, RELATED_MAX, ended)
        views = belief_views(
            reader, registry, () if belief is None else (belief,), excerpts=words.by_reference
        )
        return Remembered(
            event_id=_event_id(decision),
            stored=event is not None,
            already_known=event is None,
            current=belief is not None,
            belief=views[0] if views else None,
            outranked_by=() if belief else belief_views(reader, registry, decision.rest),
            superseded=belief_views(reader, registry, decision.ended),
            unreplaced=tuple(
                Unreplaced(position=each.position, reason=each.reason) for each in decision.refused
            ),
            related=belief_views(reader, registry, related),
            defined=None if event is None or new is None else new.definition,
        )

    def _write(
        self,
        plan: _Plan,
        words: _Words,
        request: RememberFact | ForgetFact,
        answer: Remembered | ForgottenFacts,
    ) -> None:
        """Append what was decided, or nothing where nothing is to be written."""
        event, registry = plan.decision.event, plan.moment.registry
        records: list[Record] = []
        expected, bump = dict(plan.expected), set[str]()
        if event is not None:
            changes = (*plan.moment.log.unwritten, *plan.new_events)
            records = [
                *(event_record(each, ()) for each in changes),
                event_record(event, words.texts, is_ref=registry.is_ref(event.predicate)),
                *words.records,
            ]
            bump |= raised_counters(event, registry)
            if changes:
                bump.add(REGISTRY_COUNTER)
        key = request.idempotency_key
        if key is not None:
            counter = request_counter(key)
            expected[counter] = 0
            bump.add(counter)
            records.append(outcome_record(key, request, answer))
        if records:
            append = Append(records=tuple(records), expected=expected, bump=frozenset(bump))
            self._store.append(append, now=self._clock.now())


def _definition(registry: Registry, predicate: str) -> Definition:
    """Return the rules of a predicate that was resolved, so that it is defined."""
    return registry.definition(predicate) or Definition(predicate=predicate)


def _event_id(decision: Decision) -> str | None:
    """Return the id of the event that says the value, the new one or the newest there is."""
    if decision.event is not None:
        return decision.event.event_id
    return None if decision.belief is None else decision.belief.last_event_id
