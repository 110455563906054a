"""One SQLite file, which stores of several kinds share.

Laws: one connection writes, one thread at a time; each snapshot has a connection of its own, which
cannot write, and which the next one uses again: what it has read of the file stays in memory.
Processes share the file through SQLite's own locks: a write waits for another at most
``busy_wait_ms``, then it is StoreBusy and nothing of it was kept. A file that was removed or
replaced is neither read nor written: the engine would go on in one that has no name, and what it
keeps there is lost.
"""

import threading
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final, TypeVar

import apsw

from recense.adapters.sqlite.border import UNMAKEABLE, border, is_done, translated
from recense.adapters.sqlite.connections import (
    IdleReaders,
    Synchronous,
    begin_reading,
    connect,
    connect_frozen,
    identity,
    is_there,
    make_file,
    make_writable_again,
    no_store,
    prepare_writer,
    recognise,
    require_no_log,
)
from recense.adapters.sqlite.driver import Connection
from recense.adapters.sqlite.schema import MIGRATIONS, migrate, read_key
from recense.adapters.sqlite.scrubbing import scrub
from recense.errors import StoreBusy, StoreFault, StoreUnavailable
from recense.limits import BUSY_WAIT_MS_MAX, LOG_WAIT_MS_MAX, STORE_KEY_BYTES
from recense.ports.clock import Chance

_Read = TypeVar("_Read")

_DURABILITY: Final = {
    "normal": "synchronous NORMAL: a kept write survives the end of the process; "
    "a power cut may take the last ones",
    "full": "synchronous FULL: a kept write survives the end of the process and a power cut",
}


def open_sqlite_file(
    path: str | Path,
    *,
    synchronous: Synchronous,
    chance: Chance,
    create: bool,
    busy_wait_ms: int = BUSY_WAIT_MS_MAX,
) -> "SqliteFile":
    """Return a file that stores stand on, brought to the schema of this release.

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
    return SqliteFile(
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


class SqliteFile:
    """The connections to one file; its methods may be called by any thread."""

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
        self.path: Final = path
        self.place: Final = str(path)
        self.key: Final = key
        self.idle: Final = IdleReaders()
        self.writer: Final = connection
        self._writing: Final = threading.Lock()
        self._synchronous: Final[Synchronous] = synchronous
        self._busy_wait_ms: Final = busy_wait_ms
        self._refusal: Final = refusal
        self._identity: Final = identity(self.place)

    @contextmanager
    def transaction(self) -> Generator[Connection]:
        """Hold the one write transaction; leaving by an error takes back all of it."""
        if self._refusal is not None:
            raise type(self._refusal)(self._refusal.message, hint=self._refusal.hint)
        with self.alone() as connection, border(self.place):
            self._require_same_file()
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    @contextmanager
    def alone(self) -> Generator[Connection]:
        """Hold the connection that writes, as the only thread."""
        if not self._writing.acquire(timeout=self._busy_wait_ms / 1000):
            raise StoreBusy(
                f"store {self.place!r}: another thread has been writing for "
                f"{self._busy_wait_ms} ms",
                hint="try again",
            )
        try:
            yield self.writer
        finally:
            self._writing.release()

    def glance(self, read: Callable[[Connection], _Read]) -> _Read:
        """Return what one statement reads; it sees one moment without a transaction around it."""
        with border(self.place):
            self._require_same_file()
            connection = self.idle.take_idle()
            if connection is None:
                connection = begin_reading(self.path, busy_wait_ms=self._busy_wait_ms)
            try:
                return read(connection)
            finally:
                self.idle.give_back(connection)

    @contextmanager
    def reading(self) -> Generator[Connection]:
        """Hold a connection of its own with one read transaction."""
        with border(self.place):
            self._require_same_file()
            connection = self.idle.take() or begin_reading(
                self.path, busy_wait_ms=self._busy_wait_ms
            )
        try:
            yield connection
        finally:
            with border(self.place):
                self.idle.give_back(connection)

    @contextmanager
    def reading_afresh(self) -> Generator[Connection]:
        """Hold a connection that has read nothing before, with one read transaction.

        That is for checks: what the engine remembers of a full-text index from an earlier moment it
        does not ask anew when it checks that index, and takes what has moved since for damage.
        """
        with border(self.place):
            self._require_same_file()
            connection = begin_reading(self.path, busy_wait_ms=self._busy_wait_ms)
        try:
            yield connection
        finally:
            connection.close(force=True)

    def _require_same_file(self) -> None:
        """Raise StoreUnavailable where the path does not name the file that was opened."""
        if identity(self.place) != self._identity:
            raise StoreUnavailable(
                f"the store {self.place!r} was replaced by another file while it was open",
                hint="open it again",
            )

    def scrub(self) -> bool:
        """Overwrite what no row holds; return whether readers of an earlier moment, other processes
        and the disk let all of that be done, as `recense.adapters.sqlite.scrubbing` says.
        """
        self.idle.close_all()
        with self.alone() as connection, border(self.place):
            connection.set_busy_timeout(min(LOG_WAIT_MS_MAX, self._busy_wait_ms))
            try:
                return is_done(lambda: scrub(connection, self.path))
            finally:
                connection.set_busy_timeout(self._busy_wait_ms)

    def description(self) -> dict[str, str]:
        """Return what a person should know of the file."""
        return {
            "kind": "sqlite",
            "place": self.place,
            "engine": f"SQLite {apsw.sqlite_lib_version()} (apsw {apsw.apsw_version()})",
            "schema": str(len(MIGRATIONS)),
            "durability": _DURABILITY[self._synchronous],
        }

    def close(self) -> None:
        """Let go of the file; a second call does nothing."""
        with border(self.place):
            self.idle.close_all()
            self.writer.close()
