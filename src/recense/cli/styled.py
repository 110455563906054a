"""Writing lines in colour, with rich: loaded only where a terminal shows it."""

from collections.abc import Sequence
from typing import Final, TextIO

from rich.console import Console
from rich.text import Text

from recense.cli.lines import Line, Style
from recense.cli.safe_text import line_text

LOOKS: Final[dict[Style, str]] = {
    "plain": "",
    "faint": "dim",
    "title": "bold",
    "term": "bold black on yellow",
    "command": "cyan",
    "user": "bold green",
    "agent": "bold blue",
    "tool": "bold magenta",
    "good": "green",
    "bad": "bold red",
    "number": "bold",
}
"""How each style looks: only the sixteen colours that a terminal's own theme keeps readable."""


def write_styled(stream: TextIO, lines: Sequence[Line]) -> None:
    """Write lines in colour, wrapped to the terminal's width with their indent kept."""
    console = Console(file=stream, force_terminal=True, highlight=False, markup=False, emoji=False)
    for row in lines:
        text = Text()
        for part in row.spans:
            text.append(line_text(part.text), style=LOOKS[part.style])
        columns = max(console.width - row.indent, 1)
        for piece in [text] if row.whole else text.wrap(console, columns, overflow="fold"):
            console.print(Text(" " * row.indent).append_text(piece), soft_wrap=True)
