"""The string literals of one JSON value in its own bytes: where they stand, and what they spell.

Law: places are bytes of the value as it was given, so that a literal can be replaced and every
other byte stays.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

Path = tuple[str, ...]
"""The keys that lead to a value; a position in a list is no part of it."""

_STRING_OR_BRACKET: Final = re.compile(
    rb'("[^"\\]*+(?:\\.[^"\\]*+)*+")(\s*+:)?|[{}\[\]]', re.DOTALL
)
_IS_KEY: Final = 2
"""The last group of a match that is a key."""
_OPENING: Final = frozenset({b"{", b"["})

_TEXT_DECODER: Final = msgspec.json.Decoder(str)
_DECODER_OF_NOTHING: Final = msgspec.json.Decoder(msgspec.Raw)
"""Reads a value to its end and makes nothing of it."""


def string_literals(record: bytes) -> Iterator[tuple[Path, int, int]]:
    """The strings of one JSON value that are no keys, in document order.

    Each as its path, and the bytes at which its literal begins and ends (quotes included):
    `text_spelled_by` says what it spells. Raises ValueError where ``record`` is not one valid JSON
    value.
    """
    require_json(record)
    outer: list[Path] = []
    here: Path = ()  # of the container at hand
    path: Path = ()  # of the value at hand
    keys: dict[bytes, str] = {}
    for match in _STRING_OR_BRACKET.finditer(record):
        kind = match.lastindex
        if kind == _IS_KEY:
            token = match[1]
            key = keys.get(token)
            if key is None:
                key = keys[token] = text_spelled_by(token)
            path = (*here, key)
        elif kind is not None:
            start, end = match.span()
            yield path, start, end
        elif match[0] in _OPENING:
            outer.append(here)
            here = path
        else:
            here = path = outer.pop()


def spliced(record: bytes, replacements: Iterable[tuple[int, int, bytes]]) -> bytes:
    """``record`` with other bytes from one place to another: (from, to, what comes there), in
    order and disjoint.
    """
    parts: list[bytes] = []
    at = 0
    for start, end, written in replacements:
        parts += (record[at:start], written)
        at = end
    parts.append(record[at:])
    return b"".join(parts)


def require_json(record: bytes) -> None:
    """Raise ValueError where ``record`` is not one valid JSON value."""
    if not record.isascii():
        record.decode("utf-8")
    try:
        try:
            _DECODER_OF_NOTHING.decode(record)
        except msgspec.DecodeError:
            if b"\\u" not in record:
                raise
            # An unpaired surrogate escape is valid by the grammar, and msgspec refuses it.
            json.loads(record, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise ValueError("the JSON value is nested too deeply to be read; split it") from error


def _refuse_constant(constant: str) -> object:
    raise ValueError(
        f"{constant} is no JSON value; expected a number, a string, true, false or null"
    )


def text_spelled_by(literal: bytes) -> str:
    """The text that a string literal, quotes included, spells."""
    if b"\\" not in literal:
        return literal[1:-1].decode("utf-8")
    try:
        return _TEXT_DECODER.decode(literal)
    except msgspec.DecodeError:  # an unpaired surrogate escape
        return json.loads(literal)
