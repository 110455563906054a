"""Reading facts: histories whole, one registry and one instant for an answer.

Laws: what is folded is every event that touches a unit, or the answer is refused; each listing is
checked against the store's own total. A *unit* is what is folded by itself: a pair, or, where no
definition ever made its predicate single-valued, one value of a pair, so that notes and likes have
no ceiling.
"""

import threading
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Final

from recense.core.facts.changes import REGISTRY_SUBJECT
from recense.core.facts.event import FactEvent
from recense.core.facts.fold import Folded, fold
from recense.core.facts.order import known
from recense.core.facts.registry import Registry, registry_at
from recense.core.facts.values import ANY_VALUE
from recense.core.values import Value
from recense.ports.records import ContainsAny, Equals, OneOf, Order, RecordReader, Where
from recense.services.fact_collections import MEMORY
from recense.services.fact_records import (
    REGISTRY_COUNTER,
    event_of,
    pair_key,
    require_whole,
    touch_key,
    touched_keys,
)

NEWEST_FIRST: Final = Order(field="observed_at", descending=True)
_REPLACES: Final = attrgetter("replaces")


class Unit(Value, kw_only=True):
    """A canonical pair, or one value of it (``value_key``; a reference's canonical one)."""

    subject: str
    predicate: str
    value_key: str | None = None


class HistoryKeys(Value, kw_only=True):
    """What histories are listed by: keys of pairs and of touches, each once and in order."""

    pairs: tuple[str, ...]
    touches: tuple[str, ...]

    def by_field(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Return the fields of records that have such keys, each with those that are asked for."""
        return ("pairs", self.pairs), ("touches", self.touches)


class KnownLog(Value, kw_only=True):
    """The events of the registry that are known, and the instant of the newest. ``unwritten`` are
    those of them that the store does not hold yet: what every registry begins with.
    """

    events: tuple[FactEvent, ...]
    newest: int
    unwritten: tuple[FactEvent, ...] = ()


class Registries:
    """The log of the registry between two reads, for any thread.

    Law: what is kept is the log at a count of its changes, and is used only while that is the
    count.
    """

    def __init__(self, beginning: Sequence[FactEvent]) -> None:
        """``beginning`` is the log of a store in which nothing was defined yet."""
        self._beginning: Final = tuple(beginning)
        self._lock: Final = threading.Lock()
        self._kept: tuple[int, KnownLog] | None = None
        self._newest: tuple[KnownLog, Registry] | None = None

    def log(self, reader: RecordReader, known_by: int | None = None) -> KnownLog:
        """Return the log as it was known; of a store without one, the beginning."""
        count = reader.counters([REGISTRY_COUNTER])[REGISTRY_COUNTER]
        with self._lock:
            kept = self._kept
        if kept is None or kept[0] != count:
            kept = count, self._logged(_listed(reader, (_IS_REGISTRY,)))
            with self._lock:
                self._kept = kept
        if known_by is None:
            return kept[1]
        return self._logged(event for event in known(kept[1].events, known_by))

    def newest(self, log: KnownLog) -> Registry:
        """Return the registry after all changes of a log."""
        with self._lock:
            if self._newest is not None and self._newest[0] is log:
                return self._newest[1]
        registry = registry_at(log.events, log.newest)
        with self._lock:
            self._newest = log, registry
        return registry

    def _logged(self, events: Iterable[FactEvent]) -> KnownLog:
        written = tuple(events)
        logged = written or self._beginning
        return KnownLog(
            events=logged,
            newest=newest_instant(logged),
            unwritten=() if written else self._beginning,
        )


_IS_REGISTRY: Final = Equals(field="subject", value=REGISTRY_SUBJECT)


class FactMoment(Value, kw_only=True):
    """What one answer reads with: its snapshot, its instant and its registry.

    ``as_of`` None is the newest instant of what is folded, the present at least. ``registry`` is
    what ``log`` says as at that instant.
    """

    reader: RecordReader
    registry: Registry
    now: int
    as_of: int | None
    known_by: int | None
    log: KnownLog

    def instant(self, events: Iterable[FactEvent]) -> int:
        """Return the one instant of an answer that folds these events."""
        if self.as_of is not None:
            return self.as_of
        return max(self.now, newest_instant(events))

    def newest(self) -> int:
        """Return the instant of an answer about the whole store: that of its newest event, the
        present at least.
        """
        if self.as_of is not None:
            return self.as_of
        listing = self.reader.list(MEMORY, limit=1, order=NEWEST_FIRST, counted=False)
        return self.instant(map(event_of, listing.records))

    def own_events(self, unit: Unit, enough: int) -> int:
        """Return how many events state or retract something of a pair, or ``enough`` at least."""
        registry = self.registry
        subjects = tuple(sorted(registry.subject_names(unit.subject)))
        predicates = tuple(sorted(registry.names(unit.predicate)))
        where = (
            OneOf(field="subject", values=subjects),
            OneOf(field="predicate", values=predicates),
        )
        return self.reader.list(MEMORY, where, limit=0, enough=enough).total or 0

    def pair_history(self, unit: Unit) -> tuple[list[FactEvent], Folded, int]:
        """Return the history of a unit, what it makes of it with every step, and the instant."""
        events = self.history([unit])
        instant = self.instant(events)
        folded = fold(events, self.registry, unit.subject, unit.predicate, instant, with_steps=True)
        return events, folded, instant

    def history(self, units: Iterable[Unit], keys: HistoryKeys | None = None) -> list[FactEvent]:
        """Return every event of the units' histories, each once; and those of the values that a
        value of theirs has replaced, so that it can say what they were. ``keys`` are those of the
        units where they are known.

        Raises StoreCorrupt where the store gives another number than it says there are, or an
        event that cannot be read.
        """
        asked = tuple(units)
        listed = self._listed(keys or self.history_keys(asked))
        events = {event.event_id: event for event in listed}
        if any(map(_REPLACES, listed)):
            replaced = {each for unit in asked for each in self._replaced(unit, events.values())}
            for event in self._listed(self.history_keys(replaced.difference(asked))):
                events[event.event_id] = event
        return known(events.values(), self.known_by)

    def _listed(self, keys: HistoryKeys) -> list[FactEvent]:
        """Return the events that touch units with these keys; some twice."""
        events: list[FactEvent] = []
        for field, values in keys.by_field():
            if values:
                events += _listed(self.reader, (ContainsAny(field=field, values=values),))
        return events

    def _replaced(self, unit: Unit, events: Iterable[FactEvent]) -> Iterator[Unit]:
        """Yield the other values of the pair of a value that events replace."""
        if unit.value_key is None:
            return
        for event in events:
            for each in event.replaces:
                other = self.unit_of(each.subject, each.predicate, each.value_key)
                if (other.subject, other.predicate) == (unit.subject, unit.predicate):
                    yield other

    def history_keys(self, units: Iterable[Unit]) -> HistoryKeys:
        """Return what the units' histories are listed by."""
        pairs: list[str] = []
        touches: list[str] = []
        for unit in units:
            self._add_keys(unit, pairs, touches)
        return HistoryKeys(pairs=_once(pairs), touches=_once(touches))

    def unit(self, event: FactEvent) -> Unit:
        """Return the unit that an assertion belongs to."""
        return self.unit_of(event.subject, event.predicate, event.value_key)

    def unit_of(self, subject: str, predicate: str, value_key: str | None) -> Unit:
        """Return the unit of a value; without one, the pair."""
        registry = self.registry
        rules = registry.rules(predicate)
        if value_key is not None:
            is_pair = rules.was_ever_single
            value_key = None if is_pair else registry.held_key(predicate, value_key)
        return Unit(
            subject=registry.canonical_subject(subject),
            predicate=rules.canonical,
            value_key=value_key,
        )

    def folded(
        self, units: Iterable[Unit], events: Iterable[FactEvent], instant: int
    ) -> dict[Unit, Folded]:
        """Return what holds of each unit, in their order; ``events`` are the histories of all of
        them, and each unit is folded from its own.
        """
        asked = tuple(units)
        if len(asked) == 1:  # all events are its own, or of values that its own have replaced
            return {asked[0]: self._folded(asked[0], tuple(events), instant)}
        by_key: dict[str, list[FactEvent]] = {}
        for event in events:
            pairs, touches = touched_keys(event)
            for key in (*pairs, *touches):
                by_key.setdefault(key, []).append(event)
        histories: dict[Unit, list[FactEvent]] = {}
        for unit in asked:
            mine = [event for key in self._keys(unit) for event in by_key.get(key, ())]
            for other in set(self._replaced(unit, mine)):
                mine += [event for key in self._keys(other) for event in by_key.get(key, ())]
            histories[unit] = mine
        return {unit: self._folded(unit, mine, instant) for unit, mine in histories.items()}

    def _folded(self, unit: Unit, events: Sequence[FactEvent], instant: int) -> Folded:
        folded = fold(events, self.registry, unit.subject, unit.predicate, instant)
        if unit.value_key is None:
            return folded
        mine = tuple(
            belief
            for belief in folded.beliefs
            if self.registry.held_key(unit.predicate, belief.value_key) == unit.value_key
        )
        return Folded(beliefs=mine, mentioned=folded.mentioned)

    def _keys(self, unit: Unit) -> set[str]:
        keys: list[str] = []
        self._add_keys(unit, keys, keys)
        return set(keys)

    def _add_keys(self, unit: Unit, pairs: list[str], touches: list[str]) -> None:
        """Add what the history of a unit is listed by, under all names; some of it twice."""
        registry, rules = self.registry, self.registry.rules(unit.predicate)
        subjects = registry.subject_names(unit.subject)
        own = [pair_key(s, p) for s in subjects for p in rules.names]
        every = own
        if rules.excluding:
            every = own + [pair_key(s, p) for s in subjects for p in rules.excluding]
        if unit.value_key is None:
            pairs += every
            return
        for key in registry.keys_of(unit.predicate, unit.value_key):
            touches += [touch_key(pair, key) for pair in every]
        touches += [touch_key(pair, ANY_VALUE) for pair in own]


def _once(keys: Sequence[str]) -> tuple[str, ...]:
    """Return keys in order, each once."""
    return tuple(sorted(set(keys))) if len(keys) > 1 else tuple(keys)


def newest_instant(events: Iterable[FactEvent]) -> int:
    """Return the instant of the newest of some events, 0 of none."""
    return max([event.observed_at for event in events], default=0)


def open_moment(
    reader: RecordReader,
    registries: Registries,
    now: int,
    *,
    as_of: int | None = None,
    known_by: int | None = None,
) -> FactMoment:
    """Return what an answer reads with. Without ``as_of`` its registry is the newest one."""
    log = registries.log(reader, known_by)
    if as_of is None or as_of >= log.newest:
        registry = registries.newest(log)
    else:
        registry = registry_at(log.events, as_of)
    return FactMoment(
        reader=reader,
        registry=registry,
        now=max(now, log.newest),
        as_of=as_of,
        known_by=known_by,
        log=log,
    )


def _listed(reader: RecordReader, where: Where) -> list[FactEvent]:
    """Return every event that matches; the listing is checked to be complete."""
    listing = reader.list(MEMORY, where)
    require_whole(listing)
    return [event_of(record) for record in listing.records]
