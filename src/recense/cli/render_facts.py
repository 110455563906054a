"""Facts as lines: what is believed, since when, what it took the place of, and who said so.

Pure: structs in, lines out. Subjects, values and evidence are data: a value stands on one line, and
each line of evidence behind a bar, so that none of them can pass for a line of ours.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from recense.cli.lines import BLANK, Line, StyledText, command_line, line, span
from recense.cli.page_shapes import next_page_line
from recense.cli.render_recall import counted, instant_words
from recense.cli.safe_text import safe_text
from recense.core.facts.changes import Definition
from recense.core.facts.event import Source
from recense.core.facts.values import FactValue
from recense.operations.facts import (
    Beliefs,
    BeliefView,
    EventView,
    EvidenceView,
    FactDifference,
    FactHistory,
    FactTruth,
    ForgottenFacts,
    RememberedFact,
)

TEXT_SHOWN_MAX: Final = 1_000
"""Code points of a sentence or a value that a person is shown; ``--json`` has all of them."""

SOURCE_WORDS: Final[dict[Source, str]] = {
    "user_stated": "said by the user",
    "agent_inferred": "inferred by an agent",
    "tool_result": "from the result of a tool",
    "imported": "imported",
}
"""How a statement came about."""

_NOT: Final = "not: "
"""How the sentence of a withdrawal begins."""


def value_words(value: FactValue) -> str:
    """Return a value as a person types it, cut where it is long."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return cut_words(str(value))


def cut_words(text: str) -> str:
    """Return a text, or its head and how long it is."""
    if len(text) <= TEXT_SHOWN_MAX:
        return text
    return f"{text[:TEXT_SHOWN_MAX]}... ({counted(len(text), 'character')}, --json has all)"


def beliefs_lines(found: Beliefs) -> list[Line]:
    """Return beliefs, how many there are, at which instant, and how to go on."""
    lines: list[Line] = []
    for belief in found.beliefs:
        lines += [*belief_lines(belief), BLANK]
    lines.append(
        line(span(f"{_how_many_words(found)}, as of {instant_words(found.as_of)}", "faint"))
    )
    if found.next_after is not None:
        lines.append(next_page_line(found.next_after))
    return lines


def _how_many_words(found: Beliefs) -> str:
    """Return how many beliefs there are, and of how many where that is known."""
    shown = len(found.beliefs)
    if found.total is not None and shown < found.total:
        return f"{shown:,} of {counted(found.total, 'fact')}"
    is_page = found.next_after is not None or found.total is None
    if shown:
        return counted(shown, "fact") + " on this page" * is_page
    return "No more facts" if is_page else "No fact"


def belief_lines(belief: BeliefView, mark: StyledText | None = None) -> list[Line]:
    """Return a belief: its sentence behind a mark, and below what is known about it."""
    lines = [
        line(*([] if mark is None else [mark]), span(cut_words(belief.sentence), "title")),
        line(span(_about(belief), "faint"), indent=3),
    ]
    if belief.via is not None:
        lines.append(line(f"reached by {cut_words(belief.via)}", indent=3))
    lines += [
        line(f"before: {value_words(each.value)}", _since(each.since), indent=3)
        for each in belief.replaced
    ]
    lines += [
        line(f"also under {each.predicate}", _since(each.since), indent=3)
        for each in belief.elsewhere
    ]
    if belief.contested is not None:
        other = belief.contested
        lines.append(
            line(
                span("contested: ", "bad"),
                f"{other.writer or 'another writer'} said {value_words(other.value)}"
                " within the same second",
                indent=3,
            )
        )
    lines += evidence_lines(belief.evidence, indent=3)
    lines.append(line(span(belief.event_id, "faint"), indent=3))
    return lines


def _since(at: str) -> StyledText:
    return span(f"  since {instant_words(at)}", "faint")


def _about(belief: BeliefView) -> str:
    is_restated = instant_words(belief.last_stated) != instant_words(belief.since)
    return "  ".join(
        part
        for part in (
            f"since {instant_words(belief.since)}",
            f"last said {instant_words(belief.last_stated)}" if is_restated else "",
            "a preference" if belief.kind == "preference" else "",
            said_words(belief.source, belief.writer, belief.confidence),
        )
        if part
    )


def said_words(source: Source, writer: str, confidence: float) -> str:
    """Return who said something and how sure it is."""
    by = f", written by {writer}" if writer else ""
    sure = f", {confidence:.0%} sure" if confidence < 1 else ""
    return f"{SOURCE_WORDS[source]}{by}{sure}"


def evidence_lines(evidence: Iterable[EvidenceView], indent: int) -> list[Line]:
    """Return the words in which a statement was read, as quotations, and what leads to them."""
    lines: list[Line] = []
    for each in evidence:
        if each.excerpt is None:
            lines.append(line(span("| (its words were erased)", "faint"), indent=indent))
        else:
            lines += quoted_lines(each.excerpt, indent)
        if each.anchor is not None:
            lines.append(command_line(f"recense more {each.anchor}", indent=indent))
    return lines


def quoted_lines(text: str, indent: int) -> list[Line]:
    """Return a text that was written by others, each of its lines behind a bar."""
    return [
        line(span("| ", "faint"), row, indent=indent)
        for row in safe_text(text).rstrip("\n").split("\n")
    ]


def remembered_lines(remembered: RememberedFact) -> list[Line]:
    """Return what became of a statement, and of others because of it."""
    lines = _outcome_lines(remembered)
    for each in remembered.superseded:
        lines.append(
            line(span("no longer: ", "bad"), cut_words(each.sentence), _since(each.since), indent=3)
        )
    for missed in remembered.unreplaced:
        lines.append(
            line(
                span("not withdrawn: ", "bad"),
                f"number {missed.position + 1} of --replaces: {missed.reason}",
                indent=3,
            )
        )
    if remembered.ended_by is not None:
        ended_by = remembered.ended_by
        lines.append(
            line(
                span("ended by: ", "bad"),
                cut_words(ended_by.sentence),
                _since(ended_by.observed_at),
                indent=3,
            )
        )
    if remembered.outranked_by:
        lines.append(line("What holds of it now:"))
        lines += _all_lines(remembered.outranked_by)
    if remembered.related:
        lines.append(line("Perhaps about the same, and left as it is:"))
        lines += _all_lines(remembered.related)
    return lines


def _outcome_lines(remembered: RememberedFact) -> list[Line]:
    lines: list[Line] = []
    if remembered.defined is not None:
        lines.append(_defined_line(remembered.defined))
    if remembered.already_known:
        mark = span("known already: ", "good")
    elif remembered.stored:
        mark = span("remembered: ", "good")
    else:
        mark = span("not remembered: ", "bad")
    if remembered.belief is not None:
        return [*lines, *belief_lines(remembered.belief, mark)]
    words = "it holds" if remembered.current else "it does not hold now"
    why = "" if remembered.current else "  (recense fact explain says why)"
    lines.append(line(mark, words, span(why, "faint")))
    if remembered.event_id is not None:
        lines.append(line(span(remembered.event_id, "faint"), indent=3))
    return lines


def _defined_line(definition: Definition) -> Line:
    how_many = "one value at a time" if definition.cardinality == "single" else "several values"
    return line(
        f"{definition.predicate} is a new predicate: {how_many}, of type {definition.value_type}",
        span("  (recense registry)", "faint"),
    )


def _all_lines(beliefs: Sequence[BeliefView]) -> list[Line]:
    return [row for belief in beliefs for row in belief_lines(belief, span("- ", "faint"))]


def forgotten_lines(forgotten: ForgottenFacts) -> list[Line]:
    """Return what was withdrawn, or that there was nothing."""
    if not forgotten.withdrawn:
        return [line("Nothing of it was held, so nothing was withdrawn.")]
    lines = [
        line(span("withdrawn: ", "bad"), cut_words(belief.sentence), _since(belief.since))
        for belief in forgotten.withdrawn
    ]
    if forgotten.event_id is not None:
        lines.append(line(span(forgotten.event_id, "faint"), indent=3))
    return lines


def truth_lines(truth: FactTruth) -> list[Line]:
    """Return yes, no or unknown, alone on the first line, and why."""
    as_of = line(span(f"as of {instant_words(truth.as_of)}", "faint"))
    match truth.holds:
        case "yes":
            believed = () if truth.belief is None else belief_lines(truth.belief)
            return [line(span("yes", "good")), *believed, as_of]
        case "no":
            instead = [line("What holds instead:"), *_all_lines(truth.instead)]
            ended = [line("It was said once and holds no longer; nothing holds in its place.")]
            return [line(span("no", "bad")), *(instead if truth.instead else ended), as_of]
        case "unknown":
            return [line("unknown"), line("Nothing was said about it by then."), as_of]


def difference_lines(difference: FactDifference) -> list[Line]:
    """Return what ceased to hold and what came to, pair by pair."""
    between = f"{instant_words(difference.since)} and {instant_words(difference.until)}"
    if not difference.added and not difference.removed:
        return [line(f"Nothing changed between {between}.")]
    changes = [
        *(((each.subject, each.predicate, 0), each) for each in difference.removed),
        *(((each.subject, each.predicate, 1), each) for each in difference.added),
    ]
    lines = [line(span(f"Between {between}", "title"))]
    for (_, _, is_added), belief in sorted(changes, key=lambda change: change[0]):
        mark = span("+ ", "good") if is_added else span("- ", "bad")
        lines.append(line(mark, cut_words(belief.sentence), _since(belief.since), indent=1))
    lines.append(
        line(
            span(f"{len(difference.added):,} began, {len(difference.removed):,} ended", "faint"),
        )
    )
    return lines


def fact_history_lines(history: FactHistory) -> list[Line]:
    """Return every event of a pair, in order, as it was written."""
    lines: list[Line] = []
    for event in history.events:
        lines += [*event_lines(event), BLANK]
    shown = len(history.events)
    of_all = f"the newest {shown:,} of " if shown < history.total else ""
    total = counted(history.total, "event") if history.total else "Nothing was ever said about it"
    lines.append(line(span(f"{of_all}{total}", "faint")))
    return lines


def event_lines(event: EventView) -> list[Line]:
    """Return an event: when it was observed, what it says, who said so."""
    said = said_words(event.source, event.writer, event.confidence)
    lines = [
        line(span(f"{instant_words(event.observed_at)}  ", "faint"), *event_spans(event)),
        line(span(f"{said}{received_words(event)}", "faint"), indent=3),
    ]
    lines += [line(span(f"withdraws {each}", "faint"), indent=3) for each in event.replaces]
    lines += evidence_lines(event.evidence, indent=3)
    lines.append(line(span(event.event_id, "faint"), indent=3))
    return lines


def received_words(event: EventView) -> str:
    """Return when an event was received, where that is not when it was observed."""
    received = instant_words(event.recorded_at)
    is_late = event.recorded_at is not None and received != instant_words(event.observed_at)
    return f"  received {received}" if is_late else ""


def event_spans(event: EventView) -> tuple[StyledText, StyledText]:
    """Return whether an event says or withdraws something, and what."""
    sentence = span(cut_words(event.sentence.removeprefix(_NOT)), "title")
    if event.retraction:
        return span("withdrew: ", "bad"), sentence
    return span("said: ", "good"), span(cut_words(event.sentence), "title")
