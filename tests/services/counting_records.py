"""A store of records that counts what is read of it, and may be torn."""

from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from typing import cast

from recense.errors import StoreUnavailable
from recense.ports.records import Lease, Listing, Record, RecordReader, RecordStore, Where


class Counting:
    """A store of records that counts the records that are read from it, and may tear a batch."""

    def __init__(self, records: RecordStore) -> None:
        self._records = records
        self._kept: int | None = None
        self.read = 0

    def tear(self, kept: int) -> None:
        """Keep so many records of each batch from now on, and fail."""
        self._kept = kept

    def __getattr__(self, name: str) -> object:
        return getattr(self._records, name)

    def fenced_put(
        self, lease: Lease, records: Iterable[Record], *, unchanged: Record | None = None
    ) -> None:
        """Keep the first records of a batch alone, and fail, where that is asked for."""
        given = list(records)
        if self._kept is None or len(given) <= self._kept:
            self._records.fenced_put(lease, given, unchanged=unchanged)
            return
        self._records.fenced_put(lease, given[: self._kept], unchanged=unchanged)
        raise StoreUnavailable("killed in the middle of a batch")

    @contextmanager
    def snapshot(self) -> Generator[RecordReader]:
        with self._records.snapshot() as reader:
            yield cast("RecordReader", CountingReader(reader, self))


class CountingReader:
    """A reader that counts for its store."""

    def __init__(self, reader: RecordReader, store: Counting) -> None:
        self._reader = reader
        self._store = store

    def get(self, collection: str, record_ids: Iterable[str]) -> dict[str, Record]:
        found = self._reader.get(collection, record_ids)
        self._store.read += len(found)
        return found

    def list(self, collection: str, where: Where, **rest: object) -> Listing:
        found = cast("Callable[..., Listing]", self._reader.list)(collection, where, **rest)
        self._store.read += len(found.records)
        return found
