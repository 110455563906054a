"""Feet of pages, as those of sessions, messages, facts and agents have them. Pure."""

from collections.abc import Sized

from recense.cli.lines import Line, command_line, line, span
from recense.cli.render_recall import counted


def range_lines(noun: str, begun: int, shown: Sized, total: int, more: str) -> list[Line]:
    """Return the foot of a page that began behind the first ``begun``: which of how many things it
    shows and, where others follow, the command for them, ``more`` and the number of the next.
    """
    end = begun + len(shown)
    which = f"{begun + 1:,} to {end:,} of " if shown else ""
    lines = [line(span(f"{which}{counted(total, noun)}", "faint"))]
    if begun < end < total:
        lines.append(command_line(f"{more} {end}"))
    return lines


def next_page_line(after: str) -> Line:
    """Return what to add to a command for the page after this one."""
    return line("The next ones: the same with ", span(f"--after {after}", "command"))
