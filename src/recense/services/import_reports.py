"""The report of an import: what became of files, bytes and records, source by source.

Law: the reports of imports that run at once add up to what all of them did. So a report counts what
its own run committed, and never what is there now more than before.
"""

import os
from collections import Counter
from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from recense.core.text.redact import redact
from recense.core.values import Value
from recense.operations.admin import (
    NO_SOURCE,
    ImportFailure,
    ImportReport,
    RecordCounts,
    SourceReport,
)
from recense.services.file_outcomes import FileOutcome


class ImportRun(Value, kw_only=True):
    """What an import, or several that followed each other, did with the sources it was asked for.

    ``messages`` are those that the store holds more for it, by source. ``secrets_missed`` counts
    files of which something was imported before and not searched for secrets that a person named.
    """

    sources: tuple[str, ...]
    outcomes: tuple[FileOutcome, ...]
    messages: dict[str, int]
    secrets_missed: int
    took_ms: float


def import_report(run: ImportRun) -> ImportReport:
    """Return the report of an import; in it `NO_SOURCE` has what no source answers for."""
    strays = (NO_SOURCE,) if any(each.source == NO_SOURCE for each in run.outcomes) else ()
    sources = tuple(
        source_report(source, run.outcomes, max(0, run.messages.get(source, 0)))
        for source in (*run.sources, *strays)
    )
    return ImportReport(
        messages_new=sum(source.messages_new for source in sources),
        sessions_new=sum(outcome.sessions_new for outcome in run.outcomes),
        sources=sources,
        secrets_redacted=summed(outcome.findings for outcome in run.outcomes),
        secrets_missed=run.secrets_missed,
        took_ms=run.took_ms,
    )


def joined(runs: Iterable[ImportRun]) -> ImportRun:
    """Return several imports, one after the other, as one, in which each file counts once: what was
    read of it is added up, and its last result counts, but that it was imported is not undone by
    being unchanged later. That there was nothing at a path is over when there was a file.
    """
    sources: dict[str, None] = {}
    outcomes: dict[tuple[str, str], FileOutcome] = {}
    messages: Counter[str] = Counter()
    missed, took_ms = 0, 0.0
    for run in runs:
        sources.update(dict.fromkeys(run.sources))
        messages.update(run.messages)
        missed += run.secrets_missed
        took_ms += run.took_ms
        for outcome in run.outcomes:
            key = (outcome.source, outcome.path)
            held = outcomes.get(key)
            outcomes[key] = outcome if held is None else _after(held, outcome)
    found = [path for (_, path), outcome in outcomes.items() if outcome.is_file]
    return ImportRun(
        sources=tuple(sources),
        outcomes=tuple(
            outcome
            for outcome in outcomes.values()
            if outcome.is_file or not any(_is_at(path, outcome.path) for path in found)
        ),
        messages=dict(messages),
        secrets_missed=missed,
        took_ms=took_ms,
    )


def _after(before: FileOutcome, later: FileOutcome) -> FileOutcome:
    """Return what became of one file by two imports of it."""
    is_imported = (before.result, later.result) == ("imported", "unchanged")
    return replace(
        later,
        result="imported" if is_imported else later.result,
        records=summed((before.records, later.records)),
        bytes_by=summed((before.bytes_by, later.bytes_by)),
        findings=summed((before.findings, later.findings)),
        sessions=tuple(dict.fromkeys((*before.sessions, *later.sessions))),
        sessions_new=before.sessions_new + later.sessions_new,
    )


def _is_at(path: str, place: str) -> bool:
    return path == place or path.startswith(os.path.join(place, ""))


def source_report(source: str, outcomes: Iterable[FileOutcome], messages: int) -> SourceReport:
    """Return what an import did with one source; ``messages`` are its new ones."""
    mine = [outcome for outcome in outcomes if outcome.source == source]
    results = Counter(outcome.result for outcome in mine)
    bytes_by = summed(outcome.bytes_by for outcome in mine)
    records = summed(outcome.records for outcome in mine)
    return SourceReport(
        source=source,
        files_found=sum(outcome.is_file for outcome in mine),
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


def summed(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Return the sums of counts by name, in the order of the names."""
    total: Counter[str] = Counter()
    for each in counts:
        total.update(each)
    return dict(sorted(total.items()))
