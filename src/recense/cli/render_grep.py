"""Answers of grep as lines: session by session, message by message, matches with their numbers.

Pure: structs in, lines out.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby

from recense.cli.lines import BLANK, Line, StyledText, about_line, command_line, line, span
from recense.cli.render_recall import LABELS, counted, gap_words, instant_words, title_words
from recense.operations.grep import GrepAnswer, GrepMatch


def grep_lines(answer: GrepAnswer) -> list[Line]:
    """Return an answer: the matches, how many there are, then the gaps."""
    lines: list[Line] = []
    for _, matches in groupby(answer.matches, key=lambda match: match.session):
        lines += [*_session_lines(list(matches)), BLANK]
    lines.append(line(span(_total_words(answer), "number")))
    lines += [line(span(gap_words(gap), "faint")) for gap in answer.gaps]
    return lines


def _total_words(answer: GrepAnswer) -> str:
    found = counted(answer.total, "match", "matches") if answer.total else "No match"
    shown = f", the newest {len(answer.matches):,} shown (--limit)"
    return f"{found}{shown * (len(answer.matches) < answer.total)}, in {answer.took_ms:.0f} ms"


def _session_lines(matches: list[GrepMatch]) -> Iterator[Line]:
    first = matches[0]
    yield line(span(title_words(first.title or "(no title)"), "title"))
    yield about_line((first.session, first.workspace))
    for anchor, in_message in groupby(matches, key=lambda match: match.anchor):
        yield from _message_lines(list(in_message))
        yield command_line(f"recense more {anchor}", indent=3)


def _message_lines(matches: list[GrepMatch]) -> Iterator[Line]:
    """Yield the lines of a message that are shown, each once, with a gap where some are not."""
    label, style = LABELS[matches[0].kind]
    about = f"{matches[0].position} "
    yield line(
        span(about, "faint"),
        span(label, style),
        span(f"  {instant_words(matches[0].at)}", "faint"),
        indent=3,
    )
    shown = dict(_context(matches)) | {match.line: _match_spans(match) for match in matches}
    width = len(f"{max(shown):,}")
    hits = {match.line for match in matches}
    last = 0
    for number in sorted(shown):
        if last and number > last + 1:
            yield line(span("...", "faint"), indent=5)
        mark = ":" if number in hits else "-"
        yield line(span(f"{number:>{width}}{mark} ", "faint"), *shown[number], indent=5)
        last = number


def _context(matches: Iterable[GrepMatch]) -> Iterator[tuple[int, list[StyledText]]]:
    """Yield the lines around matches by their numbers."""
    for match in matches:
        first = match.line - len(match.before)
        for number, text in enumerate(match.before, start=first):
            yield number, [span(text, "faint")]
        for number, text in enumerate(match.after, start=match.line + 1):
            yield number, [span(text, "faint")]


def _match_spans(match: GrepMatch) -> list[StyledText]:
    """Return a matching line with what matched marked, and where it was cut."""
    spans = [span("...", "faint")] if match.offset else []
    done = 0
    for columns in match.columns:
        start = max(columns.start - match.offset, done)
        end = max(columns.end - match.offset, start)
        spans += [span(match.text[done:start], "plain"), span(match.text[start:end], "term")]
        done = end
    spans.append(span(match.text[done:], "plain"))
    if match.offset + len(match.text) < match.length:
        spans.append(span("...", "faint"))
    return [each for each in spans if each.text]
