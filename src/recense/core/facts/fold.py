"""The fold: from what was said of a pair to what holds of it at an instant.

Law: a belief is never stored. The fold is a pure function of a set of events, the registry and an
instant; order of arrival and repeats do not matter. It walks the events in their total order up to
the instant; at each it looks, in this order, at

1. displacement: an assertion under a predicate that holds one value *as of that event* displaces
   every other value held;
2. assertion: the value is held from here on; one that is held already keeps its place and its
   ``since``, and takes source, confidence, writer, kind and spelling of the newer statement;
3. retraction: the value goes, or every value where it names none; it reaches the pair under every
   name that this had when it was written. What is not held does not go and nothing comes back;
4. ``replaces``: the value goes if it is held here, unless the pair is historical; an entry that
   names the statement's own pair and value says nothing. That only a promotion may replace a note
   is a rule of writing; what is recorded holds;
5. exclusion: an assertion of an excluding predicate about the same subject takes the same value
   away, once, here, unless the pair is historical.

A reference compares under all names of its subject.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from recense.core.facts.belief import Belief, Contested, Replaced
from recense.core.facts.event import Evidence, FactEvent
from recense.core.facts.order import in_order, place
from recense.core.facts.registry import Pair, Registry
from recense.core.facts.values import ANY_VALUE, FactValue, Truth
from recense.core.values import Value
from recense.limits import CONTESTED_MICROSECONDS, EVIDENCE_MAX


class Step(Value, kw_only=True):
    """What one event did to a pair: the value it stated (and whether this was held already), and
    the values it took away, by what rule.
    """

    event: FactEvent
    stated: FactValue | None = None
    was_held: bool = False
    displaced: tuple[FactValue, ...] = ()
    retracted: tuple[FactValue, ...] = ()
    replaced: tuple[FactValue, ...] = ()
    excluded: tuple[FactValue, ...] = ()


class Folded(Value, kw_only=True):
    """What holds of a pair, in the order in which values came to be held.

    ``mentioned`` are the keys of all values that an event up to the instant was about, ``*``
    included. ``steps`` are the events of the pair up to the instant, in order, where they were
    asked for.
    """

    beliefs: tuple[Belief, ...]
    mentioned: frozenset[str]
    steps: tuple[Step, ...] = ()


class _Held:
    """A value while it is held: the events that say of it what a belief says. ``taken`` are the
    values that its last statement took away, as they were held; ``contested`` is what the loser
    stated.
    """

    __slots__ = ("contested", "evidence", "first", "last", "taken")

    def __init__(self, event: FactEvent) -> None:
        self.first: Final = event
        self.last: FactEvent = event
        self.evidence: Final[list[Evidence]] = []
        self.taken: tuple[_Held, ...] = ()
        self.contested: FactEvent | None = None


class _Walk:
    """The state between two events of a pair."""

    def __init__(
        self, registry: Registry, subject: str, predicate: str, *, with_steps: bool
    ) -> None:
        rules = registry.rules(predicate)
        self._registry: Final = registry
        self._predicate: Final = rules.canonical
        self._subjects: Final = registry.subject_names(subject)
        self._predicates: Final = rules.names
        self._excluding: Final = rules.excluding
        self._is_ref: Final = rules.is_ref
        self._is_historical: Final = rules.is_historical
        self._always_single: Final = rules.always_single
        self._with_steps: Final = with_steps
        self.held: Final[dict[str, _Held]] = {}
        self.mentioned: Final[set[str]] = set()
        self.steps: Final[list[Step]] = []

    def take_up_to(self, as_of: int, history: Iterable[FactEvent]) -> FactEvent | None:
        """Take events up to an instant, in order; return the last of them, None for none."""
        last: FactEvent | None = None
        for event in in_order(history):
            if event.observed_at > as_of:
                break
            self.take(event)
            last = event
        return last

    def take(self, event: FactEvent) -> bool:
        """Take the next event in order; return whether it is about this pair."""
        is_own = event.predicate in self._predicates and event.subject in self._subjects
        if event.retraction:
            if not (is_own or any(self._is_here(t.subject, t.predicate) for t in event.touches)):
                return False
            retracted = self._retract(event.value_key)
            if self._with_steps:
                self.steps.append(Step(event=event, retracted=_values(retracted)))
            return True
        excludes = event.predicate in self._excluding and event.subject in self._subjects
        named = self._named(event) if event.replaces else ()
        if not (is_own or excludes or named):
            return False
        key = self._key(event.value_key) if self._is_ref else event.value_key
        was_held = key in self.held
        displaced = self._assert(key, event) if is_own else ()
        replaced = (
            self._withdraw(each for each in named if not (is_own and each == key)) if named else ()
        )
        excluded = self._withdraw((key,)) if excludes else ()
        if is_own and (displaced or replaced):
            taken = (*displaced, *replaced)
            for one in taken:
                one.taken = ()  # nobody asks; a chain of all that was ever held would stay
            self.held[key].taken = taken
        if self._with_steps:
            self.steps.append(
                Step(
                    event=event,
                    stated=event.value if is_own else None,
                    was_held=is_own and was_held,
                    displaced=_values(displaced),
                    replaced=_values(replaced),
                    excluded=_values(excluded),
                )
            )
        return True

    def folded(self, subject: str) -> Folded:
        """Return what holds now."""
        return Folded(
            beliefs=tuple([self.belief(held, subject) for held in self.held.values()]),
            mentioned=frozenset(self.mentioned),
            steps=tuple(self.steps),
        )

    def belief(self, held: _Held, subject: str) -> Belief:
        """Return what is held as it leaves."""
        first, last, loser = held.first, held.last, held.contested
        evidence: dict[str, Evidence] = {}
        for piece in held.evidence:
            evidence.setdefault(piece.excerpt, piece)
        return Belief(
            kind=last.kind,
            subject=subject,
            predicate=self._predicate,
            value=_value(last),
            value_key=last.value_key,
            since=first.observed_at,
            last_stated=last.observed_at,
            confidence=last.confidence,
            source=last.source,
            writer=last.writer,
            event_id=first.event_id,
            last_event_id=last.event_id,
            evidence=tuple(evidence.values())[: -EVIDENCE_MAX - 1 : -1],
            replaced=tuple(
                [
                    Replaced(
                        value=_value(one.last),
                        since=one.first.observed_at,
                        event_id=one.first.event_id,
                    )
                    for one in held.taken
                ]
            ),
            contested=None
            if loser is None
            else Contested(value=_value(loser), writer=loser.writer, event_id=loser.event_id),
        )

    def _is_here(self, subject: str, predicate: str) -> bool:
        return predicate in self._predicates and subject in self._subjects

    def _key(self, value_key: str) -> str:
        """Return the key under which a value is held."""
        return self._registry.held_key(self._predicate, value_key) if self._is_ref else value_key

    def _named(self, event: FactEvent) -> tuple[str, ...]:
        """Return the keys of the values of this pair that a statement replaces."""
        return tuple(
            self._key(each.value_key)
            for each in event.replaces
            if self._is_here(each.subject, each.predicate)
        )

    def _assert(self, key: str, event: FactEvent) -> tuple[_Held, ...]:
        """Hold a value from here on; return what it displaced."""
        held = self.held
        mine = held.get(key)
        displaced: tuple[_Held, ...] = ()
        if len(held) > (mine is not None) and self._is_single_at(event.observed_at):
            displaced = tuple([each for each in held.values() if each is not mine])
            held.clear()
            if mine is not None:
                held[key] = mine
        if mine is None:
            mine = held[key] = _Held(event)
            self.mentioned.add(key)
        mine.last = event
        mine.evidence.extend(event.evidence)
        for loser in displaced:
            if _is_contested(loser.last, event):
                mine.contested = loser.last
        return displaced

    def _is_single_at(self, instant: int) -> bool:
        if self._always_single is None:
            return self._registry.is_single_at(self._predicate, instant)
        return self._always_single

    def _retract(self, value_key: str) -> tuple[_Held, ...]:
        if value_key == ANY_VALUE:
            gone = tuple(self.held.values())
            self.held.clear()
            self.mentioned.add(ANY_VALUE)
            return gone
        key = self._key(value_key)
        held = self.held.pop(key, None)
        self.mentioned.add(key)
        return () if held is None else (held,)

    def _withdraw(self, keys: Iterable[str]) -> tuple[_Held, ...]:
        """Take away by a statement what may be taken away by one, and return it."""
        gone: list[_Held] = []
        for key in keys:
            self.mentioned.add(key)
            if not self._is_historical and key in self.held:
                gone.append(self.held.pop(key))
        return tuple(gone)


def fold(
    history: Iterable[FactEvent],
    registry: Registry,
    subject: str,
    predicate: str,
    as_of: int,
    *,
    with_steps: bool = False,
) -> Folded:
    """Return what holds of a pair at an instant.

    ``history`` is at least every event that touches the pair, and every assertion about the subject
    of predicates that exclude it, under all their names; events of other pairs are passed over.
    ``registry`` is the one as at that same instant. The beliefs' subject is as it is given.
    """
    walk = _Walk(registry, subject, predicate, with_steps=with_steps)
    walk.take_up_to(as_of, history)
    return walk.folded(subject)


class OpenFold:
    """The fold of a pair at an instant (`folded`), and what it becomes by an event more."""

    def __init__(
        self, history: Sequence[FactEvent], registry: Registry, pair: Pair, as_of: int
    ) -> None:
        self._history: Final = history
        self._registry: Final = registry
        self._pair: Final = pair
        self._as_of: Final = as_of
        self._walk: _Walk | None = _Walk(registry, *pair, with_steps=False)
        self._last: Final = self._walk.take_up_to(as_of, history)
        self.folded: Final = self._walk.folded(pair[0])

    def then(self, event: FactEvent) -> Folded:
        """Return what holds at the instant once an event is written: as `fold` gives it of the
        history with this event.
        """
        walk, self._walk = self._walk, None
        is_next = self._last is None or place(self._last) < place(event)
        if walk is None or not is_next or event.observed_at > self._as_of:
            return fold((*self._history, event), self._registry, *self._pair, self._as_of)
        return walk.folded(self._pair[0]) if walk.take(event) else self.folded


def holds(folded: Folded, registry: Registry, predicate: str, key: str, as_of: int) -> Truth:
    """Return whether a value holds: ``no`` needs an event about that value or about every value, or
    another value held where there can be one only.
    """
    key = registry.held_key(predicate, key)
    held = {registry.held_key(predicate, belief.value_key) for belief in folded.beliefs}
    if key in held:
        return "yes"
    if not folded.mentioned.isdisjoint({key, ANY_VALUE}):
        return "no"
    return "no" if held and registry.is_single_at(predicate, as_of) else "unknown"


def _value(event: FactEvent) -> FactValue:
    """Return the value of an assertion, which has one, as it was written."""
    return "" if event.value is None else event.value


def _values(held: tuple[_Held, ...]) -> tuple[FactValue, ...]:
    return tuple(_value(one.last) for one in held)


def _is_contested(loser: FactEvent, winner: FactEvent) -> bool:
    """Whether two writers contradict each other so soon that neither knew of the other."""
    return (
        winner.observed_at - loser.observed_at <= CONTESTED_MICROSECONDS
        and loser.writer != winner.writer
        and "imported" not in {loser.source, winner.source}
    )
