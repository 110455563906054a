"""The rules that decide about a pair, in words, each with what became of it.

Law: what the registry says is told as it was written; "no longer" marks what a later change took
back, "not yet" what was written after the instant that is asked about, "without effect" what never
ruled. An answer as of an instant is not changed by what the registry says later, except that the
first rules of a predicate are its rules at every instant.
"""

from collections.abc import Sequence
from typing import assert_never

from recense.core.facts.changes import (
    Define,
    Definition,
    Merge,
    MergeSubject,
    Redefine,
    Split,
    SplitSubject,
)
from recense.core.facts.registry import LoggedChange, Registry, effects
from recense.core.instants import text_from_instant
from recense.core.text.redact import redact
from recense.operations.facts import ExplainedRule
from recense.services.fact_reading import FactMoment, Unit


def rules_of(moment: FactMoment, unit: Unit, instant: int) -> tuple[ExplainedRule, ...]:
    """Return what the registry says about a pair, in order; what it says later too."""
    registry = moment.registry
    rules = registry.rules(unit.predicate)
    names = rules.names | rules.excluding
    subjects = registry.subject_names(unit.subject)
    changes = _about(effects(moment.log.events, max(instant, moment.log.newest)), names, subjects)
    ruled = [change for change in changes if not _is_later(change, instant)]
    return tuple(
        rule_view(
            change,
            "not yet: "
            if _is_later(change, instant)
            else "no longer: "
            if change.is_effective and _is_undone(change, ruled, registry)
            else "",
        )
        for change in changes
    )


def rule_view(change: LoggedChange, mark: str = "") -> ExplainedRule:
    """Return a change of the registry in words, behind a mark."""
    is_beginning = change.event.observed_at == 0
    mark = mark if change.is_effective else "without effect: "
    return ExplainedRule(
        event_id=change.event.event_id,
        text=redact(mark + _change_words(change)).text,
        since=None if is_beginning else text_from_instant(change.event.observed_at),
        is_effective=change.is_effective,
    )


def _is_later(change: LoggedChange, instant: int) -> bool:
    is_first = isinstance(change.change, Define) and change.is_effective
    return change.event.observed_at > instant and not is_first


def _is_undone(change: LoggedChange, ruled: Sequence[LoggedChange], registry: Registry) -> bool:
    """Whether what a change said was taken back by a later one, or counts under another name."""
    undone = {each.change for each in ruled[ruled.index(change) + 1 :] if each.is_effective}
    match change.change:
        case Define(definition=definition) | Redefine(definition=definition):
            return registry.canonical(definition.predicate) != definition.predicate or any(
                isinstance(each, Redefine)
                and each.retroactive
                and each.definition.predicate == definition.predicate
                for each in undone
            )
        case Merge(predicate=predicate):
            return Split(predicate=predicate) in undone
        case MergeSubject(subject=subject):
            return SplitSubject(subject=subject) in undone
        case Split() | SplitSubject():
            return False
        case _:
            assert_never(change.change)


def _about(
    changes: Sequence[LoggedChange], names: frozenset[str], subjects: frozenset[str]
) -> list[LoggedChange]:
    """Return the changes about some names, with the splits of what was ever merged into them."""
    found: list[LoggedChange] = []
    for change in changes:
        match change.change:
            case Define(definition=definition) | Redefine(definition=definition):
                is_about = definition.predicate in names
            case Merge(predicate=predicate, into=into):
                is_about = predicate in names or into in names
            case Split(predicate=predicate):
                is_about = predicate in names or any(
                    isinstance(each.change, Merge) and each.change.predicate == predicate
                    for each in found
                )
            case MergeSubject(subject=subject, into=into):
                is_about = subject in subjects or into in subjects
            case SplitSubject(subject=subject):
                is_about = subject in subjects or any(
                    isinstance(each.change, MergeSubject) and each.change.subject == subject
                    for each in found
                )
            case _:
                assert_never(change.change)
        if is_about:
            found.append(change)
    return found


def _change_words(change: LoggedChange) -> str:
    what = change.change
    match what:
        case Define(definition=definition):
            return _definition_words(definition)
        case Redefine(definition=definition, retroactive=retroactive):
            since = "for all that was ever said" if retroactive else "from then on"
            return f"{_definition_words(definition)}, {since}"
        case Merge(predicate=predicate, into=into):
            return f"{predicate} means the same as {into}"
        case Split(predicate=predicate):
            return f"{predicate} is a predicate of its own again"
        case MergeSubject(subject=subject, into=into):
            return f"{subject} is the same as {into}"
        case SplitSubject(subject=subject):
            return f"{subject} is a subject of its own again"
        case _:
            assert_never(what)


def _definition_words(definition: Definition) -> str:
    holds = "one value at a time" if definition.cardinality == "single" else "any number of values"
    parts = [f"{definition.predicate} holds {holds}, of type {definition.value_type}"]
    if definition.allowed:
        parts.append(f"one of {', '.join(definition.allowed)}")
    if definition.historical:
        parts.append("what has happened stays so")
    if definition.excludes:
        excluded = ", ".join(definition.excludes)
        parts.append(f"it excludes {excluded}: a value said under it ends there")
    return "; ".join(parts)
