"""The store on one SQLite file.

Laws: one connection writes, one thread at a time; each snapshot has a connection of its own, which
cannot write, and which the next one uses again: what it has read of the file stays in memory.
Processes share the file through SQLite's own locks: a write waits for another at most
``busy_wait_ms``, then it is StoreBusy and nothing of it was kept.
"""

import threading
from collections.abc import Generator, Iterable, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

import apsw
from msgspec.structs import replace

from recense.adapters.sqlite.border import UNMAKEABLE, border, is_done, translated
from recense.adapters.sqlite.checking import faults_found
from recense.adapters.sqlite.connections import (
    IdleReaders,
    Synchronous,
    begin_reading,
    connect,
    connect_frozen,
    is_there,
    make_file,
    make_writable_again,
    no_store,
    prepare_writer,
    recognise,
    require_no_log,
)
from recense.adapters.sqlite.driver import Connection
from recense.adapters.sqlite.forgetting import (
    forget_sessions,
    has_ownerless_blobs,
    is_forgotten,
)
from recense.adapters.sqlite.index_checking import index_faults_found
from recense.adapters.sqlite.indexing import empty_index, mend_index, purge_step, write_index_page
from recense.adapters.sqlite.pieces import RecordWriter
from recense.adapters.sqlite.reading import SqliteReader
from recense.adapters.sqlite.restarting import restart_conversion
from recense.adapters.sqlite.rows import (
    insert_session,
    read_file,
    read_session,
    update_session,
    write_file,
)
from recense.adapters.sqlite.schema import MIGRATIONS, migrate, read_key
from recense.adapters.sqlite.scrubbing import scrub
from recense.adapters.sqlite.settled import SettledSums
from recense.adapters.sqlite.streams import keep_stream_page
from recense.adapters.sqlite.writing import keep_archive_page, keep_ledger_page
from recense.core.transcript.records import Session, SessionBirth, SessionFacts, with_facts
from recense.errors import StoreBusy, StoreCorrupt, StoreFault
from recense.limits import BUSY_WAIT_MS_MAX, LOG_WAIT_MS_MAX, STORE_KEY_BYTES
from recense.ports.clock import Chance
from recense.ports.commits import (
    ArchiveOutcome,
    ArchivePage,
    Forgotten,
    ImportFile,
    LedgerPage,
    StreamPage,
)
from recense.ports.index import IndexPage
from recense.ports.pages import forgotten_session, require_file, unknown_session
from recense.ports.transcripts import TranscriptReader

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

    Where the engine can make no files beside it, the store is opened as it lies there: it can be
    read, and every write is refused by the reason.
    """
    file = Path(path).absolute()
    place = str(file)
    if not is_there(file):
        if not create:
            raise no_store(place)
        make_file(file)
    make_writable_again(file)
    with border(place), ExitStack() as undo:
        connection, refusal = _connected(
            file, synchronous=synchronous, busy_wait_ms=busy_wait_ms, create=create
        )
        undo.callback(connection.close)
        migrate(connection, chance.token(STORE_KEY_BYTES))
        key = read_key(connection, place)
        undo.pop_all()
    return SqliteStore(
        connection,
        file,
        key,
        synchronous=synchronous,
        busy_wait_ms=busy_wait_ms,
        refusal=refusal,
    )


def _connected(
    file: Path, *, synchronous: Synchronous, busy_wait_ms: int, create: bool
) -> tuple[Connection, StoreFault | None]:
    """Return a connection that is set up to write, or one that only reads and the reason."""
    with ExitStack() as undo:
        connection = connect(file, busy_wait_ms=busy_wait_ms)
        undo.callback(connection.close)
        try:
            recognise(connection, file, may_be_empty=create)
            prepare_writer(connection, str(file), synchronous)
        except UNMAKEABLE as error:
            require_no_log(file, error)
            refusal = translated(error, str(file))
        else:
            undo.pop_all()
            return connection, None
    with ExitStack() as undo:
        connection = connect_frozen(file)
        undo.callback(connection.close)
        recognise(connection, file, may_be_empty=False)
        undo.pop_all()
        return connection, refusal


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
        refusal: StoreFault | None,
    ) -> None:
        self._writer: Final = connection
        self._writing: Final = threading.Lock()
        self._path: Final = path
        self._place: Final = str(path)
        self._key: Final = key
        self._synchronous: Final[Synchronous] = synchronous
        self._busy_wait_ms: Final = busy_wait_ms
        self._refusal: Final = refusal
        self._record_writer: Final = RecordWriter(connection)
        self._idle: Final = IdleReaders()
        self._sums: Final = SettledSums()

    def key(self) -> bytes:
        """Return the store's secret key."""
        return self._key

    def archive(self, page: ArchivePage) -> ArchiveOutcome:
        """Keep one page of records, as the port says."""
        with self._transaction() as connection:
            return keep_archive_page(connection, page, self._record_writer, self._key)

    def append(self, page: LedgerPage) -> int:
        """Keep one page of events, as the port says."""
        with self._transaction() as connection:
            return keep_ledger_page(connection, page)

    def open_session(self, birth: SessionBirth, facts: SessionFacts) -> Session:
        """Introduce a session and return it, as the port says."""
        with self._transaction() as connection:
            if is_forgotten(connection, self._key, birth.session_id):
                raise forgotten_session(birth.session_id)
            found = read_session(connection, birth.session_id)
            if found is not None:
                return found[1]
            key, session = insert_session(connection, birth)
            session = with_facts(session, facts)
            update_session(connection, key, session)
            return session

    def stream(self, page: StreamPage) -> None:
        """Keep what has arrived of a stream, as the port says."""
        with self._transaction() as connection:
            keep_stream_page(connection, page)

    def restart(self, session_id: str, importer_version: int) -> int | None:
        """Take a session's conversion back to its beginning, as the port says."""
        with self._transaction() as connection:
            return restart_conversion(connection, session_id, importer_version)

    def set_private(self, session_id: str, *, private: bool) -> Session:
        """Hide a session from every search, or show it again; return its row."""
        with self._transaction() as connection:
            found = read_session(connection, session_id)
            if found is None:
                raise unknown_session(session_id)
            key, session = found
            connection.execute(
                "UPDATE sessions SET private = ? WHERE session_key = ?", (private, key)
            )
            return replace(session, private=private)

    def forget(self, session_ids: Iterable[str]) -> Forgotten:
        """Remove sessions and keep tombstones, as the port says."""
        with self._transaction() as connection:
            forgotten = forget_sessions(connection, self._key, session_ids)
        self._idle.close_all()
        self._purge_index()
        with self._alone() as connection, border(self._place):
            connection.set_busy_timeout(min(LOG_WAIT_MS_MAX, self._busy_wait_ms))
            try:
                scrubbed = is_done(lambda: scrub(connection, self._path))
                known = not has_ownerless_blobs(connection)
                return replace(forgotten, bytes_gone=scrubbed and known)
            finally:
                connection.set_busy_timeout(self._busy_wait_ms)

    def write_index(self, page: IndexPage) -> frozenset[str]:
        """Write one page of the message index, as the port says."""
        with self._transaction() as connection:
            return write_index_page(connection, page)

    def empty_index(self) -> None:
        """Empty the message index, as the port says."""
        with self._transaction() as connection:
            empty_index(connection)

    def mend_index(self) -> bool:
        """Empty the message index if it is damaged, as the port says."""
        with self._transaction() as connection:
            return mend_index(connection)

    def note_file(self, expected: ImportFile | None, file: ImportFile) -> None:
        """Replace a file's bookkeeping alone, as the port says."""
        with self._transaction() as connection:
            require_file(read_file(connection, file.source, file.path), expected, file)
            write_file(connection, file)

    @contextmanager
    def snapshot(self) -> Generator[TranscriptReader]:
        """Return a reader of this moment; the reader is for the thread that asked for it."""
        with self._reading() as connection:
            yield SqliteReader(connection, self._place, self._key, self._sums)

    def check(self) -> Sequence[str]:
        """Return the faults found in the file; every byte of it is read."""
        try:
            with self._reading() as connection, border(self._place):
                return tuple(faults_found(connection))
        except StoreCorrupt as fault:
            return (fault.message,)

    def check_index(self) -> Sequence[str]:
        """Return the faults found in the message index, as the port says."""
        with self._reading() as connection, border(self._place):
            return tuple(index_faults_found(connection))

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
            self._idle.close_all()
            self._writer.close()

    @contextmanager
    def _transaction(self) -> Generator[Connection]:
        """Hold the one write transaction; leaving by an error takes back all of it."""
        if self._refusal is not None:
            raise type(self._refusal)(self._refusal.message, hint=self._refusal.hint)
        with self._alone() as connection, border(self._place):
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    @contextmanager
    def _alone(self) -> Generator[Connection]:
        """Hold the connection that writes, as the only thread."""
        if not self._writing.acquire(timeout=self._busy_wait_ms / 1000):
            raise StoreBusy(
                f"store {self._place!r}: another thread has been writing for "
                f"{self._busy_wait_ms} ms",
                hint="try again",
            )
        try:
            yield self._writer
        finally:
            self._writing.release()

    def _purge_index(self) -> None:
        """Take what was deleted out of the message index, in short steps."""
        is_first = is_more = True
        while is_more:
            with self._transaction() as connection:
                is_more = purge_step(connection, is_first=is_first)
            is_first = False

    @contextmanager
    def _reading(self) -> Generator[Connection]:
        """Hold a connection of its own with one read transaction."""
        with border(self._place):
            connection = self._idle.take() or begin_reading(
                self._path, busy_wait_ms=self._busy_wait_ms
            )
        try:
            yield connection
        finally:
            with border(self._place):
                self._idle.give_back(connection)
