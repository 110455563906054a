r"""Characters that a text spells instead of holding them: escapes of programs, JSON and markup.

Law: a text that was written into another one is read as it was: `\u5bc6`, `\u003d`, `\x3d`,
`&quot;`, `&#61;`, the doubled quotation marks of CSV, and blanks that are no blank of ASCII. A
spelled view of a text holds the characters themselves and knows where each of them came from; a
span of it is widened to whole escapes. How many backslashes stand before an escape says how deep
the text was written into others, and does not matter here.
"""

import codecs
import functools
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from recense.core.late_patterns import late_pattern

_ENTITIES: Final = {
    "quot": '"',
    "apos": "'",
    "amp": "&",
    "lt": "<",
    "gt": ">",
    "nbsp": " ",
    "equals": "=",
    "colon": ":",
    "commat": "@",
    "sol": "/",
    "auml": "ä",
    "ouml": "ö",
    "uuml": "ü",
    "szlig": "ß",
    "eacute": "é",
    "egrave": "è",
    "ecirc": "ê",
    "ntilde": "ñ",
    "ccedil": "ç",
    "aacute": "á",
    "iacute": "í",
    "oacute": "ó",
    "uacute": "ú",
}
"""What markup writes of the characters that sensitive names and what joins them are made of."""

BLANKS: Final = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
"""Blanks beyond ASCII: the inside of a class."""

_ESCAPES: Final = r"(?<=\\)(?<!\\\\)\\*+%s{%d}(?:\\++%s{%d})*+"
_DIGIT: Final = "[0-9A-Fa-f]"
_OPENING: Final = r'(?<!"")"(?=[^"\s,:=\\\]})][^"\n]*+"")'
_CLOSING: Final = r'(?<=[^\s",:=\[({]")"(?=[\s,;:)}\]\\]|\Z)'
_WAYS: Final = (
    ("\\u", r"\\", rf"(?P<units>{_ESCAPES % ('u' + _DIGIT, 4, 'u' + _DIGIT, 4)})"),
    ("\\x", r"\\", rf"(?P<bytes>{_ESCAPES % ('x' + _DIGIT, 2, 'x' + _DIGIT, 2)})"),
    (
        "&",
        "&",
        rf"(?P<entity>(?<=&)(?:{'|'.join(_ENTITIES)}|#[0-9]{{1,7}}|#[xX]{_DIGIT}{{1,6}});)",
    ),
    (
        '""',
        '"',
        rf'(?P<quote>(?<=")(?:{_OPENING}|{_CLOSING}))',
    ),
)
"""What a text holds that spells in some way, the first character of it, and what follows that."""
_SOME_BLANK: Final = late_pattern(f"[{BLANKS}]")
_ONE: Final = late_pattern(r"\\+(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2})")
_SIGNS: Final = {f"&{name};": sign for name, sign in _ENTITIES.items()} | {'""': '"'}
_UNDECODED: Final = {0xDC00 + byte: chr(byte) for byte in range(0x80, 0x100)}
_OF_ESCAPES: Final = frozenset({"units", "bytes"})
_PLANE_END: Final = 0x10000
_POINTS_END: Final = 0x110000

UNFINISHED_SPELLING: Final = late_pattern(
    r"(?:(?<!\\)\\++(?:u[dD][89abAB][0-9a-fA-F]{2}\\*)?(?:u[0-9A-Fa-f]{0,3}|x[0-9A-Fa-f]?)?"
    r"|&(?:[a-z]{0,6}|#[xX]?[0-9A-Fa-f]{0,7})"
    r'|(?<!")""(?:[^"\s,:=\\\]})][^"\n]*"?)?)\Z'
)
"""The beginning of what spells a character, at the end of a text that goes on."""


@functools.cache
def _pattern(ways: tuple[bool, ...], *, has_blanks: bool) -> re.Pattern[str]:
    """One pattern for some of the ways. It begins with a class, which is found without a try."""
    held = [way for way, is_held in zip(_WAYS, ways, strict=True) if is_held]
    first = "".join(sign for _, sign, _ in held)
    rest = [pattern for _, _, pattern in held]
    if has_blanks:
        first, rest = first + BLANKS, [*rest, rf"(?P<blank>(?<=[{BLANKS}]))"]
    return re.compile(rf"[{first}](?:{'|'.join(rest)})")


def _pattern_for(text: str) -> re.Pattern[str] | None:
    """What finds all that a text spells, or None where it spells nothing."""
    ways = tuple(hint[0] in text and hint in text for hint, _, _ in _WAYS)
    has_blanks = not text.isascii() and _SOME_BLANK.search(text) is not None
    return _pattern(ways, has_blanks=has_blanks) if has_blanks or any(ways) else None


class SpelledView(msgspec.Struct, frozen=True, kw_only=True):
    """A text with the characters that it spells, and the text it is a view of."""

    text: str
    original: str

    def spans(self, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """Where spans of the view stand in the original, widened to whole escapes.

        ``spans`` are not empty. Linear in the original.
        """
        runs: list[list[tuple[int, int]]] = []
        starts, shifts = [0], [0]
        shift = 0
        pattern = _pattern_for(self.original)
        for match in () if pattern is None else pattern.finditer(self.original):
            places = _places(match)
            runs.append(places)
            size = len(places)
            starts += (match.start() - shift, match.start() - shift + size)
            shift += len(match[0]) - size
            shifts += (-1, shift)
        for first, end in spans:
            yield (
                _origin(runs, starts, shifts, first)[0],
                _origin(runs, starts, shifts, end - 1)[1],
            )


def spelled_view(text: str) -> SpelledView | None:
    """``text`` with the characters it spells, or None where it spells none. Linear in the text."""
    pattern = _pattern_for(text)
    if pattern is None:
        return None
    spelled, count = pattern.subn(_spelled, text)
    return SpelledView(text=spelled, original=text) if count else None


def _origin(
    runs: list[list[tuple[int, int]]], starts: list[int], shifts: list[int], offset: int
) -> tuple[int, int]:
    """Where the character at an offset of a view begins and ends in the original."""
    at = bisect_right(starts, offset) - 1
    if shifts[at] < 0:
        return runs[(at - 1) // 2][offset - starts[at]]
    return offset + shifts[at], offset + shifts[at] + 1


def _places(run: re.Match[str]) -> list[tuple[int, int]]:
    """Where each character that a match spells begins and ends; it may take several escapes."""
    kind = run.lastgroup or ""
    if kind not in _OF_ESCAPES:
        return [run.span()]
    escapes = [match.span() for match in _ONE.finditer(run[0])]
    places: list[tuple[int, int]] = []
    first = 0
    for character in _decoded(run):
        last = first + _escapes_of(character, kind) - 1
        places.append((run.start() + escapes[first][0], run.start() + escapes[last][1]))
        first = last + 1
    return places


def _escapes_of(character: str, kind: str) -> int:
    if kind == "units":
        return 1 + (ord(character) >= _PLANE_END)
    return len(character.encode("utf-8", "surrogateescape"))


def _spelled(run: re.Match[str]) -> str:
    """What a match spells: one character, or several of a run of escapes."""
    spelled = run[0]
    if spelled[0] != "\\":
        return _SIGNS.get(spelled) or (
            " " if run.lastgroup == "blank" else _of_number(spelled[2:-1])
        )
    decoded = _decoded(run)
    return decoded if run.lastgroup == "units" else decoded.translate(_UNDECODED)


def _decoded(run: re.Match[str]) -> str:
    """The characters of a run of escapes; a byte that is no UTF-8 is half a surrogate."""
    digits = run[0].replace("\\", "")
    if run.lastgroup == "units":
        units = bytes.fromhex(digits.replace("u", ""))
        return codecs.utf_16_be_decode(units, "surrogatepass", True)[0]  # noqa: FBT003 - the end
    return bytes.fromhex(digits.replace("x", "")).decode("utf-8", "surrogateescape")


def _of_number(digits: str) -> str:
    point = int(f"0{digits}", 0) if digits[0] in "xX" else int(digits)
    return chr(point) if 0 < point < _POINTS_END else "\ufffd"
