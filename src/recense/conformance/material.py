"""What checks put into stores: sessions of invented people, made as a careful caller makes them."""

from collections.abc import Iterable, Sequence
from hashlib import blake2b, sha256
from typing import Literal

from msgspec.structs import replace

from recense.conformance.vocabulary import fail
from recense.core.transcript.events import Event
from recense.core.transcript.records import (
    ArchivedRecord,
    Blob,
    Counts,
    Fate,
    Session,
    SessionBirth,
)
from recense.ports.commits import (
    ArchivePage,
    ConversionMark,
    ImportFile,
    KeepSource,
    LedgerPage,
    MessageRow,
    NewRecord,
    OpenStream,
    StreamPage,
)
from recense.ports.pages import rows_after
from recense.ports.transcripts import TranscriptStore

SOURCE = "sample"
ALL_RECORDS = 1_000_000
ALL_BYTES = 1_000_000_000


def birth(
    session_id: str, created_at: int | None = 1_000, *, parent: str | None = None
) -> SessionBirth:
    """Return the birth of a session."""
    return SessionBirth(
        session_id=session_id,
        source=SOURCE,
        source_session_id=session_id,
        origin="interactive",
        parent_session_id=parent,
        created_at=created_at,
        source_path=f"/home/ada/{session_id}.jsonl",
    )


def identity(name: str) -> bytes:
    """Return the identity of a record that is told from others by a name."""
    return blake2b(name.encode(), digest_size=16).digest()


def record(
    session_id: str,
    position: int,
    *,
    name: str | None = None,
    body: bytes = b'{"says":"good morning"}',
    disposition: Literal["parsed", "skipped", "bad"] = "parsed",
    blobs: Sequence[Blob] = (),
    findings: tuple[tuple[str, int], ...] = (),
) -> NewRecord:
    """Return a record; equal names give equal identities, and without one it has its own."""
    return NewRecord(
        session_id=session_id,
        position=position,
        uuid=name,
        identity=identity(name or f"{session_id} {position}"),
        type="message",
        at=2_000 + position,
        disposition=disposition,
        record=body,
        size=len(body) + 1,
        blobs=tuple(each.sha256 for each in blobs),
        findings=findings,
    )


def archive(
    store: TranscriptStore,
    records: Sequence[NewRecord],
    *,
    births: Sequence[SessionBirth] | None = None,
    blobs: Sequence[Blob] = (),
    path: str = "/home/ada/one.jsonl",
) -> tuple[Fate, ...]:
    """Archive records as the next page of a file and return what became of them.

    Without ``births`` every session of the records is introduced.
    """
    with store.snapshot() as reader:
        expected = reader.file(SOURCE, path)
    offset = (expected.offset if expected else 0) + sum(each.size for each in records)
    if births is None:
        births = [birth(session_id) for session_id in {each.session_id for each in records}]
    page = ArchivePage(
        births=tuple(births),
        records=tuple(records),
        blobs=tuple(blobs),
        expected=expected,
        file=ImportFile(source=SOURCE, path=path, offset=offset, size=offset),
    )
    return store.archive(page).dispositions


def event(event_id: str, payload: bytes = b'{"kind":"note","text":"hm"}') -> Event:
    """Return an event."""
    return Event(
        event_id=event_id,
        at=3_000,
        recorded_at=4_000,
        identity=identity(event_id),
        payload=payload,
    )


def row(
    position: int, *, name: str | None = None, length: int = 10, live: bool = True
) -> MessageRow:
    """Return a message row; equal names give equal identities, without one there is none."""
    return MessageRow(
        position=position,
        event_id=f"event-{position}",
        identity=None if name is None else identity(name),
        length=length,
        live=live,
    )


def mark(through: int, keep_source: KeepSource = "compressed") -> ConversionMark:
    """Return how far the archive is converted."""
    return ConversionMark(
        converted_through=through,
        convert_state=f"converted {through}".encode(),
        importer_version=3,
        keep_source=keep_source,
    )


def next_page(store: TranscriptStore, session_id: str) -> LedgerPage:
    """Return an empty page of the ledger that goes on from where the session stands."""
    with store.snapshot() as reader:
        session = reader.session(session_id) or fail(f"no session {session_id!r}")
    return LedgerPage(
        session_id=session_id,
        expected_events=session.events,
        expected_through=session.converted_through,
        events=(),
        counts=session.counts,
        projection_state=session.projection_state,
    )


def append(store: TranscriptStore, page: LedgerPage) -> int:
    """Append a page with the counts that the message rows make after it; return what it added."""
    with store.snapshot() as reader:
        before = {each.position: each for each in reader.message_rows(page.session_id)}
    return store.append(replace(page, counts=counts_of(rows_after(before, page).values())))


def counts_of(rows: Iterable[MessageRow]) -> Counts:
    """Return the counts that message rows make."""
    lengths = [each.length for each in rows if each.live]
    return Counts(messages=len(lengths), length=sum(lengths))


def arrive(
    store: TranscriptStore,
    session_id: str,
    stream_key: str,
    text: str,
    *,
    at: int | None = 5_000,
    payload: bytes = b"{}",
    findings: tuple[tuple[str, int], ...] = (),
    length: int | None = None,
) -> None:
    """Let text arrive of a stream; it is expected to hold what it holds, or ``length``."""
    if length is None:
        held = {each.stream_key: len(each.text) for each in streams_of(store, session_id)}
        length = held.get(stream_key, 0)
    store.stream(
        StreamPage(
            session_id=session_id,
            stream_key=stream_key,
            expected_length=length,
            at=at,
            payload=payload,
            text=text,
            findings=findings,
        )
    )


def blob_of(data: bytes) -> Blob:
    """Return bytes under their name."""
    return Blob(sha256=sha256(data).hexdigest(), data=data)


def streams_of(store: TranscriptStore, session_id: str) -> list[OpenStream]:
    """Return the open streams of a session."""
    with store.snapshot() as reader:
        return reader.streams(session_id)


def findings_of(store: TranscriptStore) -> list[tuple[str, str, int]]:
    """Return what the gate hid: session, kind and how often."""
    with store.snapshot() as reader:
        return [(each.session_id, each.kind, each.count) for each in reader.secrets_found()]


def session_of(store: TranscriptStore, session_id: str) -> Session:
    """Return a session's row; fail when there is none."""
    with store.snapshot() as reader:
        return reader.session(session_id) or fail(f"no session {session_id!r}")


def records_of(store: TranscriptStore, session_id: str) -> list[ArchivedRecord]:
    """Return every archived record of a session."""
    with store.snapshot() as reader:
        return reader.records(session_id, 0, ALL_RECORDS, ALL_BYTES)


def owned_of(store: TranscriptStore) -> dict[str, tuple[int, int]]:
    """Return the owned counters of every session."""
    with store.snapshot() as reader:
        return {
            each.session_id: (each.owned_messages, each.owned_length) for each in reader.sessions()
        }


def contents(store: TranscriptStore) -> dict[str, object]:
    """Return everything that a store's readers tell, but for its key, from one snapshot."""
    with store.snapshot() as reader:
        sessions = list(reader.sessions())
        return {
            "sessions": sessions,
            "records": {
                each.session_id: reader.records(each.session_id, 0, ALL_RECORDS, ALL_BYTES)
                for each in sessions
            },
            "events": {each.session_id: list(reader.events(each.session_id)) for each in sessions},
            "rows": {
                each.session_id: list(reader.message_rows(each.session_id)) for each in sessions
            },
            "streams": {each.session_id: reader.streams(each.session_id) for each in sessions},
            "holders": {each.session_id: reader.holders([each.session_id]) for each in sessions},
            "secrets": list(reader.secrets_found()),
            "files": list(reader.files()),
            "blobs": {digest: reader.blob(digest) for digest in reader.blob_ids()},
        }
