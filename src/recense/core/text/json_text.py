"""JSON as text: what its bytes may hold before anything of ours keeps them.

Law: U+0000 and lone surrogates are no text that every store, terminal and model can carry; they
become U+FFFD at the border, whichever way they are written, and nothing else changes.
"""

import re
from typing import Final

_REPLACEMENT: Final = b"\xef\xbf\xbd"

_PLAIN_SURROGATE: Final = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]")
_SUSPECT_ESCAPE: Final = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")
_ESCAPE: Final = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"  # a pair: stays
    rb"|\\u(?:0000|[dD][89a-fA-F][0-9a-fA-F]{2})"  # U+0000 or half a pair
    rb"|\\.",  # any other escape: stays, and its second byte begins no escape
    re.DOTALL,
)
_UNSETTLED: Final = re.compile("[\x00\ud800-\udfff]")

_LONE_ESCAPE_LENGTH: Final = len(rb"\u0000")


def settled(json: bytes) -> bytes:
    """Return JSON bytes with U+0000 and lone surrogates turned into U+FFFD, nothing else changed.

    Both may be written plainly (a surrogate as three bytes) or as escapes; pairs stay.
    """
    if b"\x00" in json:
        json = json.replace(b"\x00", _REPLACEMENT)
    if b"\xed" in json:
        json = _PLAIN_SURROGATE.sub(_REPLACEMENT, json)
    if _SUSPECT_ESCAPE.search(json) is not None:
        json = _ESCAPE.sub(_settled_escape, json)
    return json


def _settled_escape(found: re.Match[bytes]) -> bytes:
    escape = found.group()
    return rb"\ufffd" if len(escape) == _LONE_ESCAPE_LENGTH else escape


def settled_text(text: str) -> str:
    """Return a text with U+0000 and lone surrogates turned into U+FFFD."""
    return _UNSETTLED.sub("\ufffd", text)
