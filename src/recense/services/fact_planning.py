"""A decision and what is written for it, on the condition of what was read."""

from collections.abc import Mapping

from recense.core.facts.event import Evidence, FactEvent
from recense.core.facts.registry import Registry
from recense.core.facts.values import ANY_VALUE
from recense.core.facts.writing import Decision, Statement, affected_pairs
from recense.core.values import Value
from recense.operations.facts import ForgetFact, ForgottenFacts, Remembered, RememberFact
from recense.ports.records import Record
from recense.services.fact_drafts import Draft
from recense.services.fact_reading import Moment, Unit
from recense.services.fact_records import (
    REGISTRY_COUNTER,
    event_record,
    pair_counter,
    request_counter,
    value_counter,
)
from recense.services.fact_requests import outcome_record
from recense.services.predicates import NewPredicate


class StatedWords(Value, kw_only=True):
    """The evidence of a statement: by reference, in words, and as it is kept."""

    evidence: tuple[Evidence, ...] = ()
    texts: tuple[str, ...] = ()
    records: tuple[Record, ...] = ()


class Plan(Value, kw_only=True):
    """A decision and what is written for it, on the condition of what was read."""

    moment: Moment
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
    answer: Remembered | ForgottenFacts,
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
        bump |= bumped_counters(event, registry)
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


def units_of(moment: Moment, statement: Statement) -> tuple[tuple[Unit, ...], tuple[Unit, ...]]:
    """Return the units that a statement is decided by: those that it names, and those of the
    predicates that it excludes.
    """
    key = None if statement.value_key == ANY_VALUE else statement.value_key
    named = dict.fromkeys(
        [
            moment.unit_of(statement.subject, statement.predicate, key),
            *(
                moment.unit_of(each.subject, each.predicate, each.value_key)
                for each in statement.replaces
                if each is not None
            ),
        ]
    )
    others = dict.fromkeys(
        moment.unit_of(subject, predicate, key)
        for subject, predicate in affected_pairs(statement, moment.registry)
    )
    return tuple(named), tuple(unit for unit in others if unit not in named)


def compared_counters(unit: Unit) -> tuple[str, ...]:
    """Return the counters that move when the history of a unit does."""
    if unit.value_key is None:
        return (pair_counter(unit.subject, unit.predicate),)
    return (
        value_counter(unit.subject, unit.predicate, unit.value_key),
        value_counter(unit.subject, unit.predicate, ANY_VALUE),
    )


def bumped_counters(event: FactEvent, registry: Registry) -> frozenset[str]:
    """Return the counters of all that an event touches."""
    names: set[str] = set()
    for touch in event.touches:
        subject = registry.canonical_subject(touch.subject)
        predicate = registry.canonical(touch.predicate)
        key = registry.held_key(predicate, touch.value_key)
        names |= {pair_counter(subject, predicate), value_counter(subject, predicate, key)}
    return frozenset(names)
