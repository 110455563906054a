"""The reference store.

Laws: every commit is one assignment of a new state, and a state never changes, so that a snapshot
is the state itself. What can be counted is counted when it is asked for, never kept. Speed is no
aim here; being obviously right is.
"""

import threading
from collections import Counter
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

from msgspec.structs import replace

from recense.adapters.memory.reading import MemoryReader
from recense.adapters.memory.records import MemoryRecords
from recense.adapters.memory.state import Holding, State, blob_references, identities
from recense.core.ids import tombstone
from recense.core.transcript.records import (
    ArchivedRecord,
    Blob,
    Disposition,
    Fate,
    Session,
    SessionBirth,
    SessionFacts,
    born,
    with_facts,
)
from recense.limits import STORE_KEY_BYTES
from recense.ports.clock import Chance
from recense.ports.commits import (
    ArchiveOutcome,
    ArchivePage,
    Forgotten,
    ImportFile,
    LedgerPage,
    NewRecord,
    OpenStream,
    StreamPage,
)
from recense.ports.index import IndexPage
from recense.ports.pages import (
    admission,
    contradiction,
    forgotten_session,
    is_restartable,
    no_records_beside,
    require_base,
    require_file,
    require_stream,
    restarted,
    rows_after,
    session_after,
    unknown_session,
)
from recense.ports.transcripts import TranscriptReader


class MemoryStore:
    """A `recense.ports.transcripts.TranscriptStore` that ends with its process.

    ``records`` is the store of records beside it, where there is one.
    """

    def __init__(self, chance: Chance, records: MemoryRecords | None = None) -> None:
        self._records: Final = records
        self._lock: Final = threading.Lock()
        self._state = State(key=chance.token(STORE_KEY_BYTES))

    def key(self) -> bytes:
        """Return the store's secret key."""
        return self._state.key

    def archive(self, page: ArchivePage) -> ArchiveOutcome:
        """Keep one page of records, as the port says."""
        with self._lock:
            state = self._state
            files = _files_with(state.files, page.expected, page.file)
            holdings = dict(state.holdings)
            admitted = admission(
                page,
                parents={key: each.session.parent_session_id for key, each in holdings.items()},
                is_forgotten=state.is_forgotten,
                forgotten_identities=state.tombstones,
            )
            begun: list[str] = []
            for birth in admitted.births:
                if birth.session_id not in holdings:
                    holdings[birth.session_id] = Holding(session=born(birth))
                    begun.append(birth.session_id)
            dispositions: list[Fate] = []
            for new, is_gone in zip(page.records, admitted.forgotten, strict=True):
                if is_gone:
                    dispositions.append("forgotten")
                    continue
                if new.session_id not in holdings:
                    raise unknown_session(new.session_id)
                holding, disposition = _archived(holdings[new.session_id], new)
                holdings[new.session_id] = holding
                dispositions.append(disposition)
            blobs = _blobs_with(state.blobs, admitted.blobs)
            self._state = replace(state, holdings=holdings, files=files, blobs=blobs)
            return ArchiveOutcome(dispositions=tuple(dispositions), begun=tuple(begun))

    def append(self, page: LedgerPage) -> int:
        """Keep one page of events, as the port says."""
        if page.fenced is None:
            return self._append(page)
        if self._records is None:
            raise no_records_beside()
        return self._records.fenced_put_with(page.fenced, lambda: self._append(page))

    def _append(self, page: LedgerPage) -> int:
        with self._lock:
            before = self._state
            appended = _appended(self._holding(page.session_id), page)
            holdings = {**self._state.holdings, page.session_id: appended}
            blobs = _blobs_with(self._state.blobs, page.blobs)
            self._state = replace(self._state, holdings=holdings, blobs=blobs)
            return _owned_messages(self._state) - _owned_messages(before)

    def open_session(self, birth: SessionBirth, facts: SessionFacts) -> Session:
        """Introduce a session and return it, as the port says."""
        with self._lock:
            if self._state.is_forgotten(birth.session_id):
                raise forgotten_session(birth.session_id)
            holdings = dict(self._state.holdings)
            fresh = Holding(session=with_facts(born(birth), facts))
            holdings.setdefault(birth.session_id, fresh)
            self._state = replace(self._state, holdings=holdings)
            return MemoryReader(self._state).complete(holdings[birth.session_id])

    def stream(self, page: StreamPage) -> None:
        """Keep what has arrived of a stream, as the port says."""
        with self._lock:
            streamed = _streamed(self._holding(page.session_id), page)
            self._state = replace(
                self._state, holdings={**self._state.holdings, page.session_id: streamed}
            )

    def restart(self, session_id: str, importer_version: int) -> int | None:
        """Take a session's conversion back to its beginning, as the port says."""
        with self._lock:
            holding = self._holding(session_id)
            if not is_restartable(holding.session, importer_version) or holding.dropped:
                return None
            before = self._state
            anew = replace(holding, session=restarted(holding.session), events=(), rows={})
            self._state = replace(self._state, holdings={**self._state.holdings, session_id: anew})
            return _owned_messages(before) - _owned_messages(self._state)

    def set_private(self, session_id: str, *, private: bool) -> Session:
        """Hide a session from every search, or show it again; return its row."""
        with self._lock:
            holding = self._holding(session_id)
            changed = replace(holding, session=replace(holding.session, private=private))
            self._state = replace(
                self._state, holdings={**self._state.holdings, session_id: changed}
            )
            return MemoryReader(self._state).complete(changed)

    def forget(self, session_ids: Iterable[str]) -> Forgotten:
        """Remove sessions and keep tombstones, as the port says."""
        named = frozenset(session_ids)
        with self._lock:
            state = self._state
            gone = [each for key, each in state.holdings.items() if key in named]
            left = {key: each for key, each in state.holdings.items() if key not in named}
            buried = identities(gone) - identities(left.values())
            loose = blob_references(gone) - blob_references(left.values())
            stones = {tombstone(state.key, session_id) for session_id in named}
            blobs = {digest: data for digest, data in state.blobs.items() if digest not in loose}
            self._state = replace(
                state, holdings=left, blobs=blobs, tombstones=state.tombstones | buried | stones
            )
            return Forgotten(
                sessions=len(gone),
                records=sum(len(each.records) for each in gone),
                events=sum(len(each.events) for each in gone),
                messages=sum(len(each.rows) for each in gone),
                blobs=len(state.blobs) - len(blobs),
                identities=len(buried),
                bytes_gone=True,
            )

    def note_file(self, expected: ImportFile | None, file: ImportFile) -> None:
        """Replace a file's bookkeeping alone, as the port says."""
        with self._lock:
            files = _files_with(self._state.files, expected, file)
            self._state = replace(self._state, files=files)

    def write_index(self, page: IndexPage) -> frozenset[str]:
        """Write nothing: this store keeps no index."""
        return frozenset()

    def empty_index(self) -> None:
        """Do nothing: there is no index."""

    def mend_index(self) -> bool:
        """Return False: there is no index to be damaged."""
        return False

    @contextmanager
    def snapshot(self) -> Generator[TranscriptReader]:
        """Return a reader of this moment."""
        yield MemoryReader(self._state)

    def check(self) -> Sequence[str]:
        """Return no fault: there are no bytes that could be damaged."""
        return ()

    def check_index(self) -> Sequence[str]:
        """Return no fault: there is no index."""
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

    def _holding(self, session_id: str) -> Holding:
        holding = self._state.holdings.get(session_id)
        if holding is None:
            raise unknown_session(session_id)
        return holding


def _owned_messages(state: State) -> int:
    return sum(session.owned_messages for session in MemoryReader(state).sessions())


def _files_with(
    files: Mapping[tuple[str, str], ImportFile], expected: ImportFile | None, file: ImportFile
) -> Mapping[tuple[str, str], ImportFile]:
    key = (file.source, file.path)
    require_file(files.get(key), expected, file)
    return {**files, key: file}


def _blobs_with(blobs: Mapping[str, bytes], new: Iterable[Blob]) -> Mapping[str, bytes]:
    return {**{blob.sha256: blob.data for blob in new}, **blobs}


def _findings_with(
    findings: Mapping[str, int], new: Iterable[tuple[str, int]]
) -> Mapping[str, int]:
    total = Counter(findings)
    for kind, count in new:
        total[kind] += count
    return total


def _archived(holding: Holding, new: NewRecord) -> tuple[Holding, Disposition]:
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
    kept = replace(
        holding,
        session=replace(holding.session, records=len(records)),
        records=records,
        blobs=holding.blobs.union(new.blobs),
        findings=_findings_with(holding.findings, new.findings),
    )
    return kept, disposition


def _streamed(holding: Holding, page: StreamPage) -> Holding:
    """Return the holding with what has arrived of a stream."""
    found = holding.streams.get(page.stream_key)
    require_stream(holding.session, page, len(found.text) if found else 0)
    stream = found or OpenStream(
        stream_key=page.stream_key,
        after_ordinal=holding.session.events,
        at=page.at,
        payload=page.payload,
        text="",
    )
    stream = replace(stream, text=stream.text + page.text)
    return replace(
        holding,
        streams={**holding.streams, page.stream_key: stream},
        findings=_findings_with(holding.findings, page.findings),
    )


def _appended(holding: Holding, page: LedgerPage) -> Holding:
    """Return the holding after a page of the ledger."""
    require_base(holding.session, page)
    events = (*holding.events, *page.events)
    if len({event.event_id for event in events}) != len(events):
        raise contradiction(f"an event id of the page is not new in {page.session_id!r}")
    dropped = holding.dropped
    if page.conversion and page.conversion.keep_source == "drop":
        dropped |= set(range(page.expected_through, page.conversion.converted_through))
    return Holding(
        session=session_after(holding.session, page),
        records=holding.records,
        dropped=dropped,
        events=events,
        rows=rows_after(holding.rows, page),
        streams={
            key: each for key, each in holding.streams.items() if key not in page.ended_streams
        },
        blobs=holding.blobs.union(blob.sha256 for blob in page.blobs),
        findings=_findings_with(holding.findings, page.findings),
    )
