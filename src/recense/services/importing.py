"""Importing: find the files of every source, archive what is new in them, convert it, report.

Importing again finds nothing new: one run reaches the fixed point, and one bad file never stops the
others. How a file is archived is `services.archiving`, how archives become events
`services.conversion`; this is the round over all of them, and its report.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from msgspec.structs import replace

from recense.core.text.known_secrets import NOTHING_KNOWN, KnownSecrets
from recense.core.text.quoting import quoted
from recense.core.transcript.records import Session
from recense.core.values import Value
from recense.errors import InvalidRequest, MissingExtra
from recense.operations.admin import ConvertReport, ImportReport, Progress
from recense.ports.clock import Clock
from recense.ports.commits import KeepSource
from recense.ports.sources import Importer
from recense.ports.transcripts import TranscriptStore
from recense.services.archiving import archive_file
from recense.services.bookkeeping import note_failure, note_unreadable
from recense.services.conversion import convert_session, waits
from recense.services.discovery import LeftOut, find_files
from recense.services.file_outcomes import BY_NAME, FileOutcome, answerable
from recense.services.files import stored_path
from recense.services.import_reports import ImportRun, import_report
from recense.services.indexing import as_progress, index_sessions

NO_MESSAGE: Final = "its records gave no message"
"""Why a file has failed that was read without a fault and of which nothing can be found."""

NO_FILE: Final = "no session file was found"
"""Why a path has failed that a person named, and at and below which nothing could be read."""

ProgressSink = Callable[[Progress], None]


class Machine(Value, kw_only=True):
    """This machine as an importer needs to know it, to find a source's own folders."""

    environment: Mapping[str, str]
    home: str


class _Conversions(Value, kw_only=True):
    """What converting sessions did, and in which of them there was something to convert.

    ``messages`` are those that the store holds more for it, by source.
    """

    records: int
    events: int
    messages: Counter[str]
    given: tuple[str, ...]


class Importing:
    """Imports sessions of every registered source into one store."""

    def __init__(
        self,
        store: TranscriptStore,
        importers: Mapping[str, Importer],
        clock: Clock,
        machine: Machine,
        *,
        importer_faults: Mapping[str, MissingExtra],
        redact_secrets: bool,
        keep_source: KeepSource,
    ) -> None:
        self._store = store
        self._importers = importers
        self._clock = clock
        self._machine = machine
        self._importer_faults = importer_faults
        self._redact_secrets = redact_secrets
        self._keep_source: KeepSource = keep_source

    def source_names(self) -> tuple[str, ...]:
        """Return the names of the sources that can be imported, sorted."""
        return tuple(sorted(self._importers))

    def import_sessions(
        self,
        source: str | None,
        paths: Sequence[str],
        *,
        progress: ProgressSink,
        archive_only: bool = False,
        known_secrets: KnownSecrets = NOTHING_KNOWN,
    ) -> ImportReport:
        """Import as `run` does, and return its report."""
        return import_report(
            self.run(
                source,
                paths,
                progress=progress,
                archive_only=archive_only,
                known_secrets=known_secrets,
            )
        )

    def run(
        self,
        source: str | None,
        paths: Sequence[str],
        *,
        progress: ProgressSink,
        archive_only: bool,
        known_secrets: KnownSecrets,
    ) -> ImportRun:
        """Import from the given paths, or from every source's own folders when there are none.

        ``source`` limits the import to one importer. A file that a person named is read whatever
        its name; in a folder, a source takes files by their names, and where a person named it
        together with the folder, also by how they begin. A path that gives no file has failed.

        With ``archive_only`` conversion is left to a later run; recall finds what is archived all
        the same. ``known_secrets`` are hidden wherever they stand, beside all that looks like a
        secret, and nothing of them is kept. What goes wrong with a file is in its outcome. Raises
        InvalidRequest for an unknown source, MissingExtra for one whose importer cannot be used,
        and the faults of the store; what was committed before one is kept.
        """
        if isinstance(paths, str):
            raise InvalidRequest(
                "paths is one text, and each of its characters would be a path",
                hint="give a list of paths, also for one",
            )
        if known_secrets.count and not self._redact_secrets:
            raise InvalidRequest(
                "secrets to hide were given, and the setting store_secrets keeps every secret",
                hint="set store_secrets to redact",
            )
        began = self._clock.elapsed_ms()
        importers = self.chosen(source)
        files, left_out = self._find(importers, paths, progress, by_head=source is not None)
        bytes_total = sum(_size(path) for path in files)
        outcomes = list(left_out)
        done = converted = 0
        messages: Counter[str] = Counter()
        for path, candidates in files.items():

            def report(size: int, label: str = path) -> None:
                nonlocal done
                done += size
                progress(
                    Progress(
                        phase="archiving", done=done, total=bytes_total, unit="bytes", label=label
                    )
                )

            outcome = archive_file(
                self._store,
                candidates,
                path,
                known=known_secrets if self._redact_secrets else None,
                progress=report,
            )
            outcomes.append(outcome)
            if not archive_only:
                done_here = self._convert_these(outcome.sessions, progress, after=converted)
                converted += done_here.records
                messages.update(done_here.messages)
        self._mend(outcomes)
        if not archive_only:
            rest = self._convert_these(self._waiting(importers), progress, after=converted)
            messages.update(rest.messages)
            outcomes = self._without_empty_successes(outcomes, self._note_empty(rest.given))
            index_sessions(self._store, anew=False, progress=as_progress(progress))
        missed = sum(outcome.kept_before for outcome in outcomes) if known_secrets.count else 0
        return ImportRun(
            sources=tuple(importer.name for importer in importers),
            outcomes=tuple(outcomes),
            messages=dict(messages),
            secrets_missed=missed,
            took_ms=self._clock.elapsed_ms() - began,
        )

    def convert(self, *, progress: ProgressSink) -> ConvertReport:
        """Convert whatever is archived and not converted yet, of every installed source, and index
        what is not indexed.

        A file whose records turn out to hold no message has failed, as it has in an import: that is
        noted with it. Raises the faults of the store; what was committed before one is kept.
        """
        began = self._clock.elapsed_ms()
        waiting = self._waiting(self._importers.values())
        done = self._convert_these(waiting, progress)
        self._note_empty(done.given)
        indexed = index_sessions(self._store, anew=False, progress=as_progress(progress))
        return ConvertReport(
            sessions_converted=len(waiting),
            records_converted=done.records,
            events_new=done.events,
            messages_new=(+done.messages).total(),
            sessions_indexed=indexed.sessions,
            took_ms=self._clock.elapsed_ms() - began,
        )

    def chosen(self, source: str | None) -> list[Importer]:
        """Return the importer of a source, all where none is named. Raises as `run` does."""
        if source is None:
            return list(self._importers.values())
        if source in self._importer_faults:
            raise self._importer_faults[source]
        importer = self._importers.get(source)
        if importer is None:
            raise InvalidRequest(
                f"unknown source {quoted(source)}; expected {', '.join(sorted(self._importers))}",
                hint="name a source, a path, or neither: recense import",
            )
        return [importer]

    def _find(
        self,
        importers: Sequence[Importer],
        paths: Sequence[str],
        progress: ProgressSink,
        *,
        by_head: bool,
    ) -> tuple[dict[str, list[Importer]], list[FileOutcome]]:
        """Return each file with the importers that may read it, and the outcomes of what is left
        out: also of a path given at or below which no file was.

        What two importers leave out alike is reported once.
        """
        files: dict[str, list[Importer]] = {}
        given: set[str] = set()
        left_out: dict[str, tuple[LeftOut, list[Importer]]] = {}
        by_head = by_head and bool(paths)
        for importer in importers:
            roots = paths or importer.roots(self._machine.environment, self._machine.home)
            for found in find_files(importer, roots, named=bool(paths), by_head=by_head):
                if isinstance(found, LeftOut):
                    left_out.setdefault(found.path, (found, []))[1].append(importer)
                else:
                    files.setdefault(found.path, []).append(importer)
                    given.add(found.below)
            progress(
                Progress(
                    phase="finding", done=len(files), total=None, unit="files", label=importer.name
                )
            )
        outcomes = [_outcome_of(left, candidates) for left, candidates in left_out.values()]
        for outcome in outcomes:
            if outcome.result == "failed" and os.path.lexists(outcome.path):  # else a mistake
                note_unreadable(self._store, outcome.source, outcome.path, outcome.reason)
        given.update(
            left.below
            for (left, _), outcome in zip(left_out.values(), outcomes, strict=True)
            if left.failed or outcome.is_file
        )
        for path in dict.fromkeys(os.path.abspath(path) for path in paths):
            if path not in given:
                reason = NO_FILE if by_head else f"{NO_FILE}; {BY_NAME}"
                nothing = LeftOut(path=path, below=path, reason=reason, failed=True)
                outcomes.append(_outcome_of(nothing, importers))
        return files, outcomes

    def _mend(self, outcomes: Iterable[FileOutcome]) -> None:
        """Take back failures that are none any more: of what is gone, and of a folder that can be
        read again or a file that another source has imported.
        """
        failed = {
            (outcome.source, stored_path(outcome.path))
            for outcome in outcomes
            if outcome.result == "failed"
        }
        imported = {
            stored_path(outcome.path)
            for outcome in outcomes
            if outcome.result in ("imported", "unchanged")
        }
        with self._store.snapshot() as reader:
            noted = [file for file in reader.files() if file.reason]
        for file in noted:
            if (file.source, file.path) not in failed and (
                file.path in imported or not os.path.isfile(file.path)
            ):
                note_failure(self._store, file.source, file.path, "")

    def _waiting(self, importers: Iterable[Importer]) -> list[str]:
        names = {importer.name for importer in importers}
        with self._store.snapshot() as reader:
            return [
                session.session_id
                for session in reader.sessions()
                if session.source in names and waits(reader, session, self._importers)
            ]

    def _convert_these(
        self, session_ids: Iterable[str], progress: ProgressSink, *, after: int = 0
    ) -> "_Conversions":
        """Convert sessions; progress counts on from the ``after`` records before."""
        records, events = 0, 0
        messages: Counter[str] = Counter()
        given: list[str] = []
        for session_id in session_ids:

            def report(count: int, label: str = session_id) -> None:
                nonlocal records
                records += count
                progress(
                    Progress(
                        phase="converting",
                        done=after + records,
                        total=None,
                        unit="records",
                        label=label,
                    )
                )

            converted = convert_session(
                self._store,
                self._importers,
                session_id,
                clock=self._clock,
                keep_source=self._keep_source,
                progress=report,
            )
            events += converted.events
            messages[session_id.partition(":")[0]] += converted.messages
            if converted.parsed:
                given.append(session_id)
        return _Conversions(records=records, events=events, messages=messages, given=tuple(given))

    def _note_empty(self, session_ids: Iterable[str]) -> frozenset[tuple[str, str]]:
        """Note the failure of the files of these sessions, now converted, that hold no message;
        return them as (source, path).
        """
        suspects = frozenset(session_ids)
        if not suspects:
            return frozenset()
        suspected: set[tuple[str, str]] = set()
        giving: set[tuple[str, str]] = set()
        with self._store.snapshot() as reader:
            for session in reader.sessions():
                if session.source_path is None:
                    continue
                file = (session.source, session.source_path)
                if not _is_empty(session):
                    giving.add(file)
                elif session.session_id in suspects:
                    suspected.add(file)
        empty = suspected - giving
        for source, path in sorted(empty):
            note_failure(self._store, source, path, NO_MESSAGE)
        return frozenset(empty)

    def _without_empty_successes(
        self, outcomes: Iterable[FileOutcome], empty: AbstractSet[tuple[str, str]]
    ) -> list[FileOutcome]:
        """Return the outcomes, where a file that gave no message at all has failed: one of
        ``empty``, or one of which every session is empty.

        The failure is noted with the file, so that it stays loud until the file is mended.
        """
        judged: list[FileOutcome] = []
        for outcome in outcomes:
            stored = stored_path(outcome.path)
            is_noted = (outcome.source, stored) in empty
            if not is_noted and outcome.result == "imported" and self._are_empty(outcome):
                note_failure(self._store, outcome.source, stored, NO_MESSAGE)
                is_noted = True
            judged.append(
                replace(outcome, result="failed", reason=NO_MESSAGE) if is_noted else outcome
            )
        return judged

    def _are_empty(self, outcome: FileOutcome) -> bool:
        with self._store.snapshot() as reader:
            sessions = [reader.session(session_id) for session_id in outcome.sessions]
        return bool(sessions) and all(session is None or _is_empty(session) for session in sessions)


def _outcome_of(left: LeftOut, candidates: Sequence[Importer]) -> FileOutcome:
    return FileOutcome(
        source=answerable(candidates, left.path),
        path=left.path,
        result="failed" if left.failed else "skipped",
        reason=left.reason,
        is_file=os.path.lexists(left.path) and not os.path.isdir(left.path),
    )


def _is_empty(session: Session) -> bool:
    return session.counts.messages == 0 and session.counts.branch_messages == 0


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0  # it is reported when it is opened
