"""What every store makes of a page: what it refuses and in which words, and what follows from it.

Law: a backend stores records and keeps its word; these rules are ours. A store asks the `require`
functions before it keeps anything of a page, inside the page's transaction.
"""

from collections.abc import Callable, Container, Mapping

from msgspec.structs import replace

from recense.core.transcript.records import Blob, Counts, Session, SessionBirth, with_facts
from recense.core.values import Value
from recense.errors import NotFound, StoreConflict, StoreFault, Unsupported
from recense.ports.commits import ArchivePage, ImportFile, LedgerPage, MessageRow, StreamPage


def unknown_session(session_id: str) -> NotFound:
    """Return the error for a session that the store does not hold."""
    return NotFound(
        f"no session {session_id!r} in this store",
        hint="a session is introduced by the birth in an archive page, or by open_session",
    )


def forgotten_session(session_id: str) -> StoreConflict:
    """Return the error for introducing a session that a person had forgotten."""
    return StoreConflict(
        f"session {session_id!r} was forgotten and is not taken again",
        hint="open another session under another id",
    )


def contradiction(what: str) -> StoreFault:
    """Return the error for a page that no correct caller makes."""
    return StoreFault(what, hint="nothing was kept; this is a fault of Recense, please report it")


def no_records_beside() -> Unsupported:
    """Return the error for a page with records, in a store of transcripts that stands alone."""
    return Unsupported(
        "this store of transcripts has no store of records beside it, so that no lease holds here",
        hint="open both on one place, as `recense.open` does",
    )


class Admission(Value, kw_only=True):
    """What of an archive page a store may keep, after what was forgotten.

    ``forgotten`` says of each record, in order, whether nothing of it is kept; ``births`` are the
    sessions to introduce where they are not there yet, ``blobs`` the blobs to keep.
    """

    forgotten: tuple[bool, ...]
    births: tuple[SessionBirth, ...]
    blobs: tuple[Blob, ...]


def admission(
    page: ArchivePage,
    *,
    parents: Mapping[str, str | None],
    is_forgotten: Callable[[str], bool],
    forgotten_identities: Container[bytes],
) -> Admission:
    """Return what of a page may be kept.

    ``parents`` names the parent of each session that the store holds, at least of those on the
    page; of the others their births say it. A record is forgotten when its session, its session's
    parent or its identity is. A session is not introduced when it or its parent is forgotten, or
    every record that the page has of it. A blob that only forgotten records refer to is not kept.
    """
    parents = {birth.session_id: birth.parent_session_id for birth in page.births} | {**parents}
    named = {birth.session_id for birth in page.births}
    named |= {record.session_id for record in page.records}
    gone = {
        session_id
        for session_id in named
        for parent in (parents.get(session_id),)
        if is_forgotten(session_id) or (parent is not None and is_forgotten(parent))
    }
    forgotten = tuple(
        record.session_id in gone or record.identity in forgotten_identities
        for record in page.records
    )
    fates = list(zip(page.records, forgotten, strict=True))
    left = {record.session_id for record, is_gone in fates if not is_gone}
    emptied = {record.session_id for record, is_gone in fates if is_gone} - left
    wanted = {digest for record, is_gone in fates if not is_gone for digest in record.blobs}
    unwanted = {digest for record, is_gone in fates if is_gone for digest in record.blobs} - wanted
    return Admission(
        forgotten=forgotten,
        births=tuple(birth for birth in page.births if birth.session_id not in gone | emptied),
        blobs=tuple(blob for blob in page.blobs if blob.sha256 not in unwanted),
    )


def require_stream(session: Session, page: StreamPage, held: int) -> None:
    """Refuse to continue a stream that is not where the page expects it (StoreConflict).

    ``held`` is the length in code points of what the stream holds; 0 when there is none.
    """
    if session.closed:
        raise StoreConflict(
            f"session {page.session_id!r} was closed meanwhile",
            hint="read the session again: nothing more can be appended",
        )
    if held != page.expected_length:
        raise StoreConflict(
            f"stream {page.stream_key!r} of session {page.session_id!r} holds {held} code points, "
            f"the page expected {page.expected_length}",
            hint="read the streams of the session again and go on from there",
        )


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
    """Return a session's row after a page of the ledger, but for its owned counters and how many
    streams are open.

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


def is_restartable(session: Session, importer_version: int) -> bool:
    """Whether a session was archived, and converted by this version of its importer."""
    return session.records > 0 and session.importer_version == importer_version


def restarted(session: Session) -> Session:
    """Return a session's row as it was before anything of it was converted.

    Its origin and parent stay: what its id alone tells is not known here.
    """
    return replace(
        session,
        events=0,
        converted_through=0,
        convert_state=b"",
        projection_state=b"",
        importer_version=0,
        counts=Counts(),
        last_event_at=None,
        workspace=None,
        title=None,
        title_rank=0,
        revision_root=None,
        shelved=False,
    )


def rows_after(before: Mapping[int, MessageRow], page: LedgerPage) -> dict[int, MessageRow]:
    """Return message rows by position after a page: opened, grown, standings.

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
    for standing in page.standings:
        for position, row in rows.items():
            if standing.first <= position <= standing.last:
                rows[position] = replace(row, live=standing.live)
    return rows


def _offset(file: ImportFile | None) -> str:
    return "none" if file is None else str(file.offset)
