"""What is opened or made when something is asked of it for the first time."""

import functools
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Final, Literal, NamedTuple, TypeVar, cast

from recense.ports.records import RecordStore
from recense.ports.transcripts import TranscriptStore


class Stores(NamedTuple):
    """Two stores on one place; closing that of the transcripts closes both."""

    transcripts: TranscriptStore
    records: RecordStore


def late_stores(opened: Callable[[], Stores]) -> Stores:
    """Return stores that are opened, both at once, when one of them is asked for anything but to be
    closed.
    """
    place = _Place(opened)
    return Stores(
        cast("TranscriptStore", _LateStore(place, "transcripts")),
        cast("RecordStore", _LateStore(place, "records")),
    )


class _Place:
    """Two stores, opened once, for any thread."""

    def __init__(self, opened: Callable[[], Stores]) -> None:
        self._opened: Final = opened
        self._lock: Final = threading.Lock()
        self._stores: Stores | None = None

    def stores(self) -> Stores:
        """Return the stores, opened by now."""
        with self._lock:
            if self._stores is None:
                self._stores = self._opened()
            return self._stores

    def close(self) -> None:
        """Let go of the stores, if they were opened."""
        if self._stores is not None:
            self._stores.transcripts.close()


class _LateStore:
    """One of two stores."""

    def __init__(self, place: _Place, name: Literal["transcripts", "records"]) -> None:
        self._place: Final = place
        self._name: Final = name

    def __getattr__(self, name: str) -> object:
        stores = self._place.stores()
        return getattr(stores.records if self._name == "records" else stores.transcripts, name)

    def close(self) -> None:
        """Let go of both stores, if they were opened."""
        self._place.close()


_Item = TypeVar("_Item")


def once(made: Callable[[], _Item]) -> Callable[[], _Item]:
    """Return what makes a thing at its first call and returns that one from then on, to any
    thread.
    """
    lock, kept = threading.Lock(), list[_Item]()

    def same() -> _Item:
        with lock:
            if not kept:
                kept.append(made())
            return kept[0]

    return same


class LateMapping(Mapping[str, _Item]):
    """A mapping that is made when it is asked for the first time, and then stays as it is."""

    def __init__(self, made: Callable[[], Mapping[str, _Item]]) -> None:
        self._made: Final = functools.cache(made)

    def __getitem__(self, name: str) -> _Item:
        return self._made()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._made())

    def __len__(self) -> int:
        return len(self._made())
