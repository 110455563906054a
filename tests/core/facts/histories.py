"""Random histories of few names, values and instants, so that everything meets everything."""

from dataclasses import dataclass
from random import Random

import msgspec

from recense.core.facts.changes import (
    Define,
    Definition,
    Merge,
    MergeSubject,
    Redefine,
    Split,
    SplitSubject,
    change_text,
)
from recense.core.facts.event import Evidence, FactEvent, ReplacedBelief, Touch, identified
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


@dataclass(frozen=True)
class Focus:
    """The pair that a history is mostly about, so that its events meet."""

    subject: str
    predicate: str

    def subject_near(self, random: Random) -> str:
        return self.subject if random.random() < 0.6 else random.choice(SUBJECTS)

    def predicate_near(self, random: Random) -> str:
        return self.predicate if random.random() < 0.5 else random.choice(NAMES)


def focus_of(random: Random) -> Focus:
    """Return a pair for a history to be about."""
    return Focus(random.choice(SUBJECTS), random.choice((*PREDICATES, *NAMES)))


def history(random: Random, focus: Focus, size: int) -> list[FactEvent]:
    """Return events and registry changes in the order in which a store received them, stamped."""
    events = [
        _change(random, Define(definition=_definition(random, focus, name)))
        for name in random.sample(PREDICATES, random.randint(0, len(PREDICATES)))
    ]
    for _ in range(size):
        if random.random() < 0.25:
            events.append(_change(random, any_change(random, focus)))
        else:
            events.append(statement(random, focus, events))
    once = {event.event_id: event for event in events}
    return [msgspec.structs.replace(one, recorded_at=at) for at, one in enumerate(once.values())]


def shuffled(random: Random, events: list[FactEvent]) -> list[FactEvent]:
    """Return the same events in another order, some of them twice."""
    again = [event for event in events if random.random() < 0.2]
    mixed = [*events, *again]
    random.shuffle(mixed)
    return mixed


def statement(
    random: Random, focus: Focus, before: list[FactEvent], at: int | None = None
) -> FactEvent:
    """Return an assertion or a retraction by one who knows the registry of what was before."""
    observed_at = _instant(random) if at is None else at
    subject, predicate = focus.subject_near(random), focus.predicate_near(random)
    kind = random.random()
    is_retraction = kind < 0.3
    value = None if kind < 0.08 else random.choice(VALUES)
    key = ANY_VALUE if value is None else value_key(value)
    replaces = () if is_retraction or random.random() < 0.6 else _replaces(random, focus)
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


def any_change(random: Random, focus: Focus) -> Change:
    """Return a change of the registry, which may contradict what is there."""
    name, other = focus.predicate_near(random), focus.predicate_near(random)
    subject, into = focus.subject_near(random), focus.subject_near(random)
    match random.randrange(8):
        case 0:
            return Define(definition=_definition(random, focus, name))
        case 1 | 2:
            definition = _definition(random, focus, name)
            return Redefine(definition=definition, retroactive=random.random() < 0.4)
        case 3 | 4:
            return Merge(predicate=name, into=other)
        case 5:
            return Split(predicate=name)
        case 6:
            return MergeSubject(subject=subject, into=into)
        case _:
            return SplitSubject(subject=subject)


def _definition(random: Random, focus: Focus, name: str) -> Definition:
    excludes = [focus.predicate_near(random) for _ in range(random.choice((0, 0, 0, 1, 2)))]
    return Definition(
        predicate=name,
        cardinality=random.choice(("single", "multi")),
        value_type=random.choice(("string", "string", "ref")),
        excludes=tuple(excludes),
        historical=random.random() < 0.15,
    )


def _instant(random: Random) -> int:
    return random.choice(INSTANTS) + (random.random() < 0.1)


def _replaces(random: Random, focus: Focus) -> tuple[ReplacedBelief, ...]:
    return tuple(
        ReplacedBelief(
            subject=focus.subject_near(random),
            predicate=focus.predicate_near(random),
            value_key=value_key(random.choice(VALUES)),
        )
        for _ in range(random.randint(1, 3))
    )


def _evidence(random: Random) -> tuple[Evidence, ...]:
    return tuple(
        Evidence(excerpt=f"x{random.randrange(30)}", anchor=random.choice((None, "m1", "m2")))
        for _ in range(random.choice((0, 0, 1, 2, 12)))
    )
