"""Peeking: what is noted of a few source files, without what a store takes to open.

The agent hook asks this after every turn of an agent: nothing is loaded here but the driver. It is
the one exception from the law of `border`: whatever the driver says, nothing is known then, and
whoever opens the store next is told why.
"""

from collections.abc import Iterable
from typing import NamedTuple, cast

import apsw

from recense.adapters.sqlite.driver import Connection
from recense.adapters.sqlite.schema import APPLICATION_ID
from recense.limits import PEEK_WAIT_MS_MAX

# The sources are few and the files many: each source is found by one step in the index.
_NOTED = """
WITH RECURSIVE sources (source) AS (
    SELECT min(source) FROM import_files
    UNION ALL
    SELECT (SELECT min(source) FROM import_files WHERE source > sources.source)
    FROM sources WHERE source IS NOT NULL
)
SELECT path, size, mtime_ns, reason FROM sources JOIN import_files USING (source) WHERE path = ?
"""


class Noted(NamedTuple):
    """A file as it was when it was last read to its end; ``reason`` is why it failed, or empty."""

    size: int
    mtime_ns: int
    reason: str


def noted_files(store: str, paths: Iterable[str]) -> dict[str, list[Noted]]:
    """Return what a store, by its file, holds of these files, by their stored paths: a note for
    each source that has read one.

    Empty when there is no such store, or when it cannot be read at once.
    """
    noted: dict[str, list[Noted]] = {}
    try:
        connection = cast("Connection", apsw.Connection(store, flags=apsw.SQLITE_OPEN_READWRITE))
    except apsw.Error:
        return {}
    try:
        connection.set_busy_timeout(PEEK_WAIT_MS_MAX)
        if connection.execute("PRAGMA application_id").fetchall() != [(APPLICATION_ID,)]:
            return {}
        for path, size, mtime_ns, reason in connection.executemany(
            _NOTED, ((path,) for path in paths)
        ):
            noted.setdefault(path, []).append(Noted(size, mtime_ns, reason))
    except apsw.Error:
        return {}
    finally:
        connection.close(force=True)
    return noted
