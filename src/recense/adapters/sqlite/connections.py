"""Connections: how the file is made, recognised and set up.

Law: no code of ours opens the file but to make it. Closing any descriptor of a file lets go of all
locks that this process has on it (POSIX), also those of SQLite.

A store whose folder takes no files (a read-only disk, no permission, no room) is read as it lies
there: the engine makes a file for those who read, and without it keeps nobody from writing. Where
it cannot make one, others cannot either, or may do what we may not; then a snapshot is whole only
as long as they do not write. What a log still holds cannot be read so, and nothing is without it.
"""

import errno
import os
import stat
import threading
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal, cast

import apsw

from recense.adapters.sqlite.border import UNMAKEABLE, DriverError, run_when_free, translated
from recense.adapters.sqlite.driver import Connection
from recense.adapters.sqlite.schema import APPLICATION_ID
from recense.errors import (
    StoreFault,
    StoreForeign,
    StoreFull,
    StoreReadOnly,
    StoreUnavailable,
)
from recense.limits import (
    READER_CACHE_BYTES,
    READERS_KEPT_MAX,
    STORE_CACHE_BYTES,
    STORE_LOG_BYTES,
    STORE_LOG_KEPT_BYTES,
    STORE_PAGE_BYTES,
)

Synchronous = Literal["normal", "full"]
"""What a commit waits for. *normal*: an acknowledged write survives the death of the process, and
the last ones may be lost in a power cut. *full*: it survives the power cut as well."""

_TAKEN_FOR_EMPTY_BYTES: Final = 1
"""SQLite takes a file of one byte for an empty one, and would write over it."""

_MAKING: Final = threading.Lock()
"""Held from making the file to closing it again, see the law."""

_DIRECTORY_MODE: Final = 0o700
_FILE_MODE: Final = 0o600


def make_file(path: Path) -> None:
    """Make an empty file where there is none, readable by nobody else; folders likewise.

    Raises StoreUnavailable, StoreReadOnly or StoreFull by the reason it cannot be made.
    """
    try:
        missing = [folder for folder in path.parents if not folder.exists()]
        for folder in reversed(missing):
            folder.mkdir(mode=_DIRECTORY_MODE, exist_ok=True)
        with _MAKING:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, _FILE_MODE))
    except FileExistsError:
        return  # another process was here first, or it was there all along
    except (OSError, ValueError) as error:
        raise _unmade(error, path) from error


def is_there(path: Path) -> bool:
    """Whether a file exists. Raises StoreUnavailable when that cannot be known."""
    try:
        str(path).encode()
        return path.exists()
    except (OSError, ValueError) as error:
        raise StoreUnavailable(
            f"the store {str(path)!r} cannot be looked for: {_why(error)}",
            hint="name a file whose folders can be read, by a name that the file system takes",
        ) from error


def identity(place: str) -> tuple[int, int]:
    """Return what tells a file from another one of its name.

    Raises StoreUnavailable where there is none any more.
    """
    try:
        found = os.stat(place)
    except OSError as error:
        raise StoreUnavailable(
            f"the store {place!r} cannot be found any more: {_why(error)}",
            hint="what is written to it now would be lost; open it again",
        ) from error
    return found.st_dev, found.st_ino


def make_writable_again(path: Path) -> None:
    """Give the files beside a store its own permissions, where they are ours and it is writable.

    The engine makes them as the file is; a store that was read while it was write-protected may
    have been left with some that nobody can write.
    """
    for beside in (Path(f"{path}-wal"), Path(f"{path}-shm")):
        with suppress(OSError):  # the engine says what is in its way
            if _is_writable(path) and not _is_writable(beside):
                beside.chmod(stat.S_IMODE(path.stat().st_mode))


def connect(path: Path, *, busy_wait_ms: int) -> Connection:
    """Return a connection to a file that exists; nothing of it has been read yet."""
    connection = _prepared(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE))
    connection.set_busy_timeout(busy_wait_ms)
    return connection


def connect_frozen(path: Path) -> Connection:
    """Return a connection that reads a file as it lies there, without locks or files beside it."""
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    return _prepared(apsw.Connection(f"{path.as_uri()}?immutable=1", flags=flags))


def _prepared(connection: apsw.Connection) -> Connection:
    """Return a connection that keeps nothing in files elsewhere, and a statement's plan as it is.

    An engine that knows statistics would plan a statement anew for each other value that is bound;
    our files hold none, so that the plan is the same, and planning took longer than finding a row.
    """
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    prepared = cast("Connection", connection)
    prepared.execute("PRAGMA temp_store = MEMORY")
    return prepared


def begin_reading(path: Path, *, busy_wait_ms: int) -> Connection:
    """Return a connection with the one read transaction of a snapshot; it cannot write.

    Raises as `require_no_log` where the store has to be read as it lies there.
    """
    connection = connect(path, busy_wait_ms=busy_wait_ms)
    try:
        prepare_reader(connection)
    except UNMAKEABLE as error:
        connection.close(force=True)
        require_no_log(path, error)
        connection = connect_frozen(path)
        prepare_reader(connection)
    return connection


class IdleReaders:
    """Connections for snapshots between two of them, at most READERS_KEPT_MAX; for any thread.

    Law: a connection is kept only where its transaction has ended; one whose rows are still being
    read is closed.
    """

    def __init__(self) -> None:
        self._lock: Final = threading.Lock()
        self._kept: Final[list[Connection]] = []

    def take(self) -> Connection | None:
        """Return a connection that was kept, with a read transaction of this moment; or None."""
        while (connection := self.take_idle()) is not None:
            try:
                begin_moment(connection)
            except DriverError:
                connection.close(force=True)  # a new one says what is wrong
            else:
                return connection
        return None

    def take_idle(self) -> Connection | None:
        """Return a connection that was kept, without a transaction; or None."""
        with self._lock:
            return self._kept.pop() if self._kept else None

    def give_back(self, connection: Connection) -> None:
        """Keep a connection whose snapshot is over, or close it."""
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        with self._lock:
            is_free = connection.txn_state() == apsw.SQLITE_TXN_NONE
            if is_free and len(self._kept) < READERS_KEPT_MAX:
                self._kept.append(connection)
                return
        connection.close(force=True)

    def close_all(self) -> None:
        """Close what is kept now."""
        with self._lock:
            while self._kept:
                self._kept.pop().close(force=True)


def require_no_log(path: Path, error: DriverError) -> None:
    """Refuse to read a store as it lies there while a log holds what was written last.

    ``error`` is why it cannot be read otherwise. Raises StoreFull when there is no room, else
    StoreReadOnly.
    """
    length = log_bytes(path)
    if not length:
        return
    fault = translated(error, str(path))
    if isinstance(fault, StoreFull):
        raise fault from error
    raise StoreReadOnly(
        f"store {str(path)!r} was left with a log of {length} bytes beside it, without which it "
        "cannot be read, and nothing can be written there",
        hint="open it once where it can be written, or copy the file together with its -wal file "
        "to such a folder",
    ) from error


def log_bytes(path: Path) -> int:
    """Return the length of the write-ahead log beside a file; 0 when there is none."""
    try:
        return Path(f"{path}-wal").stat().st_size
    except FileNotFoundError:
        return 0


def recognise(connection: Connection, path: Path, *, may_be_empty: bool) -> None:
    """Refuse a file that is no store of ours; nothing is written.

    Raises StoreForeign when it is something else, and StoreUnavailable when it is empty and may not
    be.
    """
    # One statement, so one moment: another process may be making the store just now.
    ((application, schema, tables),) = connection.execute(
        "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)"
        " FROM pragma_application_id, pragma_user_version"
    )
    if application == APPLICATION_ID:
        return
    if application or schema or tables or path.stat().st_size == _TAKEN_FOR_EMPTY_BYTES:
        raise StoreForeign(
            f"{str(path)!r} is a file of another program (application id {application})",
            hint="name another file; this one was not touched",
        )
    if not may_be_empty:
        raise no_store(str(path))


def no_store(place: str) -> StoreUnavailable:
    """Return the error for a file that does not exist or is empty."""
    return StoreUnavailable(
        f"there is no store at {place!r}",
        hint="`recense import` makes one, and so do `recense remember` and `recense fact set`",
    )


def prepare_writer(connection: Connection, place: str, synchronous: Synchronous) -> None:
    """Set up the connection that writes; on an empty file this decides its page size.

    Raises StoreUnavailable when the file system cannot share memory between processes.
    """
    connection.execute(f"PRAGMA page_size = {STORE_PAGE_BYTES}")
    ((mode,),) = run_when_free(connection, "PRAGMA journal_mode = WAL")
    if mode != "wal":
        raise StoreUnavailable(
            f"store {place!r} cannot keep a write-ahead log (its journal is {mode!r})",
            hint="name a file on a local disk",
        )
    connection.execute(
        f"""
        PRAGMA synchronous = {synchronous};
        PRAGMA fullfsync = {synchronous == "full"};  -- macOS: flush the disk's own cache as well
        PRAGMA cache_size = {-(STORE_CACHE_BYTES // 1024)};
        PRAGMA wal_autocheckpoint = {STORE_LOG_BYTES // STORE_PAGE_BYTES};
        PRAGMA journal_size_limit = {STORE_LOG_KEPT_BYTES};
        PRAGMA secure_delete = ON;  -- dropping sources writes 7 % more, nothing else does
        """
    ).fetchall()


def prepare_reader(connection: Connection) -> None:
    """Begin the one read transaction of a snapshot, on a connection that cannot write."""
    connection.execute("PRAGMA query_only = ON")
    connection.execute(f"PRAGMA cache_size = {-(READER_CACHE_BYTES // 1024)}")
    begin_moment(connection)


def begin_moment(connection: Connection) -> None:
    """Begin the read transaction of a snapshot."""
    connection.execute("BEGIN")
    connection.execute("SELECT count(*) FROM meta").fetchall()  # only a read fixes the moment


def _is_writable(path: Path) -> bool:
    # Who asks is who the process acts as, where that can be asked.
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def _why(error: OSError | ValueError) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)


def _unmade(error: OSError | ValueError, path: Path) -> StoreFault:
    message = f"the store {str(path)!r} cannot be made: {_why(error)}"
    number = error.errno if isinstance(error, OSError) else None
    if number in {errno.ENOSPC, errno.EDQUOT}:
        return StoreFull(message, hint="free some space on the disk, then try again")
    if number == errno.EROFS:
        return StoreReadOnly(message, hint="name a file on a disk that can be written")
    return StoreUnavailable(message, hint="see that the folder can be written")
