"""Why a fact holds, or no longer does, as lines: the rules, what happened, what is left.

Pure: structs in, lines out.
"""

from recense.cli.lines import BLANK, Line, line, span
from recense.cli.render_facts import (
    belief_lines,
    cut_words,
    event_spans,
    evidence_lines,
    received_words,
    said_words,
)
from recense.cli.render_recall import instant_words
from recense.operations.facts import (
    ExplainedPair,
    ExplainedRule,
    ExplainedStep,
    FactExplanation,
)


def explanation_lines(explanation: FactExplanation) -> list[Line]:
    """Return why what holds holds, pair by pair, and the instants that are asked about."""
    lines: list[Line] = []
    for pair in explanation.pairs:
        lines += [*_pair_lines(pair), BLANK]
    when = f"as of {instant_words(explanation.as_of)}"
    if explanation.known_by is not None:
        when += f", by what was received until {instant_words(explanation.known_by)}"
    nothing = "Nothing was said about it, " if not explanation.pairs else ""
    lines.append(line(span(f"{nothing}{when}", "faint")))
    return lines


def _pair_lines(pair: ExplainedPair) -> list[Line]:
    others = [name for name in pair.names if name != pair.predicate]
    also = span(f"  (the same as {', '.join(others)})", "faint") if others else ""
    lines = [line(span(f"{pair.subject}: {pair.predicate}", "title"), also)]
    lines += [BLANK, line("The rules:", indent=1)]
    lines += [rule_line(rule, indent=3) for rule in pair.rules]
    if not pair.rules:
        lines.append(line("none: any number of texts may hold side by side", indent=3))
    lines += [BLANK, line("What happened, in order:", indent=1)]
    before: ExplainedStep | None = None
    for number, step in enumerate(pair.steps, start=1):
        lines += _step_lines(number, step, before)
        before = step
    if not pair.steps:
        lines.append(line("nothing was said about it by then", indent=3))
    lines += [BLANK, line("What is left:", indent=1)]
    if not pair.beliefs:
        lines.append(line("nothing holds", indent=3))
    for belief in pair.beliefs:
        lines += [_further(row) for row in belief_lines(belief)]
    return lines


def rule_line(rule: ExplainedRule, indent: int) -> Line:
    """Return what a change of the registry says, and when it was written."""
    since = "from the beginning" if rule.since is None else f"written {instant_words(rule.since)}"
    return line(
        span(cut_words(rule.text), "plain" if rule.is_effective else "faint"),
        span(f"  ({since})", "faint"),
        indent=indent,
    )


def _step_lines(number: int, step: ExplainedStep, before: ExplainedStep | None) -> list[Line]:
    """Return what an event says and did, and what tells its place, where its instant does not."""
    event = step.event
    said = said_words(event.source, event.writer, event.confidence)
    return [
        line(
            span(f"{number}. {instant_words(event.observed_at)}  ", "faint"),
            *event_spans(event),
            indent=3,
        ),
        line(span("-> ", "faint"), cut_words(step.effect), indent=6),
        line(span(f"{said}{received_words(event)}", "faint"), indent=6),
        *_tie_lines(step, before),
        *evidence_lines(event.evidence, indent=6),
        line(span(event.event_id, "faint"), indent=6),
    ]


def _tie_lines(step: ExplainedStep, before: ExplainedStep | None) -> list[Line]:
    """Return what puts a step that took something away after the one before it, where the instant
    of both is the same.
    """
    took = step.displaced or step.retracted or step.replaced or step.excluded
    if before is None or not took or before.event.observed_at != step.event.observed_at:
        return []
    is_withdrawal = step.event.retraction and not before.event.retraction
    why = "a withdrawal comes after what is said" if is_withdrawal else "their ids decide the order"
    words = f"of the same instant as the one before; {why}"
    return [line(span(words, "faint"), indent=6)]


def _further(row: Line) -> Line:
    """Return a line three columns further to the right."""
    return Line(spans=row.spans, indent=row.indent + 3, whole=row.whole)
