"""The two large commits: a page of the archive and a page of the ledger.

Each function works inside the transaction that its caller has begun. What a page may not do is
refused before it, or by a constraint of the tables; the caller then takes everything back.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Final, cast

from msgspec.structs import replace

from recense.adapters.sqlite.driver import (
    Connection,
    SqlValue,
    insert_long_rows,
    insert_rows,
    read_number,
)
from recense.adapters.sqlite.forgetting import buried, is_forgotten
from recense.adapters.sqlite.ownership import owned_differences
from recense.adapters.sqlite.pieces import RecordWriter, hold_blobs, write_blob
from recense.adapters.sqlite.rows import (
    add_redactions,
    event_checksum,
    insert_session,
    read_file,
    read_messages,
    read_session,
    read_session_key,
    update_session,
    write_file,
)
from recense.adapters.sqlite.streams import end_streams
from recense.core.transcript.records import Disposition, Fate
from recense.ports.commits import ArchiveOutcome, ArchivePage, LedgerPage, MessageRow, NewRecord
from recense.ports.pages import (
    Admission,
    admission,
    require_base,
    require_file,
    rows_after,
    session_after,
    unknown_session,
)

_NOBODY: Final = 0
_ANOTHER: Final = 1
_ITSELF: Final = 2

_WHO_HOLDS: Final = """
SELECT CASE
    WHEN NOT EXISTS (SELECT 1 FROM archive_records WHERE session_key = ?1 AND identity = ?2) THEN 0
    ELSE 1 + EXISTS (SELECT 1 FROM archive_records
                     WHERE session_key = ?1 AND identity = ?2 AND position = ?3)
END
"""
"""Whether a session holds nothing of a record, a copy, or itself. Two look-ups instead of one list,
since a record may have any number of copies; and one for nearly all, which it has not."""


def keep_archive_page(
    connection: Connection, page: ArchivePage, writer: RecordWriter, store_key: bytes
) -> ArchiveOutcome:
    """Keep a page of the archive."""
    file = page.file
    require_file(read_file(connection, file.source, file.path), page.expected, file)
    admitted = _admission(connection, page, store_key)
    begun: list[str] = []
    for birth in admitted.births:
        if read_session_key(connection, birth.session_id) is None:
            insert_session(connection, birth)
            begun.append(birth.session_id)
    places: defaultdict[str, list[int]] = defaultdict(list)
    dispositions: dict[int, Fate] = {}
    for place, (record, is_gone) in enumerate(zip(page.records, admitted.forgotten, strict=True)):
        if is_gone:
            dispositions[place] = "forgotten"
        else:
            places[record.session_id].append(place)
    for session_id, own in places.items():
        key = read_session_key(connection, session_id)
        if key is None:
            raise unknown_session(session_id)
        kept = _keep_records(connection, key, writer, [page.records[place] for place in own])
        dispositions.update(zip(own, kept, strict=True))
    for blob in admitted.blobs:
        write_blob(connection, blob)
    write_file(connection, file)
    return ArchiveOutcome(
        dispositions=tuple(dispositions[n] for n in range(len(page.records))),
        begun=tuple(begun),
    )


def keep_ledger_page(connection: Connection, page: LedgerPage) -> int:
    """Keep a page of the ledger and everything derived with it; return how many owned messages the
    store holds more for it.
    """
    found = read_session(connection, page.session_id)
    if found is None:
        raise unknown_session(page.session_id)
    key, session = found
    require_base(session, page)
    _insert_events(connection, key, page)
    for blob in page.blobs:
        write_blob(connection, blob)
    hold_blobs(connection, key, (blob.sha256 for blob in page.blobs))
    add_redactions(connection, key, page.findings)
    before = _rows_named(connection, key, page)
    after = rows_after(before, page)
    differences = owned_differences(connection, key, before.values(), after.values())
    _write_rows(connection, key, before, after)
    open_streams = end_streams(connection, key, page.ended_streams, session.open_streams)
    update_session(
        connection, key, replace(session_after(session, page), open_streams=open_streams)
    )
    connection.executemany(
        "UPDATE sessions SET owned_messages = owned_messages + ?, owned_length = owned_length + ?"
        " WHERE session_key = ?",
        [(change.messages, change.length, holder) for holder, change in differences.items()],
    )
    if page.conversion is not None and page.conversion.keep_source == "drop":
        _drop(connection, key, page.expected_through, page.conversion.converted_through)
    return sum(change.messages for change in differences.values())


def _admission(connection: Connection, page: ArchivePage, store_key: bytes) -> Admission:
    """Return what of a page may be kept, after what was forgotten."""
    if not read_number(connection, "SELECT EXISTS (SELECT 1 FROM tombstones)"):
        nothing = (False,) * len(page.records)
        return Admission(forgotten=nothing, births=page.births, blobs=page.blobs)
    session_ids = {each.session_id for each in (*page.births, *page.records)}
    parents = connection.executemany(
        "SELECT session_id, parent_session_id FROM sessions WHERE session_id = ?",
        ((session_id,) for session_id in session_ids),
    ).fetchall()
    return admission(
        page,
        parents=dict(cast("list[tuple[str, str | None]]", parents)),
        is_forgotten=lambda session_id: is_forgotten(connection, store_key, session_id),
        forgotten_identities=buried(connection, (record.identity for record in page.records)),
    )


def _keep_records(
    connection: Connection, key: int, writer: RecordWriter, records: Sequence[NewRecord]
) -> list[Disposition]:
    """Keep the records of one session, in order, and return what became of each."""
    seq = read_number(connection, "SELECT records FROM sessions WHERE session_key = ?", (key,)) or 0
    holders = [_NOBODY] * len(records) if seq == 0 else _holders(connection, key, records)
    seen: set[bytes] = set()
    seen_here: set[tuple[bytes, int]] = set()
    dispositions: list[Disposition] = []
    rows: list[tuple[SqlValue, ...]] = []
    kept: list[NewRecord] = []
    for record, holder in zip(records, holders, strict=True):
        here = (record.identity, record.position)
        is_copy = holder != _NOBODY or record.identity in seen
        disposition = "duplicate" if is_copy else record.disposition
        dispositions.append(disposition)
        if holder == _ITSELF or here in seen_here:
            continue
        seen.add(record.identity)
        seen_here.add(here)
        kept.append(record)
        rows.append(
            (
                key,
                seq,
                record.position,
                record.uuid,
                record.identity,
                record.type,
                record.at,
                disposition,
                len(record.record),
                *writer.write(key, seq, record.record),
            )
        )
        seq += 1
    insert_long_rows(connection, "INSERT INTO archive_records", rows)
    hold_blobs(connection, key, (digest for record in kept for digest in record.blobs))
    add_redactions(connection, key, (finding for record in kept for finding in record.findings))
    connection.execute("UPDATE sessions SET records = ? WHERE session_key = ?", (seq, key))
    return dispositions


def _holders(connection: Connection, key: int, records: Sequence[NewRecord]) -> list[int]:
    """Return what a session holds of each of these records: nothing, a copy, or itself."""
    rows = connection.executemany(
        _WHO_HOLDS, ((key, record.identity, record.position) for record in records)
    )
    return [holder for (holder,) in rows]


def _insert_events(connection: Connection, key: int, page: LedgerPage) -> None:
    insert_long_rows(
        connection,
        "INSERT INTO events",
        (
            (
                key,
                ordinal,
                event.event_id,
                event.invocation_id,
                event.at,
                event.recorded_at,
                event.identity,
                event.payload,
                event_checksum(ordinal, event),
                is_safe,
            )
            for ordinal, (event, is_safe) in enumerate(
                zip_longest(page.events, page.scan_safe), page.expected_events
            )
        ),
    )


def _rows_named(connection: Connection, key: int, page: LedgerPage) -> dict[int, MessageRow]:
    """Return the rows there are that a page grows or whose standing it changes."""
    opened = {row.position for row in page.opened}
    ranges = [
        *(
            (growth.position, growth.position)
            for growth in page.grown
            if growth.position not in opened
        ),
        *((standing.first, standing.last) for standing in page.standings),
    ]
    return {
        row.position: row
        for first, last in ranges
        for row in read_messages(connection, key, first, last)
    }


def _write_rows(
    connection: Connection,
    key: int,
    before: Mapping[int, MessageRow],
    after: Mapping[int, MessageRow],
) -> None:
    insert_rows(
        connection,
        "INSERT INTO messages",
        (
            (key, row.position, row.event_id, row.identity, row.length, row.live)
            for row in after.values()
            if row.position not in before
        ),
    )
    connection.executemany(
        "UPDATE messages SET length = ?, live = ? WHERE session_key = ? AND position = ?",
        (
            (row.length, row.live, key, row.position)
            for row in after.values()
            if row.position in before and row != before[row.position]
        ),
    )


def _drop(connection: Connection, key: int, first: int, end: int) -> None:
    """Let go of the bytes of records ``first`` to before ``end``; that they were there stays."""
    connection.execute(
        "UPDATE archive_records SET form = 'dropped', record = NULL"
        " WHERE session_key = ? AND seq >= ? AND seq < ?",
        (key, first, end),
    )
    connection.execute(
        "DELETE FROM archive_chunks WHERE session_key = ? AND seq >= ? AND seq < ?",
        (key, first, end),
    )
