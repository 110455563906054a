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
from typing import Protocol

from recense.core.transcript.events import Event
from recense.core.transcript.records import (
    ArchivedRecord,
    Session,
    SessionBirth,
    SessionFacts,
)
from recense.core.transcript.totals import SessionFilter, SettledSessions
from recense.ports.commits import (
    ArchiveOutcome,
    ArchivePage,
    Forgotten,
    ImportFile,
    LedgerPage,
    MessageRow,
    OpenStream,
    SecretsFound,
    StreamPage,
)
from recense.ports.index import IndexedMessages, IndexPage


class TranscriptReader(Protocol):
    """One snapshot of the store. A session is *settled* when all its archived records are
    converted, else it *waits*.
    """

    def sessions(self) -> Iterator[Session]:
        """Yield every session, by (created_at, session_id); no instant last."""
        ...

    def session(self, session_id: str) -> Session | None:
        """Return one session, or None."""
        ...

    def outline(self, session_id: str) -> Session | None:
        """Return one session without its states of conversion and projection, or None."""
        ...

    def named(self, name: str) -> list[Session]:
        """Return the sessions whose id, or whose id in their source's words, this is; without their
        states, by (created_at, session_id).
        """
        ...

    def settled(self, wanted: SessionFilter) -> SettledSessions:
        """Return what the counters of settled sessions say together; it reads none of their rows
        into memory.
        """
        ...

    def waiting(self) -> Iterator[Session]:
        """Yield every session that waits, with its states, by (created_at, session_id)."""
        ...

    def workspaces(self) -> list[str]:
        """Return the distinct workspaces of the settled sessions, in order."""
        ...

    def message_index(self) -> IndexedMessages | None:
        """Return the message index of this moment; None where the store keeps none."""
        ...

    def records(
        self, session_id: str, after: int, count_max: int, bytes_max: int
    ) -> list[ArchivedRecord]:
        """Return the archived records with seq >= ``after`` in order: at most ``count_max`` of them
        and, after the first, at most ``bytes_max`` bytes in all. Empty at the end. Records that
        were dropped after conversion are absent; compressed ones come back as they were archived.
        """
        ...

    def is_whole(self, session_id: str) -> bool:
        """Whether every archived record of the session still has its bytes: none was dropped."""
        ...

    def events(self, session_id: str, after: int = 0) -> Iterator[Event]:
        """Yield the events with ordinal >= ``after``, in order; ordinals have no holes."""
        ...

    def events_at(self, session_id: str, ordinals: Iterable[int]) -> list[Event]:
        """Return the events at these ordinals, in the order given; one that is not there is left
        out, and one that cannot be read comes as in `events`.
        """
        ...

    def may_hold(self, session_id: str, spellings: Sequence[bytes]) -> bool:
        """Whether an event of the session holds one of these byte strings in its payload, A to Z
        taken as a to z, or was not kept as scan-safe (`recense.core.recall.scanning`). A store that
        does not look says True.
        """
        ...

    def known_event_ids(self, session_id: str, event_ids: Iterable[str]) -> frozenset[str]:
        """Return those of the given ids that the session holds."""
        ...

    def message_rows(self, session_id: str) -> Iterator[MessageRow]:
        """Yield the stored message rows of a session by position."""
        ...

    def streams(self, session_id: str) -> list[OpenStream]:
        """Return the open streams of a session, by (after_ordinal, stream_key)."""
        ...

    def holders(self, session_ids: Iterable[str]) -> dict[str, int]:
        """Return the other sessions that hold records of these, by identity, and how many."""
        ...

    def is_forgotten(self, session_id: str) -> bool:
        """Whether a tombstone names this session."""
        ...

    def secrets_found(self) -> Iterator[SecretsFound]:
        """Yield what the gate hid, by (session_id, kind); forgotten sessions are left out."""
        ...

    def files(self) -> Iterator[ImportFile]:
        """Yield the bookkeeping of every source file, by (source, path)."""
        ...

    def file(self, source: str, path: str) -> ImportFile | None:
        """Return the bookkeeping of one source file, or None."""
        ...

    def failed_files(self) -> dict[str, int]:
        """Return how many files failed, by source, of the sources of which any did."""
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

    def append(self, page: LedgerPage) -> int:
        """Keep one page of events and return how many owned messages the store holds more for it:
        the net change over all sessions, so that a copy of what is there adds nothing; below zero
        where messages are counted no more.

        Raises StoreConflict when the session's head or ``converted_through`` is not as expected or
        when it is closed and the page brings events of the API, and NotFound when there is no such
        session. Owned counts of this session and of later
        sessions that hold the same identities are brought up to date in the same commit. With
        ``fenced`` records are put as `recense.ports.records.RecordStore.fenced_put` does, into the
        store of records on the same place; raises LeaseLost, and keeps nothing, when the lease does
        not hold, and Unsupported where there is no such store.
        """
        ...

    def open_session(self, birth: SessionBirth, facts: SessionFacts) -> Session:
        """Introduce a session and return it; one that exists is returned as it is. Raises
        StoreConflict for one that was forgotten.
        """
        ...

    def stream(self, page: StreamPage) -> None:
        """Keep what has arrived of a stream, in segments of at most CHUNK_BYTES.

        Raises StoreConflict when the stream holds another length than expected or the session is
        closed, and NotFound when there is no such session.
        """
        ...

    def restart(self, session_id: str, importer_version: int) -> int | None:
        """Take a session's conversion back to its beginning, to be converted anew: its events, its
        rows and all that came with them go, its archive stays. Returns how many owned messages the
        store holds less for it, net over all sessions; None where nothing was done: a session that
        was not archived, that another than this importer version converted, or of which records
        were dropped, stays as it is. Owned
        counts of sessions that share messages are brought up to date in the same commit. Raises
        NotFound.
        """
        ...

    def set_private(self, session_id: str, *, private: bool) -> Session:
        """Hide a session from every search, or show it again; return its row. Raises NotFound."""
        ...

    def forget(self, session_ids: Iterable[str]) -> Forgotten:
        """Remove sessions: events, records, rows, streams, findings, and blobs that nobody else
        refers to; and keep tombstones of the sessions and of the record identities that no other
        session holds. Owned counts of sessions that share messages are brought up to date in the
        same commit. A session that is not there leaves its tombstone all the same.

        Returns when no file of the store holds the removed bytes, as far as other readers let it.
        """
        ...

    def note_file(self, expected: ImportFile | None, file: ImportFile) -> None:
        """Replace a file's bookkeeping alone. Raises StoreConflict as `archive` does."""
        ...

    def write_index(self, page: IndexPage) -> frozenset[str]:
        """Write one page of the message index, whole or not at all, and return the ids of the
        sessions that were as expected; of the others nothing is written. Of a session that is
        written to its end the index vouches from this commit on. A store that keeps no index
        writes nothing.
        """
        ...

    def empty_index(self) -> None:
        """Empty the message index, to be made anew. Nothing but the index is touched."""
        ...

    def mend_index(self) -> bool:
        """Empty the message index if it is damaged as far as can be seen at once, and return
        whether it was. Nothing but the index is touched.
        """
        ...

    def snapshot(self) -> AbstractContextManager[TranscriptReader]:
        """Return a reader of this moment; leave the context soon, it holds back clean-up."""
        ...

    def check(self) -> Sequence[str]:
        """Return the faults found in the store's own bytes; empty when it is whole."""
        ...

    def check_index(self) -> Sequence[str]:
        """Return the faults found in the message index, in words: what `mend_index` may not see.
        Of many texts some are looked for by their own grams.
        """
        ...

    def description(self) -> dict[str, str]:
        """Return what a person should know of the store: kind, place, engine version,
        durability.
        """
        ...

    def close(self) -> None:
        """Let go of the store. Later calls on it are a fault of the caller."""
        ...
