"""Echoes: messages that repeat what Recense itself once answered.

Law: an agent that asked before finds its own question and our answer again, which know nothing that
their sources do not; so an echo comes after every other hit, whatever its score. It is known by an
anchor: every answer of ours carries one for each passage, in every form in which it leaves, and
nobody else writes a text that `recense.core.ids.split_anchor` accepts. What an agent asked of us is
known by the name of the tool or by the command.
"""

from binascii import a2b_base64
from collections.abc import Iterator
from typing import Final

import re2

from recense.core.ids import split_anchor
from recense.core.transcript.messages import Message, visible_text
from recense.errors import NotFound

_LETTERS: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"

# The shortest anchor holds an event id of 32 digits, a line break and a session's id.
_LONG_RUN: Final = b"a" * 48

_ALPHABET: Final = bytes(ord("a") if byte in _LETTERS else ord(" ") for byte in range(256))
"""Makes every letter of an anchor one and the same: a long run of it is then found at once."""

_STANDARD: Final = bytes.maketrans(b"-_", b"+/")

_ASKS: Final = re2.compile(
    r"(?m)^(?:mcp__recense__|recense[._])\w+|\brecense\s+(?:recall|more|grep|material)\b"
)


def is_echo(message: Message) -> bool:
    """Whether a message asks Recense something or holds an answer of it."""
    text = visible_text(message)
    if message.kind == "tool_call" and "recense" in text and _ASKS.search(text) is not None:
        return True
    return any(map(_is_anchor, _long_runs(text.encode("utf-8", "replace"))))


def _long_runs(data: bytes) -> Iterator[bytes]:
    """Yield the longest runs of letters of an anchor, as far as they are long enough for one."""
    shape = data.translate(_ALPHABET)
    start = shape.find(_LONG_RUN)
    while start >= 0:
        end = shape.find(b" ", start)
        end = len(shape) if end < 0 else end
        yield data[start:end]
        start = shape.find(_LONG_RUN, end)


def _is_anchor(token: bytes) -> bool:
    # Hashes and keys look alike, and most hold no line break: that is quickly seen.
    if b"\n" not in a2b_base64(token[: len(token) // 4 * 4].translate(_STANDARD)):
        return False
    try:
        session_id, _ = split_anchor(token.decode())
    except NotFound:
        return False
    return ":" in session_id
