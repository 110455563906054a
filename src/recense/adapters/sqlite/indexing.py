"""Writing the message index.

Laws: a page is kept whole or not at all, in the transaction that the caller has begun. A session is
written only on the events that the page was made from. Rowids of grams are the windows of images in
the order in which they were written, and every one belongs to the image whose key is the last at or
below it.

The full-text engine keeps what it holds in tables that anybody can write to. After each page a mark
is kept of its own records (how many rows there are, which segments) and of where each table of the
index begins and ends; where they differ, the index is not what was written, and is not asked. Nor
is it written on: a new mark would say that it is whole.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from math import gcd
from typing import Final

from recense.adapters.sqlite.border import DriverError
from recense.adapters.sqlite.driver import Connection, SqlValue, insert_rows, read_number
from recense.adapters.sqlite.schema import INDEX_TABLES, NO_INDEX
from recense.core.text.grams import gram_counts, window_count, windows
from recense.limits import (
    GRAMS_COUNTED_AT_GROWTH,
    TEXT_BYTES_COUNTED_MAX,
    TEXTS_COUNTED_MAX,
    WINDOW_BYTES,
)
from recense.ports.index import IndexPage, MessageImage, SessionImages

_MERGE_PAGES: Final = 500
"""Pages of grams that one step of merging writes: some milliseconds."""

_GOLDEN_RATIO: Final = 0.6180339887498949

_OWN_TABLES: Final = ("grams", "images", "index_states", "index_mark", "gram_counts")
_ENGINE_TABLES: Final = ("grams_config", "grams_data", "grams_docsize", "grams_idx")
"""Those in which the engine keeps grams."""

_HOLDS_ITS_TEXTS_ALONE: Final = """
SELECT (SELECT count(*) FROM grams_docsize) = (SELECT coalesce(sum(windows), 0) FROM images)
"""

_MARKED: Final = (
    "SELECT block FROM grams_data WHERE id IN (1, 10) ORDER BY id",
    "SELECT k, v FROM grams_config ORDER BY k",
    "SELECT segid, term, pgno FROM grams_idx ORDER BY segid, term LIMIT 1",
    "SELECT segid, term, pgno FROM grams_idx ORDER BY segid DESC, term DESC LIMIT 1",
    "SELECT image_key, windows, substr(image, 1, 64) FROM images ORDER BY image_key LIMIT 1",
    "SELECT image_key, windows, substr(image, 1, 64) FROM images ORDER BY image_key DESC LIMIT 1",
    "SELECT max(id) FROM grams_docsize",
    "SELECT max(session_key) FROM index_states",
)
"""What the index is known by: cheap to ask, and other where a table was emptied, lost or
overwritten. What happened in the midst of one alone is not seen here."""

_GROWN: Final = """
SELECT (SELECT max(image_key) FROM images) / max(counted_at, 1) FROM index_mark
"""
"""By what factor there are more texts than when grams were last counted."""

_IS_OF_OTHER_RULES: Final = """
SELECT EXISTS (SELECT 1 FROM images)
    AND NOT EXISTS (SELECT 1 FROM sessions WHERE index_version IN (?1, -?1))
"""

_OF_SESSIONS: Final = "session_key IN (SELECT value FROM json_each(?))"


_HAS_ALL_WINDOWS: Final = f"""
SELECT coalesce(sum(windows), 0) = coalesce(sum((
    SELECT count(*) FROM grams_docsize WHERE id >= image_key AND id < image_key + windows
)), 0) FROM images WHERE {_OF_SESSIONS}
"""  # noqa: S608 - of names above alone


def write_index_page(connection: Connection, page: IndexPage) -> frozenset[str]:
    """Write a page, and return the ids of the sessions that were as expected; an index that is
    damaged, or holds nothing by the rules of the page, is emptied before.
    """
    if not mend_index(connection) and read_number(
        connection, _IS_OF_OTHER_RULES, (page.index_version,)
    ):
        # To take out session by session takes longer than all the new grams, and those that went
        # would be stepped over by every question until the engine merges them away.
        empty_index(connection)
    written: set[str] = set()
    for images in page.sessions:
        key = _key_as_expected(connection, page, images)
        if key is None:
            continue
        if images.expected_events == 0:
            remove_images(connection, [key])
        else:
            _remove_at(connection, key, (row.position for row in images.rows))
        _insert(connection, key, images.rows)
        connection.executemany(
            "UPDATE images SET live = ?1"
            " WHERE session_key = ?2 AND position BETWEEN ?3 AND ?4 AND live <> ?1",
            ((each.live, key, each.first, each.last) for each in images.standings),
        )
        connection.execute(
            "UPDATE sessions SET indexed_events = ?, index_version = ?, redaction_version = ?"
            " WHERE session_key = ?",
            (
                images.through,
                page.index_version if images.is_readable else -page.index_version,
                page.redaction_version,
                key,
            ),
        )
        connection.execute("INSERT OR REPLACE INTO index_states VALUES (?, ?)", (key, images.state))
        written.add(images.session_id)
    set_mark(connection)
    if (read_number(connection, _GROWN) or 0) >= GRAMS_COUNTED_AT_GROWTH:
        _count_grams(connection)
    return frozenset(written)


def indexed_events(
    indexed: int, index_version: int, redaction_version: int, *, version: int, redaction: int
) -> int:
    """Return how many events of a session are indexed by the rules of these versions.

    The first three are of the session's row; a negative version there says that the index was
    written and does not vouch.
    """
    is_ours = abs(index_version) == version and redaction_version == redaction
    return indexed if is_ours else 0


def remove_images(connection: Connection, keys: Iterable[int]) -> None:
    """Remove all that is indexed of some sessions; their rows in ``sessions`` are the caller's."""
    named = (json.dumps(list(keys)),)
    _remove_grams(
        connection,
        connection.execute(
            f"SELECT image_key, windows FROM images WHERE {_OF_SESSIONS}",  # noqa: S608 - of names above alone
            named,
        ).fetchall(),
    )
    for table in ("images", "index_states"):
        connection.execute(f"DELETE FROM {table} WHERE {_OF_SESSIONS}", named)  # noqa: S608 - as above


def set_mark(connection: Connection) -> None:
    """Keep what the index is known by, after all that this transaction writes to it."""
    connection.execute("INSERT INTO grams(grams) VALUES ('flush')")
    connection.execute(
        "INSERT INTO index_mark (only, mark) VALUES (1, ?)"
        " ON CONFLICT (only) DO UPDATE SET mark = excluded.mark",
        (_mark(connection),),
    )


def is_as_marked(connection: Connection) -> bool:
    """Whether the index is the one that was last written, as far as its own records tell."""
    row = connection.execute("SELECT mark FROM index_mark").fetchone()
    if row is None:
        indexed = "SELECT EXISTS (SELECT 1 FROM sessions WHERE index_version <> 0)"
        return not read_number(connection, indexed)
    return row[0] == _mark(connection)


def forget_images(connection: Connection, keys: Iterable[int]) -> None:
    """Remove all that is indexed of some sessions, and mark the index; one that is damaged goes as
    a whole, since no damage may keep what has to go.
    """
    if mend_index(connection):
        return
    named = list(keys)
    try:
        if not _has_all_windows(connection, named):
            empty_index(connection)
            return
        remove_images(connection, named)
        set_mark(connection)
        _count_grams(connection)
    except DriverError:
        empty_index(connection)


def purge_step(connection: Connection, *, is_first: bool) -> bool:
    """Merge some of the index, so that what was deleted leaves it; return whether more is left.

    The first step begins a merge of all of it, the others go on with that. An index that is damaged
    goes as a whole, and so does one that has grams of a text that is not there: nobody would ever
    take them out.
    """
    before = connection.total_changes()
    pages = -_MERGE_PAGES if is_first else _MERGE_PAGES
    try:
        if is_first and not read_number(connection, _HOLDS_ITS_TEXTS_ALONE):
            empty_index(connection)
            return False
        connection.execute("INSERT INTO grams(grams, rank) VALUES ('merge', ?)", (pages,))
        is_more = connection.total_changes() - before >= 2  # noqa: PLR2004 - the engine's own sign
        set_mark(connection)
    except DriverError:
        empty_index(connection)
        return False
    return is_more


def mend_index(connection: Connection) -> bool:
    """Make the index anew, empty, if it is not the one that was last written; return whether it was
    so.
    """
    try:
        is_whole = not missing_tables(connection) and is_as_marked(connection)
        connection.execute("SELECT 1 FROM grams LIMIT 0").fetchall()
    except DriverError:
        is_whole = False
    if not is_whole:
        empty_index(connection)
    return not is_whole


def missing_tables(connection: Connection) -> list[str]:
    """Return the tables of the index that are not there."""
    rows = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
    there = {name for (name,) in rows}
    return [name for name in (*_OWN_TABLES, *_ENGINE_TABLES) if name not in there]


def empty_index(connection: Connection) -> None:
    """Make the tables of the index anew, and take back every vouch."""
    connection.execute(NO_INDEX + INDEX_TABLES)


def _count_grams(connection: Connection) -> None:
    """Count grams anew, in texts that lie evenly among all that are there."""
    connection.execute("DELETE FROM gram_counts")
    counts = gram_counts(_some_images(connection))
    frequent = sorted((gram, texts) for gram, texts in counts.items() if texts > 1)
    insert_rows(connection, "INSERT INTO gram_counts", frequent)
    connection.execute(
        "UPDATE index_mark SET counted_at = (SELECT coalesce(max(image_key), 0) FROM images)"
    )


def _some_images(connection: Connection) -> Iterator[bytes]:
    """Yield the beginnings of texts that lie evenly among all, as many as are counted, each once.

    The first texts lie as far apart as all do: a step of the golden ratio leaves no larger gap.
    """
    last = read_number(connection, "SELECT max(image_key) FROM images") or 0
    step = max(1, round(last * _GOLDEN_RATIO))
    while gcd(step, last) > 1:
        step += 1
    seen: set[int] = set()
    size = 0
    for number in range(min(last, TEXTS_COUNTED_MAX)):
        if size >= TEXT_BYTES_COUNTED_MAX:
            break
        key: int
        image: bytes
        ((key, image),) = connection.execute(
            "SELECT image_key, coalesce(substr(image, 1, ?), x'') FROM images"
            " WHERE image_key >= ? ORDER BY image_key LIMIT 1",
            (WINDOW_BYTES, 1 + number * step % last),
        )
        if key not in seen:
            seen.add(key)
            size += len(image)
            yield image


def _key_as_expected(connection: Connection, page: IndexPage, images: SessionImages) -> int | None:
    """Return the key of a session if it is the one that the images were made of."""
    row = connection.execute(
        "SELECT session_key, events, importer_version, state IS NOT NULL, indexed_events,"
        " index_version, redaction_version"
        " FROM sessions LEFT JOIN index_states USING (session_key) WHERE session_id = ?",
        (images.session_id,),
    ).fetchone()
    if row is None:
        return None
    key, events, importer_version, has_state, *indexed = row
    found = indexed_events(*indexed, version=page.index_version, redaction=page.redaction_version)
    if not has_state:
        found = 0  # as whoever reads how far it is indexed is told
    is_expected = (
        found == images.expected_events
        and importer_version == images.importer_version
        and images.through <= events
        and (
            images.through == 0
            or images.last_event == _event_mark(connection, key, images.through - 1)
        )
    )
    return key if is_expected else None


def _event_mark(connection: Connection, key: int, ordinal: int) -> tuple[str, int] | None:
    return connection.execute(
        "SELECT event_id, recorded_at FROM events WHERE session_key = ? AND ordinal = ?",
        (key, ordinal),
    ).fetchone()


def _has_all_windows(connection: Connection, keys: Sequence[int]) -> bool:
    """Whether the engine knows every window of some sessions: it removes only what it knows."""
    named = (json.dumps(list(keys)),)
    return bool(read_number(connection, _HAS_ALL_WINDOWS, named))


def _remove_at(connection: Connection, key: int, positions: Iterable[int]) -> None:
    """Remove the images at some positions of a session, where there are any."""
    found = connection.executemany(
        "DELETE FROM images WHERE session_key = ? AND position = ? RETURNING image_key, windows",
        ((key, position) for position in positions),
    ).fetchall()
    _remove_grams(connection, found)


def _remove_grams(connection: Connection, images: Iterable[tuple[SqlValue, ...]]) -> None:
    connection.executemany(
        "DELETE FROM grams WHERE rowid = ?",
        ((rowid,) for first, count in images for rowid in _rowids(first, count)),
    )


def _rowids(first: SqlValue, count: SqlValue) -> range:
    return (
        range(first, first + count)
        if isinstance(first, int) and isinstance(count, int)
        else range(0)
    )


def _insert(connection: Connection, key: int, rows: Iterable[MessageImage]) -> None:
    """Write images of a session, and the grams of their windows."""
    next_key = (
        read_number(
            connection, "SELECT image_key + windows FROM images ORDER BY image_key DESC LIMIT 1"
        )
        or 1
    )
    placed = list(_placed(rows, next_key))
    connection.executemany(
        "INSERT INTO images VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (
                image_key,
                key,
                row.position,
                count,
                row.ordinal,
                json.dumps(row.more_ordinals) if row.more_ordinals else None,
                row.turn,
                row.kind,
                row.at,
                row.identity,
                row.live,
                row.echo,
                row.has_materials,
                row.length,
                row.redacted,
                row.image,
            )
            for image_key, count, row in placed
        ),
    )
    connection.executemany(
        "INSERT INTO grams(rowid, image) VALUES (?, ?)",
        (
            (rowid, window.decode("latin-1"))
            for image_key, _, row in placed
            for rowid, window in enumerate(windows(row.image), image_key)
        ),
    )


def _placed(rows: Iterable[MessageImage], next_key: int) -> Iterator[tuple[int, int, MessageImage]]:
    """Yield image key, number of windows and row."""
    for row in rows:
        count = window_count(len(row.image))
        yield next_key, count, row
        next_key += count


def _mark(connection: Connection) -> bytes:
    """Return a digest of what the index is known by."""
    marked = [connection.execute(query).fetchall() for query in _MARKED]
    return blake2b(repr(marked).encode(), digest_size=16).digest()


def match_query(grams: Sequence[Sequence[bytes]]) -> str:
    """Return the full-text query for messages that hold all grams of one of several terms."""
    return " OR ".join(
        "(" + " AND ".join(f'"{_quoted(gram)}"' for gram in of_term) + ")" for of_term in grams
    )


def _quoted(gram: bytes) -> str:
    return gram.decode("latin-1").replace('"', '""')
