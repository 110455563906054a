"""What a write is decided by, and the counters by which it knows that this has not changed."""

from recense.core.facts.event import FactEvent
from recense.core.facts.registry import Registry
from recense.core.facts.values import ANY_VALUE
from recense.core.facts.writing import AdmittedStatement, affected_pairs
from recense.core.values import Value
from recense.services.fact_reading import FactMoment, HistoryKeys, Unit
from recense.services.fact_records import REGISTRY_COUNTER, pair_counter, value_counter


class Basis(Value, kw_only=True):
    """What a statement is decided by, under one registry: the histories of these units, listed by
    these keys; and the counters that move when one of them does.

    A write compares the counters of what the statement names. Those of what it excludes, and of
    what excludes it, it does not: what is answered of them is as it was read.
    """

    units: tuple[Unit, ...]
    keys: HistoryKeys
    counters: tuple[str, ...]


def basis_of(moment: FactMoment, statement: AdmittedStatement) -> Basis:
    """Return what a statement is decided by: the units that it names, and those of the predicates
    that it excludes.
    """
    key = None if statement.value_key == ANY_VALUE else statement.value_key
    units = {moment.unit_of(statement.subject, statement.predicate, key): None}
    for each in statement.replaces:
        if each is not None:
            units[moment.unit_of(each.subject, each.predicate, each.value_key)] = None
    counters = [name for unit in units for name in _compared_counters(unit)]
    _, *pairs = affected_pairs(statement, moment.registry)  # the first is the statement's own
    units |= dict.fromkeys([moment.unit_of(*pair, key) for pair in pairs])
    return Basis(
        units=tuple(units),
        keys=moment.history_keys(units),
        counters=(REGISTRY_COUNTER, *counters),
    )


def _compared_counters(unit: Unit) -> tuple[str, ...]:
    """Return the counters that move when the history of a unit does."""
    if unit.value_key is None:
        return (pair_counter(unit.subject, unit.predicate),)
    return (
        value_counter(unit.subject, unit.predicate, unit.value_key),
        value_counter(unit.subject, unit.predicate, ANY_VALUE),
    )


def raised_counters(event: FactEvent, registry: Registry) -> frozenset[str]:
    """Return the counters of all that an event touches: of each pair, and of each value where a
    value of the pair is a unit. Under another registry other pairs are units; but who read under
    that has seen the counter of the registry move.
    """
    names: set[str] = set()
    for touch in event.touches:
        subject, predicate = registry.canonical_pair(touch.subject, touch.predicate)
        names.add(pair_counter(subject, predicate))
        if not registry.was_ever_single(predicate):
            key = registry.held_key(predicate, touch.value_key)
            names.add(value_counter(subject, predicate, key))
    return frozenset(names)
