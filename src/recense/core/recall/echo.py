"""Echoes: messages that repeat what Recense itself once answered.

Law: an agent that asked before finds its own question and our answer again, which know nothing that
their sources do not; so an echo comes after every other hit, whatever its score. It is known by an
anchor: every answer of ours carries one for each passage, in every form in which it leaves, and
nobody else writes a text that `recense.core.ids.split_anchor` accepts. What an agent asked of us is
known by the name of the tool or by the command.
"""

from base64 import urlsafe_b64decode
from typing import Final

import re2

from recense.core.ids import split_anchor
from recense.core.transcript.messages import Message, visible_text
from recense.errors import NotFound

# The shortest anchor holds an event id of 32 digits, a line break and a session's id.
_MAY_BE_ANCHOR: Final = re2.compile(r"[A-Za-z0-9_\-]{48,}")

_ASKS: Final = re2.compile(
    r"(?m)^(?:mcp__recense__|recense[._])\w+|\brecense\s+(?:recall|more|grep|material)\b"
)


def is_echo(message: Message) -> bool:
    """Whether a message asks Recense something or holds an answer of it."""
    text = visible_text(message)
    if message.kind == "tool_call" and "recense" in text and _ASKS.search(text) is not None:
        return True
    return any(_is_anchor(found.group() or "") for found in _MAY_BE_ANCHOR.finditer(text))


def _is_anchor(text: str) -> bool:
    # Hashes and tokens look alike, and most hold no line break: that is quickly seen.
    if b"\n" not in urlsafe_b64decode(text[: len(text) // 4 * 4]):
        return False
    try:
        session_id, _ = split_anchor(text)
    except NotFound:
        return False
    return ":" in session_id
