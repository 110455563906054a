"""Secrets that a person has named: values of `.env` files, matched exactly, whatever their shape.

Law: nothing of a value leaves memory. What is shown of a set of values is how many there are.
All of them are looked for in one linear pass, as they are and as JSON, a URL or markup spells them.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

import re2

from recense.core.late_patterns import late_pattern
from recense.core.text.secret_spans import Pattern, latin_options
from recense.core.text.secret_values import is_exact_placeholder, is_standing_word
from recense.limits import (
    KNOWN_SECRET_BYTES_MAX,
    KNOWN_SECRET_CHARACTERS_MIN,
    KNOWN_SECRETS_MEMORY_BYTES_MAX,
)

KNOWN_SECRET: Final = "known_secret"
"""The kind of a finding that is one of the values."""

_COMMON: Final = frozenset(
    "production development staging testing preview sandbox localhost default enabled disabled "
    "verbose warning postgres postgresql mysql mariadb mongodb sqlite redis memory database "
    "public private master primary replica console stdout stderr nobody ubuntu docker compose "
    "kubernetes minimal standard premium password secret username example strict english utf-8 "
    "always running silent server client system worker browser application "
    "info@example.com admin@example.com noreply@example.com".split()
)
"""Values of settings that are words of everyone, and no secret of anyone."""
_REGION = late_pattern(
    r"(?:us|eu|ap|sa|ca|me|af|il|mx|cn|asia|europe|northamerica|southamerica|australia|africa)-"
    r"(?:(?:gov|iso|isob)-)?(?:north|south|east|west|central){1,2}-?[0-9]{1,2}-?[a-f]?"
)
_URL_PASSWORD = late_pattern(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s/?#@:]*:([^\s/?#]*)@")

_MARKUP: Final = {
    "&": ("&amp;", "&#38;"),
    "<": ("&lt;", "&#60;"),
    ">": ("&gt;", "&#62;"),
    '"': ("&quot;", "&#34;"),
    "'": ("&apos;", "&#39;", "&#x27;"),
}
_JSON_ESCAPES: Final = {"\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f"}
_BACKSLASHES: Final = rb"\\+"
_ASCII_END: Final = 0x80
_PLANE_END: Final = 0x10000


class KnownSecrets:
    """A set of values to hide. Immutable; equal sets find the same, whatever their order."""

    __slots__ = ("_pattern", "count", "ignored")

    def __init__(self, values: frozenset[str], ignored: int) -> None:
        self.count: Final = len(values)
        """How many values are looked for."""
        self.ignored: Final = ignored
        """How many values were given that are too short or too common to be told from text."""
        self._pattern: Final = _pattern_of(values)

    @classmethod
    def of(cls, values: Iterable[str]) -> "KnownSecrets":
        """The secrets among ``values``; equal ones count once.

        Left out and counted in ``ignored`` are values under `KNOWN_SECRET_CHARACTERS_MIN`
        characters or over `KNOWN_SECRET_BYTES_MAX` bytes, exact placeholders, common words, and
        numbers under eight digits. Of a URL with a password, the password is the secret.
        """
        given = {value.strip() for value in values} - {""}
        kept = {secret for value in given if (secret := _secret_of(value)) is not None}
        ignored = sum(_secret_of(value) is None for value in given)
        return cls(frozenset(kept), ignored)

    def __repr__(self) -> str:
        return f"KnownSecrets(<{self.count} values>, ignored={self.ignored})"

    def occur_in(self, data: bytes) -> bool:
        """Whether one of the values stands in ``data``, a text in UTF-8 or its JSON escape."""
        return self._pattern is not None and self._pattern.search(data) is not None

    def spans(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Bytes from and to which a value stands in ``data``, in order; they may overlap."""
        if self._pattern is None:
            return
        position = 0
        while (match := self._pattern.search(data, position)) is not None:
            start, end = match.span()
            yield start, end
            position = start + 1


def _secret_of(value: str) -> str | None:
    """What of a value is looked for: all of it, its password where it is a URL, or nothing."""
    url = _URL_PASSWORD.match(value)
    if url is not None:
        value = url[1]
    if len(value) < KNOWN_SECRET_CHARACTERS_MIN or len(value) > KNOWN_SECRET_BYTES_MAX:
        return None
    lowered = value.lower()
    if lowered in _COMMON or is_standing_word(lowered) or _REGION.fullmatch(lowered):
        return None
    return None if is_exact_placeholder(value) else value


def _pattern_of(values: frozenset[str]) -> "Pattern | None":
    if not values:
        return None
    options = latin_options()
    options.never_capture = True
    options.max_mem = KNOWN_SECRETS_MEMORY_BYTES_MAX
    longest_first = sorted(values, key=lambda value: (-len(value), value))
    return re2.compile(rb"|".join(map(_spellings, longest_first)), options)


def _spellings(value: str) -> bytes:
    """A pattern of a value as it is, and as JSON, JSON in JSON, a URL and markup spell it."""
    return b"".join(map(_character, value))


def _character(character: str) -> bytes:
    raw = character.encode("utf-8", "surrogatepass")
    if character.isascii() and (character.isalnum() or character in "_-.~"):
        return re2.escape(raw)
    forms = [re2.escape(raw), b"".join(_percent(byte) for byte in raw)]
    forms += [re2.escape(entity.encode()) for entity in _MARKUP.get(character, ())]
    if character == "\\":
        forms = [_BACKSLASHES, *forms[1:]]
    elif character in "\"/'`$&<>":
        forms.append(_BACKSLASHES + re2.escape(raw))
    if (letter := _JSON_ESCAPES.get(character)) is not None:
        forms.append(_BACKSLASHES + letter.encode())
    if character == " ":
        forms.append(rb"\+")
    if character == "\n":
        forms.append(rb"\r\n|\\+r\\+n|%0[dD]%0[aA]")
    if ord(character) >= _ASCII_END or character in "<>&'":
        forms.append(b"".join(_unit(unit) for unit in _utf16_units(character)))
    return rb"(?:" + rb"|".join(forms) + rb")"


def _percent(byte: int) -> bytes:
    return rb"%(?i:" + f"{byte:02x}".encode() + rb")"


def _unit(unit: int) -> bytes:
    return _BACKSLASHES + rb"u(?i:" + f"{unit:04x}".encode() + rb")"


def _utf16_units(character: str) -> tuple[int, ...]:
    point = ord(character)
    if point < _PLANE_END:
        return (point,)
    return (0xD800 + ((point - _PLANE_END) >> 10), 0xDC00 + ((point - _PLANE_END) & 0x3FF))


NOTHING_KNOWN: Final = KnownSecrets(frozenset(), 0)
"""No value at all: what redaction knows when nobody named a file."""

# --- .env files ----------------------------------------------------------------------------------

_ASSIGNMENT = late_pattern(
    r"[ \t]*+(?:export[ \t]+)?[A-Za-z_][\w.-]*+[ \t]*+(?:=|:[ \t])[ \t]*+", re.ASCII
)
_QUOTED: Final[dict[str, re.Pattern[str]]] = {
    '"': late_pattern(r'"((?:[^"\\]|\\.)*+)"', re.DOTALL),
    "'": late_pattern(r"'([^']*+)'"),
    "`": late_pattern(r"`((?:[^`\\]|\\.)*+)`", re.DOTALL),
}
_COMMENT = late_pattern(r"(?:\A|[ \t])#.*")
_ESCAPE = late_pattern(r"\\(.)", re.DOTALL)
_ESCAPED: Final = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}


def parse_env(text: str) -> tuple[str, ...]:
    """The values of a `.env` file, in order, without those that are empty. Linear in the text.

    Read are `NAME=value` and `export NAME=value`, one on each line; values in single or double
    quotation marks or backticks, which may hold line breaks, with the escapes of double quotation
    marks; bare values to the end of the line or a comment. Other lines are passed over.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    values: list[str] = []
    position = 0
    while position < len(text):
        stop = text.find("\n", position)
        stop = len(text) if stop < 0 else stop
        assigned = _ASSIGNMENT.match(text, position, stop)
        if assigned is not None:
            start = assigned.end()
            quoted = _QUOTED.get(text[start : start + 1])
            held = quoted.match(text, start) if quoted is not None else None
            if held is None:
                values.append(_COMMENT.sub("", text[start:stop]).strip())
            else:
                values.append(held[1] if text[start] == "'" else _unescaped(held[1]))
                stop = text.find("\n", held.end())
                stop = len(text) if stop < 0 else stop
        position = stop + 1
    return tuple(value for value in values if value)


def _unescaped(value: str) -> str:
    return _ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[1]), value)
