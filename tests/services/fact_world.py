"""The services of facts over each store of records, with a clock that a test moves."""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from recense.adapters.memory.records import MemoryRecords
from recense.adapters.sqlite.file import open_sqlite_file
from recense.adapters.sqlite.records import SqliteRecords
from recense.core.facts.changes import Definition
from recense.core.facts.event import FactEvent, Touch, identified
from recense.core.facts.values import FactValue, value_key
from recense.core.instants import text_from_instant
from recense.operations.facts import ForgetFact, GetFacts, RememberedFact, RememberFact, SearchFacts
from recense.ports.clock import Clock
from recense.ports.records import Append, Record, RecordStore
from recense.ports.review import Reviewer
from recense.services.fact_collections import MEMORY
from recense.services.fact_memory import FactMemory, FactServices
from recense.services.fact_records import event_of, event_record
from recense.services.filing import Filing
from recense.services.remembering import TextModels
from recense.services.reviewing import Unreviewed
from recense.testing import FakeClock, FakeUptime, SeededChance
from recense.wiring.facts import fact_services

T0: Final = 1_700_000_000_000_000
SECOND: Final = 1_000_000
HOUR: Final = 3_600 * SECOND
DAY: Final = 24 * HOUR
HOUR_MS: Final = 3_600_000


_Request = TypeVar("_Request", RememberFact, GetFacts, SearchFacts, Definition)


def _with(request: _Request, fields: Mapping[str, object]) -> _Request:
    return msgspec.structs.replace(request, **fields)


def text(instant: int) -> str:
    """Return an instant as a request names it."""
    return text_from_instant(instant)


def services(
    store: RecordStore, clock: Clock, *, is_open: bool = True, redact_secrets: bool = True
) -> FactMemory:
    """Return the facts of a store."""
    facts = joined(store, clock, is_open=is_open, redact_secrets=redact_secrets)
    return FactMemory(lambda: facts, incognito=False)


def joined(
    store: RecordStore,
    clock: Clock,
    *,
    is_open: bool = True,
    redact_secrets: bool = True,
    text_models: Callable[[Filing], TextModels] | None = None,
    reviewer: Reviewer | None = None,
) -> FactServices:
    """Return the services of the facts of a store, joined as a memory joins them."""
    return fact_services(
        store,
        clock,
        store_key=lambda: b"k" * 32,
        is_open=is_open,
        redact_secrets=redact_secrets,
        text_models=text_models,
        reviewer=reviewer or Unreviewed(),
    )


class FactWorld:
    """A store, its clock and the facts in it, said in few words."""

    def __init__(self, store: RecordStore) -> None:
        self.store: Final = store
        self.clock: Final = FakeClock(T0)
        facts = joined(store, self.clock)
        self.memory: Final = FactMemory(lambda: facts, incognito=False)
        self.remembering: Final = facts.remembering

    def another(self, *, is_open: bool = True, redact_secrets: bool = True) -> FactMemory:
        """Return the facts of the same store as another process has them."""
        return services(self.store, self.clock, is_open=is_open, redact_secrets=redact_secrets)

    def say(
        self, subject: str, predicate: str, value: FactValue, **fields: object
    ) -> RememberedFact:
        """Remember one statement; a second passes."""
        self.clock.advance(1_000)
        request = RememberFact(subject=subject, predicate=predicate, value=value)
        return self.memory.remember_fact(_with(request, fields))

    def say_all(self, subject: str, predicate: str, values: Sequence[FactValue]) -> None:
        """State values a second apart, in one commit: what a loader of dumps writes."""
        records: list[Record] = []
        for value in values:
            self.clock.advance(1_000)
            key = value_key(value)
            event = identified(
                FactEvent(
                    subject=subject,
                    predicate=predicate,
                    value=value,
                    value_key=key,
                    observed_at=self.clock.now(),
                    touches=(Touch(subject=subject, predicate=predicate, value_key=key),),
                )
            )
            records.append(event_record(event, ()))
        self.store.append(Append(records=tuple(records)), now=self.clock.now())

    def forget(self, subject: str, predicate: str, value: FactValue | None = None) -> list[object]:
        """Withdraw a value, or all; a second passes. Return the values withdrawn."""
        self.clock.advance(1_000)
        request = ForgetFact(
            subject=subject, predicate=predicate, value=value, all_values=value is None
        )
        return [each.value for each in self.memory.forget_fact(request).withdrawn]

    def values(self, subject: str, predicate: str, **fields: object) -> list[FactValue]:
        """Return the values that are held of a pair."""
        request = GetFacts(subject=subject, predicate=predicate)
        return [each.value for each in self.memory.facts(_with(request, fields)).beliefs]

    def sentences(self, **fields: object) -> list[str]:
        """Return the sentences of a broad read."""
        return [each.sentence for each in self.memory.facts(_with(GetFacts(), fields)).beliefs]

    def found(self, asked: str, **fields: object) -> list[str]:
        """Return the sentences that a search finds."""
        request = _with(SearchFacts(text=asked), fields)
        return [each.sentence for each in self.memory.search_facts(request).beliefs]

    def events(self) -> list[FactEvent]:
        """Return every event of the store but the registry's."""
        with self.store.snapshot() as reader:
            events = map(event_of, reader.list(MEMORY).records)
            return [event for event in events if not event.subject.startswith("recense:")]

    def define(self, predicate: str, **fields: object) -> Definition:
        """Define a predicate and return its rules."""
        definition = _with(Definition(predicate=predicate), fields)
        self.memory.define_predicate(definition)
        return definition


def _on_memory(folder: Path) -> RecordStore:
    return MemoryRecords(FakeUptime())


def sqlite_records(folder: Path) -> RecordStore:
    """Return the records in a SQLite file in a folder, made when it is not there."""
    file = open_sqlite_file(
        folder / "recense.db", synchronous="normal", chance=SeededChance(1), create=True
    )
    return SqliteRecords(file, FakeUptime())


STORES: Final[Mapping[str, Callable[[Path], RecordStore]]] = {
    "memory": _on_memory,
    "sqlite": sqlite_records,
}
"""How each store of records is opened, by its name."""


@contextmanager
def fact_world(name: str, folder: Path) -> Generator[FactWorld]:
    """Open the store of a name for a block."""
    store = STORES[name](folder)
    try:
        yield FactWorld(store)
    finally:
        store.close()
