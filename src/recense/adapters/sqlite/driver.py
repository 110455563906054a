"""The part of the driver that we use, with types.

apsw's own annotations name ``collections.abc.Buffer``, which Python 3.11 does not have, so that a
type checker knows nothing of what they say. A row is ``Any`` here: the tables are STRICT and their
CHECKs name the words a column may hold, and whoever names the columns says what they are.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

SqlValue = None | int | float | str | bytes
Bindings = Sequence[SqlValue] | Mapping[str, SqlValue]
Row = tuple[Any, ...]


class Cursor(Protocol):
    """The rows of a statement."""

    def __iter__(self) -> Iterator[Row]: ...

    def fetchall(self) -> list[Row]:
        """Return the rows that are left."""
        ...

    def fetchone(self) -> Row | None:
        """Return the next row, or None."""
        ...


class Connection(Protocol):
    """A connection to a file."""

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open."""
        ...

    def execute(self, statements: str, bindings: Bindings | None = None) -> Cursor:
        """Run statements, the first ones to their end and the last one up to its first row."""
        ...

    def executemany(self, statements: str, sequenceofbindings: Iterable[Bindings]) -> Cursor:
        """Run a statement once for each of the bindings; the rows of all follow each other."""
        ...

    def set_busy_timeout(self, milliseconds: int) -> None:
        """Wait this long for another process's lock."""
        ...

    def close(self, force: bool = False) -> None:  # noqa: FBT001, FBT002 - the driver's own
        """Close the connection; by force also while rows of it are being read."""
        ...


def read_number(connection: Connection, query: str, bindings: Bindings = ()) -> int | None:
    """Return the one integer that a query answers with, or None when it answers with no row."""
    row = connection.execute(query, bindings).fetchone()
    return None if row is None else row[0]
