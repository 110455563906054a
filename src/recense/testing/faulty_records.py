"""A store of records that fails where a test says (`recense.testing.boundaries`).

Law: without faults the wrapped store is unchanged.
"""

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Final

from recense.ports.records import (
    Append,
    Appended,
    Capability,
    GrantedLease,
    Lease,
    Record,
    RecordReader,
    RecordStore,
)
from recense.testing.boundaries import Boundaries, Fault


class FaultyRecords:
    """A `recense.ports.records.RecordStore` around another, with faults.

    ``passed`` lists the boundaries that were reached, in order, also those with a fault. For one
    thread at a time.
    """

    def __init__(self, store: RecordStore, faults: Sequence[Fault] = ()) -> None:
        self._store: Final = store
        self._boundaries: Final = Boundaries(faults)
        self.passed: Final = self._boundaries.passed

    @property
    def capabilities(self) -> frozenset[Capability]:
        """What the store keeps its word about."""
        return self._store.capabilities

    def put(self, records: Iterable[Record]) -> None:
        """Keep records."""
        self._boundaries.write("put", lambda: self._store.put(records))

    def delete(self, collection: str, record_ids: Iterable[str]) -> int:
        """Remove records and return how many there were."""
        return self._boundaries.write("delete", lambda: self._store.delete(collection, record_ids))

    def append(self, append: Append, *, now: int) -> Appended:
        """Add records on condition of counters."""
        return self._boundaries.write("append", lambda: self._store.append(append, now=now))

    def acquire(self, name: str, holder: str, *, ttl_ms: int) -> Lease:
        """Take a lease."""
        return self._boundaries.write(
            "acquire", lambda: self._store.acquire(name, holder, ttl_ms=ttl_ms)
        )

    def renew(self, lease: Lease) -> None:
        """Let a lease hold for its time from now."""
        self._boundaries.write("renew", lambda: self._store.renew(lease))

    def release(self, lease: Lease) -> None:
        """Give a lease back."""
        self._boundaries.write("release", lambda: self._store.release(lease))

    def newest_lease(self, name: str) -> GrantedLease | None:
        """Return the newest lease of a name."""
        return self._store.newest_lease(name)

    def fenced_put(
        self, lease: Lease, records: Iterable[Record], *, unchanged: Record | None = None
    ) -> None:
        """Keep records if the lease holds."""
        self._boundaries.write(
            "fenced_put", lambda: self._store.fenced_put(lease, records, unchanged=unchanged)
        )

    def watermark(self, collection: str) -> str:
        """Return a text that changes with every mutation of the collection."""
        return self._store.watermark(collection)

    def snapshot(self) -> AbstractContextManager[RecordReader]:
        """Return a reader of this moment."""
        return self._store.snapshot()

    def close(self) -> None:
        """Let go of the store."""
        self._store.close()
