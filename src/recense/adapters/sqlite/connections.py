"""Connections: how the file is made, recognised and set up.

Law: no code of ours opens the file but to make it. Closing any descriptor of a file lets go of all
locks that this process has on it (POSIX), also those of SQLite.
"""

import errno
import os
import threading
from pathlib import Path
from typing import Final, Literal, cast

import apsw

from recense.adapters.sqlite.border import run_when_free
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
    except OSError as error:
        raise _unmade(error, path) from error


def connect(path: Path, *, busy_wait_ms: int) -> Connection:
    """Return a connection to a file that exists; nothing of it has been read yet."""
    connection = cast("Connection", apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE))
    connection.set_busy_timeout(busy_wait_ms)
    connection.execute("PRAGMA temp_store = MEMORY")  # nothing is spilled to files elsewhere
    return connection


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
    return StoreUnavailable(f"there is no store at {place!r}", hint="`recense import` makes one")


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
    connection.execute("BEGIN")
    connection.execute("SELECT count(*) FROM meta").fetchall()  # only a read fixes the moment


def _unmade(error: OSError, path: Path) -> StoreFault:
    message = f"the store {str(path)!r} cannot be made: {error.strerror or error}"
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return StoreFull(message, hint="free some space on the disk, then try again")
    if error.errno == errno.EROFS:
        return StoreReadOnly(message, hint="name a file on a disk that can be written")
    return StoreUnavailable(message, hint="see that the folder can be written")
