"""A decision and what is written for it, on the condition of what was read."""

from collections.abc import Iterable, Mapping
from typing import Final

from recense.core.facts.event import Evidence, FactEvent
from recense.core.facts.writing import AdmittedStatement, Decision, decide
from recense.core.values import Value
from recense.operations.facts import ForgetFact, ForgottenFacts, RememberedFact, RememberFact
from recense.ports.records import Record
from recense.services.fact_counters import Basis, basis_of, raised_counters
from recense.services.fact_drafts import Draft, DraftReader
from recense.services.fact_reading import FactMoment
from recense.services.fact_records import REGISTRY_COUNTER, event_record, request_counter
from recense.services.fact_requests import outcome_record
from recense.services.predicates import NewPredicate

_NO_TEXTS: Final[Mapping[str, str]] = {}


class StatedWords(Value, kw_only=True):
    """The evidence of a statement: by reference, in words, and as it is kept."""

    evidence: tuple[Evidence, ...] = ()
    texts: tuple[str, ...] = ()
    records: tuple[Record, ...] = ()

    @property
    def by_reference(self) -> Mapping[str, str]:
        """The words by their references, also while no store has them."""
        references = [piece.excerpt for piece in self.evidence]
        return dict(zip(references, self.texts, strict=True)) if references else _NO_TEXTS


class Plan(Value, kw_only=True):
    """A decision and what is written for it, on the condition of what was read."""

    moment: FactMoment
    decision: Decision
    new_predicate: NewPredicate | None
    expected: Mapping[str, int]

    @property
    def new_events(self) -> tuple[FactEvent, ...]:
        """The events that define what the statement uses and nobody had defined."""
        return () if self.new_predicate is None else self.new_predicate.events


def draft_of(
    plan: Plan,
    words: StatedWords,
    request: RememberFact | ForgetFact,
    answer: RememberedFact | ForgottenFacts,
) -> Draft:
    """Return what is written of a decision, and for a request with a key of its own."""
    event, registry = plan.decision.event, plan.moment.registry
    records: list[Record] = []
    expected, bump = dict(plan.expected), set[str]()
    changes: tuple[FactEvent, ...] = ()
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
    return Draft(
        records=tuple(records),
        expected=expected,
        bump=frozenset(bump),
        defines=bool(changes),
    )


def read_ahead(
    drafts: DraftReader, moment: FactMoment, statements: Iterable[AdmittedStatement]
) -> list[Basis]:
    """Read together what statements are decided by as they are, and return what that is of each."""
    bases = [basis_of(moment, each) for each in statements]
    drafts.read_ahead([each.keys for each in bases])
    drafts.count_ahead(name for each in bases for name in each.counters)
    return bases


def planned(
    moment: FactMoment, statement: AdmittedStatement, new: NewPredicate | None, basis: Basis
) -> Plan:
    """Return the decision about a statement, by the histories of all that it can change or be
    changed by, and the counters on condition of which it is written.
    """
    expected = moment.reader.counters(basis.counters)
    history = moment.history(basis.units, basis.keys)
    decision = decide(statement, history, moment.registry, moment.now)
    return Plan(moment=moment, decision=decision, new_predicate=new, expected=expected)
