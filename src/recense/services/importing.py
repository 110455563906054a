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
from recense.core.text.redact import redact
from recense.core.transcript.records import Session
from recense.core.values import Value
from recense.errors import InvalidRequest, MissingExtra
from recense.operations.admin import (
    ConvertReport,
    ImportFailure,
    ImportReport,
    Progress,
    RecordCounts,
    SourceReport,
)
from recense.ports.clock import Clock
from recense.ports.sources import Importer
from recense.ports.transcripts import KeepSource, TranscriptStore
from recense.services.archiving import FileOutcome, archive_file
from recense.services.bookkeeping import note_failure, note_unreadable
from recense.services.conversion import convert_session, waits
from recense.services.discovery import LeftOut, find_files
from recense.services.files import stored_path

NO_MESSAGE: Final = "its records gave no message"
"""Why a file has failed that was read without a fault and of which nothing can be found."""

ProgressSink = Callable[[Progress], None]


class Machine(Value, kw_only=True):
    """This machine as an importer needs to know it, to find a source's own folders."""

    environment: Mapping[str, str]
    home: str


class _Conversions(Value, kw_only=True):
    """What converting sessions did, and in which of them there was something to convert."""

    records: int
    events: int
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
        """Import from the given paths, or from every source's own folders when there are none.

        ``source`` limits the import to one importer. With ``archive_only`` conversion is left to a
        later run; recall finds what is archived all the same. ``known_secrets`` are hidden wherever
        they stand, beside all that looks like a secret, and nothing of them is kept. What goes
        wrong with a file is in the report. Raises InvalidRequest for an unknown source,
        MissingExtra for one whose importer cannot be used, and the faults of the store; what was
        committed before one is kept.
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
        importers = self._chosen(source)
        sessions_before, owned_before = self._held()
        files, left_out = self._find(importers, paths, progress)
        bytes_total = sum(_size(path) for path in files)
        outcomes = list(left_out)
        done = converted = 0
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
        self._mend(outcomes)
        if not archive_only:
            rest = self._convert_these(self._waiting(importers), progress, after=converted)
            outcomes = self._without_empty_successes(outcomes, self._note_empty(rest.given))
        sessions_after, owned_after = self._held()
        new = {name: max(0, owned_after[name] - owned_before[name]) for name in owned_after}
        return ImportReport(
            messages_new=sum(new.values()),
            sessions_new=sessions_after - sessions_before,
            sources=tuple(
                _source_report(importer.name, outcomes, new.get(importer.name, 0))
                for importer in importers
            ),
            secrets_redacted=_summed(outcome.findings for outcome in outcomes),
            took_ms=self._clock.elapsed_ms() - began,
        )

    def convert(self, *, progress: ProgressSink) -> ConvertReport:
        """Convert whatever is archived and not converted yet, of every installed source.

        A file whose records turn out to hold no message has failed, as it has in an import: that is
        noted with it. Raises the faults of the store; what was committed before one is kept.
        """
        began = self._clock.elapsed_ms()
        _, owned_before = self._held()
        waiting = self._waiting(self._importers.values())
        done = self._convert_these(waiting, progress)
        self._note_empty(done.given)
        _, owned_after = self._held()
        return ConvertReport(
            sessions_converted=len(waiting),
            records_converted=done.records,
            events_new=done.events,
            messages_new=max(0, owned_after.total() - owned_before.total()),
            took_ms=self._clock.elapsed_ms() - began,
        )

    def _chosen(self, source: str | None) -> list[Importer]:
        if source is None:
            return list(self._importers.values())
        if source in self._importer_faults:
            raise self._importer_faults[source]
        importer = self._importers.get(source)
        if importer is None:
            raise InvalidRequest(
                f"unknown source {quoted(source)}; expected one of "
                f"{', '.join(sorted(self._importers))}",
                hint="name a source, a path, or neither: recense import",
            )
        return [importer]

    def _held(self) -> tuple[int, Counter[str]]:
        """Return how many sessions the store holds, and the owned messages of each source."""
        owned: Counter[str] = Counter()
        sessions = 0
        with self._store.snapshot() as reader:
            for session in reader.sessions():
                sessions += 1
                owned[session.source] += session.owned_messages
        return sessions, owned

    def _find(
        self, importers: Sequence[Importer], paths: Sequence[str], progress: ProgressSink
    ) -> tuple[dict[str, list[Importer]], list[FileOutcome]]:
        """Return each file with the importers that may read it, and the outcomes of what is left
        out.

        What two importers leave out alike is reported once.
        """
        files: dict[str, list[Importer]] = {}
        left_out: dict[str, FileOutcome] = {}
        for importer in importers:
            roots = paths or importer.roots(self._machine.environment, self._machine.home)
            for found in find_files(importer, roots, named=bool(paths)):
                if isinstance(found, LeftOut):
                    outcome = FileOutcome(
                        source=importer.name,
                        path=found.path,
                        result="failed" if found.failed else "skipped",
                        reason=found.reason,
                    )
                    left_out.setdefault(found.path, outcome)
                    if found.failed and os.path.lexists(found.path):  # else it was a mistake
                        note_unreadable(self._store, importer.name, found.path, found.reason)
                else:
                    files.setdefault(found.path, []).append(importer)
            progress(
                Progress(
                    phase="finding", done=len(files), total=None, unit="files", label=importer.name
                )
            )
        return files, list(left_out.values())

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
            if converted.parsed:
                given.append(session_id)
        return _Conversions(records=records, events=events, given=tuple(given))

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


def _is_empty(session: Session) -> bool:
    return session.counts.messages == 0 and session.counts.branch_messages == 0


def _source_report(source: str, outcomes: Iterable[FileOutcome], messages: int) -> SourceReport:
    mine = [outcome for outcome in outcomes if outcome.source == source]
    results = Counter(outcome.result for outcome in mine)
    bytes_by = _summed(outcome.bytes_by for outcome in mine)
    records = _summed(outcome.records for outcome in mine)
    return SourceReport(
        source=source,
        files_found=len(mine),
        files_imported=results["imported"],
        files_unchanged=results["unchanged"],
        files_skipped=results["skipped"],
        files_failed=results["failed"],
        messages_new=messages,
        bytes=sum(bytes_by.values()),
        bytes_by=bytes_by,
        records=RecordCounts(
            parsed=records.get("parsed", 0),
            duplicate=records.get("duplicate", 0),
            skipped=records.get("skipped", 0),
            bad=records.get("bad", 0),
            forgotten=records.get("forgotten", 0),
        ),
        failures=_reasons(mine, "failed"),
        skipped=_reasons(mine, "skipped"),
    )


def _reasons(outcomes: Iterable[FileOutcome], result: str) -> tuple[ImportFailure, ...]:
    return tuple(
        ImportFailure(path=redact(outcome.path).text, reason=outcome.reason)
        for outcome in outcomes
        if outcome.result == result
    )


def _summed(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for each in counts:
        total.update(each)
    return dict(sorted(total.items()))


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0  # it is reported when it is opened
