"""The store of records on one SQLite file, which may be that of the transcripts."""

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import Final

from msgspec.structs import replace

from recense.adapters.sqlite.driver import Connection
from recense.adapters.sqlite.file import SqliteFile
from recense.adapters.sqlite.record_leases import read_lease, write_lease
from recense.adapters.sqlite.record_listing import read_watermark
from recense.adapters.sqlite.record_reading import SqliteRecordReader
from recense.adapters.sqlite.record_words import purge_words_step
from recense.adapters.sqlite.record_writing import (
    append_records,
    delete_records,
    prepared,
    put_records,
)
from recense.ports.clock import Uptime
from recense.ports.commits import FencedRecords
from recense.ports.record_rules import (
    LeaseRow,
    granted,
    granted_lease,
    require_free,
    require_held,
    require_stamp,
    require_text,
    require_texts,
    require_time_to_live,
    require_unchanged,
)
from recense.ports.records import (
    EVERYTHING,
    Append,
    Appended,
    Capability,
    GrantedLease,
    Lease,
    Record,
    RecordReader,
)


class SqliteRecords:
    """A `recense.ports.records.RecordStore`; its methods may be called by any thread."""

    capabilities: frozenset[Capability] = EVERYTHING

    def __init__(self, file: SqliteFile, uptime: Uptime) -> None:
        self._file: Final = file
        self._uptime: Final = uptime

    def put(self, records: Iterable[Record]) -> None:
        """Keep records in one commit, as the port says."""
        given = prepared(records)
        if given:
            with self._file.transaction() as connection:
                put_records(connection, given)

    def delete(self, collection: str, record_ids: Iterable[str]) -> int:
        """Remove records, and overwrite what they leave in the file, as the port says."""
        require_text("a collection", collection)
        with self._file.transaction() as connection:
            removed = delete_records(connection, collection, record_ids)
        self._file.idle.close_all()
        self._purge_words()
        self._file.scrub()
        return removed

    def append(self, append: Append, *, now: int) -> Appended:
        """Add records on condition of counters, as the port says."""
        require_stamp(now)
        given = prepared(append.records)
        require_texts("the name of a counter", (*append.expected, *append.bump))
        with self._file.transaction() as connection:
            return append_records(connection, append, given, now)

    def acquire(self, name: str, holder: str, *, ttl_ms: int) -> Lease:
        """Take a lease, as the port says."""
        require_text("the name of a lease", name)
        require_text("a holder", holder)
        require_time_to_live(ttl_ms)
        with self._file.transaction() as connection:
            row = read_lease(connection, name)
            boot_id, uptime_ms = self._uptime.boot_id(), self._uptime.uptime_ms()
            require_free(name, row, boot_id, uptime_ms)
            new = granted(row, holder, ttl_ms, boot_id, uptime_ms)
            write_lease(connection, name, new)
            return Lease(name=name, holder=holder, epoch=new.epoch, ttl_ms=ttl_ms)

    def renew(self, lease: Lease) -> None:
        """Let a lease hold for its time from now, as the port says."""
        require_time_to_live(lease.ttl_ms)
        with self._file.transaction() as connection:
            row = self._held(connection, lease)
            until_ms = self._uptime.uptime_ms() + lease.ttl_ms
            renewed = replace(row, until_ms=until_ms, ttl_ms=lease.ttl_ms)
            write_lease(connection, lease.name, renewed)

    def release(self, lease: Lease) -> None:
        """Give a lease back, as the port says."""
        with self._file.transaction() as connection:
            row = read_lease(connection, lease.name)
            if row is not None and (row.holder, row.epoch) == (lease.holder, lease.epoch):
                write_lease(connection, lease.name, replace(row, released=True))

    def newest_lease(self, name: str) -> GrantedLease | None:
        """Return the newest lease of a name, as the port says."""
        require_text("the name of a lease", name)
        row = self._file.glance(lambda connection: read_lease(connection, name))
        boot_id, uptime_ms = self._uptime.boot_id(), self._uptime.uptime_ms()
        return None if row is None else granted_lease(name, row, boot_id, uptime_ms)

    def fenced_put(
        self, lease: Lease, records: Iterable[Record], *, unchanged: Record | None = None
    ) -> None:
        """Keep records if the lease holds, as the port says."""
        fenced = FencedRecords(lease=lease, records=tuple(records), unchanged=unchanged)
        with self._file.transaction() as connection:
            self.fenced_put_in(connection, fenced)

    def fenced_put_in(self, connection: Connection, fenced: FencedRecords) -> None:
        """Keep records if their lease holds, in a transaction that the caller has begun on the same
        file and takes back when this raises.
        """
        self._held(connection, fenced.lease)
        if (unchanged := fenced.unchanged) is not None:
            reader = SqliteRecordReader(connection, self._file.place)
            found = reader.get(unchanged.collection, (unchanged.record_id,))
            require_unchanged(unchanged, found.get(unchanged.record_id))
        put_records(connection, prepared(fenced.records))

    def watermark(self, collection: str) -> str:
        """Return how often the collection was changed."""
        require_text("a collection", collection)
        return str(self._file.glance(lambda connection: read_watermark(connection, collection)))

    @contextmanager
    def snapshot(self) -> Generator[RecordReader]:
        """Return a reader of this moment; the reader is for the thread that asked for it."""
        with self._file.reading() as connection:
            yield SqliteRecordReader(connection, self._file.place)

    def close(self) -> None:
        """Let go of the file, also for whoever shares it."""
        self._file.close()

    def _held(self, connection: Connection, lease: Lease) -> LeaseRow:
        row = read_lease(connection, lease.name)
        return require_held(lease, row, self._uptime.boot_id(), self._uptime.uptime_ms())

    def _purge_words(self) -> None:
        """Take what was deleted out of the index of words, in short steps."""
        is_first = is_more = True
        while is_more:
            with self._file.transaction() as connection:
                is_more = purge_words_step(connection, is_first=is_first)
            is_first = False
