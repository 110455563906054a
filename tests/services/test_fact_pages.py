"""What a page of beliefs costs: as much as it shows, whatever was said and withdrawn before."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Final, cast

import pytest

from recense.adapters.memory.records import MemoryRecords
from recense.limits import FACT_PAGE_EVENTS
from recense.operations.facts import GetFacts
from recense.ports.records import Listing, RecordReader
from recense.services import fact_pages
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


def test_a_page_reads_each_pair_once_however_often_it_was_updated() -> None:
    store = _CountedRecords()
    world = FactWorld(store)
    world.say("mira", "likes", "tea")
    updates = 2 * FACT_PAGE_EVENTS
    world.say_all("mira", "status", [f"busy with {number}" for number in range(updates)])
    for ask in _asks(world):
        assert _given(store, ask) < 3 * updates


def test_what_was_withdrawn_makes_no_page_dearer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fact_pages, "LOOKED_THROUGH_EVENTS_MAX", FACT_PAGE_EVENTS)
    given: list[list[int]] = []
    for withdrawn in (FACT_PAGE_EVENTS + 64, 2 * FACT_PAGE_EVENTS):
        store = _CountedRecords()
        world = FactWorld(store)
        world.say("mira", "likes", "tea")
        world.say_all("mira", "note", [f"number {number}" for number in range(withdrawn)])
        world.forget("mira", "note")
        given.append([_given(store, ask) for ask in _asks(world)[:2]])
        assert [each.text for each in world.remembering.recalled(None)] == ["mira likes tea"]
        after: str | None = None
        found: list[object] = []
        while True:
            page = world.memory.facts(GetFacts(subject="mira", limit=20, after=after))
            found += [each.value for each in page.beliefs]
            after = page.next_after
            if after is None:
                break
        assert found == ["tea"]
    few, many = given
    assert many == few
