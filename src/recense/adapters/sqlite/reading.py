"""Reading: one snapshot of the file."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from recense.adapters.sqlite.border import border
from recense.adapters.sqlite.driver import Connection, read_number
from recense.adapters.sqlite.forgetting import count_holders, is_forgotten
from recense.adapters.sqlite.index_reading import IndexReader
from recense.adapters.sqlite.pieces import ArchiveReader, read_blob
from recense.adapters.sqlite.restarting import has_dropped
from recense.adapters.sqlite.rows import (
    count_failed_files,
    read_events,
    read_events_at,
    read_file,
    read_files,
    read_messages,
    read_named_outlines,
    read_outline,
    read_session,
    read_session_key,
    read_sessions,
    read_waiting_sessions,
)
from recense.adapters.sqlite.settled import SettledSums, read_workspaces
from recense.adapters.sqlite.streams import read_streams
from recense.core.transcript.events import Event
from recense.core.transcript.records import ArchivedRecord, Session
from recense.core.transcript.totals import SessionFilter, SettledSessions
from recense.ports.commits import ImportFile, MessageRow, OpenStream, SecretsFound

_LAST: Final = 2**63 - 1
"""The largest integer a row can hold."""


class SqliteReader:
    """A `recense.ports.transcripts.TranscriptReader` of one read transaction; for one thread."""

    def __init__(
        self, connection: Connection, place: str, store_key: bytes, sums: SettledSums
    ) -> None:
        self._connection: Final = connection
        self._place: Final = place
        self._store_key: Final = store_key
        self._sums: Final = sums
        self._record_reader: Final = ArchiveReader(connection)

    def sessions(self) -> Iterator[Session]:
        """Yield every session, by start."""
        with border(self._place):
            for _, session in read_sessions(self._connection):
                yield session

    def session(self, session_id: str) -> Session | None:
        """Return one session, or None."""
        with border(self._place):
            found = read_session(self._connection, session_id)
            return None if found is None else found[1]

    def outline(self, session_id: str) -> Session | None:
        """Return one session without its states, or None."""
        with border(self._place):
            found = read_outline(self._connection, session_id)
            return None if found is None else found[1]

    def named(self, name: str) -> list[Session]:
        """Return the sessions of this name, by start, without their states."""
        with border(self._place):
            return read_named_outlines(self._connection, name)

    def settled(self, wanted: SessionFilter) -> SettledSessions:
        """Return what the counters of settled sessions say together."""
        with border(self._place):
            return self._sums.read(self._connection, wanted)

    def waiting(self) -> Iterator[Session]:
        """Yield every session that waits, by start."""
        with border(self._place):
            for _, session in read_waiting_sessions(self._connection):
                yield session

    def workspaces(self) -> list[str]:
        """Return the distinct workspaces of the settled sessions, in order."""
        with border(self._place):
            return read_workspaces(self._connection)

    def message_index(self) -> IndexReader:
        """Return the message index of this moment."""
        return IndexReader(self._connection, self._place)

    def records(
        self, session_id: str, after: int, count_max: int, bytes_max: int
    ) -> list[ArchivedRecord]:
        """Return archived records in order, within the bounds. Raises StoreCorrupt."""
        found: list[ArchivedRecord] = []
        total = 0
        with border(self._place):
            key = read_session_key(self._connection, session_id)
            if key is None:
                return found
            rows = self._connection.execute(
                "SELECT seq, position, uuid, identity, type, at, disposition, form, length, record"
                " FROM archive_records"
                " WHERE session_key = ? AND seq >= ? AND form <> 'dropped' ORDER BY seq LIMIT ?",
                (key, after, count_max),
            )
            for row in rows:
                seq, position, uuid, identity, kind, at, disposition, form, length, stored = row
                total += length
                if found and total > bytes_max:
                    break
                found.append(
                    ArchivedRecord(
                        seq=seq,
                        position=position,
                        uuid=uuid,
                        identity=identity,
                        type=kind,
                        at=at,
                        disposition=disposition,
                        record=self._record_reader.read(key, seq, form, length, stored),
                    )
                )
        return found

    def is_whole(self, session_id: str) -> bool:
        """Whether every archived record of the session still has its bytes."""
        with border(self._place):
            key = read_session_key(self._connection, session_id)
            return key is None or not has_dropped(self._connection, key)

    def events(self, session_id: str, after: int = 0) -> Iterator[Event]:
        """Yield the events of a session from an ordinal on."""
        with border(self._place):
            key = read_session_key(self._connection, session_id)
            if key is not None:
                yield from read_events(self._connection, key, after)

    def events_at(self, session_id: str, ordinals: Iterable[int]) -> list[Event]:
        """Return the events at these ordinals, in the order given."""
        with border(self._place):
            key = read_session_key(self._connection, session_id)
            return [] if key is None else list(read_events_at(self._connection, key, ordinals))

    def may_hold(self, session_id: str, spellings: Sequence[bytes]) -> bool:
        """Whether an event of the session may hold one of these byte strings in its payload."""
        looks = " OR ".join(f"instr(lowered, ?{place})" for place in range(2, 2 + len(spellings)))
        with border(self._place):
            key = read_session_key(self._connection, session_id)
            found = read_number(
                self._connection,
                "SELECT EXISTS (SELECT 1 FROM (SELECT scan_safe,"  # noqa: S608 - of place holders
                " CAST(lower(CAST(payload AS TEXT)) AS BLOB) AS lowered"
                " FROM events WHERE session_key = ?1)"
                f" WHERE scan_safe IS NOT 1 OR {looks})",
                (key, *spellings),
            )
            return bool(found)

    def known_event_ids(self, session_id: str, event_ids: Iterable[str]) -> frozenset[str]:
        """Return those of the given ids that the session holds, however many are given."""
        with border(self._place):
            key = read_session_key(self._connection, session_id)
            rows = self._connection.executemany(
                "SELECT event_id FROM events WHERE session_key = ? AND event_id = ?",
                ((key, event_id) for event_id in event_ids),
            )
            return frozenset(event_id for (event_id,) in rows)

    def message_rows(self, session_id: str) -> Iterator[MessageRow]:
        """Yield the message rows of a session by position."""
        with border(self._place):
            key = read_session_key(self._connection, session_id)
            if key is not None:
                yield from read_messages(self._connection, key, 0, _LAST)

    def streams(self, session_id: str) -> list[OpenStream]:
        """Return the open streams of a session, by where and by what name they began."""
        with border(self._place):
            key = read_session_key(self._connection, session_id)
            return [] if key is None else read_streams(self._connection, key)

    def holders(self, session_ids: Iterable[str]) -> dict[str, int]:
        """Return the other sessions that hold records of these, and how many."""
        with border(self._place):
            return count_holders(self._connection, session_ids)

    def is_forgotten(self, session_id: str) -> bool:
        """Whether a tombstone names this session."""
        with border(self._place):
            return is_forgotten(self._connection, self._store_key, session_id)

    def secrets_found(self) -> Iterator[SecretsFound]:
        """Yield what the gate hid, by session and kind."""
        with border(self._place):
            rows = self._connection.execute(
                "SELECT session_id, kind, count FROM redactions JOIN sessions USING (session_key)"
                " ORDER BY session_id, kind"
            )
            for session_id, kind, count in rows:
                yield SecretsFound(session_id=session_id, kind=kind, count=count)

    def files(self) -> Iterator[ImportFile]:
        """Yield the bookkeeping of every source file, by source and path."""
        with border(self._place):
            yield from read_files(self._connection)

    def file(self, source: str, path: str) -> ImportFile | None:
        """Return the bookkeeping of one source file, or None."""
        with border(self._place):
            return read_file(self._connection, source, path)

    def failed_files(self) -> dict[str, int]:
        """Return how many files failed, by source."""
        with border(self._place):
            return count_failed_files(self._connection)

    def blob(self, sha256: str) -> bytes | None:
        """Return a blob's bytes, or None. Raises StoreCorrupt when they do not have its name."""
        with border(self._place):
            return read_blob(self._connection, sha256)

    def blob_ids(self) -> Iterator[str]:
        """Yield the SHA-256 of every blob, in order."""
        with border(self._place):
            rows = self._connection.execute(
                "SELECT sha256 FROM blobs WHERE chunk = 0 ORDER BY sha256"
            )
            for (digest,) in rows:
                yield digest
