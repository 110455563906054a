"""Whether every event of the facts can be read: one that cannot keeps its pair from being read."""

from collections.abc import Iterator

from recense.core.facts.changes import REGISTRY_SUBJECT, change_of
from recense.core.values import Value
from recense.errors import StoreCorrupt
from recense.limits import FACT_PAGE_EVENTS, UNREADABLE_EVENTS_NAMED_MAX
from recense.operations.admin import HealthCheck
from recense.ports.records import Record, RecordReader, RecordStore
from recense.services.fact_collections import MEMORY
from recense.services.fact_records import event_of


class FactCounts(Value, kw_only=True):
    """How many events there are, and the faults of those that cannot be read."""

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
    """Return how many events the store holds and which of them cannot be read; each is read."""
    events, faults = 0, list[str]()
    with store.snapshot() as reader:
        for record in _records(reader):
            events += 1
            try:
                event = event_of(record)
                if event.subject == REGISTRY_SUBJECT:
                    change_of(event)
            except StoreCorrupt as fault:
                faults.append(fault.message)
    return FactCounts(events=events, faults=tuple(faults))


def _records(reader: RecordReader) -> Iterator[Record]:
    """Yield every record of an event, by id, a page at a time."""
    after: str | None = None
    while True:
        page = reader.list(MEMORY, limit=FACT_PAGE_EVENTS, after=after, counted=False).records
        yield from page
        if len(page) < FACT_PAGE_EVENTS:
            return
        after = page[-1].record_id
