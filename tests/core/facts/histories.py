"""Random histories of few names, values and instants, so that everything meets everything."""

from random import Random

import msgspec

from recense.core.facts.event import Evidence, FactEvent, ReplacedBelief, Touch, identified
from recense.core.facts.registry import (
    Define,
    Definition,
    Merge,
    MergeSubject,
    Redefine,
    Split,
    SplitSubject,
    change_text,
)
from recense.core.facts.values import ANY_VALUE, FactValue, value_key
from tests.core.facts.naive import REGISTRY, Change, NaiveRegistry, known

SUBJECTS = ("mira", "ann", "bo")
PREDICATES = ("lives_in", "likes", "dislikes", "did", "knows")
NAMES = (*PREDICATES, "note")
VALUES: tuple[FactValue, ...] = (1, 1.0, "A", "a", True, "ann", "bo")
WRITERS = ("", "one", "two")
SOURCES = ("user_stated", "agent_inferred", "tool_result", "imported")
KINDS = ("fact", "preference")
TICK = 500_000
"""Two of them are as far as contradictions may lie apart to be contested."""
INSTANTS = tuple(tick * TICK for tick in range(9))


def history(random: Random, size: int) -> list[FactEvent]:
    """Return events and registry changes in the order in which a store received them, stamped."""
    events: list[FactEvent] = []
    for _ in range(random.randint(0, 4)):
        events.append(_change(random, Define(definition=_definition(random))))
    for _ in range(size):
        if random.random() < 0.3:
            events.append(_change(random, _any_change(random)))
        else:
            events.append(statement(random, events))
    return [msgspec.structs.replace(one, recorded_at=at) for at, one in enumerate(events)]


def shuffled(random: Random, events: list[FactEvent]) -> list[FactEvent]:
    """Return the same events in another order, some of them twice."""
    again = [event for event in events if random.random() < 0.2]
    mixed = [*events, *again]
    random.shuffle(mixed)
    return mixed


def statement(random: Random, before: list[FactEvent], at: int | None = None) -> FactEvent:
    """Return an assertion or a retraction by one who knows the registry of what was before."""
    observed_at = _instant(random) if at is None else at
    subject, predicate = random.choice(SUBJECTS), random.choice(NAMES)
    kind = random.random()
    is_retraction = kind < 0.3
    value = None if kind < 0.08 else random.choice(VALUES)
    key = ANY_VALUE if value is None else value_key(value)
    replaces = () if is_retraction or random.random() < 0.6 else _replaces(random)
    registry = NaiveRegistry(known(before, None), observed_at)
    touched = [(subject, predicate, key)]
    touched += [(one.subject, one.predicate, one.value_key) for one in replaces]
    return identified(
        FactEvent(
            kind=random.choice(KINDS),
            subject=subject,
            predicate=predicate,
            value=value,
            value_key=key,
            confidence=random.choice((0.5, 1.0)),
            source=random.choice(SOURCES),
            writer=random.choice(WRITERS),
            retraction=is_retraction,
            observed_at=observed_at,
            evidence=() if is_retraction else _evidence(random),
            replaces=replaces,
            touches=tuple(touch for one in touched for touch in touches(registry, *one)),
        )
    )


def touches(registry: NaiveRegistry, subject: str, predicate: str, key: str) -> list[Touch]:
    """Return the touches of a value of a pair, under every name that the pair has."""
    here = registry.pair(subject, predicate)
    return [
        Touch(subject=one, predicate=name, value_key=key)
        for one in SUBJECTS
        for name in NAMES
        if registry.pair(one, name) == here
    ]


def change_event(change: Change, at: int) -> FactEvent:
    """Return the event of the registry's log that makes a change."""
    text = change_text(change)
    return identified(
        FactEvent(
            subject=REGISTRY,
            predicate=str(type(change).__struct_config__.tag),
            value=text,
            value_key=value_key(text),
            observed_at=at,
        )
    )


def _change(random: Random, change: Change) -> FactEvent:
    return change_event(change, _instant(random))


def _any_change(random: Random) -> Change:
    match random.randrange(8):
        case 0:
            return Define(definition=_definition(random))
        case 1 | 2:
            return Redefine(definition=_definition(random), retroactive=random.random() < 0.4)
        case 3 | 4:
            return Merge(predicate=random.choice(NAMES), into=random.choice(NAMES))
        case 5:
            return Split(predicate=random.choice(NAMES))
        case 6:
            return MergeSubject(subject=random.choice(SUBJECTS), into=random.choice(SUBJECTS))
        case _:
            return SplitSubject(subject=random.choice(SUBJECTS))


def _definition(random: Random) -> Definition:
    excludes = random.sample(NAMES, random.choice((0, 0, 0, 1, 2)))
    return Definition(
        predicate=random.choice(NAMES),
        cardinality=random.choice(("single", "multi")),
        value_type=random.choice(("string", "string", "ref")),
        excludes=tuple(excludes),
        historical=random.random() < 0.15,
    )


def _instant(random: Random) -> int:
    return random.choice(INSTANTS) + (random.random() < 0.1)


def _replaces(random: Random) -> tuple[ReplacedBelief, ...]:
    return tuple(
        ReplacedBelief(
            subject=random.choice(SUBJECTS),
            predicate=random.choice(NAMES),
            value_key=value_key(random.choice(VALUES)),
        )
        for _ in range(random.randint(1, 3))
    )


def _evidence(random: Random) -> tuple[Evidence, ...]:
    return tuple(
        Evidence(excerpt=f"x{random.randrange(30)}", anchor=random.choice((None, "m1", "m2")))
        for _ in range(random.choice((0, 0, 1, 2, 12)))
    )
