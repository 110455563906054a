"""The registry: which predicates there are, what their rules are, and which names mean one thing.

Law: the whole registry is in its log, so that two readers with different settings give the same
answer. Its changes are events like all others, under a subject of their own; changes that
contradict the registry as it was in their place are without effect, on every reader alike.

- The first definition of a name, in the total order, is seen from every instant: imports are older
  than registries. Later ones of the same name are without effect; `Redefine` is for that.
- Names, types, historical and exclusions are those of the instant that is asked about, for the
  whole log. Cardinality alone is that of the event: each definition governs from its own instant,
  the first also all before it, and a retroactive one all that lies before it.
- Names are merged and split. A name that is merged stays with all that was merged into it, and
  takes it along when it is split off again.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from typing import Final, assert_never

from recense.core.facts.changes import (
    NOTE,
    Change,
    Define,
    Definition,
    Merge,
    MergeSubject,
    Redefine,
    Split,
    SplitSubject,
    change_of,
)
from recense.core.facts.event import FactEvent
from recense.core.facts.order import in_order
from recense.core.facts.values import value_key
from recense.core.values import Value

Pair = tuple[str, str]
"""A subject and a predicate, both by their canonical names."""

_BEGINNING: Final = -(2**63)
"""Before every instant."""


class _Names:
    """Names and what they were merged into, each by its canonical name."""

    def __init__(self) -> None:
        self._into: Final[dict[str, str]] = {}

    def canonical(self, name: str) -> str:
        while (into := self._into.get(name)) is not None:
            name = into
        return name

    def merge(self, name: str, into: str) -> bool:
        """Merge a canonical name into another group than its own; False for any other."""
        target = self.canonical(into)
        if name in self._into or target == name:
            return False
        self._into[name] = target
        return True

    def split(self, name: str) -> bool:
        """Take a merged name out of its group; False where it was not merged."""
        return self._into.pop(name, None) is not None

    def groups(self) -> dict[str, frozenset[str]]:
        """Return the names of each group of more than one, by its canonical name."""
        groups: dict[str, set[str]] = {}
        for name in self._into:
            root = self.canonical(name)
            groups.setdefault(root, {root}).add(name)
        return {root: frozenset(names) for root, names in groups.items()}


class _Timeline:
    """The definitions of one name, each with the instant from which it governs."""

    def __init__(self, first: Definition) -> None:
        self.begins: list[int] = [_BEGINNING]
        self.definitions: list[Definition] = [first]

    def redefine(self, definition: Definition, at: int, *, retroactive: bool) -> None:
        if retroactive:
            self.begins, self.definitions = [_BEGINNING], [definition]
        else:
            self.begins.append(at)
            self.definitions.append(definition)

    def at(self, instant: int) -> Definition:
        return self.definitions[bisect_right(self.begins, instant) - 1]

    def newest(self) -> Definition:
        return self.definitions[-1]


class Rules(Value, kw_only=True):
    """What a registry says of the predicate that a name means: its canonical name, all its names,
    all names of the predicates that exclude it, and the canonical ones of those it excludes, in
    order; never its own. ``always_single`` is None where that is a matter of the instant. What is
    historical has happened and stays so; the values of a reference are subjects.
    """

    canonical: str
    names: frozenset[str]
    definition: Definition | None
    excluding: frozenset[str]
    excluded: tuple[str, ...]
    was_ever_single: bool
    always_single: bool | None
    is_historical: bool
    is_ref: bool


class Registry:
    """The registry as at an instant; it does not change. Made by `registry_at`."""

    def __init__(
        self,
        timelines: Mapping[str, _Timeline],
        predicates: _Names,
        subjects: _Names,
        ever_single: frozenset[str],
    ) -> None:
        self._timelines: Final = timelines
        self._predicate_groups: Final = predicates.groups()
        self._subject_groups: Final = subjects.groups()
        self._predicates: Final = _roots(self._predicate_groups)
        self._subjects: Final = _roots(self._subject_groups)
        self._ever_single: Final = ever_single
        self._ref_keys: Final = {
            value_key(name): value_key(root)
            for root, names in self._subject_groups.items()
            for name in names
        }
        self._definitions: Final = tuple(
            timeline.newest()
            for name, timeline in sorted(timelines.items())
            if predicates.canonical(name) == name
        )
        self._by_name: Final = {
            name: timelines[root].newest()
            for name in timelines
            if (root := predicates.canonical(name)) in timelines
        }
        self._excluders: Final = self._excluders_by_name()
        self._rules: Final[dict[str, Rules]] = {}

    def rules(self, predicate: str) -> Rules:
        """Return what holds for the predicate that this name means, also of one that is unknown."""
        rules = self._rules.get(predicate)
        if rules is None:
            rules = self._made_rules(predicate)
            if predicate in self._timelines:  # of others there may be any number
                self._rules[predicate] = rules
        return rules

    def canonical(self, predicate: str) -> str:
        """Return the name under which a predicate is known, its own where it was not merged."""
        return self._predicates.get(predicate, predicate)

    def names(self, predicate: str) -> frozenset[str]:
        """Return all names of the predicate that this name means, with its own."""
        return self.rules(predicate).names

    def canonical_subject(self, subject: str) -> str:
        """Return the name under which a subject is known."""
        return self._subjects.get(subject, subject)

    def canonical_pair(self, subject: str, predicate: str) -> Pair:
        """Return the pair that two names mean."""
        return self._subjects.get(subject, subject), self._predicates.get(predicate, predicate)

    def subject_names(self, subject: str) -> frozenset[str]:
        """Return all names of the subject that this name means, with its own."""
        root = self._subjects.get(subject, subject)
        return self._subject_groups.get(root, frozenset({root}))

    def predicate_groups(self) -> dict[str, frozenset[str]]:
        """Return the predicates that have more than one name, by the canonical one."""
        return dict(self._predicate_groups)

    def subject_groups(self) -> dict[str, frozenset[str]]:
        """Return the subjects that have more than one name, by the canonical one."""
        return dict(self._subject_groups)

    def definition(self, predicate: str) -> Definition | None:
        """Return the rules of the predicate that this name means; None where it is not defined."""
        return self._by_name.get(predicate)

    def definitions(self) -> tuple[Definition, ...]:
        """Return the rules of every predicate that is known under a name of its own, by name."""
        return self._definitions

    def is_single_at(self, predicate: str, instant: int) -> bool:
        """Whether the predicate held one value at a time at an instant."""
        timeline = self._timelines.get(self._predicates.get(predicate, predicate))
        return timeline is not None and timeline.at(instant).cardinality == "single"

    def was_ever_single(self, predicate: str) -> bool:
        """Whether any definition in the whole log made any name of the predicate single-valued."""
        return self.rules(predicate).was_ever_single

    def is_ref(self, predicate: str) -> bool:
        """Whether the values of the predicate are subjects."""
        return self.rules(predicate).is_ref

    def held_key(self, predicate: str, key: str) -> str:
        """Return the key under which a value of the predicate is held: of a reference, that of the
        canonical name of its subject.
        """
        into = self._ref_keys.get(key)
        return key if into is None or not self.rules(predicate).is_ref else into

    def keys_of(self, predicate: str, key: str) -> frozenset[str]:
        """Return the keys of all spellings of a value of the predicate, with its own."""
        if not self.rules(predicate).is_ref:
            return frozenset({key})
        root = self._ref_keys.get(key, key)
        return frozenset({key, *(each for each, into in self._ref_keys.items() if into == root)})

    def _made_rules(self, predicate: str) -> Rules:
        root = self._predicates.get(predicate, predicate)
        names = self._names(root)
        definition, timeline = self._by_name.get(predicate), self._timelines.get(root)
        excluders = {each for name in names for each in self._excluders.get(name, ())} - {root}
        excluded = {self._predicates.get(n, n) for n in definition.excludes} if definition else ()
        always_single = None
        if timeline is None or len(timeline.begins) == 1:
            always_single = self.is_single_at(root, 0)
        return Rules(
            canonical=root,
            names=names,
            definition=definition,
            excluding=frozenset[str]().union(*map(self._names, excluders)),
            excluded=tuple(sorted({*excluded} - {root})),
            was_ever_single=not self._ever_single.isdisjoint(names),
            always_single=always_single,
            is_historical=definition is not None and definition.historical,
            is_ref=definition is not None and definition.value_type == "ref",
        )

    def _names(self, root: str) -> frozenset[str]:
        """Return all names of a canonical one."""
        return self._predicate_groups.get(root, frozenset({root}))

    def _excluders_by_name(self) -> Mapping[str, tuple[str, ...]]:
        """Return the canonical names of the predicates that exclude a name, by this name."""
        excluders: dict[str, tuple[str, ...]] = {}
        for each in self._definitions:
            for name in each.excludes:
                excluders[name] = (*excluders.get(name, ()), each.predicate)
        return excluders


def _roots(groups: Mapping[str, frozenset[str]]) -> Mapping[str, str]:
    """Return the canonical name of each name of groups that are named by it."""
    return {name: root for root, names in groups.items() for name in names}


class LoggedChange(Value, kw_only=True):
    """A change, its event, and whether it had an effect in the registry that was asked for."""

    event: FactEvent
    change: Change
    is_effective: bool


def registry_at(log: Iterable[FactEvent], as_of: int) -> Registry:
    """Return the registry as at an instant, by its whole log.

    Raises StoreCorrupt where an event of the log cannot be read.
    """
    return _built(log, as_of)[0]


def effects(log: Iterable[FactEvent], as_of: int) -> tuple[LoggedChange, ...]:
    """Return the changes of a log up to an instant, in order, and first definitions after it, each
    with whether it had an effect.
    """
    return _built(log, as_of)[1]


def _built(log: Iterable[FactEvent], as_of: int) -> tuple[Registry, tuple[LoggedChange, ...]]:
    changes = [(event, change_of(event)) for event in in_order(log) if not event.retraction]
    timelines: dict[str, _Timeline] = {NOTE.predicate: _Timeline(NOTE)}
    first: set[str] = set()
    for event, change in changes:
        if isinstance(change, Define) and change.definition.predicate not in timelines:
            timelines[change.definition.predicate] = _Timeline(change.definition)
            first.add(event.event_id)
    predicates, subjects = _Names(), _Names()
    logged: list[LoggedChange] = []
    for event, change in changes:
        is_effective = event.event_id in first
        if not is_effective:
            if event.observed_at > as_of:
                continue
            is_effective = _apply(change, event.observed_at, timelines, predicates, subjects)
        logged.append(LoggedChange(event=event, change=change, is_effective=is_effective))
    ever_single = frozenset(
        change.definition.predicate
        for _, change in changes
        if isinstance(change, Define | Redefine) and change.definition.cardinality == "single"
    )
    return Registry(timelines, predicates, subjects, ever_single), tuple(logged)


def _apply(
    change: Change,
    at: int,
    timelines: dict[str, _Timeline],
    predicates: _Names,
    subjects: _Names,
) -> bool:
    """Apply a change that is no first definition; return whether it had an effect."""
    match change:
        case Define():
            return False
        case Redefine(definition=definition, retroactive=retroactive):
            timeline = timelines.get(definition.predicate)
            if timeline is None or definition.predicate == NOTE.predicate:
                return False
            timeline.redefine(definition, at, retroactive=retroactive)
            return True
        case Merge(predicate=predicate, into=into):
            one, other = timelines.get(predicate), timelines.get(predicates.canonical(into))
            if one is None or other is None or merge_obstacle(one.newest(), other.newest()):
                return False
            return predicates.merge(predicate, into)
        case Split(predicate=predicate):
            return predicates.split(predicate)
        case MergeSubject(subject=subject, into=into):
            return subjects.merge(subject, into)
        case SplitSubject(subject=subject):
            return subjects.split(subject)
        case _:
            assert_never(change)


def merge_obstacle(one: Definition, other: Definition) -> str:
    """Return what keeps two predicates from being one, in words; empty where nothing does."""
    if NOTE.predicate in {one.predicate, other.predicate}:
        return f"{NOTE.predicate} is like no other"
    if one.historical != other.historical:
        return "one of them is historical"
    if one.value_type != other.value_type:
        return f"one is of type {one.value_type}, the other of type {other.value_type}"
    if frozenset(one.excludes) != frozenset(other.excludes):
        return "they exclude different predicates"
    return ""
