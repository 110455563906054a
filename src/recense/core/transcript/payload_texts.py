"""What the bytes of a payload read as: a text, in whatever encoding, or none.

Law: a payload that reads as text is redacted as one, in its own encoding; what is no text is an
image or a document, into which no rule of ours can look.
"""

import re
from typing import Final

from recense.core.text.known_secrets import NOTHING_KNOWN, KnownSecrets
from recense.core.text.redact import redact

# Bytes that hardly stand in a text of a single-byte encoding, and never many of them.
_CONTROL: Final = bytes((*range(7), *range(0x0E, 0x1B), *range(0x1C, 0x20)))
_CONTROL_SHARE_MAX: Final = 1 / 64

# What texts in UTF-16 are made of; what is none reads as characters of every other block.
_WRITTEN: Final = re.compile(
    "[\t\n\r -~\u00a0-\u052f\u2010-\u203e\u20ac\u2190-\u21ff\u2500-\u257f\u3000-\u30ff"
    "\u4e00-\u9fff\uac00-\ud7a3\ufeff\uff00-\uffef\U0001f300-\U0001faff]+"
)
_WRITTEN_SHARE_MIN: Final = 0.9
_UTF_16_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")

PAYLOAD_MAGIC: Final = (
    b"\x89PNG\r\n",
    b"\xff\xd8\xff",
    b"GIF8",
    b"RIFF",
    b"%PDF-",
    b"PK\x03\x04",
    b"\x1f\x8b",
)
"""How images, documents and archives begin: base64 of them is a payload under any key."""


def redacted_payload(data: bytes, known: KnownSecrets = NOTHING_KNOWN) -> bytes:
    """Return a payload as it may be kept or leave: a text without its secrets."""
    for encoding in encodings_of(data):
        text = data.decode(encoding)
        redacted = redact(text, known).text
        if redacted != text:
            return redacted.encode(encoding)
    return data


def encodings_of(data: bytes) -> tuple[str, ...]:
    """Return the encodings in which a payload reads as text: UTF-8, UTF-16 with or without its
    mark, or one of the single-byte encodings, which share what a secret is made of.

    A text may read as one in several; in the wrong ones it holds no secret.
    """
    if data.startswith(PAYLOAD_MAGIC):
        return ("utf-8",) if _decodes(data, "utf-8") else ()
    found: list[str] = []
    if len(data) % 2 == 0 and (b"\0" in data or data.startswith(_UTF_16_MARKS)):
        found += (each for each in ("utf-16-le", "utf-16-be") if _reads_as(data, each))
    if _decodes(data, "utf-8"):
        found.append("utf-8")
    elif len(data) - len(data.translate(None, _CONTROL)) <= len(data) * _CONTROL_SHARE_MAX:
        found.append("latin-1")
    return tuple(found)


def _reads_as(data: bytes, encoding: str) -> bool:
    """Whether nearly all of a payload is characters that people write."""
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return len(_WRITTEN.sub("", text)) <= len(text) * (1 - _WRITTEN_SHARE_MIN)


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True
