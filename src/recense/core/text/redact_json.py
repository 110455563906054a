"""Redaction of one JSON value in its own bytes: by key, by shape, and without re-serialising.

Law: only the bytes of a secret change. Every other byte of the record stays: its escapes, its
spacing, the spelling of its numbers; so an archived record is the source's own minus its secrets.
What was valid JSON stays valid JSON: a marker for a number or a literal is a string.

The bytes of a record are searched before anything of it is read. Strings that a probe touches are
*suspects*; only they are decoded and searched, and only a record of which one of them holds a
secret is walked through, token by token.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

import msgspec

from recense.core.text.detectors import fired_probes
from recense.core.text.json_literals import Path, require_json, spliced, text_spelled_by
from recense.core.text.known_secrets import KNOWN_SECRET, NOTHING_KNOWN, KnownSecrets
from recense.core.text.markers import marker
from recense.core.text.redact import find_edits
from recense.core.text.secret_spans import Pattern
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


_TOKEN = re.compile(
    rb'(?P<string>"[^"\\]*(?:\\.[^"\\]*)*")(?P<colon>\s*:)?|[{}\[\]]|[^\s{}\[\],:"]+', re.DOTALL
)
_STRING: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_COLON: Final = re.compile(rb"\s*+:\s*+")
_SCALAR: Final = re.compile(rb'[^\s{}\[\],:"]+')
_SECRET_LITERAL_BYTES_MIN = 10
"""A shorter literal has no room for a name and a secret, and no token is that short."""
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

    __slots__ = ("key", "named", "outer", "value")

    def __init__(self, outer: "_Container | None") -> None:
        self.outer = outer
        self.key: str | None = None
        self.named: str | None = None
        self.value: tuple[int, bytes, str] | None = None

    def path_of_value(self) -> Path:
        """The keys that lead to the value at hand."""
        keys: list[str] = []
        holder: _Container | None = self
        while holder is not None:
            if holder.key is not None:
                keys.append(holder.key)
            holder = holder.outer
        return tuple(reversed(keys))

    def key_of_value(self) -> str | None:
        """The last of those keys: of a value in a list, the key of the list."""
        holder: _Container | None = self
        while holder is not None and holder.key is None:
            holder = holder.outer
        return holder.key if holder is not None else None


def redact_json(
    record: bytes, is_structural: Callable[[Path], bool], known: KnownSecrets = NOTHING_KNOWN
) -> RedactedJson:
    """``record`` with every secret in its text replaced by a marker, in place.

    ``record`` is one JSON value in UTF-8. ``is_structural`` says of the path of a value whether it
    is an identifier, an instant or the like: those are never changed. Other strings are redacted as
    text; below a sensitive key a string that is no placeholder is hidden whole, and so is a number
    of eight digits or more; so is the `value` beside a sensitive `name`. A key that holds a secret
    is redacted too. ``known`` are values that are secrets whatever they look like. Repeating it
    changes nothing.

    Raises ValueError where ``record`` is not one valid JSON value.
    """
    require_json(record)
    return _redacted(record, fired_probes(record), is_structural, known)


def redact_each_json(
    records: Sequence[bytes],
    is_structural: Callable[[Path], bool],
    known: KnownSecrets = NOTHING_KNOWN,
) -> list[RedactedJson | ValueError]:
    """What `redact_json` returns for each of the records, or the error that it raises, in order.

    All of them are searched before one is looked at closer: the automaton of the probes is large,
    and what comes between two searches makes it slow to come back to.
    """
    fired = [fired_probes(record) for record in records]
    redacted: list[RedactedJson | ValueError] = []
    for record, probes in zip(records, fired, strict=True):
        try:
            require_json(record)
        except ValueError as error:
            redacted.append(error)
        else:
            redacted.append(_redacted(record, probes, is_structural, known))
    return redacted


def _redacted(
    record: bytes,
    probes: Sequence[Pattern],
    is_structural: Callable[[Path], bool],
    known: KnownSecrets,
) -> RedactedJson:
    """What becomes of a JSON value on which these probes fire."""
    suspects = _suspects(record, probes, known)
    if not suspects or not _may_change(record, suspects, known):
        return RedactedJson(record=record, findings=())
    walk = _Walk(record, is_structural, known, {start for start, _ in suspects})
    replacements = sorted(walk.replacements())
    if not replacements:
        return RedactedJson(record=record, findings=())
    counts = Counter(kind for _, _, _, kind in replacements)
    return RedactedJson(
        record=spliced(record, (each[:3] for each in replacements)),
        findings=tuple(KindCount(kind=kind, count=counts[kind]) for kind in sorted(counts)),
    )


class _Strings:
    """The strings of a record, found from any place in it; places are asked for in order."""

    def __init__(self, record: bytes) -> None:
        # Without its escapes, every quotation mark of a record opens a string or closes one.
        self._flat = record.replace(b"\\\\", b"__").replace(b'\\"', b"__")
        self._marks = self._counted = 0

    def touched(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """From and to which byte the strings stand of which a byte lies in ``start`` to ``end``."""
        if start < self._counted:
            self._marks = self._counted = 0
        self._marks += self._flat.count(b'"', self._counted, start)
        self._counted = start
        opened = self._flat.rfind(b'"', 0, start) if self._marks % 2 else -1
        if opened < 0:
            opened = self._flat.find(b'"', start, end)
        while opened >= 0:
            closed = self._flat.index(b'"', opened + 1) + 1
            yield opened, closed
            opened = self._flat.find(b'"', closed, end)


def _suspects(
    record: bytes, probes: Sequence[Pattern], known: KnownSecrets
) -> list[tuple[int, int]]:
    """From and to which byte the strings stand that a probe touches, and what it touches between.

    A probe that fires on a string alone fires on the record, in that string or in an earlier one
    that its match runs on from: so a string that no match touches holds nothing to hide.
    """
    spans = list(known.spans(record))
    if not probes and not spans:
        return []
    strings = _Strings(record)
    suspects: set[tuple[int, int]] = set()
    for pattern in probes:
        position = 0
        while (match := pattern.search(record, position)) is not None:
            start, position = match.span()
            touched = list(strings.touched(start, position))
            suspects.update(touched)
            if touched:
                position = touched[0][1]
    for start, end in spans:
        suspects.update(list(strings.touched(start, end)) or [(start, end)])
    return sorted(suspects)


def _may_change(record: bytes, suspects: list[tuple[int, int]], known: KnownSecrets) -> bool:
    """Whether a suspect holds a secret, is the key of one, or names the value beside it.

    False is a promise. So few records hold a secret that to look at their suspects alone saves the
    way through nearly all of them.
    """
    for start, end in suspects:
        token = record[start:end]
        if not token.startswith(b'"'):
            if known.occur_in(token):
                return True
            continue
        colon = _COLON.match(record, end)
        text = text_spelled_by(token)
        if (kind := sensitive_kind(text)) is not None and (
            colon is None or _may_be_value(record, colon.end(), kind)
        ):
            return True
        if len(token) >= _SECRET_LITERAL_BYTES_MIN and find_edits(text, known):
            return True
    return False


def _may_be_value(record: bytes, position: int, kind: str) -> bool:
    """Whether what stands at ``position`` is to be hidden below a key of ``kind``, or is a list."""
    string = _STRING.match(record, position)
    if string is not None:
        return is_secret(text_spelled_by(string[0]), kind, Place.MEMBER)
    scalar = _SCALAR.match(record, position)
    if scalar is not None:
        return is_secret(scalar[0].decode("ascii", "replace"), kind, Place.MEMBER)
    return record.startswith(b"[", position)


def _walk(record: bytes) -> Iterator[tuple[re.Match[bytes], _Container]]:
    """Each token of the record with the container it stands in, or, at its end, the one it closes.

    A key is already the container's when it comes; what opens a container does not come.
    """
    stack = [_Container(None)]
    for match in _TOKEN.finditer(record):
        holder = stack[-1]
        if match["colon"] is not None:
            holder.key = text_spelled_by(match["string"])
        elif match["string"] is None:
            if match[0] in _OPENING:
                stack.append(_Container(holder))
                continue
            if match[0] in _CLOSING:
                stack.pop()
        yield match, holder


class _Walk:
    """The way through one record, from token to token, and what it replaces."""

    def __init__(
        self,
        record: bytes,
        is_structural: Callable[[Path], bool],
        known: KnownSecrets,
        suspects: AbstractSet[int],
    ) -> None:
        self._record = record
        self._is_structural = is_structural
        self._known = known
        self._suspects = suspects

    def replacements(self) -> Iterator[_Replacement]:
        """What is to be replaced, in no order, and disjoint."""
        for match, holder in _walk(self._record):
            token = match["string"]
            if match["colon"] is not None:
                if self._is_worth(match.start(), token):
                    yield from self._in_literal(match.start(), token, text_spelled_by(token))
            elif token is not None:
                yield from self._in_string(match.start(), token, holder)
            elif match[0] in _CLOSING:
                yield from self._pair(holder)
            else:
                yield from self._in_scalar(match.start(), match[0], holder)

    def _is_worth(self, start: int, token: bytes) -> bool:
        return start in self._suspects and len(token) >= _SECRET_LITERAL_BYTES_MIN

    def _in_string(self, start: int, token: bytes, holder: _Container) -> Iterator[_Replacement]:
        key = holder.key_of_value()
        kind = sensitive_kind(key) if key is not None else None
        paired = holder.key is not None and holder.key.lower() in _NAMING_KEYS | _NAMED_KEYS
        if kind is None and not paired and not self._is_worth(start, token):
            return
        if self._is_structural(holder.path_of_value()):
            return
        text = text_spelled_by(token)
        if kind is not None and is_secret(text, kind, Place.MEMBER):
            yield (start + 1, start + len(token) - 1, marker(kind).encode(), kind)
            return
        if paired and holder.key is not None:
            if holder.key.lower() in _NAMING_KEYS:
                holder.named = text
            else:
                yield from self._pair(holder)
                holder.value = (start, token, text)
                return
        if self._is_worth(start, token):
            yield from self._in_literal(start, token, text)

    def _in_scalar(self, start: int, token: bytes, holder: _Container) -> Iterator[_Replacement]:
        key = holder.key_of_value()
        kind = sensitive_kind(key) if key is not None else None
        if kind is not None and not is_secret(token.decode("ascii", "replace"), kind, Place.MEMBER):
            kind = None
        if kind is None and self._known.occur_in(token):
            kind = KNOWN_SECRET
        if kind is not None and not self._is_structural(holder.path_of_value()):
            yield (start, start + len(token), b'"' + marker(kind).encode() + b'"', kind)

    def _pair(self, holder: _Container) -> Iterator[_Replacement]:
        """The `value` of an object that also has a `name`: judged by that, or else as text."""
        if holder.value is None:
            return
        start, token, text = holder.value
        kind = sensitive_kind(holder.named) if holder.named is not None else None
        if kind is not None and is_secret(text, kind, Place.MEMBER):
            yield (start + 1, start + len(token) - 1, marker(kind).encode(), kind)
        elif self._is_worth(start, token):
            yield from self._in_literal(start, token, text)

    def _in_literal(self, start: int, token: bytes, text: str) -> Iterator[_Replacement]:
        """What `redact` replaces in a string, as bytes of the literal that spells it."""
        edits = find_edits(text, self._known)
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
