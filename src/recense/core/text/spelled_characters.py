"""Characters that a text spells instead of holding them: escapes of programs, JSON and markup.

Law: a text that was written into another one is read as it was: `\\u5bc6`, `\\u003d`, `\\x3d`,
`&quot;`, `&#61;`, the doubled quotation marks of CSV, and blanks that are no blank of ASCII. A
spelled view of a text holds the characters themselves and knows where each of them came from; a
span of it is widened to whole escapes. How many backslashes stand before an escape says how deep
the text was written into others, and does not matter here.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

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

_RUNS: Final = (
    r"(?<!\\)(?:(?P<units>(?:\\++u[0-9A-Fa-f]{4})++)|(?P<bytes>(?:\\++x[0-9A-Fa-f]{2})++))"
)
_DOUBLED: Final = (
    r'(?<!")""(?=[^"\s,:=\\\]})][^"\n]*+"")'  # opens
    r'|(?<=[^\s",:=\[({])""(?=[\s,;:)}\]\\]|\Z)'  # closes
)
_MARKUP: Final = rf"&(?:{'|'.join(_ENTITIES)}|#[0-9]{{1,7}}|#[xX][0-9A-Fa-f]{{1,6}});"
_SPELLED: Final = re.compile(
    rf"{_RUNS}|(?P<entity>{_MARKUP})|(?P<quote>{_DOUBLED})|(?P<blank>[{BLANKS}])"
)
_ONE: Final = re.compile(r"\\+(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2})")
_FROM_DIGITS: Final = {"units": str.maketrans("", "", "\\u"), "bytes": str.maketrans("", "", "\\x")}
_UNDECODED: Final = {0xDC00 + byte: chr(byte) for byte in range(0x80, 0x100)}
_PLANE_END: Final = 0x10000
_POINTS_END: Final = 0x110000

UNFINISHED_SPELLING: Final = re.compile(
    r"(?:(?<!\\)\\++(?:u[dD][89abAB][0-9a-fA-F]{2}\\*)?(?:u[0-9A-Fa-f]{0,3}|x[0-9A-Fa-f]?)?"
    r"|&(?:[a-z]{0,6}|#[xX]?[0-9A-Fa-f]{0,7})"
    r'|(?<!")""(?:[^"\s,:=\\\]})][^"\n]*"?)?)\Z'
)
"""The beginning of what spells a character, at the end of a text that goes on."""


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
        for match in _SPELLED.finditer(self.original):
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
    if "\\" not in text and "&" not in text and '""' not in text and text.isascii():
        return None
    spelled, count = _SPELLED.subn(_spelled, text)
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
    if run.lastgroup not in _FROM_DIGITS:
        return [run.span()]
    escapes = [match.span() for match in _ONE.finditer(run[0])]
    places: list[tuple[int, int]] = []
    first = 0
    for character in _decoded(run):
        last = first + _escapes_of(character, run.lastgroup) - 1
        places.append((run.start() + escapes[first][0], run.start() + escapes[last][1]))
        first = last + 1
    return places


def _escapes_of(character: str, kind: str) -> int:
    if kind == "units":
        return 1 + (ord(character) >= _PLANE_END)
    return len(character.encode("utf-8", "surrogateescape"))


def _spelled(run: re.Match[str]) -> str:
    """What a match spells: one character, or several of a run of escapes."""
    match run.lastgroup:
        case "units":
            return _decoded(run)
        case "bytes":
            return _decoded(run).translate(_UNDECODED)
        case "quote":
            return '"'
        case "blank":
            return " "
        case _:
            return _of_entity(run[0][1:-1])


def _decoded(run: re.Match[str]) -> str:
    """The characters of a run of escapes; a byte that is no UTF-8 is half a surrogate."""
    kind = run.lastgroup or ""
    spelled = bytes.fromhex(run[0].translate(_FROM_DIGITS[kind]))
    if kind == "units":
        return spelled.decode("utf-16-be", "surrogatepass")
    return spelled.decode("utf-8", "surrogateescape")


def _of_entity(name: str) -> str:
    if name[0] != "#":
        return _ENTITIES[name]
    point = int(f"0{name[1:]}", 0) if name[1] in "xX" else int(name[1:])
    return chr(point) if 0 < point < _POINTS_END else "\ufffd"
