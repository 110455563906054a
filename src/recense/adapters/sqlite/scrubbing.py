"""Scrubbing: overwriting what deleted rows left in the file.

``secure_delete`` overwrites a row where it is deleted. It does not know of copies: a page that is
rebuilt when rows move to its neighbours keeps their bytes in the gap between its cell pointers and
its cells, which belongs to nobody. (File format: https://sqlite.org/fileformat2.html#b_tree_pages.)

Laws: the file is written only while the log is empty and no other one can write, so that nobody
writes the same page; and only in gaps, so that a reader sees nothing of it and a crash leaves
nothing half done. The file is opened by SQLite's own file layer, which keeps the locks of this
process when it is closed again.
"""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import apsw

from recense.adapters.sqlite.connections import log_bytes
from recense.adapters.sqlite.driver import Connection, open_file, read_number
from recense.adapters.sqlite.schema import schema_number
from recense.limits import READ_BYTES

_PASSES_MAX: Final = 3
"""Writes of others that may come between emptying the log and holding the lock."""

_FILE_HEADER_BYTES: Final = 100
_HEADER_BYTES: Final = {2: 12, 5: 12, 10: 8, 13: 8}
"""By the first byte of a b-tree page, how long its header is; 2 and 5 are inner pages."""

_PAGES_MAX: Final = 2**25
"""Every page that is of no b-tree begins with zeros or the number of another page: below this many
pages the first byte of that is 0 or 1, and no page is taken for what it is not."""


def scrub(connection: Connection, path: Path) -> bool:
    """Empty the log and overwrite what no row holds; return whether all of that could be done.

    Reads the whole file. A reader of an earlier moment needs the log: it is waited for as long as
    the connection waits for anybody. Raises the driver's errors.
    """
    for _ in range(_PASSES_MAX):
        ((is_busy, _, _),) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        if is_busy:
            return False
        connection.execute("BEGIN IMMEDIATE")
        try:
            if log_bytes(path) == 0:
                scrubbed = _scrub_file(connection, path)
                # Whoever has pages as they were in memory would write their gaps again. A commit,
                # of nothing new, makes others read them again, and we let go of ours.
                connection.execute(f"PRAGMA user_version = {schema_number(connection)}")
                connection.execute("COMMIT")
                connection.execute("PRAGMA shrink_memory")
                return scrubbed
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
    return False


def _scrub_file(connection: Connection, path: Path) -> bool:
    page_bytes = read_number(connection, "PRAGMA page_size") or 0
    pages = read_number(connection, "PRAGMA page_count") or 0
    if pages >= _PAGES_MAX:
        return False
    file = open_file(path)
    try:
        for start in range(0, pages * page_bytes, READ_BYTES):
            part = file.xRead(min(READ_BYTES, pages * page_bytes - start), start)
            for at, length in dirty_gaps(part, page_bytes, is_head=start == 0):
                file.xWrite(bytes(length), start + at)
        file.xSync(apsw.SQLITE_SYNC_NORMAL)
    finally:
        file.xClose()
    return True


def dirty_gaps(part: bytes, page_bytes: int, *, is_head: bool) -> Iterator[tuple[int, int]]:
    """Yield start and length of each gap that is not all zeros, in a run of whole pages.

    ``is_head`` says that the run begins with the file's first page.
    """
    for page in range(0, len(part), page_bytes):
        head = page + (_FILE_HEADER_BYTES if is_head and page == 0 else 0)
        header_bytes = _HEADER_BYTES.get(part[head])
        if header_bytes is None:
            continue
        cells, content = struct.unpack_from(">HH", part, head + 3)
        gap = head + header_bytes + 2 * cells
        end = page + (content or 65_536)  # 0 stands for what two bytes cannot say
        if gap < end <= page + page_bytes and any(part[gap:end]):
            yield gap, end - gap
