"""Retention: which session files their own agents will soon delete or compress, and what of them is
not kept here yet.

An agent counts from the last change of a file. What is compressed can still be imported; what is
deleted cannot, and is kept here only.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from recense.core.instants import text_from_instant
from recense.core.transcript.records import Session
from recense.limits import RETENTION_WARNING_DAYS
from recense.operations.admin import HealthCheck, SourceRetention
from recense.ports.commits import ImportFile
from recense.ports.sources import Importer, Retention
from recense.services.discovery import FoundFile, find_files
from recense.services.files import stored_path
from recense.services.importing import Machine

_DAY: Final = 86_400_000_000
_NS_PER_MICROSECOND: Final = 1_000

Retentions = Callable[[Iterable[ImportFile], Iterable[Session]], tuple[SourceRetention, ...]]
"""`source_retentions` of one machine at this moment, for the bookkeeping and sessions of a store.
"""


def source_retentions(
    importers: Mapping[str, Importer],
    machine: Machine,
    files: Iterable[ImportFile],
    sessions: Iterable[Session],
    *,
    is_available: Callable[[str], bool],
    now: int,
) -> tuple[SourceRetention, ...]:
    """Return what agents will do with the session files on this machine, by source.

    ``files`` is the bookkeeping of the store, ``now`` the instant to judge by. Sources whose agent
    leaves its files alone are absent.
    """
    read = {
        (file.source, file.path): (file.size, file.mtime_ns) for file in files if not file.reason
    }
    gone = Counter(
        session.source
        for session in sessions
        if session.source_path is not None and not is_available(session.source_path)
    )
    found: list[SourceRetention] = []
    for name, importer in sorted(importers.items()):
        retention = importer.retention(machine.environment, machine.home)
        if retention is not None:
            roots = importer.roots(machine.environment, machine.home)
            known = {path: state for (source, path), state in read.items() if source == name}
            found.append(_judged(importer, roots, retention, known, gone=gone[name], now=now))
    return tuple(found)


def _judged(
    importer: Importer,
    roots: tuple[str, ...],
    retention: Retention,
    known: Mapping[str, tuple[int, int]],
    *,
    gone: int,
    now: int,
) -> SourceRetention:
    deadlines: list[int] = []
    missing: list[int] = []
    for path, status in _statuses(importer, roots):
        deadline = status.st_mtime_ns // _NS_PER_MICROSECOND + retention.days * _DAY
        deadlines.append(deadline)
        if known.get(stored_path(path)) != (status.st_size, status.st_mtime_ns):
            missing.append(deadline)
    warned = now + RETENTION_WARNING_DAYS * _DAY
    return SourceRetention(
        source=importer.name,
        fate=retention.fate,
        days=retention.days,
        files=len(deadlines),
        not_imported=len(missing),
        at_risk=sum(deadline <= warned for deadline in missing)
        if retention.fate == "deleted"
        else 0,
        first_deadline=_instant(min(missing or deadlines, default=None)),
        kept_here_only=gone,
    )


def _statuses(importer: Importer, roots: tuple[str, ...]) -> Iterator[tuple[str, os.stat_result]]:
    """Yield the files of a source that hold anything, with what they are like now."""
    for found in find_files(importer, roots, named=False):
        if isinstance(found, FoundFile):
            try:
                status = os.stat(found.path)
            except OSError:
                continue  # gone since it was found
            if status.st_size:
                yield found.path, status


def _instant(instant: int | None) -> str | None:
    try:
        return None if instant is None else text_from_instant(instant)
    except OverflowError:
        return None  # a file from beyond the year 9999


def retention_check(retentions: Iterable[SourceRetention]) -> HealthCheck:
    """Return the check: wrong when something that is not kept here will be lost in a week."""
    retentions = tuple(retentions)
    is_ok = not any(each.at_risk for each in retentions)
    return HealthCheck(
        name="retention",
        ok=is_ok,
        detail=f"agents here that delete or compress their sessions: {len(retentions)}",
        items=tuple(map(_words, retentions)),
        fix="" if is_ok else "recense import",
    )


def _words(retention: SourceRetention) -> str:
    after = f"{retention.fate} {retention.days} days after its last change"
    words = f"{retention.source}: a session file is {after}; {retention.files} here"
    if retention.not_imported:
        words += f", {retention.not_imported} not imported or grown since"
    if retention.at_risk:
        words += f", {retention.at_risk} of them lost within {RETENTION_WARNING_DAYS} days"
    if retention.first_deadline is not None:
        words += f"; the first on {retention.first_deadline[:10]}"
    if retention.kept_here_only:
        words += f"; sessions kept here only: {retention.kept_here_only}"
    return words
