"""The reference store.

Laws: every commit is one assignment of a new state, and a state never changes, so that a snapshot
is the state itself. What can be counted is counted when it is asked for, never kept. Speed is no
aim here; being obviously right is.
"""

import threading
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Final

from msgspec.structs import replace

from recense.core.transcript.events import Event
from recense.core.transcript.records import (
    ArchivedRecord,
    Blob,
    Disposition,
    Session,
    SessionBirth,
    SessionFacts,
    born,
    start_key,
    with_facts,
)
from recense.core.values import Value
from recense.limits import STORE_KEY_BYTES
from recense.ports.clock import Chance
from recense.ports.pages import (
    contradiction,
    require_base,
    require_file,
    rows_after,
    session_after,
    unknown_session,
)
from recense.ports.transcripts import (
    ArchiveOutcome,
    ArchivePage,
    ImportFile,
    LedgerPage,
    MessageRow,
    NewRecord,
    TranscriptReader,
)


class _Holding(Value, kw_only=True):
    """All there is of one session, but for its owned counters."""

    session: Session
    records: tuple[ArchivedRecord, ...] = ()
    dropped: frozenset[int] = frozenset()
    events: tuple[Event, ...] = ()
    rows: Mapping[int, MessageRow] = {}


class _State(Value, kw_only=True):
    """One moment of the whole store; its mappings are replaced, never changed."""

    holdings: Mapping[str, _Holding] = {}
    files: Mapping[tuple[str, str], ImportFile] = {}
    blobs: Mapping[str, bytes] = {}


class MemoryStore:
    """A `recense.ports.transcripts.TranscriptStore` that ends with its process."""

    def __init__(self, chance: Chance) -> None:
        self._key: Final = chance.token(STORE_KEY_BYTES)
        self._lock: Final = threading.Lock()
        self._state = _State()

    def key(self) -> bytes:
        """Return the store's secret key."""
        return self._key

    def archive(self, page: ArchivePage) -> ArchiveOutcome:
        """Keep one page of records, as the port says."""
        with self._lock:
            files = _files_with(self._state.files, page.expected, page.file)
            holdings = dict(self._state.holdings)
            for birth in page.births:
                holdings.setdefault(birth.session_id, _Holding(session=born(birth)))
            dispositions: list[Disposition] = []
            for new in page.records:
                if new.session_id not in holdings:
                    raise unknown_session(new.session_id)
                holding, disposition = _archived(holdings[new.session_id], new)
                holdings[new.session_id] = holding
                dispositions.append(disposition)
            blobs = _blobs_with(self._state.blobs, page.blobs)
            self._state = _State(holdings=holdings, files=files, blobs=blobs)
            return ArchiveOutcome(dispositions=tuple(dispositions))

    def append(self, page: LedgerPage) -> None:
        """Keep one page of events, as the port says."""
        with self._lock:
            holdings = dict(self._state.holdings)
            if page.session_id not in holdings:
                raise unknown_session(page.session_id)
            holdings[page.session_id] = _appended(holdings[page.session_id], page)
            blobs = _blobs_with(self._state.blobs, page.blobs)
            self._state = replace(self._state, holdings=holdings, blobs=blobs)

    def open_session(self, birth: SessionBirth, facts: SessionFacts) -> Session:
        """Introduce a session and return it; one that exists is returned as it is."""
        with self._lock:
            holdings = dict(self._state.holdings)
            fresh = _Holding(session=with_facts(born(birth), facts))
            holdings.setdefault(birth.session_id, fresh)
            self._state = replace(self._state, holdings=holdings)
            return MemoryReader(self._state).complete(holdings[birth.session_id])

    def note_file(self, expected: ImportFile | None, file: ImportFile) -> None:
        """Replace a file's bookkeeping alone, as the port says."""
        with self._lock:
            files = _files_with(self._state.files, expected, file)
            self._state = replace(self._state, files=files)

    @contextmanager
    def snapshot(self) -> Generator[TranscriptReader]:
        """Return a reader of this moment."""
        yield MemoryReader(self._state)

    def check(self) -> Sequence[str]:
        """Return no fault: there are no bytes that could be damaged."""
        return ()

    def description(self) -> dict[str, str]:
        """Return what a person should know of the store."""
        return {
            "kind": "memory",
            "place": "this process",
            "engine": "Python objects",
            "durability": "none: it ends with the process",
        }

    def close(self) -> None:
        """Do nothing: the store goes when nobody refers to it."""


class MemoryReader:
    """A `recense.ports.transcripts.TranscriptReader` of one state."""

    def __init__(self, state: _State) -> None:
        self._state: Final = state

    def sessions(self) -> Iterator[Session]:
        """Yield every session, by start."""
        for holding in sorted(
            self._state.holdings.values(),
            key=lambda each: start_key(each.session.created_at, each.session.session_id),
        ):
            yield self.complete(holding)

    def session(self, session_id: str) -> Session | None:
        """Return one session, or None."""
        holding = self._state.holdings.get(session_id)
        return None if holding is None else self.complete(holding)

    def records(
        self, session_id: str, after: int, count_max: int, bytes_max: int
    ) -> list[ArchivedRecord]:
        """Return archived records in order, within the bounds."""
        found: list[ArchivedRecord] = []
        total = 0
        holding = self._state.holdings.get(session_id)
        if holding is None:
            return found
        for record in holding.records:
            if record.seq < after or record.seq in holding.dropped:
                continue
            total += len(record.record)
            if len(found) == count_max or (found and total > bytes_max):
                break
            found.append(record)
        return found

    def events(self, session_id: str, after: int = 0) -> Iterator[Event]:
        """Yield the events of a session from an ordinal on."""
        holding = self._state.holdings.get(session_id)
        yield from holding.events[max(after, 0) :] if holding else ()

    def known_event_ids(self, session_id: str, event_ids: Iterable[str]) -> frozenset[str]:
        """Return those of the given ids that the session holds."""
        return frozenset(event_ids) & {event.event_id for event in self.events(session_id)}

    def message_rows(self, session_id: str) -> Iterator[MessageRow]:
        """Yield the message rows of a session by position."""
        holding = self._state.holdings.get(session_id)
        yield from (holding.rows[position] for position in sorted(holding.rows)) if holding else ()

    def files(self) -> Iterator[ImportFile]:
        """Yield the bookkeeping of every source file, by source and path."""
        for _, file in sorted(self._state.files.items()):
            yield file

    def file(self, source: str, path: str) -> ImportFile | None:
        """Return the bookkeeping of one source file, or None."""
        return self._state.files.get((source, path))

    def blob(self, sha256: str) -> bytes | None:
        """Return a blob's bytes, or None."""
        return self._state.blobs.get(sha256)

    def blob_ids(self) -> Iterator[str]:
        """Yield the SHA-256 of every blob, in order."""
        yield from sorted(self._state.blobs)

    def complete(self, holding: _Holding) -> Session:
        """Return the session's row with its owned counters, counted anew."""
        owned = [
            row
            for row in holding.rows.values()
            if row.live
            and (row.identity is None or self._owners[row.identity] == _start_of(holding))
        ]
        return replace(
            holding.session,
            owned_messages=len(owned),
            owned_length=sum(row.length for row in owned),
        )

    @cached_property
    def _owners(self) -> dict[bytes, tuple[bool, int, str]]:
        """Who owns each identity: the start of the earliest session with a live row of it."""
        owners: dict[bytes, tuple[bool, int, str]] = {}
        for holding in self._state.holdings.values():
            start = _start_of(holding)
            for row in holding.rows.values():
                if row.live and row.identity is not None:
                    owners[row.identity] = min(start, owners.get(row.identity, start))
        return owners


def _start_of(holding: _Holding) -> tuple[bool, int, str]:
    return start_key(holding.session.created_at, holding.session.session_id)


def _files_with(
    files: Mapping[tuple[str, str], ImportFile], expected: ImportFile | None, file: ImportFile
) -> Mapping[tuple[str, str], ImportFile]:
    key = (file.source, file.path)
    require_file(files.get(key), expected, file)
    return {**files, key: file}


def _blobs_with(blobs: Mapping[str, bytes], new: Iterable[Blob]) -> Mapping[str, bytes]:
    return {**{blob.sha256: blob.data for blob in new}, **blobs}


def _archived(holding: _Holding, new: NewRecord) -> tuple[_Holding, Disposition]:
    """Return the holding with a record in it, and what became of the record."""
    positions = [each.position for each in holding.records if each.identity == new.identity]
    if new.position in positions:
        return holding, "duplicate"
    disposition: Disposition = "duplicate" if positions else new.disposition
    record = ArchivedRecord(
        seq=len(holding.records),
        position=new.position,
        uuid=new.uuid,
        identity=new.identity,
        type=new.type,
        at=new.at,
        disposition=disposition,
        record=new.record,
    )
    records = (*holding.records, record)
    session = replace(holding.session, records=len(records))
    return replace(holding, session=session, records=records), disposition


def _appended(holding: _Holding, page: LedgerPage) -> _Holding:
    """Return the holding after a page of the ledger."""
    require_base(holding.session, page)
    events = (*holding.events, *page.events)
    if len({event.event_id for event in events}) != len(events):
        raise contradiction(f"an event id of the page is not new in {page.session_id!r}")
    dropped = holding.dropped
    if page.conversion and page.conversion.keep_source == "drop":
        dropped |= set(range(page.expected_through, page.conversion.converted_through))
    return _Holding(
        session=session_after(holding.session, page),
        records=holding.records,
        dropped=dropped,
        events=events,
        rows=rows_after(holding.rows, page),
    )
