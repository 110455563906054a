"""The redaction gate: one function on every path in, and again on every path out.

Law: `redact` replaces each secret of a text by `[redacted:<kind>]` and nothing else. It is
deterministic and linear in the text, and it is idempotent: what it has written holds no further
finding. To make the last one true whatever a marker's seams put side by side, the text is searched
again after each replacement until nothing is found.

A text is searched as it is and in its views: without terminal escapes and invisible characters, as
a person sees it, and with the characters that its escapes spell. What is found there is hidden with
all that stands inside it. One `re2.Set` pass over
the bytes names the detectors that could find something; only those run.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

import msgspec

from recense.core.late_patterns import late_pattern
from recense.core.text.credentials import CONTEXT_KINDS
from recense.core.text.detectors import DETECTORS, fired_detectors
from recense.core.text.edits import Edit, applied, in_original, merged
from recense.core.text.known_secrets import KNOWN_SECRET, NOTHING_KNOWN, KnownSecrets
from recense.core.text.markers import MARKER_START, marker
from recense.core.text.one_time_codes import ONE_TIME_CODE
from recense.core.text.secret_spans import Source, Span
from recense.core.text.sensitive_keys import KEY_KINDS
from recense.core.text.shapes import SHAPES
from recense.core.text.views import View, views
from recense.limits import (
    REDACTED_TEXT_KEPT_CODE_POINTS_MAX,
    REDACTED_TEXTS_KEPT_MAX,
    REDACTION_ROUNDS_MAX,
)

_UNSETTLED: Final = "unsettled"
UNFINISHED: Final = "unfinished"
"""The kind of a span that a stream hid before it had ended; see `redact_stream`."""

KINDS: Final[frozenset[str]] = (
    KEY_KINDS
    | CONTEXT_KINDS
    | frozenset(shape.kind for shape in SHAPES)
    | {ONE_TIME_CODE, KNOWN_SECRET, _UNSETTLED, UNFINISHED}
)
"""Every kind that a finding can have."""

MARKER: Final = late_pattern(
    re.escape(MARKER_START) + "(?:" + "|".join(map(re.escape, sorted(KINDS))) + r")\]"
)
"""Exactly the markers that `redact` writes."""

_CONTINUATION: Final = 0x80
_MARKER_HEAD: Final = MARKER_START.encode()
_MEMBER_HEAD: Final = late_pattern(rb'(\\*")\s{0,8}:\s{0,8}\Z')
_MEMBER_TAIL: Final = late_pattern(rb"\s{0,8}[,}\]]|\s{0,8}\Z")
_MEMBER_HEAD_BYTES: Final = 40


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """Code points ``start`` to ``end`` of the text given hold a secret of ``kind``; never which."""

    kind: str
    start: int
    end: int


class Redacted(msgspec.Struct, frozen=True, kw_only=True):
    """A text without its secrets, and where they were: sorted, disjoint, in the text given."""

    text: str
    findings: tuple[Finding, ...]


def redact(text: str, known: KnownSecrets = NOTHING_KNOWN) -> Redacted:
    """``text`` with every secret replaced by its marker, and the findings that say where.

    ``known`` are values that are secrets whatever they look like. Repeating it changes nothing and
    finds nothing. Never raises: any string is a legal text.
    """
    edits = find_edits(text, known)
    if not edits:
        return Redacted(text=text, findings=())
    return Redacted(
        text=applied(text, edits),
        findings=tuple(Finding(kind=edit.kind, start=edit.start, end=edit.end) for edit in edits),
    )


def is_credential_shaped(text: str) -> bool:
    """Whether `redact` would change ``text``."""
    return bool(find_edits(text))


def find_edits(text: str, known: KnownSecrets = NOTHING_KNOWN) -> tuple[Edit, ...]:
    """The replacements that `redact` makes in ``text``: sorted and disjoint."""
    if known is NOTHING_KNOWN and len(text) <= REDACTED_TEXT_KEPT_CODE_POINTS_MAX:
        return _kept_edits(text)
    return _edits(text, known)


@lru_cache(maxsize=REDACTED_TEXTS_KEPT_MAX)
def _kept_edits(text: str) -> tuple[Edit, ...]:
    """Return the replacements in a short text: names and values pass the gate on their way in, and
    again in every answer.
    """
    return _edits(text, NOTHING_KNOWN)


def _edits(text: str, known: KnownSecrets) -> tuple[Edit, ...]:
    edits: tuple[Edit, ...] = ()
    current = text
    for _ in range(REDACTION_ROUNDS_MAX):
        found = search(current, known=known)
        if not found:
            return edits
        edits = tuple(merged((*edits, *in_original(edits, found)))) if edits else tuple(found)
        current = applied(text, edits)
    return (Edit(kind=_UNSETTLED, start=0, end=len(text), replacement=marker(_UNSETTLED)),)


def search(
    text: str, detectors: Iterable[int] | None = None, known: KnownSecrets = NOTHING_KNOWN
) -> list[Edit]:
    """One search of ``text`` with some of `DETECTORS`, by index; by default those that could find.

    The replacements are sorted, disjoint, and none of them touches a marker. They are those of this
    text alone: what the replacements themselves put side by side is for the next search.
    """
    data = text.encode("utf-8", "surrogatepass")
    fired, is_veiled = fired_detectors(data) if detectors is None else (detectors, True)
    if not fired and not is_veiled and known is NOTHING_KNOWN:
        return []
    found = _seen(data, text, fired, known)
    if not is_veiled:
        return found
    for view in views(text):
        data = view.text.encode("utf-8", "surrogatepass")
        fired = fired_detectors(data)[0] if detectors is None else detectors
        seen = _seen(data, view.text, fired, known)
        if seen:
            found += _in_text(text, view, seen)
    return merged(found)


def _in_text(text: str, view: View, seen: list[Edit]) -> Iterator[Edit]:
    """Replacements in a view as replacements in the text."""
    spans = view.spans((edit.start, edit.end) for edit in seen)
    for edit, (start, end) in zip(seen, spans, strict=True):
        written = edit.replacement
        quote = written.partition(MARKER_START)[0]
        if quote and quote not in text[max(0, start - _MEMBER_HEAD_BYTES) : start]:
            written = marker(edit.kind)  # the text spells its quotation marks in another way
        yield Edit(kind=edit.kind, start=start, end=end, replacement=written)


def _seen(data: bytes, text: str, detectors: Iterable[int], known: KnownSecrets) -> list[Edit]:
    """What the detectors find in a text, whose UTF-8 is ``data``."""
    spans = [
        _aligned(data, Span(start, end, KNOWN_SECRET, _quote_around(data, start, end)))
        for start, end in known.spans(data)
    ]
    if detectors:
        source = Source(data, text if len(data) == len(text) else data.decode("latin-1"))
        for index in sorted(detectors):
            found = DETECTORS[index].find(source)
            spans.extend(found if source.view is text else (_aligned(data, span) for span in found))
    if not spans:
        return []
    return list(_in_code_points(data, text, _outside_markers(data, _joined(spans))))


def _quote_around(data: bytes, start: int, end: int) -> str:
    """The quotation mark that a marker needs in place of a bare number of JSON."""
    if not data[start:end].isdigit() or _MEMBER_TAIL.match(data, end) is None:
        return ""
    head = _MEMBER_HEAD.search(data, max(0, start - _MEMBER_HEAD_BYTES), start)
    return "" if head is None else head[1].decode()


def _aligned(data: bytes, span: Span) -> Span:
    """The span widened to whole code points: a pattern over bytes may end inside one."""
    start, end = span.start, span.end
    while start > 0 and data[start] & 0xC0 == _CONTINUATION:
        start -= 1
    while end < len(data) and data[end] & 0xC0 == _CONTINUATION:
        end += 1
    return span if (start, end) == (span.start, span.end) else span._replace(start=start, end=end)


def _joined(spans: Iterable[Span]) -> list[Span]:
    """Overlapping spans as one; it keeps the kind of the detector that comes first."""
    joined: list[Span] = []
    ranks: list[int] = []
    for start, rank, span in sorted((span.start, rank, span) for rank, span in enumerate(spans)):
        if joined and start < joined[-1].end:
            first = joined[-1]
            named = first if ranks[-1] <= rank else span
            end = max(first.end, span.end)
            joined[-1] = Span(first.start, end, named.kind, first.quote or span.quote)
            ranks[-1] = min(ranks[-1], rank)
        else:
            joined.append(span)
            ranks.append(rank)
    return joined


def _outside_markers(data: bytes, spans: list[Span]) -> Iterator[Span]:
    """The spans without the markers they cover: a marker is never part of a finding."""
    if _MARKER_HEAD not in data:
        yield from spans
        return
    markers = [match.span() for match in MARKER.finditer(data.decode("latin-1"))]
    at = 0
    for span in spans:
        start = span.start
        while at < len(markers) and markers[at][1] <= start:
            at += 1
        inner = at
        while inner < len(markers) and markers[inner][0] < span.end:
            yield from _worth_hiding(data, span, start, markers[inner][0])
            start = markers[inner][1]
            inner += 1
        if start == span.start:
            yield span
        else:
            yield from _worth_hiding(data, span, start, span.end)


def _worth_hiding(data: bytes, span: Span, start: int, end: int) -> Iterator[Span]:
    piece = data[start:end]
    if any(chr(byte).isalnum() for byte in piece):
        yield Span(start, end, span.kind)


def _in_code_points(data: bytes, text: str, spans: Iterable[Span]) -> Iterator[Edit]:
    same = len(data) == len(text)
    at_byte = at_point = 0
    for start, end, kind, quote in spans:
        first, last = start, end
        if not same:
            first = at_point + _points(data, at_byte, start)
            last = first + _points(data, start, end)
            at_byte, at_point = end, last
        yield Edit(kind=kind, start=first, end=last, replacement=f"{quote}{marker(kind)}{quote}")


def _points(data: bytes, start: int, end: int) -> int:
    """Code points between two offsets of UTF-8, both at the beginning of one."""
    return len(data[start:end].decode("utf-8", "surrogatepass"))
