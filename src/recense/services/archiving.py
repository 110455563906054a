"""Archiving one source file: its records through the gate and into the archive, page by page.

Laws:

- Every byte read is accounted for: parsed, duplicate, skipped, bad, forgotten, or waiting for its
  line's end.
- Work is linear in new bytes. A file of unchanged size and mtime is not opened; a grown one is read
  on from where the last page ended, when what lies before still matches; any other is read again
  and deduplicated by the store.
- Each page is one durable commit that also says how far the file is read, so that the next run goes
  on from there whenever this one is killed. The file itself is only read.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import BinaryIO, Literal, TypeVar

from msgspec.structs import replace

from recense.core.ids import identity
from recense.core.text.known_secrets import KnownSecrets
from recense.core.text.redact import redact
from recense.core.transcript.gate import Gated, pass_each_gate, pass_gate_as_text
from recense.core.transcript.records import (
    Blob,
    SessionBirth,
    SourcePage,
    SourceRecord,
    session_id_of,
)
from recense.core.transcript.remembering import forget_oldest
from recense.errors import StoreConflict
from recense.limits import CONFLICTS_MAX, HEAD_BYTES, RECORD_TYPES_MAX, TAIL_BYTES
from recense.ports.commits import ArchivePage, ImportFile, NewRecord
from recense.ports.sources import Importer
from recense.ports.transcripts import TranscriptStore
from recense.services.bookkeeping import note, note_unreadable
from recense.services.file_outcomes import FileOutcome, answerable
from recense.services.files import stored_path, words_of


def archive_file(
    store: TranscriptStore,
    candidates: Sequence[Importer],
    path: str,
    *,
    known: KnownSecrets | None,
    progress: Callable[[int], None],
) -> FileOutcome:
    """Archive what is new in a file, by the first of the candidates that recognises it.

    ``known`` is as in `recense.core.transcript.gate.pass_gate`. ``progress`` is told the bytes of
    each page. What is wrong with the file is in the outcome; only
    faults of the store are raised.
    """
    try:
        status = os.stat(path)
        noted = _noted(store, candidates, path)
        held = _held_unchanged(candidates, path, status, noted)
        if held is not None and held.result == "unchanged":
            return held
        if status.st_size == 0:
            return FileOutcome(
                source=answerable(candidates, path), path=path, result="skipped", reason="empty"
            )
        importer = _recognising(candidates, path)
        if importer is None:
            return _unrecognised(store, candidates, path, status)
        if held is not None and held.source == importer.name:
            return held
        reading = _Reading(store, importer, path, known=known, progress=progress)
        for _ in range(CONFLICTS_MAX):
            try:
                return reading.read_to_end(noted.get(importer.name))
            except StoreConflict:
                # Another import took a page of this file: go on from what it committed.
                noted = _noted(store, [importer], path)
        return reading.outcome("failed", "another import keeps working on this file")
    except OSError as error:
        source = answerable(candidates, path)
        note_unreadable(store, source, path, words_of(error))
        return FileOutcome(source=source, path=path, result="failed", reason=words_of(error))


def _noted(
    store: TranscriptStore, candidates: Iterable[Importer], path: str
) -> dict[str, ImportFile]:
    """Return the bookkeeping of a file, by the importer that read it."""
    stored = stored_path(path)
    with store.snapshot() as reader:
        found = (reader.file(importer.name, stored) for importer in candidates)
        return {file.source: file for file in found if file is not None}


def _held_unchanged(
    candidates: Iterable[Importer],
    path: str,
    status: os.stat_result,
    noted: Mapping[str, ImportFile],
) -> FileOutcome | None:
    """Return the outcome of a file that is as it was when it was last read to its end, else None.

    One that failed then is reported again: a failure stays loud until it is mended.
    """
    for importer in candidates:
        file = noted.get(importer.name)
        if (
            file is not None
            and (file.size, file.mtime_ns) == (status.st_size, status.st_mtime_ns)
            and file.importer_version == importer.version
        ):
            return FileOutcome(
                source=importer.name,
                path=path,
                result="failed" if file.reason else "unchanged",
                reason=file.reason,
                kept_before=file.offset > 0,
            )
    return None


def _recognising(candidates: Iterable[Importer], path: str) -> Importer | None:
    with open(path, "rb") as file:
        head = file.read(HEAD_BYTES)
    return next((importer for importer in candidates if importer.recognises(head)), None)


def _unrecognised(
    store: TranscriptStore, candidates: Sequence[Importer], path: str, status: os.stat_result
) -> FileOutcome:
    """Return the failure of a file that no importer understands.

    It is noted with the file where its name promised a session; what a person typed by mistake is
    told once. Its head is looked at again each time: an importer may learn the format.
    """
    reason = f"not in a format of {', '.join(candidate.name for candidate in candidates)}"
    claiming = next((each for each in candidates if each.claims(path)), None)
    if claiming is not None:
        noted = ImportFile(
            source=claiming.name,
            path=stored_path(path),
            size=status.st_size,
            mtime_ns=status.st_mtime_ns,
            importer_version=claiming.version,
            reason=reason,
        )
        note(store, noted.source, noted.path, lambda _held: noted)
    return FileOutcome(
        source=answerable(candidates, path), path=path, result="failed", reason=reason
    )


class _Reading:
    """One file being read; what it tallies survives starting over after a conflict."""

    def __init__(
        self,
        store: TranscriptStore,
        importer: Importer,
        path: str,
        *,
        known: KnownSecrets | None,
        progress: Callable[[int], None],
    ) -> None:
        self._store = store
        self._store_key = store.key()
        self._importer = importer
        self._path = path
        self._known = known
        self._progress = progress
        self._records: Counter[str] = Counter()
        self._bytes_by: Counter[str] = Counter()
        self._findings: Counter[str] = Counter()
        self._sessions: dict[str, None] = {}
        self._begun: set[str] = set()
        self._types: dict[str, str] = {}
        self._first_bad = ""
        self._fault = ""
        self._kept_before = False

    def outcome(
        self, result: Literal["imported", "skipped", "failed"], reason: str = ""
    ) -> FileOutcome:
        """Return what became of the file so far."""
        return FileOutcome(
            source=self._importer.name,
            path=self._path,
            result=result,
            reason=reason,
            records=dict(self._records),
            bytes_by=dict(self._bytes_by),
            findings=dict(self._findings),
            sessions=tuple(self._sessions),
            sessions_new=len(self._begun & self._sessions.keys()),
            kept_before=self._kept_before,
        )

    def read_to_end(self, expected: ImportFile | None) -> FileOutcome:
        """Archive the pages from where the store's bookkeeping says, ``expected``, to the file's
        end.
        """
        self._bytes_by.pop("waiting", None)
        with open(self._path, "rb") as file, open(self._path, "rb") as tail:
            status = os.fstat(file.fileno())
            offset, state = self._resume(expected, tail, status.st_size)
            self._kept_before = self._kept_before or offset > 0
            position = ImportFile(
                source=self._importer.name,
                path=stored_path(self._path),
                offset=offset,
                state=state,
                tail_sha256=_tail_sha256(tail, offset),
                importer_version=self._importer.version,
            )
            pages = self._importer.read(file, self._path, offset, state)
            for page, is_last in _with_last(pages):
                position = replace(
                    position,
                    offset=page.offset,
                    state=page.state,
                    tail_sha256=_tail_sha256(tail, page.offset),
                )
                if is_last:
                    position = replace(position, size=status.st_size, mtime_ns=status.st_mtime_ns)
                    self._bytes_by["waiting"] += page.waiting
                    self._fault = page.fault
                self._archive(page, expected, position)
                expected = position
        return self._finish(expected, position, status)

    def _resume(self, file: ImportFile | None, tail: BinaryIO, size: int) -> tuple[int, bytes]:
        """Return where to read on, and with which state: the start, unless the file only grew."""
        if (
            file is None
            or file.importer_version != self._importer.version
            or size < file.offset
            or _tail_sha256(tail, file.offset) != file.tail_sha256
        ):
            return 0, b""
        return file.offset, file.state

    def _archive(self, page: SourcePage, expected: ImportFile | None, position: ImportFile) -> None:
        births: dict[str, SessionBirth] = {}
        records: list[NewRecord] = []
        blobs: dict[str, Blob] = {}
        findings = self._gate(page.records)
        for record, gated in zip(page.records, findings, strict=True):
            new = self._new_record(record, gated)
            records.append(new)
            blobs.update((blob.sha256, blob) for blob in gated.blobs)
            born = births.get(new.session_id)
            if born is None or born.created_at is None:
                births[new.session_id] = self._birth(record)
        outcome = self._store.archive(
            ArchivePage(
                births=tuple(births.values()),
                records=tuple(records),
                blobs=tuple(blobs.values()),
                expected=expected,
                file=position,
            )
        )
        self._begun.update(outcome.begun)
        self._sessions.update(
            dict.fromkeys(
                record.session_id
                for record, became in zip(records, outcome.dispositions, strict=True)
                if became != "forgotten"
            )
        )
        for record, gated, became in zip(page.records, findings, outcome.dispositions, strict=True):
            self._records[became] += 1
            self._bytes_by[became] += record.size
            if became == "bad":
                self._first_bad = self._first_bad or record.reason
            if gated.findings and became not in ("duplicate", "forgotten"):
                self._findings.update(dict(gated.findings))
        self._progress(sum(record.size for record in page.records))

    def _finish(
        self, expected: ImportFile | None, position: ImportFile, status: os.stat_result
    ) -> FileOutcome:
        """Judge a file that was read to its end; a file that gave nothing, or that is no whole
        document, is never a success.
        """
        reason, result = "", "imported"
        gave = self._records["parsed"] + self._records["duplicate"] + self._records["forgotten"]
        if position.offset == 0 or (not gave and self._read_whole(position)):
            if self._records["bad"]:
                result, reason = "failed", f"no record was understood: {self._first_bad}"
            elif self._records["skipped"]:
                result, reason = "skipped", "holds only records that are kept and not converted"
            elif status.st_size and not self._records.total():
                result, reason = "failed", "no record names a session"
        if self._fault:
            result, reason = "failed", self._fault
        complete = replace(
            position,
            size=status.st_size,
            mtime_ns=status.st_mtime_ns,
            reason=reason if result == "failed" else "",
        )
        if complete != expected:
            self._store.note_file(expected, complete)
        return self.outcome(result, reason)

    def _read_whole(self, position: ImportFile) -> bool:
        return position.offset == self._bytes_by.total() - self._bytes_by["waiting"]

    def _gate(self, records: Sequence[SourceRecord]) -> list[Gated]:
        """Return the records as they may be kept; a bad one as the text it is."""
        passed = pass_each_gate(
            ((record.record, record.blobs) for record in records),
            is_structural=self._importer.is_structural,
            is_opaque=self._importer.is_opaque,
            opaque_marks=self._importer.opaque_marks,
            known=self._known,
        )
        return [
            gated
            if isinstance(gated, Gated)
            else pass_gate_as_text(record.record, known=self._known, lifted=record.blobs)
            for record, gated in zip(records, passed, strict=True)
        ]

    def _new_record(self, record: SourceRecord, gated: Gated) -> NewRecord:
        session_id = session_id_of(self._importer.name, record.source_session_id)
        parts = (
            (self._importer.name, record.uuid)
            if record.uuid is not None
            else (session_id, str(record.position))
        )
        return NewRecord(
            session_id=session_id,
            position=record.position,
            uuid=record.uuid,
            identity=identity(self._store_key, parts, record.content),
            type=self._type_of(record),
            at=record.at,
            disposition=record.disposition,
            record=gated.record,
            size=record.size,
            blobs=tuple(blob.sha256 for blob in gated.blobs),
            findings=gated.findings,
        )

    def _type_of(self, record: SourceRecord) -> str:
        """Return a record's type as it is kept: a source may write anything there."""
        if self._known is None:
            return record.type
        if record.type not in self._types:
            self._types[record.type] = redact(record.type, self._known).text
            forget_oldest(self._types, RECORD_TYPES_MAX)
        return self._types[record.type]

    def _birth(self, record: SourceRecord) -> SessionBirth:
        parentage = self._importer.parentage(record.source_session_id)
        parent = parentage.parent_source_session_id
        return SessionBirth(
            session_id=session_id_of(self._importer.name, record.source_session_id),
            source=self._importer.name,
            source_session_id=record.source_session_id,
            origin=parentage.origin,
            parent_session_id=None
            if parent is None
            else session_id_of(self._importer.name, parent),
            created_at=record.at,
            source_path=stored_path(self._path),
        )


def _tail_sha256(file: BinaryIO, offset: int) -> str:
    """Return the digest of the last TAIL_BYTES before an offset."""
    start = max(0, offset - TAIL_BYTES)
    file.seek(start)
    return sha256(file.read(offset - start)).hexdigest()


_Item = TypeVar("_Item")


def _with_last(items: Iterable[_Item]) -> Iterator[tuple[_Item, bool]]:
    """Yield each item, and whether it is the last."""
    iterator = iter(items)
    try:
        item = next(iterator)
    except StopIteration:
        return
    for following in iterator:
        yield item, False
        item = following
    yield item, True
