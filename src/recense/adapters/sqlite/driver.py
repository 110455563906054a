"""The part of the driver that we use, with types.

apsw's own annotations name ``collections.abc.Buffer``, which Python 3.11 does not have, so that a
type checker knows nothing of what they say. A row is ``Any`` here: the tables are STRICT and their
CHECKs name the words a column may hold, and whoever names the columns says what they are.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, islice
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar, cast

import apsw

SqlValue = None | int | float | str | bytes
Bindings = Sequence[SqlValue] | Mapping[str, SqlValue]
Row = tuple[Any, ...]

_ROWS_AT_ONCE: Final = 256
"""Parts are powers of two, so that there are few statements; the driver keeps those below 16 KiB
compiled, and so many rows of sixteen columns are less."""

_BYTES_AT_ONCE: Final = 256 * 1024


class Cursor(Protocol):
    """The rows of a statement."""

    def __iter__(self) -> Iterator[Row]: ...

    def fetchall(self) -> list[Row]:
        """Return the rows that are left."""
        ...

    def fetchone(self) -> Row | None:
        """Return the next row, or None."""
        ...


class StoredBytes(Protocol):
    """The bytes of one column of one row, of which parts are read."""

    def length(self) -> int:
        """Return how many bytes there are."""
        ...

    def seek(self, offset: int) -> None:
        """Go to a byte."""
        ...

    def read(self, length: int) -> bytes:
        """Return the next bytes, fewer at the end."""
        ...

    def reopen(self, rowid: int) -> None:
        """Go to the same column of another row."""
        ...

    def close(self) -> None:
        """Let go of the row."""
        ...


class Connection(Protocol):
    """A connection to a file."""

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open."""
        ...

    def execute(
        self, statements: str, bindings: Bindings | None = None, *, can_cache: bool = True
    ) -> Cursor:
        """Run statements, the first ones to their end and the last one up to its first row. What is
        cached keeps what was bound last.
        """
        ...

    def executemany(self, statements: str, sequenceofbindings: Iterable[Bindings]) -> Cursor:
        """Run a statement once for each of the bindings; the rows of all follow each other."""
        ...

    def blob_open(
        self,
        database: str,
        table: str,
        column: str,
        rowid: int,
        writeable: bool,  # noqa: FBT001 - the driver's own
    ) -> StoredBytes:
        """Return the bytes of a column of a row."""
        ...

    def config(self, option: int, value: int) -> object:
        """Set an option of the engine for this connection."""
        ...

    def set_busy_timeout(self, milliseconds: int) -> None:
        """Wait this long for another process's lock."""
        ...

    def total_changes(self) -> int:
        """Return how many rows this connection has changed since it was opened."""
        ...

    def txn_state(self) -> int:
        """Return whether a transaction reads or writes, or (0) there is none."""
        ...

    def close(self, force: bool = False) -> None:  # noqa: FBT001, FBT002 - the driver's own
        """Close the connection; by force also while rows of it are being read."""
        ...


class File(Protocol):
    """A file, as the engine itself reads and writes it."""

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802 - the driver's own
        """Return ``amount`` bytes from an offset."""
        ...

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 - as above
        """Write bytes at an offset."""
        ...

    def xSync(self, flags: int) -> None:  # noqa: N802 - as above
        """Wait until what was written is on the disk."""
        ...

    def xClose(self) -> None:  # noqa: N802 - as above
        """Close the file; locks that this process has on it stay."""
        ...


def open_file(path: Path) -> File:
    """Open a database file that exists, by the engine's own file layer."""
    flags = apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READWRITE
    return cast("File", apsw.VFSFile("", str(path), [flags, 0]))


def read_number(connection: Connection, query: str, bindings: Bindings = ()) -> int | None:
    """Return the one integer that a query answers with, or None when it answers with no row."""
    row = connection.execute(query, bindings).fetchone()
    return None if row is None else row[0]


def insert_rows(
    connection: Connection, into: str, rows: Iterable[Sequence[SqlValue]], behind: str = ""
) -> None:
    """Insert rows, all of one width; ``into`` is the statement up to its values, ``behind`` what
    follows them.

    Many rows are one step of the engine (ADR 0030). At each step the interpreter is let go, and
    where another thread computes without a pause, it comes back after milliseconds: by the row, two
    thousand statements would hold the one place of a writer for a minute.
    """
    given = iter(rows)
    while part := list(islice(given, _ROWS_AT_ONCE)):
        begin = 0
        while begin < len(part):
            count = 1 << (len(part) - begin).bit_length() - 1
            bindings = list(chain.from_iterable(part[begin : begin + count]))
            values = ", ".join([f"({marks(part[0])})"] * count)
            connection.execute(f"{into} VALUES {values} {behind}", bindings)
            begin += count


def insert_long_rows(connection: Connection, into: str, rows: Iterable[Sequence[SqlValue]]) -> None:
    """Insert rows as `insert_rows` does that hold texts or bytes of any length: of long ones fewer
    at a time, since the driver keeps what was bound last in each statement that it keeps.
    """
    for part in parts_of(rows, rows_max=_ROWS_AT_ONCE, bytes_max=_BYTES_AT_ONCE):
        insert_rows(connection, into, part)


def parts_of(
    rows: Iterable[Sequence[SqlValue]], *, rows_max: int, bytes_max: int
) -> Iterator[list[Sequence[SqlValue]]]:
    """Yield rows in order, in parts of so many with so many characters and bytes together; what is
    longer is a part by itself.
    """
    part: list[Sequence[SqlValue]] = []
    length = 0
    for row in rows:
        more = sum(len(value) for value in row if isinstance(value, str | bytes))
        if part and (length + more > bytes_max or len(part) == rows_max):
            yield part
            part, length = [], 0
        part.append(row)
        length += more
    if part:
        yield part


_Item = TypeVar("_Item", bound=SqlValue)


def filled(values: Sequence[_Item]) -> tuple[_Item, ...]:
    """Return values, one at least, filled up to a power of two with the last."""
    count = len(values)
    if count == 1:
        return (values[0],)
    size = 1 << (count - 1).bit_length()
    return (*values, *[values[-1]] * (size - count))


def marks(values: Sequence[object]) -> str:
    """Return what stands for values in a statement."""
    return _marks(len(values))


@cache
def _marks(count: int) -> str:
    return ", ".join("?" * count)
