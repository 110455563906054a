"""Reading sessions for facts, as lines: how far it came, what it did, what is left.

Pure: structs in, lines out.
"""

from typing import Final

from recense.cli.lines import BLANK, Line, Style, StyledText, command_line, line, span
from recense.cli.render_facts import cut_words
from recense.cli.render_recall import counted, title_words
from recense.core.facts.belief import sentence
from recense.errors import RecenseError
from recense.operations.extraction import (
    DayBudget,
    ExtractionStatus,
    ExtractReport,
    FiledProposal,
    FilingOutcome,
    RunEnd,
    SessionCoverage,
    SessionRun,
)

_STRIP: Final[dict[str, tuple[str, Style]]] = {
    "c": ("#", "good"),
    "u": (".", "faint"),
    "f": ("!", "bad"),
}
"""How the letters of a strip are drawn: covered, not yet, failed."""

_OUTCOMES: Final[dict[FilingOutcome, tuple[str, Style]]] = {
    "filed": ("filed", "good"),
    "known": ("known already", "faint"),
    "refused": ("refused", "bad"),
    "needs_confirmation": ("to confirm", "bad"),
}

_ENDS: Final[dict[RunEnd, str]] = {
    "complete": "read to its end",
    "held": "not read",
    "budget": "not read to its end",
    "unavailable": "not read to its end",
    "part": "read, but for what failed",
}

_FAILURES_SHOWN_MAX: Final = 5
"""Failures of one session that are printed: they mostly have one cause."""

_MICROS: Final = 1_000_000
"""Millionths of a unit of money."""

_CONFIRM: Final = "recense fact set SUBJECT PREDICATE VALUE"


def status_lines(status: ExtractionStatus) -> list[Line]:
    """Return how far each session is read, each workspace and all, and what the rest costs."""
    if not status.sessions and not status.texts:
        return [line("There is no session to read."), command_line("recense import")]
    lines: list[Line] = []
    for each in status.sessions:
        lines += _coverage_lines(each)
    if status.texts:
        lines += [BLANK, line("Texts that were remembered")]
        for each in status.texts:
            lines += _coverage_lines(each)
    if len(status.workspaces) > 1:
        lines += [BLANK, line("By workspace")]
        for workspace, total in status.workspaces.items():
            share = f"  {total.covered:,} of {counted(total.messages, 'message')} read"
            lines.append(line(workspace or "(none)", span(share, "faint"), indent=3))
    total = status.total
    reader = f"{status.extractor}, version {status.version}"
    lines += [
        BLANK,
        line(
            f"{total.covered:,} of {counted(total.messages, 'message')} in "
            f"{counted(total.sessions, 'session')} read by {reader}"
        ),
    ]
    if total.failed:
        again = f"{counted(total.failed, 'message')} failed; the next run tries again"
        lines.append(line(span(again, "bad")))
    if total.tokens_omitted:
        lines.append(
            line(f"{total.tokens_omitted:,} tokens of very long messages are not read at all")
        )
    texts = status.texts_total
    if texts.sessions:
        read = f"{texts.covered:,} of {counted(texts.messages, 'message')} in "
        lines.append(line(f"{read}{counted(texts.sessions, 'text')} that were remembered"))
    if total.tokens_uncovered or texts.tokens_uncovered:
        lines += [line(_cost_words(status)), command_line(_next_command(status))]
    if any(each.to_confirm for each in (*status.sessions, *status.texts)):
        lines += _confirm_lines()
    return lines + _budget_lines(status.budget)


def report_lines(report: ExtractReport) -> list[Line]:
    """Return what a run did: by session that gave or lacks something, and each proposal with what
    became of it.
    """
    runs = (*report.sessions, *report.texts)
    busy = [run for run in runs if run.batches or run.replayed]
    if not busy and all(run.end == "complete" for run in runs):
        return [line("Nothing was left to read."), *_budget_lines(report.budget)]
    lines: list[Line] = []
    for run in runs:
        if run.end != "complete" or run.proposals or run.dropped:
            lines += _run_lines(run)
    filed = [each for run in runs for each in run.proposals]
    facts = counted(sum(each.outcome == "filed" for each in filed), "new fact")
    read = sum(run.tokens_read for run in runs)
    texts = sum(run in report.texts for run in busy)
    sessions = counted(len(busy) - texts, "session")
    if texts:
        sessions += f" and {counted(texts, 'text')}"
    lines += [
        *([BLANK] if lines else []),
        line(f"{facts} from {read:,} tokens of {sessions}, read by {report.extractor}"),
    ]
    if any(run.end != "complete" for run in runs):
        lines += [
            line(span("Something is left; another run goes on from here.", "bad")),
            command_line("recense extract status"),
        ]
    if any(each.outcome == "needs_confirmation" for each in filed):
        lines += _confirm_lines()
    return lines + _budget_lines(report.budget)


def read_lines(told: SessionRun | RecenseError) -> list[Line]:
    """Return what came of one session while files are followed; nothing where nothing was read."""
    if isinstance(told, RecenseError):
        return [line(span("put off: ", "bad"), told.message)]
    if told.end == "complete" and not told.batches:
        return []
    filed = counted(sum(each.outcome == "filed" for each in told.proposals), "new fact")
    reason = f"; {told.reason}" if told.reason else ""
    return [line(f"{filed} from ", span(told.session, "title"), span(reason, "bad"))]


def _coverage_lines(each: SessionCoverage) -> list[Line]:
    counts = f"  {each.covered:,} of {counted(each.messages, 'message')} read"
    left = f", {each.tokens_uncovered:,} tokens left" if each.tokens_uncovered else ""
    shares = (*_strip(each.strip), span(counts + left, "faint"))
    lines = [
        line(span(each.session, "title"), f"  {title_words(each.title or '')}"),
        Line(spans=shares, indent=3)
        if each.messages
        else line(span("nothing to read", "faint"), indent=3),
    ]
    for failure in each.failures[:_FAILURES_SHOWN_MAX]:
        tried = f"failed {counted(failure.attempts, 'time')}: {failure.reason}"
        lines.append(line(span(tried, "bad"), indent=3))
        if failure.anchor != each.session:  # a text is not in a session
            lines.append(command_line(f"recense more {failure.anchor}", indent=3))
    more = len(each.failures) - _FAILURES_SHOWN_MAX
    if more > 0:
        lines.append(line(f"and {more:,} more that failed (--json lists all)", indent=3))
    for waiting in each.to_confirm:
        lines += _proposal_lines(waiting)
    return lines


def _confirm_lines() -> list[Line]:
    return [
        line("What is to confirm was not filed; where it is true, state it yourself:"),
        command_line(_CONFIRM),
    ]


def _strip(letters: str) -> list[StyledText]:
    return [span(*_STRIP[letter]) for letter in letters]


def _run_lines(run: SessionRun) -> list[Line]:
    counts = [
        counted(run.batches, "batch", "batches") if run.batches else "",
        f"{run.replayed:,} filed from an earlier answer" if run.replayed else "",
        f"{run.failed:,} failed" if run.failed else "",
    ]
    done = ": ".join(filter(None, (_ENDS[run.end], ", ".join(filter(None, counts)))))
    lines = [line(span(run.session, "title"), span(f"  {done}", "faint"))]
    if run.reason:
        lines.append(line(span(run.reason, "bad"), indent=3))
    for each in run.proposals:
        lines += _proposal_lines(each)
    lines += [line(span(f"no proposal: {each}", "bad"), indent=3) for each in run.dropped]
    return lines


def _proposal_lines(each: FiledProposal) -> list[Line]:
    word, style = _OUTCOMES[each.outcome]
    proposal = each.proposal
    said = cut_words(
        sentence(proposal.subject, proposal.predicate, proposal.value, withdrawn=False)
    )
    lines = [line(span(f"{word}: ", style), said, indent=3)]
    if each.reason:
        lines.append(line(span(each.reason, "faint"), indent=6))
    if each.anchor is not None and each.outcome == "needs_confirmation":
        lines.append(command_line(f"recense more {each.anchor}", indent=6))
    return lines


def _cost_words(status: ExtractionStatus) -> str:
    tokens = status.total.tokens_uncovered + status.texts_total.tokens_uncovered
    left = f"{tokens:,} tokens are left"
    if not status.cost.tokens:
        return f"{left}; reading them costs nothing, and sends nothing anywhere"
    calls = counted(status.cost.calls, "call")
    paid = "" if status.cost.micros is None else f" and {_money_words(status.cost.micros)} of money"
    return (
        f"{left}; reading them takes at most {status.cost.tokens:,} in {calls}{paid}, "
        "instructions and answers included"
    )


def _money_words(micros: int) -> str:
    """Return an amount in units of the person's currency, exactly."""
    return f"{micros // _MICROS:,}.{micros % _MICROS:06}"


def _next_command(status: ExtractionStatus) -> str:
    every = (*status.sessions, *status.texts)
    if len(every) == 1:
        return f"recense extract run {every[0].session}"
    budget = f" --budget {status.cost.tokens}" if status.cost.tokens else ""
    return f"recense extract run --all{budget}"


def _budget_lines(budget: DayBudget) -> list[Line]:
    if not budget.spent and not budget.reserved:
        return []
    limit = "" if budget.limit is None else f" of {budget.limit:,}"
    taken = f"On {budget.day} (UTC) models took {budget.spent:,}{limit} tokens"
    waiting = f"; {budget.reserved:,} are held back for calls whose end is not known"
    lines = [line(span(taken + (waiting if budget.reserved else ""), "faint"))]
    money = budget.money
    if money is not None:
        limit = "" if money.limit is None else f" of {_money_words(money.limit)}"
        paid = f"That cost {_money_words(money.spent)}{limit}, by the prices that are set"
        held = f"; {_money_words(money.reserved)} are held back" if money.reserved else ""
        lines.append(line(span(paid + held, "faint")))
    return lines
