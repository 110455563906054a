"""Watching: import, then look again and again at the files, and import what changed.

A round looks at every file once, without opening any, and imports those whose size, time of change
or number is not what it was; so its work is linear in new bytes. What goes wrong with the store in
one round is tried again in the next.
"""

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from recense.core.text.known_secrets import KnownSecrets
from recense.core.values import Value
from recense.errors import RecenseError
from recense.operations.admin import ImportFailure, ImportReport, RecordCounts, SourceReport
from recense.ports.sources import Importer
from recense.services.importing import Importing, Machine, ProgressSink

Wait = Callable[[float], bool]
"""Waits so many seconds, or until it is to stop; returns whether it is."""

_Looks = dict[str, tuple[int, int, int]]
"""What each file looks like by its path: size, time of change, number."""


Tell = Callable[[ImportReport | RecenseError], None]
"""Is told what one round brought in, where it brought something, or why it could not be ended: then
the next one tries again."""


class _Followed(Value, kw_only=True):
    """Folders and files that are looked at, and who imports what changes in them."""

    source: str | None
    paths: tuple[str, ...]
    importers: tuple[Importer, ...]


class Watching:
    """Follows session files into one store."""

    def __init__(
        self, importing: Importing, importers: Mapping[str, Importer], machine: Machine
    ) -> None:
        self._importing = importing
        self._importers = importers
        self._machine = machine

    def watch(
        self,
        source: str | None,
        paths: Sequence[str],
        *,
        every: float,
        wait: Wait,
        tell: Tell,
        progress: ProgressSink,
        archive_only: bool,
        known_secrets: KnownSecrets,
    ) -> ImportReport:
        """Import as `Importing.import_sessions` does, then again every ``every`` seconds what
        changed meanwhile, until ``wait`` says that it is to stop; return the sum of all rounds.

        Raises what that raises, but for errors that may pass: those are told and tried again.
        """

        def brought_in(source: str | None, paths: Sequence[str]) -> ImportReport:
            return self._importing.import_sessions(
                source,
                paths,
                progress=progress,
                archive_only=archive_only,
                known_secrets=known_secrets,
            )

        followed = self._followed(source, paths)
        known: list[_Looks] | None = None
        total: ImportReport | None = None
        while True:
            seen = [look_at(each.paths, each.importers) for each in followed]
            reports: list[ImportReport] = []
            try:
                if known is None:
                    reports.append(brought_in(source, paths))
                    known = seen
                else:
                    for index, each in enumerate(followed):
                        changed = _changed(known[index], seen[index])
                        if changed:
                            reports.append(brought_in(each.source, changed))
                        known[index] = seen[index]
            except RecenseError as error:
                if not error.retryable:
                    raise
                tell(error)
            if reports:
                round_report = summed(reports)
                if _brought_something(round_report):
                    tell(round_report)
                total = round_report if total is None else summed([total, round_report])
            if wait(every):
                return total or _NOTHING

    def _followed(self, source: str | None, paths: Sequence[str]) -> list[_Followed]:
        """Return what is looked at: the paths given, else each source's own folders, whose files
        no other source is asked about.
        """
        names = list(self._importers) if source is None else [source]
        importers = [self._importers[name] for name in names if name in self._importers]
        if paths:
            absolute = tuple(os.path.abspath(path) for path in paths)
            return [_Followed(source=source, paths=absolute, importers=tuple(importers))]
        return [
            _Followed(
                source=importer.name,
                paths=importer.roots(self._machine.environment, self._machine.home),
                importers=(importer,),
            )
            for importer in importers
        ]


def look_at(paths: Iterable[str], importers: Sequence[Importer]) -> _Looks:
    """Return what the regular files below some paths look like, those that an importer claims by
    name; a path that is a file itself counts whatever its name.

    One pass; folders are entered once, and what cannot be looked at now is not there.
    """
    looks: _Looks = {}
    entered: set[tuple[int, int]] = set()
    pending = [(path, True) for path in paths]
    while pending:
        path, is_named = pending.pop()
        try:
            status = os.stat(path)
        except OSError:
            continue
        if stat.S_ISREG(status.st_mode) and is_named:
            looks[path] = _look(status)
        elif stat.S_ISDIR(status.st_mode) and (status.st_dev, status.st_ino) not in entered:
            entered.add((status.st_dev, status.st_ino))
            pending += [(below, False) for below in _looked_at_in(path, importers, looks)]
    return looks


def _looked_at_in(folder: str, importers: Sequence[Importer], looks: _Looks) -> Iterator[str]:
    """Note the files of a folder, and yield the folders in it."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                try:
                    if entry.is_dir():
                        yield entry.path
                    elif entry.is_file() and any(each.claims(entry.path) for each in importers):
                        looks[entry.path] = _look(entry.stat())
                except OSError:
                    continue  # gone, or a link to nothing
    except OSError:
        return


def _look(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_size, status.st_mtime_ns, status.st_ino


def _changed(before: _Looks, now: _Looks) -> list[str]:
    return sorted(path for path, look in now.items() if before.get(path) != look)


def _brought_something(report: ImportReport) -> bool:
    return bool(
        report.messages_new
        or report.sessions_new
        or any(source.records.parsed or source.files_failed for source in report.sources)
    )


_NOTHING = ImportReport(
    messages_new=0, sessions_new=0, sources=(), secrets_redacted={}, took_ms=0.0
)


def summed(reports: Sequence[ImportReport]) -> ImportReport:
    """Return one report of several: what each did, added up by source; reasons by path, the last
    one of each.
    """
    by_source: dict[str, SourceReport] = {}
    secrets: dict[str, int] = {}
    for report in reports:
        for source in report.sources:
            held = by_source.get(source.source)
            by_source[source.source] = source if held is None else _summed_sources(held, source)
        for kind, count in report.secrets_redacted.items():
            secrets[kind] = secrets.get(kind, 0) + count
    return ImportReport(
        messages_new=sum(report.messages_new for report in reports),
        sessions_new=sum(report.sessions_new for report in reports),
        sources=tuple(by_source.values()),
        secrets_redacted=dict(sorted(secrets.items())),
        took_ms=sum(report.took_ms for report in reports),
    )


def _summed_sources(one: SourceReport, other: SourceReport) -> SourceReport:
    bytes_by = {
        kind: one.bytes_by.get(kind, 0) + other.bytes_by.get(kind, 0)
        for kind in sorted(one.bytes_by.keys() | other.bytes_by.keys())
    }
    records, more = one.records, other.records
    return replace(
        one,
        files_found=one.files_found + other.files_found,
        files_imported=one.files_imported + other.files_imported,
        files_unchanged=one.files_unchanged + other.files_unchanged,
        files_skipped=one.files_skipped + other.files_skipped,
        files_failed=one.files_failed + other.files_failed,
        messages_new=one.messages_new + other.messages_new,
        bytes=one.bytes + other.bytes,
        bytes_by=bytes_by,
        records=RecordCounts(
            parsed=records.parsed + more.parsed,
            duplicate=records.duplicate + more.duplicate,
            skipped=records.skipped + more.skipped,
            bad=records.bad + more.bad,
            forgotten=records.forgotten + more.forgotten,
        ),
        failures=_last_of_each(one.failures, other.failures),
        skipped=_last_of_each(one.skipped, other.skipped),
    )


def _last_of_each(
    first: Iterable[ImportFailure], second: Iterable[ImportFailure]
) -> tuple[ImportFailure, ...]:
    return tuple({each.path: each for each in (*first, *second)}.values())
