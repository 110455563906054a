"""Why a fact holds, or no longer does, as lines: the rules, what happened, what is left.

Pure: structs in, lines out.
"""

from recense.cli.lines import BLANK, Line, line, span
from recense.cli.render_facts import (
    belief_lines,
    cut_words,
    event_spans,
    evidence_lines,
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
    """Return why what holds holds, pair by pair, and the instant that is asked about."""
    lines: list[Line] = []
    for pair in explanation.pairs:
        lines += [*_pair_lines(pair), BLANK]
    as_of = f"as of {instant_words(explanation.as_of)}"
    nothing = "Nothing was ever said about it, " if not explanation.pairs else ""
    lines.append(line(span(f"{nothing}{as_of}", "faint")))
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
    for number, step in enumerate(pair.steps, start=1):
        lines += _step_lines(number, step)
    if not pair.steps:
        lines.append(line("nothing: nothing was ever said about it", indent=3))
    lines += [BLANK, line("What is left:", indent=1)]
    if not pair.beliefs:
        lines.append(line("nothing holds", indent=3))
    for belief in pair.beliefs:
        lines += [_further(row) for row in belief_lines(belief)]
    return lines


def rule_line(rule: ExplainedRule, indent: int) -> Line:
    """Return what a change of the registry says, and from when on."""
    since = "from the beginning" if rule.since is None else f"from {instant_words(rule.since)}"
    return line(
        span(cut_words(rule.text), "plain" if rule.is_effective else "faint"),
        span(f"  ({since})", "faint"),
        indent=indent,
    )


def _step_lines(number: int, step: ExplainedStep) -> list[Line]:
    event = step.event
    said = said_words(event.source, event.writer, event.confidence)
    return [
        line(
            span(f"{number}. {instant_words(event.observed_at)}  ", "faint"),
            *event_spans(event),
            indent=3,
        ),
        line(span("-> ", "faint"), cut_words(step.effect), indent=6),
        line(span(said, "faint"), indent=6),
        *evidence_lines(event.evidence, indent=6),
        line(span(event.event_id, "faint"), indent=6),
    ]


def _further(row: Line) -> Line:
    """Return a line three columns further to the right."""
    return Line(spans=row.spans, indent=row.indent + 3, whole=row.whole)
