"""What every store makes of a page: what it refuses and in which words, and what follows from it.

Law: a backend stores records and keeps its word; these rules are ours. A store asks the `require`
functions before it keeps anything of a page, inside the page's transaction.
"""

from collections.abc import Mapping

from msgspec.structs import replace

from recense.core.transcript.records import Session, with_facts
from recense.errors import NotFound, StoreConflict, StoreFault
from recense.ports.transcripts import ImportFile, LedgerPage, MessageRow


def unknown_session(session_id: str) -> NotFound:
    """Return the error for a session that the store does not hold."""
    return NotFound(
        f"no session {session_id!r} in this store",
        hint="a session is introduced by the birth in an archive page, or by open_session",
    )


def contradiction(what: str) -> StoreFault:
    """Return the error for a page that no correct caller makes."""
    return StoreFault(what, hint="nothing was kept; this is a fault of Recense, please report it")


def require_file(found: ImportFile | None, expected: ImportFile | None, file: ImportFile) -> None:
    """Refuse to replace a file's bookkeeping that is not what the caller read (StoreConflict)."""
    if found != expected:
        raise StoreConflict(
            f"the bookkeeping of {file.path!r} ({file.source}) has changed since it was read: it "
            f"is at offset {_offset(found)}, the caller expected {_offset(expected)}",
            hint="read it again and go on from there",
        )


def require_base(session: Session, page: LedgerPage) -> None:
    """Refuse a page of the ledger that does not go on from where the session stands.

    Raises StoreConflict when the session is not where the page expects it, and StoreFault when the
    page marks as converted what was not archived.
    """
    if session.closed and page.events and page.conversion is None:
        raise StoreConflict(
            f"session {page.session_id!r} was closed meanwhile",
            hint="read the session again: nothing more can be appended",
        )
    found = (session.events, session.converted_through)
    expected = (page.expected_events, page.expected_through)
    if found != expected:
        raise StoreConflict(
            f"session {page.session_id!r} stands at (events, converted) = {found}, "
            f"the page expected {expected}",
            hint="read the session again and go on from there",
        )
    mark = page.conversion
    if mark and not session.converted_through <= mark.converted_through <= session.records:
        raise contradiction(
            f"session {page.session_id!r} cannot be converted through {mark.converted_through}: it "
            f"is converted through {session.converted_through} of {session.records} records"
        )


def session_after(session: Session, page: LedgerPage) -> Session:
    """Return a session's row after a page of the ledger; its owned counters are as they were.

    The instant of the last event is the latest of all, whatever their order.
    """
    session = with_facts(session, page.facts)
    instants = [event.at for event in page.events if event.at is not None]
    if session.last_event_at is not None:
        instants.append(session.last_event_at)
    mark = page.conversion
    return replace(
        session,
        events=session.events + len(page.events),
        counts=page.counts,
        projection_state=page.projection_state,
        last_event_at=max(instants, default=None),
        closed=session.closed or page.closed,
        converted_through=mark.converted_through if mark else session.converted_through,
        convert_state=mark.convert_state if mark else session.convert_state,
        importer_version=mark.importer_version if mark else session.importer_version,
    )


def rows_after(before: Mapping[int, MessageRow], page: LedgerPage) -> dict[int, MessageRow]:
    """Return message rows by position after a page: opened, then grown, then dead.

    ``before`` may leave out rows that the page does not name. Raises StoreFault when the page opens
    a row that is there, or grows one that is not.
    """
    rows = dict(before)
    for row in page.opened:
        if row.position in rows:
            raise contradiction(f"message {row.position} of {page.session_id!r} is there already")
        rows[row.position] = row
    for growth in page.grown:
        grown = rows.get(growth.position)
        if grown is None:
            raise contradiction(f"message {growth.position} of {page.session_id!r} is not there")
        rows[growth.position] = replace(grown, length=grown.length + growth.length)
    for position, row in rows.items():
        if any(dead.first <= position <= dead.last for dead in page.dead):
            rows[position] = replace(row, live=False)
    return rows


def _offset(file: ImportFile | None) -> str:
    return "none" if file is None else str(file.offset)
