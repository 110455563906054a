"""Text that may be shown: whatever was recalled, it cannot steer the terminal.

Law: nothing that came from a session, a file name or an error reaches a terminal before it has been
through `safe_text`. Control characters become visible escapes, so that a reader sees that they were
there; only line breaks and tabs pass. Overrides and isolates of writing direction, by which a text
can look like another one, become visible too.
"""

import re
from typing import Final

STEERING: Final = "\x7f-\x9f\u2028-\u202e\u2066-\u2069"
"""DEL, C1, line and paragraph separators, overrides and isolates of direction, as they stand in a
character class: what a terminal obeys besides C0."""

_UNSAFE: Final = re.compile(f"[\x00-\x08\x0b-\x1f{STEERING}\ud800-\udfff]")
"""C0 without tab and line feed, what else steers, and halves of surrogate pairs, which no encoding
can write."""

_BYTE_MAX: Final = 0xFF

_LINE_BREAK: Final = re.compile("\r\n?")


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code <= _BYTE_MAX else f"\\u{code:04x}"


def safe_text(text: str) -> str:
    """Return ``text`` with LF as its only line break and everything unsafe as a visible escape."""
    return _UNSAFE.sub(_escape, _LINE_BREAK.sub("\n", text))


def safe_line(text: str) -> str:
    """Return `safe_text` on one line: line breaks and tabs become spaces."""
    return safe_text(text).replace("\n", " ").replace("\t", " ")
