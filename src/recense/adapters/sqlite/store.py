"""The store on one SQLite file.

Laws: one connection writes, one thread at a time; each snapshot has a connection of its own, which
is opened for it (a third of a millisecond) and cannot write. Processes share the file through
SQLite's own locks: a write waits for another at most ``busy_wait_ms``, then it is StoreBusy and
nothing of it was kept.
"""

import threading
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

import apsw

from recense.adapters.sqlite.border import border
from recense.adapters.sqlite.checking import faults_found
from recense.adapters.sqlite.connections import (
    Synchronous,
    connect,
    make_file,
    no_store,
    prepare_reader,
    prepare_writer,
    recognise,
)
from recense.adapters.sqlite.driver import Connection
from recense.adapters.sqlite.pieces import RecordWriter
from recense.adapters.sqlite.reading import SqliteReader
from recense.adapters.sqlite.rows import (
    insert_session,
    read_file,
    read_session,
    update_session,
    write_file,
)
from recense.adapters.sqlite.schema import MIGRATIONS, migrate, read_key
from recense.adapters.sqlite.writing import keep_archive_page, keep_ledger_page
from recense.core.transcript.records import Session, SessionBirth, SessionFacts, with_facts
from recense.errors import StoreBusy, StoreCorrupt
from recense.limits import BUSY_WAIT_MS_MAX, STORE_KEY_BYTES
from recense.ports.clock import Chance
from recense.ports.pages import require_file
from recense.ports.transcripts import (
    ArchiveOutcome,
    ArchivePage,
    ImportFile,
    LedgerPage,
    TranscriptReader,
)

_DURABILITY: Final = {
    "normal": "synchronous NORMAL: a kept write survives the end of the process; "
    "a power cut may take the last ones",
    "full": "synchronous FULL: a kept write survives the end of the process and a power cut",
}


def open_sqlite(
    path: str | Path,
    *,
    synchronous: Synchronous,
    chance: Chance,
    create: bool,
    busy_wait_ms: int = BUSY_WAIT_MS_MAX,
) -> "SqliteStore":
    """Return the store in a file, brought to the schema of this release.

    With ``create`` a file that does not exist, or is empty, becomes a new store, readable by its
    owner alone; several processes may do so at once and find the same store. Without it nothing is
    ever made. Raises StoreUnavailable when there is no store, StoreForeign when the file is
    something else, StoreTooNew when a later release wrote it, StoreReadOnly when it has an earlier
    schema and cannot be written, and StoreCorrupt when it has lost its key.
    """
    file = Path(path).absolute()
    place = str(file)
    if create:
        make_file(file)
    elif not file.exists():
        raise no_store(place)
    with border(place), ExitStack() as undo:
        connection = connect(file, busy_wait_ms=busy_wait_ms)
        undo.callback(connection.close)
        recognise(connection, file, may_be_empty=create)
        prepare_writer(connection, place, synchronous)
        migrate(connection, chance.token(STORE_KEY_BYTES))
        key = read_key(connection, place)
        undo.pop_all()
    return SqliteStore(connection, file, key, synchronous=synchronous, busy_wait_ms=busy_wait_ms)


class SqliteStore:
    """A `recense.ports.transcripts.TranscriptStore`; its methods may be called by any thread."""

    def __init__(
        self,
        connection: Connection,
        path: Path,
        key: bytes,
        *,
        synchronous: Synchronous,
        busy_wait_ms: int,
    ) -> None:
        self._writer: Final = connection
        self._writing: Final = threading.Lock()
        self._path: Final = path
        self._place: Final = str(path)
        self._key: Final = key
        self._synchronous: Final[Synchronous] = synchronous
        self._busy_wait_ms: Final = busy_wait_ms
        self._record_writer: Final = RecordWriter(connection)

    def key(self) -> bytes:
        """Return the store's secret key."""
        return self._key

    def archive(self, page: ArchivePage) -> ArchiveOutcome:
        """Keep one page of records, as the port says."""
        with self._transaction() as connection:
            return keep_archive_page(connection, page, self._record_writer)

    def append(self, page: LedgerPage) -> None:
        """Keep one page of events, as the port says."""
        with self._transaction() as connection:
            keep_ledger_page(connection, page)

    def open_session(self, birth: SessionBirth, facts: SessionFacts) -> Session:
        """Introduce a session and return it; one that exists is returned as it is."""
        with self._transaction() as connection:
            found = read_session(connection, birth.session_id)
            if found is not None:
                return found[1]
            key, session = insert_session(connection, birth)
            session = with_facts(session, facts)
            update_session(connection, key, session)
            return session

    def note_file(self, expected: ImportFile | None, file: ImportFile) -> None:
        """Replace a file's bookkeeping alone, as the port says."""
        with self._transaction() as connection:
            require_file(read_file(connection, file.source, file.path), expected, file)
            write_file(connection, file)

    @contextmanager
    def snapshot(self) -> Generator[TranscriptReader]:
        """Return a reader of this moment; the reader is for the thread that asked for it."""
        with self._reading() as connection:
            yield SqliteReader(connection, self._place)

    def check(self) -> Sequence[str]:
        """Return the faults found in the file; every byte of it is read."""
        try:
            with self._reading() as connection, border(self._place):
                return tuple(faults_found(connection))
        except StoreCorrupt as fault:
            return (fault.message,)

    def description(self) -> dict[str, str]:
        """Return what a person should know of the store."""
        return {
            "kind": "sqlite",
            "place": self._place,
            "engine": f"SQLite {apsw.sqlite_lib_version()} (apsw {apsw.apsw_version()})",
            "schema": str(len(MIGRATIONS)),
            "durability": _DURABILITY[self._synchronous],
        }

    def close(self) -> None:
        """Let go of the file."""
        with border(self._place):
            self._writer.close()

    @contextmanager
    def _transaction(self) -> Generator[Connection]:
        """Hold the one write transaction; leaving by an error takes back all of it."""
        if not self._writing.acquire(timeout=self._busy_wait_ms / 1000):
            raise StoreBusy(
                f"store {self._place!r}: another thread has been writing for "
                f"{self._busy_wait_ms} ms",
                hint="try again",
            )
        try:
            with border(self._place):
                self._writer.execute("BEGIN IMMEDIATE")
                try:
                    yield self._writer
                    self._writer.execute("COMMIT")
                finally:
                    if self._writer.in_transaction:
                        self._writer.execute("ROLLBACK")
        finally:
            self._writing.release()

    @contextmanager
    def _reading(self) -> Generator[Connection]:
        """Hold a connection of its own with one read transaction."""
        with border(self._place):
            connection = connect(self._path, busy_wait_ms=self._busy_wait_ms)
        try:
            with border(self._place):
                prepare_reader(connection)
            yield connection
        finally:
            with border(self._place):
                connection.close(force=True)  # rows may still be waiting to be read
