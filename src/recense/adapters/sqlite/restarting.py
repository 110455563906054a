"""Restarting: what conversion made of a session goes, so that it can be made anew."""

from typing import Final

from recense.adapters.sqlite.driver import Connection, read_number
from recense.adapters.sqlite.indexing import forget_images
from recense.adapters.sqlite.ownership import owned_differences
from recense.adapters.sqlite.rows import read_messages, read_session, update_session
from recense.ports.pages import is_restartable, restarted, unknown_session

_LAST: Final = 2**63 - 1
_DROPPED: Final = (
    "SELECT EXISTS (SELECT 1 FROM archive_records WHERE session_key = ? AND form = 'dropped')"
)


def has_dropped(connection: Connection, key: int) -> bool:
    """Whether the bytes of a record of the session were dropped."""
    return bool(read_number(connection, _DROPPED, (key,)))


def restart_conversion(
    connection: Connection, session_id: str, importer_version: int
) -> int | None:
    """Take a session back to before its conversion, as the port says, inside the transaction that
    the caller has begun.
    """
    found = read_session(connection, session_id)
    if found is None:
        raise unknown_session(session_id)
    key, session = found
    if not is_restartable(session, importer_version) or has_dropped(connection, key):
        return None
    rows = list(read_messages(connection, key, 0, _LAST))
    differences = owned_differences(connection, key, rows, ())
    connection.execute("DELETE FROM events WHERE session_key = ?", (key,))
    connection.execute("DELETE FROM messages WHERE session_key = ?", (key,))
    forget_images(connection, [key])
    connection.execute("UPDATE sessions SET indexed_events = 0 WHERE session_key = ?", (key,))
    update_session(connection, key, restarted(session))
    connection.executemany(
        "UPDATE sessions SET owned_messages = owned_messages + ?, owned_length = owned_length + ?"
        " WHERE session_key = ?",
        [(change.messages, change.length, holder) for holder, change in differences.items()],
    )
    return -sum(change.messages for change in differences.values())
