"""Erasing what sessions alone support, once they are forgotten.

Laws:

- A statement goes when all its evidence stands in messages of sessions that are forgotten, and with
  it the words that it was read in and the answers that repeat it. What has evidence elsewhere, or
  none, stays, for somebody stated it.
- What a statement took away does not come back with its going: it is withdrawn at the instant of
  that statement.
- Nothing is remembered of what is to go: it is what no session supports any more. So it comes after
  the sessions are gone from the ledger, and whoever is killed in between finishes it when any
  session is forgotten, or forgotten again.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from recense.core.facts.belief import sentence
from recense.core.facts.event import FactEvent
from recense.core.facts.fold import Folded, fold
from recense.core.facts.registry import Registry
from recense.core.facts.values import FactValue, value_key
from recense.core.facts.writing import withdrawal
from recense.core.ids import split_anchor
from recense.core.text.redact import redact
from recense.errors import NotFound
from recense.limits import FACT_PAGE_EVENTS
from recense.operations.privacy import FactThatGoes
from recense.ports.clock import Clock
from recense.ports.records import Append, Equals, Record, RecordReader, RecordStore, Where
from recense.services.conflicts import in_spite_of_conflicts
from recense.services.fact_collections import CONTROL, EPISODES, MEMORY
from recense.services.fact_counters import raised_counters
from recense.services.fact_reading import FactMoment, Registries, Unit, open_moment
from recense.services.fact_records import REGISTRY_COUNTER, event_of, event_record

_EVENT_ID: Final = re.compile(rb"e-[0-9a-f]{26}")
_ASSERTED: Final[Where] = (
    Equals(field="internal", value=False),
    Equals(field="retraction", value=False),
)

IsForgotten = Callable[[str], bool]
"""Whether a session is forgotten, or is to be."""


class FactForgetting:
    """Erases facts of one store."""

    def __init__(self, store: RecordStore, clock: Clock, registries: Registries) -> None:
        self._store: Final = store
        self._clock: Final = clock
        self._registries: Final = registries

    def plan(self, is_forgotten: IsForgotten) -> tuple[FactThatGoes, ...]:
        """Return what `erase` would remove, in the order of ids. Writes nothing."""
        with self._store.snapshot() as reader:
            going, _ = _sorted_out(reader, is_forgotten)
        return tuple(
            FactThatGoes(event_id=event.event_id, sentence=redact(_said(event)).text)
            for event in going
        )

    def erase(self, is_forgotten: IsForgotten) -> int:
        """Remove what forgotten sessions alone support; return how many statements that were.

        Their bytes are gone as far as readers of an earlier moment let it. A second call finds
        nothing. Raises StoreConflict when others were always faster.
        """
        going, staying = in_spite_of_conflicts(lambda: self._withdrawn(is_forgotten))
        if not going:
            return 0
        ids = {event.event_id for event in going}
        with self._store.snapshot() as reader:
            answers = [
                record.record_id
                for record in _all(reader, CONTROL)
                if not ids.isdisjoint(each.decode() for each in _EVENT_ID.findall(record.body))
            ]
        words = {piece.excerpt for event in going for piece in event.evidence}
        # Last what is searched for here: whoever is killed before finds it again.
        self._store.delete(CONTROL, answers)
        self._store.delete(EPISODES, sorted(words - staying))
        return self._store.delete(MEMORY, sorted(ids))

    def _withdrawn(self, is_forgotten: IsForgotten) -> tuple[list[FactEvent], set[str]]:
        """Withdraw what would come back, and return as `_sorted_out`."""
        with self._store.snapshot() as reader:
            going, staying = _sorted_out(reader, is_forgotten)
            if not going:
                return going, staying
            moment = open_moment(reader, self._registries, self._clock.now())
            registry = moment.registry
            events = tuple(_withdrawals(moment, going))
            counters = {
                name for event in (*going, *events) for name in raised_counters(event, registry)
            }
            append = Append(
                records=tuple(event_record(event, ()) for event in events),
                expected=reader.counters((REGISTRY_COUNTER, *counters)),
                bump=frozenset(counters),
            )
        self._store.append(append, now=self._clock.now())
        return going, staying


def _sorted_out(
    reader: RecordReader, is_forgotten: IsForgotten
) -> tuple[list[FactEvent], set[str]]:
    """Return the statements that forgotten sessions alone support, and the references of the words
    of all others.
    """
    known: dict[str, bool] = {}

    def is_gone(place: str | None) -> bool:
        try:
            session = "" if place is None else split_anchor(place)[0]
        except NotFound:
            session = ""
        if session not in known:
            known[session] = bool(session) and is_forgotten(session)
        return known[session]

    going: list[FactEvent] = []
    staying: set[str] = set()
    for record in _all(reader, MEMORY, _ASSERTED):
        event = event_of(record)
        if event.evidence and all(is_gone(piece.anchor) for piece in event.evidence):
            going.append(event)
        else:
            staying.update(piece.excerpt for piece in event.evidence)
    return going, staying


def _withdrawals(moment: FactMoment, going: Sequence[FactEvent]) -> Iterator[FactEvent]:
    """Yield what withdraws each value that would hold again without some statements, at the instant
    of that one of them that took it away last.
    """
    registry = moment.registry
    ids = {event.event_id for event in going}
    pairs = {
        registry.canonical_pair(touch.subject, touch.predicate): None
        for event in going
        for touch in event.touches
    } | {
        (registry.canonical_subject(event.subject), excluded): None
        for event in going
        for excluded in registry.rules(event.predicate).excluded
    }
    for subject, predicate in pairs:
        history = moment.history([Unit(subject=subject, predicate=predicate)])
        now = moment.instant(history)
        before = fold(history, registry, subject, predicate, now, with_steps=True)
        rest = [event for event in history if event.event_id not in ids]
        held = {registry.held_key(predicate, each.value_key) for each in before.beliefs}
        for belief in fold(rest, registry, subject, predicate, now).beliefs:
            key = registry.held_key(predicate, belief.value_key)
            if key not in held:
                yield withdrawal(
                    (subject, predicate, belief.value),
                    registry,
                    _taken_away_at(before, ids, registry, predicate, key) or now,
                )


def _taken_away_at(
    folded: Folded, ids: set[str], registry: Registry, predicate: str, key: str
) -> int | None:
    """Return the instant at which some events took a value away last, None where none did."""
    for step in reversed(folded.steps):
        gone: Iterable[FactValue] = (*step.displaced, *step.replaced, *step.excluded)
        keys = {registry.held_key(predicate, value_key(value)) for value in gone}
        if step.event.event_id in ids and key in keys:
            return step.event.observed_at
    return None


def _all(reader: RecordReader, collection: str, where: Where = ()) -> Iterator[Record]:
    """Yield the records of a collection, by id, a page at a time."""
    after: str | None = None
    while True:
        page = reader.list(
            collection, where, limit=FACT_PAGE_EVENTS, after=after, counted=False
        ).records
        yield from page
        if len(page) < FACT_PAGE_EVENTS:
            return
        after = page[-1].record_id


def _said(event: FactEvent) -> str:
    return sentence(event.subject, event.predicate, event.value, withdrawn=False)
