"""Where transcripts live: archive, ledger, blobs and the bookkeeping of imports.

Law: a write method commits everything it was given or nothing, in one transaction, and returns only
when the commit is durable as far as the store's setting promises. Between two write methods any
process may be killed, and the next run continues from what is there. Names of write methods are the
names of the commit boundaries. Reads come from a snapshot: one moment of the whole store, also
while others write. No method of a reader writes.

Every error is one of `recense.errors.StoreFault`, or NotFound where a method says so; a driver's
own error never passes.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Literal, Protocol

from recense.core.transcript.events import Event
from recense.core.transcript.records import (
    ArchivedRecord,
    Blob,
    Counts,
    Disposition,
    Session,
    SessionBirth,
    SessionFacts,
)
from recense.core.values import Value

KeepSource = Literal["compressed", "drop"]
"""What becomes of archive records once they are converted."""


class ImportFile(Value, kw_only=True):
    """How far a source file has been read.

    ``size`` and ``mtime_ns`` are the file's when it was last read to its end; ``offset`` is how far
    it is taken, ``state`` the importer's state there, and ``tail_sha256`` the digest of the last
    TAIL_BYTES before ``offset``. ``reason`` is why it failed, empty when it did not.
    """

    source: str
    path: str
    size: int = 0
    mtime_ns: int = 0
    offset: int = 0
    state: bytes = b""
    tail_sha256: str = ""
    importer_version: int = 0
    reason: str = ""


class NewRecord(Value, kw_only=True):
    """A record to archive, after the gate. The store gives it its seq."""

    session_id: str
    position: int
    uuid: str | None
    identity: bytes
    type: str
    at: int | None
    disposition: Literal["parsed", "skipped", "bad"]
    record: bytes
    size: int


class ArchivePage(Value, kw_only=True):
    """One commit of archiving.

    ``births`` introduces sessions, those that exist already are left as they are. ``expected`` is
    the file's bookkeeping as the caller read it (None: no row yet), ``file`` what replaces it.
    """

    births: tuple[SessionBirth, ...]
    records: tuple[NewRecord, ...]
    blobs: tuple[Blob, ...]
    expected: ImportFile | None
    file: ImportFile


class ArchiveOutcome(Value, kw_only=True):
    """What became of each record of a page, in its order; duplicates are found by the store.

    A record is a *duplicate* when its session holds its identity already. At the same position it
    is the same record read again, and nothing is kept; elsewhere it is a second copy, kept once.
    """

    dispositions: tuple[Disposition, ...]


class MessageRow(Value, kw_only=True):
    """What is stored of a projected message: where it is, what it is, how long its own text is
    (code points, folded), and whether it still counts.
    """

    position: int
    event_id: str
    identity: bytes | None
    length: int
    live: bool


class Growth(Value, kw_only=True):
    """Own text of ``length`` code points that a later fragment added to a message."""

    position: int
    length: int


class DeadRange(Value, kw_only=True):
    """Messages (first and last inclusive) that no longer count."""

    first: int
    last: int


class ConversionMark(Value, kw_only=True):
    """How far the archive of a session is converted after a page of events."""

    converted_through: int
    convert_state: bytes
    importer_version: int
    keep_source: KeepSource


class LedgerPage(Value, kw_only=True):
    """One commit of the ledger: events and everything derived with them.

    ``expected_events`` and ``expected_through`` are the session's head and ``converted_through`` as
    the caller read them. ``counts`` are the session's held counts after the page. Changes to
    message rows apply in this order: opened, grown, dead. ``conversion`` is None for events that
    came through the API. ``closed`` closes the session, for good. An event id that the session
    holds already is a fault of the caller: pages are deduplicated before.
    """

    session_id: str
    expected_events: int
    expected_through: int
    events: tuple[Event, ...]
    blobs: tuple[Blob, ...] = ()
    facts: SessionFacts = SessionFacts()
    counts: Counts
    projection_state: bytes
    opened: tuple[MessageRow, ...] = ()
    grown: tuple[Growth, ...] = ()
    dead: tuple[DeadRange, ...] = ()
    conversion: ConversionMark | None = None
    closed: bool = False


class TranscriptReader(Protocol):
    """One snapshot of the store."""

    def sessions(self) -> Iterator[Session]:
        """Yield every session, by (created_at, session_id); no instant last."""
        ...

    def session(self, session_id: str) -> Session | None:
        """Return one session, or None."""
        ...

    def records(
        self, session_id: str, after: int, count_max: int, bytes_max: int
    ) -> list[ArchivedRecord]:
        """Return the archived records with seq >= ``after`` in order: at most ``count_max`` of them
        and, after the first, at most ``bytes_max`` bytes in all. Empty at the end. Records that
        were dropped after conversion are absent; compressed ones come back as they were archived.
        """
        ...

    def events(self, session_id: str, after: int = 0) -> Iterator[Event]:
        """Yield the events with ordinal >= ``after``, in order; ordinals have no holes."""
        ...

    def known_event_ids(self, session_id: str, event_ids: Iterable[str]) -> frozenset[str]:
        """Return those of the given ids that the session holds."""
        ...

    def message_rows(self, session_id: str) -> Iterator[MessageRow]:
        """Yield the stored message rows of a session by position."""
        ...

    def files(self) -> Iterator[ImportFile]:
        """Yield the bookkeeping of every source file, by (source, path)."""
        ...

    def file(self, source: str, path: str) -> ImportFile | None:
        """Return the bookkeeping of one source file, or None."""
        ...

    def blob(self, sha256: str) -> bytes | None:
        """Return a blob's bytes, or None."""
        ...

    def blob_ids(self) -> Iterator[str]:
        """Yield the SHA-256 of every blob, in order."""
        ...


class TranscriptStore(Protocol):
    """A store of transcripts; see the law at the top of this file."""

    def key(self) -> bytes:
        """Return the store's secret key (32 bytes), made by chance when the store was made."""
        ...

    def archive(self, page: ArchivePage) -> ArchiveOutcome:
        """Keep one page of records.

        Raises StoreConflict when the file's bookkeeping is not ``expected``.
        """
        ...

    def append(self, page: LedgerPage) -> None:
        """Keep one page of events.

        Raises StoreConflict when the session's head or ``converted_through`` is not as expected or
        when it is closed and the page brings events of the API, and NotFound when there is no such
        session. Owned counts of this session and of later
        sessions that hold the same identities are brought up to date in the same commit.
        """
        ...

    def open_session(self, birth: SessionBirth, facts: SessionFacts) -> Session:
        """Introduce a session and return it; one that exists is returned as it is."""
        ...

    def note_file(self, expected: ImportFile | None, file: ImportFile) -> None:
        """Replace a file's bookkeeping alone. Raises StoreConflict as `archive` does."""
        ...

    def snapshot(self) -> AbstractContextManager[TranscriptReader]:
        """Return a reader of this moment; leave the context soon, it holds back clean-up."""
        ...

    def check(self) -> Sequence[str]:
        """Return the faults found in the store's own bytes; empty when it is whole."""
        ...

    def description(self) -> dict[str, str]:
        """Return what a person should know of the store: kind, place, engine version,
        durability.
        """
        ...

    def close(self) -> None:
        """Let go of the store. Later calls on it are a fault of the caller."""
        ...
