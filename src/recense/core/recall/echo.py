"""Echoes: messages that repeat what Recense itself once answered.

Law: an agent that asked before finds its own question and our answer again, which know nothing that
their sources do not; so an echo comes after every other hit, whatever its score. It is known by an
anchor: every answer of ours carries one for each passage, in every form in which it leaves, and
nobody else writes a text that `recense.core.ids.split_anchor` accepts. What an agent asked of us is
known by the name of the tool or by the command.
"""

import re
from binascii import a2b_base64
from typing import Final

import re2

from recense.core.ids import split_anchor
from recense.core.transcript.messages import Message, visible_text
from recense.errors import NotFound

_LETTERS: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"

# The shortest anchor holds an event id of 32 digits, a line break and a session's id.
_LONG_RUN: Final = b"a" * 48
_MAY_BE_ANCHOR: Final = re.compile(rb"[A-Za-z0-9_\-]{48,}")

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
    data = text.encode("utf-8", "replace")
    if _LONG_RUN not in data.translate(_ALPHABET):
        return False
    return any(_is_anchor(found.group()) for found in _MAY_BE_ANCHOR.finditer(data))


def _is_anchor(token: bytes) -> bool:
    # Hashes and keys look alike, and most hold no line break: that is quickly seen.
    if b"\n" not in a2b_base64(token[: len(token) // 4 * 4].translate(_STANDARD)):
        return False
    try:
        session_id, _ = split_anchor(token.decode())
    except NotFound:
        return False
    return ":" in session_id
