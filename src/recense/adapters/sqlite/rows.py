"""Rows: what a row of a table is in our words, and back."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, Final, cast
from zlib import crc32

from msgspec.structs import asdict

from recense.adapters.sqlite.driver import Connection, Row, SqlValue, read_number
from recense.core.instants import EPOCH, MICROSECOND
from recense.core.transcript.events import Event
from recense.core.transcript.records import Counts, Session, SessionBirth, born
from recense.ports.commits import ImportFile, MessageRow

INSTANTS: Final = range(
    (datetime.min.replace(tzinfo=UTC) - EPOCH) // MICROSECOND,
    (datetime.max.replace(tzinfo=UTC) - EPOCH) // MICROSECOND + 1,
)
"""The instants that have a wire form: another one was not kept by us."""

_PRIME: Final = 4_294_967_291
"""The largest prime below 2^32: no flipped bit of a number is a multiple of it."""

_SCALARS: Final = (
    "session_id",
    "source",
    "source_session_id",
    "workspace",
    "title",
    "title_rank",
    "origin",
    "parent_session_id",
    "source_path",
    "created_at",
    "last_event_at",
    "events",
    "records",
    "converted_through",
    "importer_version",
    "owned_messages",
    "owned_length",
    "open_streams",
    "revision_root",
)
_COUNTS: Final = (
    "messages",
    "length",
    "branch_messages",
    "unreadable_events",
    "bytes_beyond_limit",
    "spilled_bodies",
)
_FLAGS: Final = ("closed", "private", "shelved")
_FILE: Final = (
    "source",
    "path",
    "size",
    "mtime_ns",
    "offset",
    "state",
    "tail_sha256",
    "importer_version",
    "reason",
)
_STATES: Final = ("convert_state", "projection_state")
_PLAIN: Final = (*_SCALARS, *_FLAGS, *_STATES)
_COLUMNS: Final = (*_SCALARS, *_FLAGS, *_COUNTS)

# The statements below are put together from the names above and from nothing else (S608).
_SELECT_SESSIONS: Final = (
    f"SELECT s.session_key, {', '.join((*_PLAIN, *_COUNTS))}"  # noqa: S608
    " FROM sessions s JOIN session_states t ON t.session_key = s.session_key"
)
_SELECT_WAITING: Final = _SELECT_SESSIONS.replace(
    "sessions s JOIN", "sessions s INDEXED BY sessions_waiting JOIN"
)
_SELECT_OUTLINES: Final = (
    f"SELECT s.session_key, {', '.join((*_SCALARS, *_FLAGS))}, x'', x'', {', '.join(_COUNTS)}"  # noqa: S608
    " FROM sessions s"
)
_BY_START: Final = " ORDER BY s.created_at IS NULL, s.created_at, s.session_id"
# Text is asked for as bytes: of one event that is damaged the driver would refuse the whole answer.
_SELECT_EVENTS: Final = (
    "SELECT session_key, ordinal, CAST(event_id AS BLOB), CAST(invocation_id AS BLOB), at,"
    " recorded_at, identity, payload, checksum FROM events"
)
_INSERT_SESSION: Final = (
    f"INSERT INTO sessions ({', '.join(_COLUMNS)})"  # noqa: S608
    f" VALUES ({', '.join(':' + column for column in _COLUMNS)}) RETURNING session_key"
)
_UPDATE_SESSION: Final = (
    f"UPDATE sessions SET {', '.join(f'{column} = :{column}' for column in _COLUMNS)}"  # noqa: S608
    " WHERE session_key = :session_key"
)
_SELECT_FILES: Final = f"SELECT {', '.join(_FILE)} FROM import_files"  # noqa: S608
_REPLACE_FILE: Final = (
    f"INSERT OR REPLACE INTO import_files ({', '.join(_FILE)})"  # noqa: S608
    f" VALUES ({', '.join(':' + column for column in _FILE)})"
)


def read_sessions(connection: Connection) -> Iterator[tuple[int, Session]]:
    """Yield every session with its key, by start."""
    for row in connection.execute(_SELECT_SESSIONS + _BY_START):
        yield _session(row)


def read_waiting_sessions(connection: Connection) -> Iterator[tuple[int, Session]]:
    """Yield every session of which records are not converted, with its key, by start."""
    statement = f"{_SELECT_WAITING} WHERE s.converted_through < s.records{_BY_START}"
    for row in connection.execute(statement):
        yield _session(row)


def read_outline(connection: Connection, session_id: str) -> tuple[int, Session] | None:
    """Return a session without its states, with its key, or None."""
    row = connection.execute(f"{_SELECT_OUTLINES} WHERE s.session_id = ?", (session_id,)).fetchone()
    return None if row is None else _session(row)


def read_outline_of(connection: Connection, key: int) -> Session | None:
    """Return the session with a key without its states, or None."""
    row = connection.execute(f"{_SELECT_OUTLINES} WHERE s.session_key = ?", (key,)).fetchone()
    return None if row is None else _session(row)[1]


def read_named_outlines(connection: Connection, name: str) -> list[Session]:
    """Return the sessions with this id, or this id in their source's words, by start."""
    rows = connection.execute(
        f"{_SELECT_OUTLINES} WHERE s.session_id = ?1 OR s.source_session_id = ?1{_BY_START}",
        (name,),
    )
    return [_session(row)[1] for row in rows]


def read_session(connection: Connection, session_id: str) -> tuple[int, Session] | None:
    """Return a session with its key, or None."""
    row = connection.execute(f"{_SELECT_SESSIONS} WHERE s.session_id = ?", (session_id,)).fetchone()
    return None if row is None else _session(row)


def read_session_key(connection: Connection, session_id: str) -> int | None:
    """Return a session's key, or None."""
    return read_number(
        connection, "SELECT session_key FROM sessions WHERE session_id = ?", (session_id,)
    )


def insert_session(connection: Connection, birth: SessionBirth) -> tuple[int, Session]:
    """Keep a session that is not there yet, and return it with its key."""
    session = born(birth)
    ((key,),) = connection.execute(_INSERT_SESSION, _session_bindings(session))
    connection.execute(
        "INSERT INTO session_states VALUES (?, ?, ?)",
        (key, session.convert_state, session.projection_state),
    )
    return key, session


def update_session(connection: Connection, key: int, session: Session) -> None:
    """Replace a session's row; its birth is the same as ever."""
    connection.execute(_UPDATE_SESSION, {**_session_bindings(session), "session_key": key})
    connection.execute(
        "UPDATE session_states SET convert_state = ?, projection_state = ? WHERE session_key = ?",
        (session.convert_state, session.projection_state, key),
    )


def read_events(connection: Connection, key: int, after: int) -> Iterator[Event]:
    """Yield the events of a session with ordinal >= ``after``, in order.

    One that is not what was kept comes without instant and identity and with an empty payload,
    which no event has: whoever decodes it counts it as unreadable, and the rest is not lost.
    """
    rows = connection.execute(
        f"{_SELECT_EVENTS} WHERE session_key = ? AND ordinal >= ? ORDER BY ordinal", (key, after)
    )
    for row in rows:
        yield _event_as_kept(row)


def read_events_at(connection: Connection, key: int, ordinals: Iterable[int]) -> Iterator[Event]:
    """Yield the events of a session at some ordinals, as `read_events` does."""
    rows = connection.executemany(
        f"{_SELECT_EVENTS} WHERE session_key = ? AND ordinal = ?",
        ((key, ordinal) for ordinal in ordinals),
    )
    for row in rows:
        yield _event_as_kept(row)


def damaged_events(connection: Connection) -> Iterator[tuple[int, int]]:
    """Yield session key and ordinal of every event that is not what was kept."""
    for key, ordinal, *columns, checksum in connection.execute(
        f"{_SELECT_EVENTS} ORDER BY session_key, ordinal"
    ):
        if not is_whole(ordinal, _event(columns), checksum):
            yield key, ordinal


def is_whole(ordinal: int, event: Event, checksum: int | None) -> bool:
    """Whether an event is what was kept.

    Of one that has no checksum only the types of its columns are known, and that its instant has a
    wire form.
    """
    if checksum is not None:
        return checksum == event_checksum(ordinal, event)
    payload = cast("object", event.payload)
    return isinstance(payload, bytes) and (event.at is None or is_instant(event.at))


def is_instant(value: object) -> bool:
    """Whether a column holds an instant that has a wire form."""
    return isinstance(value, int) and value in INSTANTS


def event_checksum(ordinal: int, event: Event) -> int | None:
    """Return a checksum of all that a row of events says; None for what no row of ours can say.

    It is the CRC-32 of the texts and the payload, begun with the numbers modulo a prime: it finds
    every damage of up to 32 bits in one column, and others but for about one in 2^32.
    """
    at = event.at
    try:
        begin = (ordinal * 3 + (-1 if at is None else at) * 5 + event.recorded_at * 7) % _PRIME
        if event.invocation_id is not None:
            begin = crc32(event.invocation_id.encode(), begin ^ 1)
        if event.identity is not None:
            begin = crc32(event.identity, begin)
        return crc32(event.payload, crc32(event.event_id.encode(), begin))
    except TypeError:  # damage makes a number of bytes
        return None


def read_messages(connection: Connection, key: int, first: int, last: int) -> Iterator[MessageRow]:
    """Yield the message rows of a session at the positions ``first`` to ``last``, in order."""
    rows = connection.execute(
        "SELECT position, event_id, identity, length, live FROM messages"
        " WHERE session_key = ? AND position BETWEEN ? AND ? ORDER BY position",
        (key, first, last),
    )
    for position, event_id, identity, length, live in rows:
        yield MessageRow(
            position=position,
            event_id=event_id,
            identity=identity,
            length=length,
            live=bool(live),
        )


def read_files(connection: Connection) -> Iterator[ImportFile]:
    """Yield the bookkeeping of every source file, by source and path."""
    for row in connection.execute(f"{_SELECT_FILES} ORDER BY source, path"):
        yield _file(row)


def read_file(connection: Connection, source: str, path: str) -> ImportFile | None:
    """Return the bookkeeping of one source file, or None."""
    row = connection.execute(
        f"{_SELECT_FILES} WHERE source = ? AND path = ?", (source, path)
    ).fetchone()
    return None if row is None else _file(row)


def count_failed_files(connection: Connection) -> dict[str, int]:
    """Return how many files failed, by source, of the sources of which any did."""
    rows = connection.execute(
        "SELECT source, count(*) FROM import_files WHERE reason <> '' GROUP BY source"
    )
    return dict(rows.fetchall())


def write_file(connection: Connection, file: ImportFile) -> None:
    """Replace the bookkeeping of a source file."""
    connection.execute(_REPLACE_FILE, asdict(file))


def add_redactions(connection: Connection, key: int, findings: Iterable[tuple[str, int]]) -> None:
    """Add to what the gate hid in a session."""
    connection.executemany(
        "INSERT INTO redactions VALUES (?, ?, ?)"
        " ON CONFLICT DO UPDATE SET count = count + excluded.count",
        ((key, kind, count) for kind, count in findings),
    )


def _event_as_kept(row: Row) -> Event:
    _, ordinal, *columns, checksum = row
    event = _event(columns)
    return event if is_whole(ordinal, event, checksum) else _unreadable(event)


def _event(columns: Sequence[SqlValue]) -> Event:
    event_id, invocation_id, *rest = columns
    at, recorded_at, identity, payload = cast("tuple[Any, ...]", rest)
    return Event(
        event_id=_text(event_id),
        invocation_id=None if invocation_id is None else _text(invocation_id),
        at=at,
        recorded_at=recorded_at,
        identity=identity,
        payload=payload,
    )


def _unreadable(event: Event) -> Event:
    return Event(event_id=event.event_id, at=None, recorded_at=0, identity=None, payload=b"")


def _text(value: SqlValue) -> str:
    """Return the text of bytes; what damage put there in place of one is no text of anybody."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else ""


def _session(row: Row) -> tuple[int, Session]:
    # A list of sessions is read for every question: this is as direct as it can be.
    split = 1 + len(_PLAIN)
    counts = Counts(**dict(zip(_COUNTS, row[split:], strict=True)))
    values = dict(zip(_PLAIN, row[1:split], strict=True))
    for flag in _FLAGS:
        values[flag] = bool(values[flag])
    for instant in ("created_at", "last_event_at"):
        if values[instant] is not None and not is_instant(values[instant]):
            values[instant] = None
    return row[0], Session(**values, counts=counts)


def _session_bindings(session: Session) -> dict[str, SqlValue]:
    return {**asdict(session), **asdict(session.counts)}


def _file(row: Row) -> ImportFile:
    return ImportFile(**dict(zip(_FILE, row, strict=True)))
