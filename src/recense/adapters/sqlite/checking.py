"""Looking for damage: what the engine finds in the file, and what the tables owe each other."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from recense.adapters.sqlite.border import DriverOutOfMemory
from recense.adapters.sqlite.driver import Connection
from recense.adapters.sqlite.index_checking import can_read_grams, is_about_grams
from recense.adapters.sqlite.pieces import ArchiveReader, read_blob
from recense.adapters.sqlite.rows import INSTANTS, damaged_events
from recense.errors import StoreCorrupt

_OWED: Final[tuple[tuple[str, str], ...]] = (
    (
        "session {} has another number of archived records than its row says, or a hole in them",
        """
        SELECT session_id FROM sessions s LEFT JOIN
            (SELECT session_key, count(*) AS n, max(seq) AS last FROM archive_records GROUP BY 1) r
            USING (session_key)
        WHERE s.records <> coalesce(r.n, 0) OR coalesce(r.last, -1) <> s.records - 1
        """,
    ),
    (
        "session {} has another number of events than its row says, or a hole in them",
        """
        SELECT session_id FROM sessions s LEFT JOIN
            (SELECT session_key, count(*) AS n, max(ordinal) AS last FROM events GROUP BY 1) e
            USING (session_key)
        WHERE s.events <> coalesce(e.n, 0) OR coalesce(e.last, -1) <> s.events - 1
        """,
    ),
    (
        "session {} is converted further than it is archived",
        """
        SELECT session_id FROM sessions WHERE NOT converted_through BETWEEN 0 AND records
        """,
    ),
    (
        "session {} counts other messages than its rows make",
        """
        SELECT session_id FROM sessions s LEFT JOIN
            (SELECT session_key, count(*) AS n, sum(length) AS total FROM messages
             WHERE live = 1 GROUP BY 1) m
            USING (session_key)
        WHERE s.messages <> coalesce(m.n, 0) OR s.length <> coalesce(m.total, 0)
        """,
    ),
    (
        "session {} owns other messages than its row says",
        """
        WITH holders AS (
            SELECT m.session_key, m.length, m.identity IS NULL
                OR 1 = rank() OVER (
                    PARTITION BY m.identity
                    ORDER BY s.created_at IS NULL, s.created_at, s.session_id
                ) AS owned
            FROM messages m JOIN sessions s USING (session_key) WHERE m.live = 1
        )
        SELECT session_id FROM sessions s LEFT JOIN
            (SELECT session_key, count(*) AS n, sum(length) AS total FROM holders
             WHERE owned GROUP BY 1) o
            USING (session_key)
        WHERE s.owned_messages <> coalesce(o.n, 0) OR s.owned_length <> coalesce(o.total, 0)
        """,
    ),
    (
        "session {} has an instant that no calendar has",
        f"""
        SELECT session_id FROM sessions
        WHERE NOT coalesce(created_at, 0) BETWEEN {INSTANTS.start} AND {INSTANTS.stop - 1}
            OR NOT coalesce(last_event_at, 0) BETWEEN {INSTANTS.start} AND {INSTANTS.stop - 1}
        """,  # noqa: S608 - of names above alone
    ),
    (
        "session {} has no resumption states",
        """
        SELECT session_id FROM sessions
        WHERE session_key NOT IN (SELECT session_key FROM session_states)
        """,
    ),
    (
        "rows of a session with the key {}, which there is not",
        """
        SELECT DISTINCT session_key FROM (
            SELECT session_key FROM archive_records UNION SELECT session_key FROM archive_chunks
            UNION SELECT session_key FROM events UNION SELECT session_key FROM messages
            UNION SELECT session_key FROM session_states UNION SELECT session_key FROM streams
            UNION SELECT session_key FROM stream_segments UNION SELECT session_key FROM redactions
            UNION SELECT session_key FROM blob_holders WHERE session_key <> 0
        ) WHERE session_key NOT IN (SELECT session_key FROM sessions)
        """,
    ),
    (
        "session {} has another number of open streams than its row says",
        """
        SELECT session_id FROM sessions s
        WHERE open_streams <> (SELECT count(*) FROM streams t WHERE t.session_key = s.session_key)
        """,
    ),
    (
        "{} segments belong to no stream",
        """
        SELECT count(*) FROM stream_segments LEFT JOIN streams t USING (session_key, stream_key)
        WHERE t.session_key IS NULL HAVING count(*) > 0
        """,
    ),
    (
        "blob {} is referred to and is not there",
        """
        SELECT DISTINCT sha256 FROM blob_holders h
        WHERE NOT EXISTS (SELECT 1 FROM blobs b WHERE b.sha256 = h.sha256)
        """,
    ),
    (
        "{} chunks belong to no chunked record",
        """
        SELECT count(*) FROM archive_chunks c LEFT JOIN archive_records r USING (session_key, seq)
        WHERE r.form IS NOT 'chunked' HAVING count(*) > 0
        """,
    ),
)
"""What the tables owe each other: a sentence, and a query for those that do not keep it."""


def faults_found(connection: Connection) -> Iterator[str]:
    """Yield what is damaged, in words; nothing when the store is whole. The message index is not
    looked at: see `recense.adapters.sqlite.index_checking`.

    Reads every byte of the store once. Faults of the driver pass.
    """
    whole = True
    for finding in _engine_findings(connection):
        if finding != "ok" and not is_about_grams(finding):
            whole = False
            yield f"SQLite: {finding}"
    if not whole:
        return  # a damaged tree answers queries with anything
    for sentence, query in _OWED:
        for (name,) in connection.execute(query):
            yield sentence.format(name)
    for key, ordinal in damaged_events(connection):
        yield f"event {ordinal} of session key {key} is damaged: it is not what was kept"
    yield from _unreadable_records(connection)
    yield from _unreadable_blobs(connection)


def _engine_findings(connection: Connection) -> list[str]:
    """Return what the engine finds. It gives up at a full-text index that it cannot read, or whose
    damaged records ask for more memory than there is; then every other table is looked at by
    itself.
    """
    if can_read_grams(connection):
        with suppress(DriverOutOfMemory):
            return _found(connection, "PRAGMA integrity_check")
    tables = connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'grams'"
    ).fetchall()
    checks = (f'PRAGMA integrity_check("{name}")' for (name,) in tables)
    return [finding for check in checks for finding in _found(connection, check)]


def _found(connection: Connection, check: str) -> list[str]:
    return [finding for (finding,) in connection.execute(check)]


def _unreadable_records(connection: Connection) -> Iterator[str]:
    reader = ArchiveReader(connection)
    rows = connection.execute(
        "SELECT session_key, seq, form, length, record FROM archive_records"
        " WHERE form <> 'dropped' ORDER BY session_key, seq"
    )
    for key, seq, form, length, stored in rows:
        try:
            reader.read(key, seq, form, length, stored)
        except StoreCorrupt as fault:
            yield fault.message


def _unreadable_blobs(connection: Connection) -> Iterator[str]:
    for (digest,) in connection.execute("SELECT DISTINCT sha256 FROM blobs ORDER BY sha256"):
        try:
            read_blob(connection, digest)
        except StoreCorrupt as fault:
            yield fault.message
