"""Reports on what is kept as lines: imports, conversion, sessions, health. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from recense.cli.lines import (
    BLANK,
    Line,
    StyledText,
    about_line,
    command_line,
    indented_lines,
    line,
    span,
)
from recense.cli.page_shapes import range_lines
from recense.cli.render_recall import (
    LABELS,
    counted,
    gap_words,
    instant_words,
    material_lines,
    title_words,
)
from recense.errors import RecenseError
from recense.limits import SESSIONS_WITH_SECRETS_SHOWN_MAX
from recense.operations.admin import (
    NO_SOURCE,
    ConvertReport,
    Digest,
    Health,
    ImportFailure,
    ImportReport,
    IndexReport,
    SessionList,
    SessionSecrets,
    SessionView,
    SourceReport,
    TranscriptMessage,
    TranscriptView,
)

_COUNTS: Final = {
    "sessions": "those of sub-agents too",
    "events": "what was read out of the records",
    "messages": "each once; recense sessions list counts one in every session that shares it",
    "records": "as they stand in the agents' files",
    "blobs": "attachments",
    "files": "of agents, seen by an import",
    "sources_gone": "sessions whose file is gone",
    "fact_events": "what was said of facts, and of predicates",
}
"""What the doctor's figures count."""

FAILURES_SHOWN_MAX: Final = 20
"""Failed files listed for a person; the document of ``--json`` has all of them."""


def import_lines(report: ImportReport, *, archive_only: bool = False) -> list[Line]:
    """Return what an import did, source by source, failures with their reasons; of one that only
    archived also what converts.
    """
    lines = [
        line(
            span(
                f"Imported {counted(report.messages_new, 'new message')} in"
                f" {counted(report.sessions_new, 'new session')}",
                "title",
            ),
            _took_span(report.took_ms),
        )
    ]
    told = [source for source in report.sources if source.files_found or source.failures]
    for source in told:
        lines += _source_lines(source)
    without = ", ".join(each.source for each in report.sources if each not in told)
    if told and without:
        lines.append(line(span(f"no file of {without}", "faint"), indent=2))
    if without and not told:
        lines.append(
            line(
                f"No session file was found: none of {without}. Where they are elsewhere: ",
                span("recense import PATH", "command"),
            )
        )
    if report.secrets_redacted:
        lines.append(line("Secrets redacted: ", _counts_words(report.secrets_redacted)))
    if archive_only and any(source.files_imported for source in report.sources):
        lines.append(
            line(
                "Archived, and recall finds it as it is. To convert it: ",
                span("recense convert", "command"),
                ", or the next import",
            )
        )
    if report.messages_new:
        lines.append(line("Now try ", span("recense recall TERM", "command")))
    return lines


def watch_line(told: ImportReport | RecenseError) -> Line:
    """Return what one round of following files brought in, or why it is tried again."""
    if isinstance(told, RecenseError):
        return line(span("put off: ", "bad"), told.message)
    failed = sum(source.files_failed for source in told.sources)
    return line(
        f"{counted(told.messages_new, 'new message')} in"
        f" {counted(told.sessions_new, 'new session')}: ",
        ", ".join(
            f"{source.source} {counted(source.files_imported, 'file')}"
            for source in told.sources
            if source.files_imported
        )
        or "no file",
        span(f"; {counted(failed, 'file')} failed" if failed else "", "bad"),
    )


def following_line(source: str | None, paths: Sequence[str], every: int) -> Line:
    """Return what is followed from now on, how often it is looked at, and how to stop it."""
    who = "every agent" if source is None else source
    where = ", ".join(paths) or "where it keeps its sessions"
    return line(f"Following {who}: {where}; a look every {every} s. Ctrl-C stops it.")


def missed_secrets_line(count: int) -> Line:
    """Return in how many files the secrets that a person named may still stand, and what to do."""
    return line(
        span("not hidden: ", "bad"),
        f"{counted(count, 'file')} imported before and not read again; what --secrets-from names"
        " stays there as it is. Change these secrets, or import into a new store (--store)",
    )


def ignored_secrets_line(count: int) -> Line:
    """Return how many values of the files with secrets are not looked for."""
    return line(
        f"{counted(count, 'value')} of --secrets-from not hidden:"
        " too short or too common to be told from other text"
    )


def _source_lines(source: SourceReport) -> list[Line]:
    """Return what became of a source's files; of paths that are no source's, only what failed."""
    if source.source == NO_SOURCE:
        return _failure_lines(source.failures, indent=2)
    results = {
        "imported": source.files_imported,
        "unchanged": source.files_unchanged,
        "skipped": source.files_skipped,
        "failed": source.files_failed,
    }
    lines = [
        line(
            f"{source.source}: {counted(source.files_found, 'file')} found",
            "".join(f", {number:,} {result}" for result, number in results.items() if number),
            f"; {counted(source.messages_new, 'new message')}",
            indent=2,
        )
    ]
    if source.records.bad:
        lines.append(
            line(
                span(counted(source.records.bad, "record"), "bad"),
                " could not be understood; kept and not searched",
                indent=4,
            )
        )
    return lines + _skipped_lines(source.skipped) + _failure_lines(source.failures, indent=4)


def _skipped_lines(skipped: tuple[ImportFailure, ...]) -> list[Line]:
    """Return a line for each reason, the most frequent first."""
    reasons = Counter(file.reason for file in skipped)
    return [
        line(f"skipped {counted(number, 'file')}: {reason}", indent=4)
        for reason, number in sorted(reasons.items(), key=lambda each: (-each[1], each[0]))
    ]


def _failure_lines(failures: tuple[ImportFailure, ...], indent: int) -> list[Line]:
    lines = [
        line(span("failed ", "bad"), f"{failure.path}: {failure.reason}", indent=indent)
        for failure in failures[:FAILURES_SHOWN_MAX]
    ]
    if len(failures) > FAILURES_SHOWN_MAX:
        more = len(failures) - FAILURES_SHOWN_MAX
        lines.append(line(f"and {more:,} more (--json lists all)", indent=indent))
    return lines


def _took_span(took_ms: float) -> StyledText:
    return span(f"  {took_ms / 1000:.1f} s", "faint")


def _counts_words(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number:,} {kind}" for kind, number in sorted(counts.items()))


def convert_lines(report: ConvertReport) -> list[Line]:
    """Return what a conversion did."""
    return [
        line(
            f"Converted {counted(report.records_converted, 'record')} of"
            f" {counted(report.sessions_converted, 'session')}:"
            f" {counted(report.events_new, 'new event')},"
            f" {counted(report.messages_new, 'new message')}",
            _took_span(report.took_ms),
        )
    ]


def index_lines(report: IndexReport) -> list[Line]:
    """Return what indexing did."""
    anew = " The index was damaged, and was made anew." if report.begun_anew else ""
    return [
        line(
            f"Indexed {counted(report.messages_indexed, 'message')} of"
            f" {counted(report.sessions_indexed, 'session')}.{anew}",
            _took_span(report.took_ms),
        )
    ]


def session_list_lines(page: SessionList, offset: int) -> list[Line]:
    """Return a page of a list of sessions that began at ``offset``."""
    lines: list[Line] = []
    for session in page.sessions:
        lines += _session_lines(session)
    more = "recense sessions list --offset"
    return lines + range_lines("session", offset, page.sessions, page.total, more)


def _session_lines(session: SessionView) -> Iterable[Line]:
    about = (
        instant_words(session.last_at),
        session.source,
        session.workspace,
        counted(session.messages, "message"),
        "" if session.origin == "interactive" else session.origin,
        "private" if session.private else "",
        "" if session.source_available else "its file is gone",
    )
    return (
        line(span(title_words(session.title or "(no title)"), "title")),
        about_line(about),
        command_line(f"recense sessions show {session.session}", indent=3),
    )


def transcript_lines(page: TranscriptView, first: int, *, everything: bool) -> list[Line]:
    """Return a page of a transcript that began at its ``first``-th message, message by message."""
    lines: list[Line] = []
    for message in page.messages:
        lines += [*_transcript_message_lines(message), BLANK]
    more = f"recense sessions show {page.session}{' --all' * everything} --first"
    lines += range_lines("message", first, page.messages, page.total, more)
    lines += [line(span(gap_words(gap), "faint")) for gap in page.gaps]
    return lines


def _transcript_message_lines(message: TranscriptMessage) -> list[Line]:
    label, style = LABELS[message.kind]
    about = "  ".join(part for part in (instant_words(message.at), *sorted(message.flags)) if part)
    return [
        line(
            span(f"{message.position} ", "faint"), span(label, style), span(f"  {about}", "faint")
        ),
        *indented_lines([span(message.text, "plain")], indent=3),
        *material_lines(message.materials, indent=3),
    ]


def health_lines(health: Health) -> list[Line]:
    """Return the doctor's report: checks, then paths, counts and settings."""
    lines: list[Line] = []
    for check in health.checks:
        mark = span("ok    ", "good") if check.ok else span("wrong ", "bad")
        lines.append(line(mark, f"{check.name}: {check.detail}"))
        lines += [line(item, indent=8) for item in check.items]
        if not check.ok and check.fix:
            lines.append(line("do: ", span(check.fix, "command"), indent=6))
    for section in (
        _secrets_lines(health.secrets),
        [line(f"{name}: {path}") for name, path in health.paths.items()],
        [_count_line(name, number) for name, number in health.counts.items()],
        [
            line(f"{setting.name} = {setting.value}", span(f"  ({setting.origin})", "faint"))
            for setting in health.settings
        ],
    ):
        if section:
            lines += [BLANK, *section]
    return lines


def _count_line(name: str, number: int) -> Line:
    words = _COUNTS.get(name)
    return line(f"{name}: {number:,}", span(f"  ({words})" if words else "", "faint"))


def _secrets_lines(sessions: Sequence[SessionSecrets]) -> list[Line]:
    """Return the sessions with most secrets, a line each; those are shown as far as it helps."""
    lines = [
        line(f"{session.session}: secrets redacted: {_counts_words(session.kinds)}")
        for session in sessions[:SESSIONS_WITH_SECRETS_SHOWN_MAX]
    ]
    more = len(sessions) - SESSIONS_WITH_SECRETS_SHOWN_MAX
    if more > 0:
        lines.append(line(f"and {counted(more, 'session')} more (--json lists all)"))
    return lines


def digest_lines(digest: Digest) -> list[Line]:
    """Return a digest and what it is of."""
    return [
        line(digest.digest),
        line(
            span(
                f"{counted(digest.sessions, 'session')}, {counted(digest.events, 'event')},"
                f" {counted(digest.messages, 'message')}, {counted(digest.blobs, 'blob')}",
                "faint",
            )
        ),
    ]
