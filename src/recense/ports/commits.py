"""What is handed to a store in one commit, and what it says came of it.

Law: each of the pages is kept whole or not at all; see `recense.ports.transcripts`.
"""

from typing import Literal

from recense.core.transcript.changes import Standing
from recense.core.transcript.events import Event
from recense.core.transcript.records import Blob, Counts, Fate, SessionBirth, SessionFacts
from recense.core.values import Value
from recense.ports.records import Lease, Record

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
    """A record to archive, after the gate. The store gives it its seq.

    ``blobs`` are the SHA-256 of the blobs it refers to; ``findings`` are the secrets that the gate
    hid in it, by kind.
    """

    session_id: str
    position: int
    uuid: str | None
    identity: bytes
    type: str
    at: int | None
    disposition: Literal["parsed", "skipped", "bad"]
    record: bytes
    size: int
    blobs: tuple[str, ...] = ()
    findings: tuple[tuple[str, int], ...] = ()


class ArchivePage(Value, kw_only=True):
    """One commit of archiving.

    ``births`` introduces sessions, those that exist already are left as they are; a session of
    which every record on the page was forgotten is not introduced. ``expected`` is the file's
    bookkeeping as the caller read it (None: no row yet), ``file`` what replaces it.
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
    It is *forgotten* when a tombstone names its session, its session's parent or its identity, and
    nothing of it is kept. Findings count for records that are kept. ``begun`` are the sessions that
    were not there before this page, in the order of its births.
    """

    dispositions: tuple[Fate, ...]
    begun: tuple[str, ...]


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


class ConversionMark(Value, kw_only=True):
    """How far the archive of a session is converted after a page of events."""

    converted_through: int
    convert_state: bytes
    importer_version: int
    keep_source: KeepSource


class FencedRecords(Value, kw_only=True):
    """Records that are put in the same commit as events, and the lease under which both are
    written. ``unchanged`` is as in `recense.ports.records.RecordStore.fenced_put`.
    """

    lease: Lease
    records: tuple[Record, ...] = ()
    unchanged: Record | None = None


class LedgerPage(Value, kw_only=True):
    """One commit of the ledger: events and everything derived with them.

    ``expected_events`` and ``expected_through`` are the session's head and ``converted_through`` as
    the caller read them. ``counts`` are the session's held counts after the page. ``scan_safe``
    says whether each event is, in order; it is not known of any where it is empty. Changes to
    message rows apply in this order: opened, grown, standings one after the other. ``conversion``
    is None for events that came through the API, whose ``blobs`` the session refers to and whose
    ``findings`` are the secrets the gate hid in them. ``ended_streams`` are the keys of streams
    that these events complete: their segments go in the same commit; a key of none is nothing.
    ``closed`` closes the session, for good. An event id that the session holds already is a fault
    of the caller: pages are deduplicated before. Where ``fenced`` is given, the page is kept if its
    lease holds and its record is unchanged, which is looked at in the same commit, and its records
    with it.
    """

    session_id: str
    expected_events: int
    expected_through: int
    events: tuple[Event, ...]
    blobs: tuple[Blob, ...] = ()
    facts: SessionFacts = SessionFacts()
    counts: Counts
    projection_state: bytes
    scan_safe: tuple[bool, ...] = ()
    opened: tuple[MessageRow, ...] = ()
    grown: tuple[Growth, ...] = ()
    standings: tuple[Standing, ...] = ()
    conversion: ConversionMark | None = None
    ended_streams: tuple[str, ...] = ()
    findings: tuple[tuple[str, int], ...] = ()
    closed: bool = False
    fenced: FencedRecords | None = None


class OpenStream(Value, kw_only=True):
    """A text that is still arriving: what of it has come, after the gate.

    ``payload`` is the JSON of the payload of a Text event without its words, which ``text`` holds.
    ``after_ordinal`` is the session's head when the stream began, ``at`` that instant.
    """

    stream_key: str
    after_ordinal: int
    at: int | None
    payload: bytes
    text: str


class StreamPage(Value, kw_only=True):
    """One commit of a stream: ``text`` joins what the stream holds already.

    ``expected_length`` is the length in code points of what it held as the caller read it (0:
    there is no such stream, and this begins it with ``at`` and ``payload``; those of a stream that
    exists stay as they are). ``findings`` are as in `LedgerPage`.
    """

    session_id: str
    stream_key: str
    expected_length: int
    at: int | None
    payload: bytes
    text: str
    findings: tuple[tuple[str, int], ...] = ()


class Forgotten(Value, kw_only=True):
    """What forgetting sessions removed.

    ``blobs`` counts those that nobody else referred to. ``identities`` counts the records whose
    identity is now on a tombstone, since no other session holds it. ``bytes_gone`` says that no
    file of the store holds the removed bytes any more; False where another process was still
    reading an earlier moment: forgetting the same sessions again finishes it.
    """

    sessions: int
    records: int
    events: int
    messages: int
    blobs: int
    identities: int
    bytes_gone: bool


class SecretsFound(Value, kw_only=True):
    """How many secrets of a kind the gate hid in a session, never which."""

    session_id: str
    kind: str
    count: int
