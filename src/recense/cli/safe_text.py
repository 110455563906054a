"""Text that may be shown: whatever was recalled, it cannot steer the terminal.

Law: nothing that came from a session, a file name or an error reaches a terminal before it has been
through `safe_text`. Control characters become visible escapes, so that a reader sees that they were
there; only line breaks and tabs pass. Overrides and isolates of writing direction, by which a text
can look like another one, become visible too, and so does what no reader sees and a program reads:
tags, annotations and the invisible signs of formulas. What a line is made of is on one line
(`line_text`): no title, name or path begins a line of ours.
"""

import re
from typing import Final

from recense.core.late_patterns import late_pattern

STEERING: Final = (
    "\x7f-\x9f\u180e\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U0001d173-\U0001d17a"
    "\U000e0000-\U000e007f"
)
"""What a terminal obeys besides C0, or hides, as it stands in a character class: DEL, C1, line and
paragraph separators, overrides and isolates of direction, invisible signs and annotations, tags.
Joiners, soft hyphens and the marks of direction that Arabic and Hebrew need are left alone."""

_UNSAFE: Final = late_pattern(f"[\x00-\x08\x0b-\x1f{STEERING}\ud800-\udfff]")
"""C0 without tab and line feed, what else steers, and halves of surrogate pairs, which no encoding
can write."""

_BYTE_MAX: Final = 0xFF
_BASIC_MAX: Final = 0xFFFF

_LINE_BREAK: Final = late_pattern("\r\n?")


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code <= _BYTE_MAX:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= _BASIC_MAX else f"\\U{code:08x}"


def safe_text(text: str) -> str:
    """Return ``text`` with LF as its only line break and everything unsafe as a visible escape."""
    if text.isascii() and text.isprintable():
        return text
    return _UNSAFE.sub(_escape, _LINE_BREAK.sub("\n", text))


def line_text(text: str) -> str:
    """Return `safe_text` on one line: line breaks become spaces."""
    return safe_text(text).replace("\n", " ")


def safe_line(text: str) -> str:
    """Return `line_text` with spaces for tabs too: it takes as many columns as it has."""
    return line_text(text).replace("\t", " ")
