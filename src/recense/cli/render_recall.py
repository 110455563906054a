"""Answers of recall as lines: passages, what to type next, and in words what was not searched.

Pure: structs in, lines out. Recalled text is data; it is quoted under a label that says whose words
it is, and nothing in it is followed.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, assert_never

from recense.cli.highlight import highlighted
from recense.cli.lines import (
    BLANK,
    Line,
    Style,
    about_line,
    command_line,
    indented_lines,
    line,
    span,
)
from recense.core.transcript.messages import Material, MessageKind
from recense.limits import TITLE_CODE_POINTS_MAX
from recense.operations.recall import (
    BranchesLeftOut,
    BudgetDropped,
    Explanation,
    FactsUnavailable,
    Gap,
    NotConverted,
    NotImported,
    OriginLeftOut,
    Passage,
    PassageMessage,
    PrivateExcluded,
    RecallAnswer,
    ScanVerification,
    SemanticUnavailable,
    SessionsSearched,
    SessionUnreadable,
    SpilledBodyMissing,
    TermScore,
    TermsLeftOut,
    TextBeyondLimit,
    UnmatchedTerm,
)
from recense.operations.texts import TextFact

LABELS: Final[dict[MessageKind, tuple[str, Style]]] = {
    "user": ("user", "user"),
    "assistant": ("assistant", "agent"),
    "tool_call": ("tool call", "tool"),
    "tool_result": ("tool result", "tool"),
    "summary": ("summary", "agent"),
    "note": ("note", "faint"),
}
"""What stands before a message: whose words they are."""

_INSTANT_LENGTH: Final = len("2026-03-01T09:30")


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: ``1 session``, ``1,204 sessions``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def instant_words(at: str | None) -> str:
    """Return a wire instant to the minute, in UTC as everything here: ``2026-03-01 09:30``."""
    return "" if at is None else at[:_INSTANT_LENGTH].replace("T", " ")


def title_words(title: str) -> str:
    """Return a title; of one that was cut to the length that is kept, whole words and dots."""
    if len(title) < TITLE_CODE_POINTS_MAX:
        return title
    words, _, last = title.rpartition(" ")
    return f"{words if words and len(last) < _WORD_LENGTH else title} ..."


_WORD_LENGTH: Final = 30
"""Code points after the last space of a cut title that may still be the head of a word: Chinese has
no spaces, and a path is long."""

_HOW_A_SCORE_IS_MADE: Final = (
    "A score is the sum of its lines; the higher one comes first. A line is",
    "weight x rarity x n x 2.2 / (n + 1.2 x length factor),",
    "n being how many times it is there. What few others have is rare. The length",
    "factor is 1 for a usual length, and lowers the line of what is longer.",
    "A date's line is weight x rarity x how near it is.",
    "A turn is shown once, at its best message. While others have something to say,",
    "a session has a third of the places.",
)


def answer_lines(answer: RecallAnswer) -> list[Line]:
    """Return an answer: facts, passages, then the gaps."""
    lines = _fact_lines(answer.facts)
    scores = Counter(passage.score for passage in answer.passages)
    for number, passage in enumerate(answer.passages, start=1):
        is_tied = scores[passage.score] > 1
        passage_lines = _passage_lines(passage, answer.terms, f"{number}. ", is_tied=is_tied)
        lines += [*passage_lines, BLANK]
    if any(passage.explanation is not None for passage in answer.passages):
        lines += [*(line(span(words, "faint")) for words in _HOW_A_SCORE_IS_MADE), BLANK]
    elsewhere = _materials_elsewhere(answer)
    if elsewhere:
        lines.append(line(span("Also in these turns", "title")))
        lines += [*material_lines(elsewhere, indent=3), BLANK]
    if not answer.passages and (answer.terms or not answer.facts):
        lines += [line("No passage."), BLANK]
    if answer.terms:
        searched = ", ".join(answer.terms)
        lines.append(line(span(f"Searched for: {searched}", "faint")))
    lines += [line(span(gap_words(gap), "faint")) for gap in answer.gaps]
    facts = f"{counted(len(answer.facts), 'fact')}, " if answer.facts else ""
    passages = counted(len(answer.passages), "passage")
    lines.append(line(span(f"{facts}{passages} in {answer.took_ms:.0f} ms", "faint")))
    return lines


def _fact_lines(facts: Sequence[TextFact]) -> list[Line]:
    """Return what holds now, each with since when and what was before, newest first."""
    lines: list[Line] = []
    for fact in facts:
        lines.append(line(fact.text, span(f"  since {instant_words(fact.since)}", "faint")))
        lines += [line(span(f"before: {text}", "faint"), indent=3) for text in fact.before]
    return [*lines, BLANK] if lines else []


def verification_lines(verified: ScanVerification) -> list[Line]:
    """Return an answer, and below it whether reading every session gives the same."""
    took = (
        f"{verified.answer.took_ms:.0f} ms by the index, {verified.scan_took_ms:.0f} ms by reading"
    )
    if verified.is_equal:
        verdict = line(span("Verified: ", "good"), "reading every session gives the same answer")
    else:
        verdict = line(span("NOT THE SAME: ", "bad"), verified.difference)
    return [*answer_lines(verified.answer), verdict, line(span(took, "faint"))]


def _materials_elsewhere(answer: RecallAnswer) -> list[Material]:
    """Return the materials of the turns that no message shown has."""
    shown = {
        material.id
        for passage in answer.passages
        for message in passage.messages
        for material in message.materials
    }
    return [material for material in answer.materials if material.id not in shown]


def more_lines(passage: Passage) -> list[Line]:
    """Return one passage."""
    return _passage_lines(passage, passage.matched_terms, "", is_tied=False)


def _passage_lines(
    passage: Passage, terms: Sequence[str], number: str, *, is_tied: bool
) -> list[Line]:
    anchor = next((message for message in passage.messages if message.is_anchor), None)
    at = None if anchor is None else anchor.at
    about = [passage.source, passage.workspace, instant_words(at)]
    about.append("" if passage.origin == "interactive" else passage.origin)
    about.append("" if passage.source_available else "its file is gone")
    about.append("an echo of an earlier answer" if passage.echo else "")
    lines = [
        line(span(f"{number}{title_words(passage.title or passage.session)}", "title")),
        about_line(about),
    ]
    if passage.has_more_before:
        lines.append(line(span("...", "faint"), indent=3))
    for message in passage.messages:
        lines += _message_lines(message, terms, passage.anchor)
    if passage.has_more_after:
        lines.append(line(span("...", "faint"), indent=3))
    if passage.truncated:
        lines.append(line(span("cut to fit", "faint"), indent=3))
    if passage.explanation is not None:
        lines += _explanation_lines(passage.explanation, passage.score, at, is_tied=is_tied)
    lines.append(command_line(f"recense more {passage.anchor}", indent=3))
    return lines


def _message_lines(message: PassageMessage, terms: Sequence[str], anchor: str) -> list[Line]:
    label, style = LABELS[message.kind]
    mark = "> " if message.is_anchor else "  "
    lines = [
        line(span(mark + label, style), span("  " + instant_words(message.at), "faint"), indent=1)
    ]
    lines += indented_lines(highlighted(message.text, terms), indent=5)
    end = message.offset + len(message.text)
    if message.offset or end < message.length:
        words = f"characters {message.offset:,} to {end:,} of {message.length:,}"
        lines.append(line(span(words, "faint"), indent=5))
        if message.is_anchor and end < message.length:
            lines.append(command_line(f"recense more {anchor} --offset {end}", indent=5))
    lines += material_lines(message.materials, indent=5)
    return lines


def material_lines(materials: Iterable[Material], indent: int) -> list[Line]:
    """Return what each attachment is, and where its bytes are kept what to type for them.

    One without a name is described in the text of its message already.
    """
    lines: list[Line] = []
    for material in materials:
        if material.name:
            lines.append(line(span(_material_words(material), "faint"), indent=indent))
        if material.sha256 is not None:
            lines.append(command_line(f"recense material {material.id}", indent=indent))
    return lines


def _material_words(material: Material) -> str:
    about = f"{material.kind}: {material.name}, {material.media_type}"
    return f"[{about}, {counted(material.bytes, 'byte')}]"


def _explanation_lines(
    explanation: Explanation, score: float, at: str | None, *, is_tied: bool
) -> list[Line]:
    """Return the score, the parts that add up to it, and, where another passage has the same score,
    what decides between the two.
    """
    head = (
        f"score {score:.4f}, among {counted(explanation.corpus_messages, 'message')}"
        f" of {counted(explanation.corpus_length, 'character')} in all"
        f"{_sessions_words(explanation)}; {_quota_words(explanation)}"
    )
    parts = [_term_words(term, explanation) for term in explanation.terms]
    if explanation.support:
        parts.append(f"words of the question in the messages around it: {explanation.support:.4f}")
    if explanation.kind_weight != 1:
        weight = f"{explanation.kind_weight:g}"
        is_any_whole = any(term.of == "together" for term in explanation.terms)
        but = ", but for terms together" if is_any_whole else ""
        parts.append(f"a machine's text: the lines above are already multiplied by {weight}{but}")
    if is_tied:
        parts.append(
            "of equal scores those without an instant come last: it has none"
            if at is None
            else f"of equal scores the later comes first: {at}"
        )
    return [
        line(span(head, "faint"), indent=3),
        *(line(span(part, "faint"), indent=5) for part in parts),
    ]


def _quota_words(explanation: Explanation) -> str:
    match explanation.quota:
        case "first_pass":
            return "within its session's share of the places"
        case "filled":
            return "beyond its session's share, in a place that was left"
        case _:
            assert_never(explanation.quota)


def _sessions_words(explanation: Explanation) -> str:
    if not explanation.corpus_sessions:
        return ""
    return f" and {counted(explanation.corpus_sessions, 'session')}"


def _term_words(term: TermScore, explanation: Explanation) -> str:
    length = "" if term.of == "date" else f"; length factor {term.length_norm:.4f}"
    return (
        f"{_term_name(term)}: {term.score:.4f}"
        f" ({_frequency_words(term, explanation)}: rarity {term.idf:.4f}{length};"
        f" weight {term.weight:g})"
    )


def _frequency_words(term: TermScore, explanation: Explanation) -> str:
    """Return how much of a term there is, and among what it is how rare."""
    times = "once" if term.tf == 1 else f"{term.tf:g} times"
    match term.of:
        case "term":
            of_all = counted(explanation.corpus_messages, "message")
            return f"{times}; in {term.df:,} of {of_all}"
        case "question" | "phrase":
            return f"{times}; in {term.df:,} of the best messages"
        case "together":
            return f"near by {term.tf:g}; in {term.df:,} of the best messages"
        case "session" | "question_session":
            of_all = counted(explanation.corpus_sessions, "session")
            return f"{times}, a machine's text counting half; in {term.df:,} of {of_all}"
        case "date":
            return f"near by {term.tf:g}; {term.df:,} of the messages found are near"
        case _:
            assert_never(term.of)


def _term_name(term: TermScore) -> str:
    match term.of:
        case "term":
            return term.term
        case "together":
            return f'terms together "{term.term}"'
        case "session":
            return f"{term.term} in its whole session"
        case "date":
            return f'date of the question "{term.term}"'
        case "question":
            return f'word of the question "{term.term}"'
        case "question_session":
            return f'word of the question "{term.term}" in its whole session'
        case "phrase":
            return f'words of the question together "{term.term}"'
        case _:
            assert_never(term.of)


def gap_words(gap: Gap) -> str:  # noqa: C901, PLR0912 -- a case for each gap there is
    """Return a gap in plain words, with what to do where something can be done."""
    match gap:
        case UnmatchedTerm():
            return f"No searched message contains {gap.term!r}."
        case TermsLeftOut():
            return (
                f"Left out {counted(gap.n, 'term')} of the question, which has more than are"
                " searched at once; ask a shorter one, or give the telling words as terms."
            )
        case SessionsSearched(n=0):
            return (
                "No session was searched: none is kept (recense import), or the filters leave none."
            )
        case SessionsSearched():
            since = f", the oldest from {gap.oldest[:10]}" if gap.oldest else ""
            return f"Searched {counted(gap.n, 'session')}{since}."
        case SessionUnreadable(session=None):
            return (
                f"{counted(gap.events, 'event')} of {counted(gap.sessions, 'other session')}"
                " cannot be read by this release."
            )
        case SessionUnreadable():
            return (
                f"{counted(gap.events, 'event')} of session {gap.session} cannot be read by this"
                " release."
            )
        case OriginLeftOut():
            return (
                f"Left out {counted(gap.sessions, f'{gap.origin} session')}"
                f" (--origin {gap.origin}, or --origin all)."
            )
        case TextBeyondLimit():
            return (
                f"Kept and not searched: {counted(gap.bytes, 'byte')} of very long results in"
                f" {counted(gap.sessions, 'session')}."
            )
        case SpilledBodyMissing():
            return (
                f"Here only as a preview: {counted(gap.bodies, 'tool result')} in"
                f" {counted(gap.sessions, 'session')}, whose rest was in a file of its own."
            )
        case BranchesLeftOut():
            return (
                f"Left out {counted(gap.messages, 'message')} in"
                f" {counted(gap.sessions, 'session')} on branches that were rewound"
                " (recense sessions show ID --all)."
            )
        case BudgetDropped(n=0):
            return f"{counted(gap.materials, 'material')} of these turns did not fit."
        case BudgetDropped(materials=0):
            return f"{counted(gap.n, 'passage')} more matched and did not fit; narrow the search."
        case BudgetDropped():
            return (
                f"{counted(gap.n, 'passage')} more matched and did not fit, nor did"
                f" {counted(gap.materials, 'material')} of the turns; narrow the search."
            )
        case FactsUnavailable():
            return f"No facts: {gap.reason}."
        case SemanticUnavailable():
            return f"Searched by words alone: {gap.reason}."
        case NotConverted(searched=False):
            return (
                f"Not searched: {counted(gap.n, 'archived record')} whose importer is not"
                " installed (recense convert says which)."
            )
        case NotConverted():
            return (
                f"Converted {counted(gap.n, 'archived record')} for this answer alone"
                " (recense convert makes the next one faster)."
            )
        case NotImported():
            return (
                f"{counted(gap.files, 'file')} of {gap.source} failed to import"
                " (recense doctor says why)."
            )
        case PrivateExcluded():
            return (
                f"Left out {counted(gap.sessions, 'hidden session')} (recense sessions unhide ID)."
            )
        case _:
            assert_never(gap)
