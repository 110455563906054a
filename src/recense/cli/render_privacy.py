"""What was decided about a session, as lines. Pure."""

from collections.abc import Sequence
from typing import Final

from recense.cli.lines import Line, command_line, line, span
from recense.cli.render_recall import counted, title_words
from recense.operations.privacy import FactThatGoes, ForgetReport, Fork, HiddenSession

_FACTS_NAMED: Final = 10


def hidden_lines(hidden: HiddenSession) -> list[Line]:
    """Return what became of a session that was hidden or shown again."""
    if not hidden.private:
        return [line(f"{hidden.session} is read by searches.")]
    return [
        line(f"{hidden.session} is hidden: no search reads it."),
        command_line(f"recense sessions unhide {hidden.session}"),
    ]


def fork_words(forks: Sequence[Fork]) -> str:
    """Return which sessions would go on holding the text, as the end of a sentence."""
    if not forks:
        return ""
    names = ", ".join(f"{fork.session} ({_shared(fork)})" for fork in forks)
    return f", and copies of its records stay in {names}"


def fact_words(facts: Sequence[FactThatGoes]) -> str:
    """Return which facts go with sessions, as the end of a sentence; the first of many by name."""
    if not facts:
        return ""
    named = [f"'{each.sentence}'" for each in facts[:_FACTS_NAMED]]
    if len(facts) > _FACTS_NAMED:
        named.append(f"{len(facts) - _FACTS_NAMED} more")
    goes = counted(len(facts), "fact")
    return f", and takes along {goes} that nothing else supports: {', '.join(named)}"


def forget_lines(report: ForgetReport) -> list[Line]:
    """Return what was removed, and who still holds copies."""
    lines = [
        line(
            f"Forgot {counted(len(report.sessions), 'session')}:"
            f" {counted(report.records, 'record')}, {counted(report.messages, 'message')},"
            f" {counted(report.blobs, 'attachment')}, {counted(report.facts, 'fact')}."
            " A later import leaves them out."
        )
    ]
    lines += [
        line(
            f"{fork.session} still holds {_shared(fork)} of it",
            span(f"  {title_words(fork.title or '')}", "faint"),
        )
        for fork in report.forks
    ]
    if not report.bytes_gone:
        lines.append(
            line(
                span("not yet gone: ", "bad"),
                "another process is still reading an earlier moment of the store, or the store is "
                "of an earlier release and does not know whose its attachments are; when nothing "
                "else uses it, say again",
            )
        )
        lines.append(command_line(f"recense sessions forget {report.sessions[0]} --yes"))
    return lines


def _shared(fork: Fork) -> str:
    if not fork.shared_records:
        return "a version"
    return counted(fork.shared_records, "record")
