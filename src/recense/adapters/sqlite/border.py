"""The border: where errors of the driver become errors of ours.

Law: every call of the driver happens inside `border`, and nothing else knows the driver's errors.
The first entry of the table that fits decides. What has no entry is a mistake of ours: a statement
that is wrong, an object used after it was closed or by two threads at once.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import TracebackType
from typing import Final

import apsw
import msgspec

from recense.adapters.sqlite.driver import Connection, Row
from recense.errors import (
    StoreBusy,
    StoreCorrupt,
    StoreFault,
    StoreForeign,
    StoreFull,
    StoreReadOnly,
    StoreUnavailable,
)

_DAMAGE: Final = frozenset(
    {apsw.SQLITE_IOERR_CORRUPTFS, apsw.SQLITE_IOERR_DATA, apsw.SQLITE_IOERR_SHORT_READ}
)
"""Failures of reading and writing by which the file itself is known to be damaged."""

_FULL: Final = frozenset({apsw.SQLITE_IOERR_SHMSIZE})
"""A failure of the memory that processes share: the engine makes it as a file beside the store."""

UNMAKEABLE: Final = (apsw.CantOpenError, apsw.ReadOnlyError, apsw.FullError, apsw.IOError)
"""How the engine fails that cannot make its files beside the store."""

DriverError = apsw.Error
DriverOutOfMemory = apsw.NoMemError
"""Whatever the driver raises."""

_TURNS_MAX: Final = 16
"""Others that may be faster than a statement; a file sees as many only when it is being made."""

_FAULTS: Final[tuple[tuple[type[apsw.Error], type[StoreFault], str], ...]] = (
    (apsw.BusyError, StoreBusy, "try again; if it stays busy, see which process holds it"),
    (apsw.LockedError, StoreBusy, "try again; if it stays busy, see which process holds it"),
    (apsw.ProtocolError, StoreBusy, "try again; if it stays busy, see which process holds it"),
    (apsw.FullError, StoreFull, "free some space on the disk, then try again"),
    (apsw.CorruptError, StoreCorrupt, "run `recense doctor`; keep a copy of the file"),
    (apsw.NotADBError, StoreForeign, "name another file"),
    (apsw.ReadOnlyError, StoreReadOnly, "make the file and its folder writable"),
    (apsw.CantOpenError, StoreUnavailable, "see that the file and its folder can be read"),
    (apsw.PermissionsError, StoreUnavailable, "see that the file and its folder can be read"),
    (apsw.AuthError, StoreUnavailable, "see that the file and its folder can be read"),
    (apsw.IOError, StoreUnavailable, "see the disk's own messages"),
    (apsw.NoLFSError, StoreUnavailable, "the disk cannot keep a file of this size"),
    (apsw.NoMemError, StoreUnavailable, "the machine is out of memory"),
    (apsw.InterruptError, StoreUnavailable, "the call was interrupted; try again"),
)


class border:  # noqa: N801 - used as a word is
    """Translate what the driver raises inside; ``place`` is the store's, for the message.

    A class and no generator: it is entered several times for each fact, and a generator costs as
    much as a small statement.
    """

    __slots__ = ("_place",)

    def __init__(self, place: str) -> None:
        self._place: Final = place

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        if error is None:
            return
        if isinstance(error, apsw.Error):
            raise translated(error, self._place) from error
        if isinstance(error, msgspec.ValidationError | UnicodeDecodeError):
            raise StoreCorrupt(
                f"store {self._place!r} holds a row that was never written so: {error}",
                hint="run `recense doctor`; keep a copy of the file",
            ) from error
        if isinstance(error, UnicodeEncodeError):
            raise StoreFault(
                f"store {self._place!r} was handed text that is no Unicode text: {error.reason}",
                hint="lone surrogates become U+FFFD where the text is read; please report this",
            ) from error


@contextmanager
def index_border(place: str) -> Generator[None]:
    """Translate as `border` does what is raised while the message index is read, which is made of
    tables that anybody can take away: what cannot be read of it is damage of the index.
    """
    with border(place):
        try:
            yield
        except (apsw.SQLError, TypeError, ValueError) as error:
            raise StoreCorrupt(
                f"store {place!r}: the message index cannot be read: {error}",
                hint="make it anew: recense index",
            ) from error


def run_when_free(connection: Connection, statement: str) -> list[Row]:
    """Run a statement that SQLite refuses at once, instead of waiting, while another one writes.

    Turning on the write-ahead log is one: it upgrades a lock, and an upgrade never waits. Beginning
    a write of our own does wait, up to the connection's bound. Raises the driver's BusyError when
    that runs out, or when others are always faster.
    """
    for _ in range(_TURNS_MAX):
        try:
            return connection.execute(statement).fetchall()
        except apsw.BusyError:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
    return connection.execute(statement).fetchall()


def is_done(attempt: Callable[[], bool]) -> bool:
    """Return what an attempt says, and False where others or the disk are in its way."""
    try:
        return attempt()
    except (apsw.BusyError, apsw.LockedError, *UNMAKEABLE):
        return False


def translated(error: apsw.Error, place: str) -> StoreFault:
    """Return our error for one of the driver's; the driver's words never hold stored values."""
    message = f"store {place!r}: {error}"
    if getattr(error, "extendedresult", None) in _DAMAGE:
        return StoreCorrupt(message, hint="run `recense doctor`; keep a copy of the file")
    if getattr(error, "extendedresult", None) in _FULL:
        return StoreFull(message, hint="free some space on the disk, then try again")
    for theirs, ours, hint in _FAULTS:
        if isinstance(error, theirs):
            return ours(message, hint=hint)
    return StoreFault(message, hint="this is a fault of Recense, please report it")
