"""Redaction of one JSON value in its own bytes: by key, by shape, and without re-serialising.

Law: only the bytes of a secret change. Every other byte of the record stays: its escapes, its
spacing, the spelling of its numbers; so an archived record is the source's own minus its secrets.
What was valid JSON stays valid JSON: a marker for a number or a literal is a string.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Final

import msgspec

from recense.core.text.redact import find_edits, may_hold_secret
from recense.core.text.secret_spans import marker
from recense.core.text.secret_values import Place, is_secret
from recense.core.text.sensitive_keys import sensitive_kind


class KindCount(msgspec.Struct, frozen=True, kw_only=True):
    """How many secrets of one kind were hidden."""

    kind: str
    count: int


class RedactedJson(msgspec.Struct, frozen=True, kw_only=True):
    """A record without its secrets, and how many of each kind it held, by kind."""

    record: bytes
    findings: tuple[KindCount, ...]


Path = tuple[str, ...]
"""The keys that lead to a value; a position in a list is no part of it."""

_TOKEN = re.compile(
    rb'(?P<string>"[^"\\]*(?:\\.[^"\\]*)*")(?P<colon>\s*:)?|[{}\[\]]|[^\s{}\[\],:"]+', re.DOTALL
)
_SECRET_LITERAL_BYTES_MIN = 10
"""A shorter literal has no room for a name and a secret, and no token is that short."""
_PRINTABLE_ESCAPE = re.compile(rb"\\u(?!00[01])")
_UNIT = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\]+"
)
_OPENING: Final = frozenset({b"{", b"["})
_CLOSING: Final = frozenset({b"}", b"]"})
_NAMING_KEYS: Final = frozenset({"name", "key", "header", "variable", "field"})
_NAMED_KEYS: Final = frozenset({"value", "secret_value", "val"})

_Replacement = tuple[int, int, bytes, str]
"""From byte, to byte, what comes there, and the kind."""


class _Container:
    """An object or a list that is being read: where it is, the key at hand, a name and a value."""

    __slots__ = ("key", "named", "path", "value")

    def __init__(self, path: Path) -> None:
        self.path = path
        self.key: str | None = None
        self.named: str | None = None
        self.value: tuple[int, bytes, str] | None = None

    def path_of_value(self) -> Path:
        return (*self.path, self.key) if self.key is not None else self.path


def redact_json(record: bytes, is_structural: Callable[[Path], bool]) -> RedactedJson:
    """``record`` with every secret in its text replaced by a marker, in place.

    ``record`` is one JSON value in UTF-8. ``is_structural`` says of the path of a value whether it
    is an identifier, an instant or the like: those are never changed. Other strings are redacted as
    text; below a sensitive key a string that is no placeholder is hidden whole, and so is a number
    of eight digits or more; so is the `value` beside a sensitive `name`. A key that holds a secret
    is redacted too. Repeating it changes nothing.

    Raises ValueError where ``record`` is not one valid JSON value.
    """
    _require_json(record)
    if not _may_hold_secret(record):
        return RedactedJson(record=record, findings=())
    replacements = sorted(_replacements(record, is_structural))
    if not replacements:
        return RedactedJson(record=record, findings=())
    counts = Counter(kind for _, _, _, kind in replacements)
    return RedactedJson(
        record=spliced(record, (each[:3] for each in replacements)),
        findings=tuple(KindCount(kind=kind, count=counts[kind]) for kind in sorted(counts)),
    )


def string_literals(record: bytes) -> Iterator[tuple[Path, int, int, str]]:
    """The strings of one JSON value that are no keys, in document order.

    Each as its path, the bytes at which its literal begins and ends (quotes included), and the text
    that the literal spells. Raises ValueError where ``record`` is not one valid JSON value.
    """
    _require_json(record)
    for match, holder in _walk(record):
        token = match["string"]
        if token is not None and match["colon"] is None:
            yield holder.path_of_value(), match.start(), match.end(), _decoded(token)


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


def _require_json(record: bytes) -> None:
    if not record.isascii():
        record.decode("utf-8")
    try:
        try:
            msgspec.json.decode(record, type=msgspec.Raw)
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


def _may_hold_secret(record: bytes) -> bool:
    """Whether a search is worth while; what hides behind escapes must be decoded first."""
    return _PRINTABLE_ESCAPE.search(record) is not None or may_hold_secret(record)


def _walk(record: bytes) -> Iterator[tuple[re.Match[bytes], _Container]]:
    """Each token of the record with the container it stands in, or, at its end, the one it closes.

    A key is already the container's when it comes; what opens a container does not come.
    """
    stack = [_Container(())]
    for match in _TOKEN.finditer(record):
        holder = stack[-1]
        if match["colon"] is not None:
            holder.key = _decoded(match["string"])
        elif match["string"] is None:
            if match[0] in _OPENING:
                stack.append(_Container(holder.path_of_value()))
                continue
            if match[0] in _CLOSING:
                stack.pop()
        yield match, holder


def _replacements(record: bytes, is_structural: Callable[[Path], bool]) -> Iterator[_Replacement]:
    for match, holder in _walk(record):
        token = match["string"]
        if match["colon"] is not None:
            if _may_be_worth(token):
                yield from _in_literal(match.start(), token, _decoded(token))
        elif token is not None:
            yield from _in_string(match.start(), token, holder, is_structural)
        elif match[0] in _CLOSING:
            yield from _pair(holder)
        else:
            yield from _in_scalar(match.start(), match[0], holder, is_structural)


def _may_be_worth(token: bytes) -> bool:
    if len(token) < _SECRET_LITERAL_BYTES_MIN:
        return False
    return may_hold_secret(token) or _PRINTABLE_ESCAPE.search(token) is not None


def _in_string(
    start: int, token: bytes, holder: _Container, is_structural: Callable[[Path], bool]
) -> Iterator[_Replacement]:
    path = holder.path_of_value()
    kind = sensitive_kind(path[-1]) if path else None
    paired = holder.key is not None and holder.key.lower() in _NAMING_KEYS | _NAMED_KEYS
    if kind is None and not paired and not _may_be_worth(token):
        return
    if is_structural(path):
        return
    text = _decoded(token)
    if kind is not None and is_secret(text, kind, Place.MEMBER):
        yield (start + 1, start + len(token) - 1, marker(kind).encode(), kind)
        return
    if paired and holder.key is not None:
        if holder.key.lower() in _NAMING_KEYS:
            holder.named = text
        else:
            yield from _pair(holder)
            holder.value = (start, token, text)
            return
    if _may_be_worth(token):
        yield from _in_literal(start, token, text)


def _in_scalar(
    start: int, token: bytes, holder: _Container, is_structural: Callable[[Path], bool]
) -> Iterator[_Replacement]:
    path = holder.path_of_value()
    kind = sensitive_kind(path[-1]) if path else None
    if kind is None or is_structural(path):
        return
    if is_secret(token.decode("ascii", "replace"), kind, Place.MEMBER):
        yield (start, start + len(token), b'"' + marker(kind).encode() + b'"', kind)


def _pair(holder: _Container) -> Iterator[_Replacement]:
    """The `value` of an object that also has a `name`: judged by that name, or else as text."""
    if holder.value is None:
        return
    start, token, text = holder.value
    kind = sensitive_kind(holder.named) if holder.named is not None else None
    if kind is not None and is_secret(text, kind, Place.MEMBER):
        yield (start + 1, start + len(token) - 1, marker(kind).encode(), kind)
    else:
        yield from _in_literal(start, token, text)


def _in_literal(start: int, token: bytes, text: str) -> Iterator[_Replacement]:
    """What `redact` replaces in a string, as bytes of the literal that spells it."""
    edits = find_edits(text)
    if not edits:
        return
    offsets = _offsets(token, [point for edit in edits for point in (edit.start, edit.end)])
    for edit in edits:
        written = edit.replacement.replace("\\", "\\\\").replace('"', '\\"').encode()
        yield (start + offsets[edit.start], start + offsets[edit.end], written, edit.kind)


def _offsets(token: bytes, points: Iterable[int]) -> dict[int, int]:
    """For code points of a decoded string the bytes of its literal at which they begin."""
    wanted = sorted(set(points), reverse=True)
    offsets: dict[int, int] = {}
    at_point, at_byte = 0, 1
    for match in _UNIT.finditer(token[1:-1].decode("utf-8")):
        unit = match[0]
        size = 1 if unit[0] == "\\" else len(unit)
        while wanted and wanted[-1] < at_point + size:
            point = wanted.pop()
            offsets[point] = at_byte + len(unit[: point - at_point].encode())
        at_point += size
        at_byte += len(unit.encode())
    offsets.update(dict.fromkeys(wanted, at_byte))
    return offsets


def _decoded(token: bytes) -> str:
    if b"\\" not in token:
        return token[1:-1].decode("utf-8")
    return json.loads(token)
