"""Forgetting: sessions leave with all that only they hold, and tombstones stay.

Laws: everything goes in one commit, and no list of a session's texts is ever in memory. Deleted
bytes are overwritten (``secure_delete``); the log that still has them is emptied after the commit.
Whoever shares a message with what goes counts it from that commit on.
"""

import json
from collections.abc import Iterable
from typing import Final

from recense.adapters.sqlite.driver import Connection, read_number
from recense.adapters.sqlite.indexing import forget_images
from recense.core.ids import tombstone
from recense.ports.commits import Forgotten

_GONE: Final = "(SELECT value FROM json_each(?1))"
"""The keys of the sessions that go: the one parameter of every statement below."""

_THEIRS: Final = f"""
WITH theirs AS MATERIALIZED (
    SELECT DISTINCT identity FROM archive_records WHERE session_key IN {_GONE}
)
"""  # noqa: S608 - of names above alone

_HOLDERS: Final = f"""
{_THEIRS}
SELECT session_id, count(DISTINCT identity) FROM archive_records JOIN sessions USING (session_key)
WHERE session_key NOT IN {_GONE} AND identity IN theirs GROUP BY session_key
"""  # noqa: S608 - of names above alone

_BURY: Final = f"""
CREATE TEMP TABLE buried AS
{_THEIRS}
SELECT identity FROM theirs EXCEPT
SELECT identity FROM archive_records WHERE session_key NOT IN {_GONE} AND identity IN theirs
"""  # noqa: S608 - of names above alone
"""Kept in memory until their records are gone, see `forget_sessions`."""

_INHERITED: Final = f"""
WITH theirs AS MATERIALIZED (
    SELECT DISTINCT identity FROM messages
    WHERE session_key IN {_GONE} AND live = 1 AND identity IS NOT NULL
), held AS (
    SELECT identity, session_key, count(*) AS messages, sum(length) AS length
    FROM theirs JOIN messages USING (identity)
    WHERE live = 1 AND identity IS NOT NULL GROUP BY identity, session_key
), placed AS (
    SELECT session_key, held.messages, held.length,
        rank() OVER (PARTITION BY identity ORDER BY
            created_at IS NULL, created_at, session_id) AS place_before,
        rank() OVER (PARTITION BY identity ORDER BY session_key IN {_GONE},
            created_at IS NULL, created_at, session_id) AS place_after
    FROM held JOIN sessions USING (session_key)
)
SELECT session_key, sum(messages), sum(length) FROM placed
WHERE place_after = 1 AND place_before > 1 AND session_key NOT IN {_GONE} GROUP BY session_key
"""  # noqa: S608 - of names above alone
"""What goes over to sessions that stay: what they hold of messages whose owner goes."""

_LOOSE_BLOBS: Final = f"""
SELECT DISTINCT sha256 FROM blob_holders h WHERE session_key IN {_GONE} AND NOT EXISTS
    (SELECT 1 FROM blob_holders o WHERE o.sha256 = h.sha256 AND o.session_key NOT IN {_GONE})
"""  # noqa: S608 - of names above alone

_TABLES: Final = (
    "events",
    "messages",
    "archive_records",
    "archive_chunks",
    "streams",
    "stream_segments",
    "redactions",
    "blob_holders",
    "session_states",
    "sessions",
)
"""What has rows of a session."""


def is_forgotten(connection: Connection, store_key: bytes, session_id: str) -> bool:
    """Whether a tombstone names this session."""
    return bool(buried(connection, [tombstone(store_key, session_id)]))


def buried(connection: Connection, names: Iterable[bytes]) -> frozenset[bytes]:
    """Return those of the given names that are on tombstones."""
    rows = connection.executemany(
        "SELECT name FROM tombstones WHERE name = ?", ((name,) for name in names)
    )
    return frozenset(name for (name,) in rows)


def has_ownerless_blobs(connection: Connection) -> bool:
    """Whether there are blobs of the first schema, of which nobody knows whose they are."""
    found = "SELECT EXISTS (SELECT 1 FROM blob_holders WHERE session_key = 0)"
    return bool(read_number(connection, found))


def count_holders(connection: Connection, session_ids: Iterable[str]) -> dict[str, int]:
    """Return the other sessions that hold records of these, and how many."""
    keys = json.dumps([key for key, _, _ in _sessions(connection, session_ids)])
    return dict(connection.execute(_HOLDERS, (keys,)).fetchall())


def forget_sessions(
    connection: Connection, store_key: bytes, session_ids: Iterable[str]
) -> Forgotten:
    """Remove sessions, inside the transaction that the caller has begun.

    ``bytes_gone`` is False: that is for the caller to see to, after the commit.
    """
    named = sorted(set(session_ids))
    found = _sessions(connection, named)
    gone = (json.dumps([key for key, _, _ in found]),)
    messages = f"SELECT count(*) FROM messages WHERE session_key IN {_GONE}"  # noqa: S608 - of names above alone
    message_count = read_number(connection, messages, gone) or 0
    connection.executemany(
        "UPDATE sessions SET owned_messages = owned_messages + ?2, owned_length = owned_length + ?3"
        " WHERE session_key = ?1",
        connection.execute(_INHERITED, gone).fetchall(),
    )
    loose = connection.execute(_LOOSE_BLOBS, gone).fetchall()
    held = connection.executemany("SELECT 1 FROM blobs WHERE sha256 = ? AND chunk = 0", loose)
    blob_count = len(held.fetchall())
    connection.executemany("DELETE FROM blobs WHERE sha256 = ?", loose)
    connection.execute(_BURY, gone)
    forget_images(connection, [key for key, _, _ in found])
    # What goes makes room for the tombstones: a full store can forget.
    for table in _TABLES:
        connection.execute(f"DELETE FROM {table} WHERE session_key IN {_GONE}", gone)  # noqa: S608 - of names above alone
    connection.execute("INSERT OR IGNORE INTO tombstones SELECT identity FROM temp.buried")
    identity_count = read_number(connection, "SELECT count(*) FROM temp.buried") or 0
    connection.execute("DROP TABLE temp.buried")
    connection.executemany(
        "INSERT OR IGNORE INTO tombstones VALUES (?)",
        ((tombstone(store_key, session_id),) for session_id in named),
    )
    return Forgotten(
        sessions=len(found),
        records=sum(records for _, records, _ in found),
        events=sum(events for _, _, events in found),
        messages=message_count,
        blobs=blob_count,
        identities=identity_count,
        bytes_gone=False,
    )


def _sessions(connection: Connection, session_ids: Iterable[str]) -> list[tuple[int, int, int]]:
    """Return key, number of records and number of events of the sessions that are there."""
    rows = connection.executemany(
        "SELECT session_key, records, events FROM sessions WHERE session_id = ?",
        ((session_id,) for session_id in set(session_ids)),
    )
    return [(key, records, events) for key, records, events in rows]
