"""The store of transcripts on one SQLite file."""

from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from recense.adapters.sqlite.border import border
from recense.adapters.sqlite.checking import faults_found
from recense.adapters.sqlite.connections import Synchronous
from recense.adapters.sqlite.file import SqliteFile, open_sqlite_file
from recense.adapters.sqlite.forgetting import (
    forget_sessions,
    has_ownerless_blobs,
    is_forgotten,
)
from recense.adapters.sqlite.index_checking import index_faults_found
from recense.adapters.sqlite.indexing import empty_index, mend_index, purge_step, write_index_page
from recense.adapters.sqlite.pieces import RecordWriter
from recense.adapters.sqlite.reading import SqliteReader
from recense.adapters.sqlite.records import SqliteRecords
from recense.adapters.sqlite.restarting import restart_conversion
from recense.adapters.sqlite.rows import (
    insert_session,
    read_file,
    read_session,
    update_session,
    write_file,
)
from recense.adapters.sqlite.settled import SettledSums
from recense.adapters.sqlite.streams import keep_stream_page
from recense.adapters.sqlite.writing import keep_archive_page, keep_ledger_page
from recense.core.transcript.records import Session, SessionBirth, SessionFacts, with_facts
from recense.errors import StoreCorrupt
from recense.limits import BUSY_WAIT_MS_MAX
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
from recense.ports.pages import (
    forgotten_session,
    no_records_beside,
    require_file,
    unknown_session,
)
from recense.ports.transcripts import TranscriptReader


def open_sqlite(
    path: str | Path,
    *,
    synchronous: Synchronous,
    chance: Chance,
    create: bool,
    busy_wait_ms: int = BUSY_WAIT_MS_MAX,
) -> "SqliteStore":
    """Return the store of transcripts in a file, as
    `recense.adapters.sqlite.file.open_sqlite_file` opens it.
    """
    return SqliteStore(
        open_sqlite_file(
            path, synchronous=synchronous, chance=chance, create=create, busy_wait_ms=busy_wait_ms
        )
    )


class SqliteStore:
    """A `recense.ports.transcripts.TranscriptStore`; its methods may be called by any thread.

    ``records`` is the store of records on the same file, where there is one.
    """

    def __init__(self, file: SqliteFile, records: SqliteRecords | None = None) -> None:
        self._file: Final = file
        self._records: Final = records
        self._record_writer: Final = RecordWriter(file.writer)
        self._sums: Final = SettledSums()

    def key(self) -> bytes:
        """Return the store's secret key."""
        return self._file.key

    def archive(self, page: ArchivePage) -> ArchiveOutcome:
        """Keep one page of records, as the port says."""
        with self._file.transaction() as connection:
            return keep_archive_page(connection, page, self._record_writer, self._file.key)

    def append(self, page: LedgerPage) -> int:
        """Keep one page of events, as the port says."""
        with self._file.transaction() as connection:
            if page.fenced is not None:
                if self._records is None:
                    raise no_records_beside()
                self._records.fenced_put_in(connection, page.fenced)
            return keep_ledger_page(connection, page)

    def open_session(self, birth: SessionBirth, facts: SessionFacts) -> Session:
        """Introduce a session and return it, as the port says."""
        with self._file.transaction() as connection:
            if is_forgotten(connection, self._file.key, birth.session_id):
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
        with self._file.transaction() as connection:
            keep_stream_page(connection, page)

    def restart(self, session_id: str, importer_version: int) -> int | None:
        """Take a session's conversion back to its beginning, as the port says."""
        with self._file.transaction() as connection:
            return restart_conversion(connection, session_id, importer_version)

    def set_private(self, session_id: str, *, private: bool) -> Session:
        """Hide a session from every search, or show it again; return its row."""
        with self._file.transaction() as connection:
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
        with self._file.transaction() as connection:
            forgotten = forget_sessions(connection, self._file.key, session_ids)
            known = not has_ownerless_blobs(connection)
        self._file.idle.close_all()
        self._purge_index()
        return replace(forgotten, bytes_gone=self._file.scrub() and known)

    def write_index(self, page: IndexPage) -> frozenset[str]:
        """Write one page of the message index, as the port says."""
        with self._file.transaction() as connection:
            return write_index_page(connection, page)

    def empty_index(self) -> None:
        """Empty the message index, as the port says."""
        with self._file.transaction() as connection:
            empty_index(connection)

    def mend_index(self) -> bool:
        """Empty the message index if it is damaged, as the port says."""
        with self._file.transaction() as connection:
            return mend_index(connection)

    def note_file(self, expected: ImportFile | None, file: ImportFile) -> None:
        """Replace a file's bookkeeping alone, as the port says."""
        with self._file.transaction() as connection:
            require_file(read_file(connection, file.source, file.path), expected, file)
            write_file(connection, file)

    @contextmanager
    def snapshot(self) -> Generator[TranscriptReader]:
        """Return a reader of this moment; the reader is for the thread that asked for it."""
        with self._file.reading() as connection:
            yield SqliteReader(connection, self._file.place, self._file.key, self._sums)

    def check(self) -> Sequence[str]:
        """Return the faults found in the file; every byte of it is read."""
        try:
            with self._file.reading_afresh() as connection, border(self._file.place):
                return tuple(faults_found(connection))
        except StoreCorrupt as fault:
            return (fault.message,)

    def check_index(self) -> Sequence[str]:
        """Return the faults found in the message index, as the port says."""
        with self._file.reading_afresh() as connection, border(self._file.place):
            return tuple(index_faults_found(connection))

    def description(self) -> dict[str, str]:
        """Return what a person should know of the store."""
        return self._file.description()

    def close(self) -> None:
        """Let go of the file, also for whoever shares it."""
        self._file.close()

    def _purge_index(self) -> None:
        """Take what was deleted out of the message index, in short steps."""
        is_first = is_more = True
        while is_more:
            with self._file.transaction() as connection:
                is_more = purge_step(connection, is_first=is_first)
            is_first = False
