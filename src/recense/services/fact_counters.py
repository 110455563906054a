"""What a write is decided by, and the counters by which it knows that this has not changed."""

from recense.core.facts.event import FactEvent
from recense.core.facts.registry import Registry
from recense.core.facts.values import ANY_VALUE
from recense.core.facts.writing import AdmittedStatement, affected_pairs
from recense.services.fact_reading import FactMoment, Unit
from recense.services.fact_records import pair_counter, value_counter


def units_decided_by(
    moment: FactMoment, statement: AdmittedStatement
) -> tuple[tuple[Unit, ...], tuple[Unit, ...]]:
    """Return the units that a statement is decided by: those that it names, and those of the
    predicates that it excludes.
    """
    key = None if statement.value_key == ANY_VALUE else statement.value_key
    named = {moment.unit_of(statement.subject, statement.predicate, key): None}
    for each in statement.replaces:
        if each is not None:
            named[moment.unit_of(each.subject, each.predicate, each.value_key)] = None
    _, *pairs = affected_pairs(statement, moment.registry)  # the first is the statement's own
    others = dict.fromkeys([moment.unit_of(*pair, key) for pair in pairs])
    return tuple(named), tuple([unit for unit in others if unit not in named])


def compared_counters(unit: Unit) -> tuple[str, ...]:
    """Return the counters that move when the history of a unit does."""
    if unit.value_key is None:
        return (pair_counter(unit.subject, unit.predicate),)
    return (
        value_counter(unit.subject, unit.predicate, unit.value_key),
        value_counter(unit.subject, unit.predicate, ANY_VALUE),
    )


def raised_counters(event: FactEvent, registry: Registry) -> frozenset[str]:
    """Return the counters of all that an event touches."""
    names: set[str] = set()
    for touch in event.touches:
        subject = registry.canonical_subject(touch.subject)
        predicate = registry.canonical(touch.predicate)
        key = registry.held_key(predicate, touch.value_key)
        names |= {pair_counter(subject, predicate), value_counter(subject, predicate, key)}
    return frozenset(names)
