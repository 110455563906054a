"""What joins a sensitive name to its value: assignments, copulas, calls, markup, prompts.

Law: the patterns over bytes are RE2 and find a name that something joins; `AFTER` reads what it is.
"""

import re
from collections.abc import Iterable
from typing import Final

from recense.core.late_patterns import late_pattern
from recense.core.text.secret_spans import ANSI

_BETWEEN = rb"(?:[\s\"'`\]\[)\\*>}|0-9_]|\\[tnr]|(?:\x1b|\\u001b)\[[0-9;]*m)*"
"""What may stand between a name and what joins it to a value, in a text or in its JSON escape."""

COPULAS: Final = ("is", "was", "are", "ist", "lautet", "est", "es", "é", "è", "это")
"""What says of a name that it is a value, between blanks."""
ATTACHED: Final = (
    *("是", "为", "為", "就是", "改为", "改成", "改為", "设为", "设成", "设置为", "設為", "变成"),
    *("已改为", "已改成", "已改為", "已设为", "已设置为", "已重置为", "重置为", "换成了", "改成了"),
    *("は", "が", "는", "은", "이", "가"),
)
"""The same where words are not parted by blanks."""
OF: Final = (
    *("for", "of", "für", "zu", "zum", "zur", "von", "vom", "pour", "de", "du", "des", "del", "do"),
    *("da", "dos", "para", "di", "della", "del", "per", "от", "для", "к"),
)
"""What joins a name to whose it is."""
OWNERS: Final = "root|admin|administrator|wi-?fi|wlan|vpn|ssh|sudo|smtp|ftp|администратора"


def _any_of(words: Iterable[str]) -> bytes:
    return b"(?:" + b"|".join(word.encode() for word in words) + b")"


_COLON = rb"(?:[:=]|\xef\xbc[\x9a\x9d])"  # also the full-width ones
_DASH = rb"(?:-|\xe2\x80[\x93\x94])"
_BLANKS = rb"(?:[ \t*\"'`]|\\t)"
ASSIGN: Final = _BETWEEN + rb"(?:[!?+|]?[:=]+>?|\xef\xbc[\x9a\x9d]|->)"
"""An assignment, and what may stand before it."""
COPULA: Final = _BLANKS + rb"+(?:(?i:" + _any_of(COPULAS) + rb")|" + _DASH + rb")[ \t:]"
"""A word or a dash that says what the value is."""
NEIGHBOUR: Final = rb"(?:\\*[\"'`]\]?[ ]?,[ ]?|[ \t])\\*[\"'`]"
"""A string behind a name: the next of some arguments, or one that only stands there."""
OTHER_JOINTS: Final = rb"|".join(
    (
        rb"\\*[\"'`]\]?[ ]?[(][ ]?\\*[\"'`]|[(][ ]?\\*[\"'`]",
        rb"[ \t]+(?:string|char)[ \t]*=",
        rb"[\\\"']*(?:>|\\u003e)",
        _BLANKS + rb"+\|",
        _BLANKS + rb"+(?i:" + OWNERS.encode() + rb")[ \t]*" + _COLON,
        _BLANKS + rb"+(?i:to)[ \t]",
        _BLANKS + rb"*" + _any_of(ATTACHED),
        rb"\\*[\"'`]?[,\s\\nrt\"']*(?i:secret_)?(?i:value)[\\\"']*[ \t]*[:=]",
    )
)
"""Calls, neighbours, markup, cells, and the short of what says whose a value is."""
OWNED: Final = (
    _BLANKS
    + (rb"+(?i:" + _any_of(OF) + rb")[ \t][^\n:=]*?(?:" + _COLON + rb"|[ \t](?i:")
    + (_any_of(COPULAS) + rb")[ \t:])")
)
"""What says whose a value is, up to what joins it. It may run over other names, and is no part of
`JOINTS` for that."""
JOINTS: Final = rb"|".join((ASSIGN, COPULA, NEIGHBOUR, OTHER_JOINTS))
"""All of them: a superset, which `AFTER` then reads exactly."""

GAP: Final = rf"(?:[ \t]|\\t|{ANSI}){{0,64}}+"
"""Blanks and colours."""


def _latin(pattern: bytes) -> str:
    return pattern.decode("latin-1")


AFTER: Final = late_pattern(
    rf"(?P<close>(?:\[[0-9]*\]|[\]\"'`)*}}>\\]|{ANSI}){{0,40}})(?P<gap>{GAP})"
    r"(?:(?P<attribute>,?(?:\s|\\[nrt]){0,40}\\*[\"']?(?:secret_)?value\\*[\"']?\s{0,4}[:=])"
    r"|(?P<assign>(?:string|char)[ \t]{0,8}=|:{1,3}=|[?+|]=|\|\|=?|->|=>|={1,3}|!={1,2}|:"
    r"|\xef\xbc[\x9a\x9d])"
    r"|(?P<call>[(,])"
    r"|(?P<cell>\|)"
    r"|(?P<prompt>for (?:'[^'\n]{1,200}'|\"[^\"\n]{1,200}\"|[^\s:]{1,200}(?: '[^'\n]{1,200}')?):)"
    rf"|(?P<owned>(?:{_latin(_any_of(OF))}(?:[ \t][^\s:=,;()\xef]{{1,40}}){{1,4}}"
    rf"|(?:{_latin(OWNERS.encode())}))"
    rf"[ \t]?(?:{_latin(_COLON)}|{_latin(_any_of(COPULAS))}(?=[ \t])))"
    rf"|(?P<copula>(?:{_latin(_any_of(COPULAS))}|{_latin(_DASH)})(?:[ \t]?:|(?=[ \t]))"
    rf"|{_latin(_any_of(sorted(ATTACHED, key=len, reverse=True)))}(?:[ \t]?{_latin(_COLON)})?)"
    r"|(?P<renewed>to(?=[ \t]))"
    r"|)",
    re.ASCII | re.IGNORECASE,
)
"""Read at the end of a name: what closes it, a gap, and a joint, which names the last group.

It always matches, if only by nothing.
"""
RENEWING: Final = late_pattern(
    r"\b(?:set|chang|reset|updat|rotat|switch)\w{0,6}[ ][^.\n]{0,32}\Z", re.ASCII | re.IGNORECASE
)
"""What stands before a name in a sentence that says what its value was changed to."""
