"""A small world of facts: a store in memory, a clock that a test moves, and the services."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final, cast

from recense.adapters.memory.records import MemoryRecords
from recense.core.facts.starters import beginning
from recense.errors import StoreBusy
from recense.ports.records import Listing, Record, RecordReader
from recense.services.fact_collections import CONTROL, EPISODES, MEMORY
from recense.services.fact_reading import Registries
from recense.services.fact_writing import FactWriting
from recense.services.facts import Facts
from recense.services.predicates import Predicates
from recense.testing import FakeClock, FakeUptime

BEGIN: Final = 1_750_000_000_000_000


class WatchedRecords(MemoryRecords):
    """Counts its listings, and has trouble with watermarks when it is told to."""

    def __init__(self) -> None:
        super().__init__(FakeUptime())
        self.listings = 0
        self.restless = 0
        """How many watermarks more are other than the one before."""
        self.fails = False
        self.forgets = False
        """Whether watermarks stand still whatever is written."""
        self.asked = 0

    def watermark(self, collection: str) -> str:
        """Return the collection's watermark, or have trouble."""
        self.asked += 1
        if self.fails:
            raise StoreBusy("no watermark can be read now")
        if self.restless:
            self.restless -= 1
            return f"moved {self.asked}"
        return "still" if self.forgets else super().watermark(collection)

    @contextmanager
    def snapshot(self) -> Generator[RecordReader]:
        """Return a reader of this moment that is watched."""
        with super().snapshot() as reader:
            yield cast("RecordReader", _WatchedReader(self, reader))


class _WatchedReader:
    def __init__(self, store: WatchedRecords, reader: RecordReader) -> None:
        self._store: Final = store
        self._reader: Final = reader

    def __getattr__(self, name: str) -> object:
        if name == "list":
            self._store.listings += 1
        return getattr(self._reader, name)


class FactWorld:
    """Facts and what they are kept in."""

    def __init__(self, *, is_open: bool = True) -> None:
        self.clock: Final = FakeClock(BEGIN)
        self.store: Final = WatchedRecords()
        registries = Registries(beginning())
        self.facts: Final = Facts(self.store, self.clock, registries)
        self.writing: Final = FactWriting(
            self.store,
            self.clock,
            registries,
            Predicates(is_open=is_open),
            store_key=lambda: b"k" * 32,
            redact_secrets=True,
        )

    def kept(self) -> dict[tuple[str, str], Record]:
        """Return everything that the store holds, by collection and id."""
        found: dict[tuple[str, str], Record] = {}
        with self.store.snapshot() as reader:
            for collection in (MEMORY, EPISODES, CONTROL):
                listing: Listing = reader.list(collection)
                found |= {(collection, each.record_id): each for each in listing.records}
        return found
