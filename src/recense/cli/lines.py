"""Lines of text with styles: what rendering makes and a writer writes."""

from collections.abc import Iterable, Sequence
from typing import Literal

from recense.cli.safe_text import line_text, safe_text
from recense.core.values import Value

Style = Literal[
    "plain", "faint", "title", "term", "command", "user", "agent", "tool", "good", "bad", "number"
]
"""What a span is; the writer decides how that looks, if it can look like anything."""


class StyledText(Value, kw_only=True):
    """A stretch of one style."""

    text: str
    style: Style = "plain"


class Line(Value, kw_only=True):
    """One logical line. A line break within its spans is written as a space, so that a title or a
    name cannot begin a line of its own; a text that has lines goes through `indented_lines`.

    A writer may wrap it, and then keeps the indent (columns); not one that is ``whole``, which a
    person copies.
    """

    spans: tuple[StyledText, ...] = ()
    indent: int = 0
    whole: bool = False


BLANK = Line()


def line(*parts: str | StyledText, indent: int = 0) -> Line:
    """Return a line of plain texts and spans."""
    spans = tuple(StyledText(text=part) if isinstance(part, str) else part for part in parts)
    return Line(spans=spans, indent=indent)


def command_line(words: str, indent: int = 0) -> Line:
    """Return a line that says what to type next."""
    return Line(spans=(StyledText(text=words, style="command"),), indent=indent, whole=True)


def about_line(parts: Iterable[str | None]) -> Line:
    """Return what there is to know of the thing above, without what is not known."""
    return line(span("  ".join(part for part in parts if part), "faint"), indent=3)


def span(text: str, style: Style) -> StyledText:
    """Return a span."""
    return StyledText(text=text, style=style)


def text_lines(text: str) -> list[Line]:
    """Return the lines of a plain text."""
    return indented_lines([StyledText(text=text)], indent=0)


def indented_lines(spans: Iterable[StyledText], indent: int) -> list[Line]:
    """Return the lines of a text that has line breaks inside its spans."""
    rows: list[list[StyledText]] = [[]]
    for piece in spans:
        first, *others = safe_text(piece.text).split("\n")
        rows[-1].append(StyledText(text=first, style=piece.style))
        rows.extend([StyledText(text=other, style=piece.style)] for other in others)
    return [Line(spans=tuple(part for part in row if part.text), indent=indent) for row in rows]


def plain_text(lines: Sequence[Line]) -> str:
    """Return lines without styles, unwrapped and safe, each ended by LF."""
    return "".join(
        (" " * row.indent + "".join(line_text(part.text) for part in row.spans)).rstrip() + "\n"
        for row in lines
    )
