"""What a page of beliefs costs: as much as it shows, whatever was said and withdrawn before."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Final, cast

import pytest

from recense.adapters.memory.records import MemoryRecords
from recense.limits import FACT_PAGE_EVENTS
from recense.operations.facts import GetFacts
from recense.ports.records import Listing, RecordReader
from recense.testing import FakeUptime
from tests.services.fact_world import FactWorld


class _CountedRecords(MemoryRecords):
    """Counts the records that its listings give."""

    def __init__(self) -> None:
        super().__init__(FakeUptime())
        self.given = 0

    @contextmanager
    def snapshot(self) -> Generator[RecordReader]:
        """Return a reader of this moment that is counted."""
        with super().snapshot() as reader:
            yield cast("RecordReader", _CountedReader(self, reader))


class _CountedReader:
    def __init__(self, store: _CountedRecords, reader: RecordReader) -> None:
        self._store: Final = store
        self._reader: Final = reader

    def __getattr__(self, name: str) -> object:
        return self._list if name == "list" else getattr(self._reader, name)

    def _list(self, *given: object, **named: object) -> Listing:
        listing = cast("Callable[..., Listing]", self._reader.list)(*given, **named)
        self._store.given += len(listing.records)
        return listing


def _given(store: _CountedRecords, ask: Callable[[], object]) -> int:
    """Return how many records are read for an answer."""
    before = store.given
    ask()
    return store.given - before


def _asks(world: FactWorld) -> tuple[Callable[[], object], ...]:
    return (
        lambda: world.memory.facts(GetFacts(subject="mira", limit=20)),
        lambda: world.memory.facts(GetFacts(limit=20)),
        lambda: world.remembering.recalled(None),
    )


@pytest.mark.xfail(
    strict=True,
    reason="`Facts._listed` reads and folds a pair anew for each page of events that it looks "
    "through: it is to keep what it has folded while it looks for one page of beliefs",
)
def test_a_page_reads_each_pair_once_however_often_it_was_updated() -> None:
    store = _CountedRecords()
    world = FactWorld(store)
    world.say("mira", "likes", "tea")
    updates = 3 * FACT_PAGE_EVENTS
    world.say_all("mira", "status", [f"busy with {number}" for number in range(updates)])
    for ask in _asks(world):
        assert _given(store, ask) < 3 * updates


@pytest.mark.xfail(
    strict=True,
    reason="`Facts._listed` looks through everything that was ever withdrawn until its page is "
    "full: it is to end a page where it has looked through enough events, and say what is next",
)
def test_what_was_withdrawn_makes_no_page_dearer() -> None:
    given: list[list[int]] = []
    for withdrawn in (FACT_PAGE_EVENTS, 3 * FACT_PAGE_EVENTS):
        store = _CountedRecords()
        world = FactWorld(store)
        world.say("mira", "likes", "tea")
        world.say_all("mira", "note", [f"number {number}" for number in range(withdrawn)])
        world.forget("mira", "note")
        given.append([_given(store, ask) for ask in _asks(world)])
    few, many = given
    assert many == few
