"""Facts in sentences as lines: what was kept, what may be forgotten, how it came to be so.

Pure: structs in, lines out.
"""

from collections.abc import Iterable, Sequence

from recense.cli.lines import BLANK, Line, StyledText, command_line, line, span
from recense.cli.render_facts import cut_words
from recense.cli.render_recall import counted, instant_words
from recense.operations.texts import (
    ForgetAnswer,
    HistoryThread,
    RememberedText,
    TextFact,
    TextHistory,
    ThreadStep,
)


def remembered_text_lines(remembered: RememberedText) -> list[Line]:
    """Return what became of a text: kept, and what was filed from it."""
    kept = "Kept." if remembered.is_new else "Kept already, word for word."
    lines = [line(kept, span(f"  {remembered.episode}", "faint"))]
    for fact in remembered.filed:
        lines += [*text_fact_lines(fact, span("+ ", "good")), _id_line(fact)]
    for fact in remembered.known:
        lines += [*text_fact_lines(fact, span("known already: ", "faint")), _id_line(fact)]
    lines += [line(span("- no longer: ", "bad"), cut_words(text)) for text in remembered.ended]
    lines += [
        line(span("not filed: ", "bad"), f"statement {each.position + 1}: {each.reason}")
        for each in remembered.refused
    ]
    for each in remembered.not_filed:
        word, why = ("to confirm: " if each.to_confirm else "not filed: "), f"  {each.reason}"
        lines.append(line(span(word, "bad"), cut_words(each.evidence), span(why, "faint")))
    if remembered.unread:
        lines += [
            line(span("Its facts are not all read: ", "bad"), remembered.unread),
            command_line(f"recense extract run {remembered.episode}"),
        ]
    return lines


def text_fact_lines(fact: TextFact, mark: StyledText | None = None) -> list[Line]:
    """Return a fact in words, and below since when, what was before, and where it was read."""
    ago = counted(fact.days_ago, "day") + " ago" if fact.days_ago else "today"
    lines = [
        line(*([] if mark is None else [mark]), span(cut_words(fact.text), "title")),
        line(span(f"since {instant_words(fact.since)} ({ago})", "faint"), indent=3),
    ]
    lines += [line(f"before: {cut_words(text)}", indent=3) for text in fact.before]
    lines += [line(f"also: {cut_words(text)}", indent=3) for text in fact.elsewhere]
    return lines + [command_line(f"recense more {anchor}", indent=3) for anchor in fact.anchors]


def _id_line(fact: TextFact) -> Line:
    return line(span(fact.fact, "faint"), indent=3)


def forget_answer_lines(answer: ForgetAnswer) -> list[Line]:
    """Return what was withdrawn, or what may be meant and what to type to withdraw it."""
    lines = [line(span("withdrawn: ", "bad"), cut_words(text)) for text in answer.withdrawn]
    lines += [line(f"{fact}: nothing that holds now") for fact in answer.not_held]
    if answer.undecided:
        lines.append(line(span("The model did not say: ", "bad"), answer.undecided))
    if answer.offers:
        lines.append(line("Nothing is withdrawn yet. What do you mean?"))
    for number, offer in enumerate(answer.offers, start=1):
        lines += [
            *text_fact_lines(offer, span(f"{number}. ", "faint")),
            command_line(f"recense forget --fact {offer.fact}", indent=3),
        ]
    return lines or [line("Nothing of it is held, so there is nothing to forget.")]


def text_history_lines(history: TextHistory) -> list[Line]:
    """Return threads of change, the best first."""
    lines: list[Line] = []
    for number, thread in enumerate(history.threads, start=1):
        lines += [*_thread_lines(number, thread), BLANK]
    total = counted(len(history.threads), "thread of change", "threads of change")
    nothing = "Nothing is known about it."
    return [*lines, line(span(total, "faint")) if history.threads else line(nothing)]


def _thread_lines(number: int, thread: HistoryThread) -> Iterable[Line]:
    yield line(span(f"{number}. ", "faint"), *_now(thread.now))
    for step in thread.steps:
        yield from _step_lines(step)


def _now(texts: Sequence[str]) -> list[StyledText]:
    if not texts:
        return [span("Nothing of it holds now.", "title")]
    return [span(cut_words("; ".join(texts)), "title")]


def _step_lines(step: ThreadStep) -> Iterable[Line]:
    until = "now" if step.until is None else instant_words(step.until)
    yield line(
        span(f"{instant_words(step.since)} to {until}  ", "faint"), cut_words(step.text), indent=3
    )
    if step.ended_by:
        yield line(span(f"ended by: {cut_words(step.ended_by)}", "faint"), indent=6)
