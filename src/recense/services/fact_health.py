"""Whether all that facts are made of can be read, and is what was written.

An event that cannot be read keeps its pair from being read; one that was changed says something
that nobody said.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from recense.core.facts.changes import REGISTRY_SUBJECT, change_of
from recense.core.facts.event import is_intact
from recense.core.values import Value
from recense.errors import StoreCorrupt
from recense.limits import FACT_PAGE_EVENTS, UNREADABLE_EVENTS_NAMED_MAX
from recense.operations.admin import HealthCheck
from recense.ports.records import Record, RecordReader, RecordStore
from recense.services.episodes import episode_of, is_episode_id
from recense.services.fact_collections import CONTROL, EPISODES, MEMORY
from recense.services.fact_records import event_of
from recense.services.fact_requests import outcome_of
from recense.services.fact_views import excerpt_of


class FactCounts(Value, kw_only=True):
    """How many events there are, and the faults of those that cannot be read, or of what goes with
    them.
    """

    events: int
    faults: tuple[str, ...]

    def check(self) -> HealthCheck:
        """Return what the doctor says of them; of many faults the first are named."""
        unreadable = len(self.faults)
        return HealthCheck(
            name="facts",
            ok=not unreadable,
            detail=f"events of facts: {self.events}; unreadable: {unreadable}",
            items=self.faults[:UNREADABLE_EVENTS_NAMED_MAX],
            fix="use the release that wrote them, or restore the file from a backup"
            if unreadable
            else "",
        )


def count_facts(store: RecordStore) -> FactCounts:
    """Return how many events the store holds and which of them, or of what goes with them, cannot
    be read; each is read.
    """
    counts, faults = dict.fromkeys(_READ, 0), list[str]()
    with store.snapshot() as reader:
        for collection, read in _READ.items():
            try:
                for record in _records(reader, collection):
                    counts[collection] += 1
                    faults += _faults(record, read)
            except StoreCorrupt as fault:  # the rest of it cannot even be listed
                faults.append(fault.message)
    return FactCounts(events=counts[MEMORY], faults=tuple(faults))


def _faults(record: Record, read: Callable[[Record], None]) -> tuple[str, ...]:
    try:
        read(record)
    except StoreCorrupt as fault:
        return (fault.message,)
    return ()


def _read_event(record: Record) -> None:
    event = event_of(record)
    if event.subject == REGISTRY_SUBJECT:
        change_of(event)
    if not is_intact(record.body, record.record_id):
        raise StoreCorrupt(
            f"the event {record.record_id!r} is not what was written: it has another id"
        )


def _read_kept(record: Record) -> None:
    if is_episode_id(record.record_id):
        episode_of(record)
    else:
        excerpt_of(record)


def _read_outcome(record: Record) -> None:
    outcome_of(record)


_READ: Final[Mapping[str, Callable[[Record], None]]] = {
    MEMORY: _read_event,
    EPISODES: _read_kept,
    CONTROL: _read_outcome,
}
"""How the records of each collection are read."""


def _records(reader: RecordReader, collection: str) -> Iterator[Record]:
    """Yield every record of a collection, by id, a page at a time."""
    after: str | None = None
    while True:
        page = reader.list(collection, limit=FACT_PAGE_EVENTS, after=after, counted=False).records
        yield from page
        if len(page) < FACT_PAGE_EVENTS:
            return
        after = page[-1].record_id
