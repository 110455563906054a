"""Where in a store of records extraction lies, and under what all that is kept of a session."""

from hashlib import sha256
from typing import Final

EXTRACTION: Final = "_extraction"

LISTS: Final = "touches"
"""The field by which every store lists at once."""

_DIGITS: Final = 32


def session_list(session: str) -> str:
    """Return the list of all that is kept of a session, whoever read it."""
    return f"session:{digest_of(session)}"


def digest_of(*parts: str | int) -> str:
    """Return 32 hexadecimal digits for what names a thing."""
    text = "\n".join(map(str, parts))
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:_DIGITS]
