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
from recense.operations.admin import ImportReport
from recense.ports.sources import Importer
from recense.services.discovery import holds_sessions
from recense.services.import_reports import ImportRun, import_report, joined
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
    by_head: bool


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
        changed meanwhile, until ``wait`` says that it is to stop; return all rounds `joined`.

        Raises what that raises, but for errors that may pass: those are told and tried again.
        """

        def brought_in(source: str | None, paths: Sequence[str]) -> ImportRun:
            return self._importing.run(
                source,
                paths,
                progress=progress,
                archive_only=archive_only,
                known_secrets=known_secrets,
            )

        followed = self._followed(source, paths)
        known: list[_Looks] | None = None
        total: ImportRun | None = None
        while True:
            seen = [look_at(each.paths, each.importers, by_head=each.by_head) for each in followed]
            runs: list[ImportRun] = []
            try:
                if known is None:
                    runs.append(brought_in(source, paths))
                    known = seen
                else:
                    for index, each in enumerate(followed):
                        changed = _changed(known[index], seen[index], each)
                        if changed:
                            later = brought_in(each.source, changed)
                            # What was read before was read here, where the secrets were known.
                            runs.append(replace(later, secrets_missed=0))
                        known[index] = seen[index]
            except RecenseError as error:
                if not error.retryable:
                    raise
                tell(error)
            if runs:
                round_report = import_report(joined(runs))
                if _brought_something(round_report):
                    tell(round_report)
                total = joined(runs if total is None else [total, *runs])
            if wait(every):
                return import_report(total or joined([]))

    def _followed(self, source: str | None, paths: Sequence[str]) -> list[_Followed]:
        """Return what is looked at: the paths given, else each source's own folders, whose files
        no other source is asked about.
        """
        names = list(self._importers) if source is None else [source]
        importers = [self._importers[name] for name in names if name in self._importers]
        if paths:
            absolute = tuple(os.path.abspath(path) for path in paths)
            return [
                _Followed(
                    source=source,
                    paths=absolute,
                    importers=tuple(importers),
                    by_head=source is not None,
                )
            ]
        return [
            _Followed(
                source=importer.name,
                paths=importer.roots(self._machine.environment, self._machine.home),
                importers=(importer,),
                by_head=False,
            )
            for importer in importers
        ]


def look_at(paths: Iterable[str], importers: Sequence[Importer], *, by_head: bool) -> _Looks:
    """Return what the regular files below some paths look like, those that an importer claims by
    name, and with ``by_head`` those that it might know by how they begin; a path that is a file
    itself counts whatever its name.

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
            pending += [
                (below, False) for below in _looked_at_in(path, importers, looks, by_head=by_head)
            ]
    return looks


def _looked_at_in(
    folder: str, importers: Sequence[Importer], looks: _Looks, *, by_head: bool
) -> Iterator[str]:
    """Note the files of a folder, and yield the folders in it."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                try:
                    if entry.is_dir():
                        yield entry.path
                    elif entry.is_file() and any(
                        each.claims(entry.path)
                        or (by_head and entry.name.lower().endswith(each.suffixes))
                        for each in importers
                    ):
                        looks[entry.path] = _look(entry.stat())
                except OSError:
                    continue  # gone, or a link to nothing
    except OSError:
        return


def _look(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_size, status.st_mtime_ns, status.st_ino


def _changed(before: _Looks, now: _Looks, followed: _Followed) -> list[str]:
    """Return the files that changed, but for those whose beginning shows now that they are none."""
    return sorted(
        path
        for path, look in now.items()
        if before.get(path) != look and (not followed.by_head or _is_taken(path, followed))
    )


def _is_taken(path: str, followed: _Followed) -> bool:
    """Whether a file is imported because a person named it, for its name, or for its beginning."""
    if path in followed.paths or any(each.claims(path) for each in followed.importers):
        return True
    try:
        status = os.stat(path)
    except OSError:
        return False
    return any(holds_sessions(each, path, status) for each in followed.importers)


def _brought_something(report: ImportReport) -> bool:
    return bool(
        report.messages_new
        or report.sessions_new
        or report.secrets_missed
        or any(source.records.parsed or source.files_failed for source in report.sources)
    )
