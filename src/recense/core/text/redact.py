"""The redaction gate: one function on every path in, and again on every path out.

Law: `redact` replaces each secret of a text by `[redacted:<kind>]` and nothing else. It is
deterministic and linear in the text, and it is idempotent: what it has written holds no further
finding. To make the last one true whatever a marker's seams put side by side, the text is searched
again after each replacement until nothing is found.

One `re2.Set` pass over the bytes names the detectors that could find something; only those run.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec
import re2

from recense.core.text.assignments import ASSIGNMENTS
from recense.core.text.commands import COMMANDS
from recense.core.text.credentials import CONTEXT_KINDS, CONTEXTS
from recense.core.text.one_time_codes import ONE_TIME_CODE, ONE_TIME_CODES
from recense.core.text.secret_spans import (
    MARKER_START,
    Detector,
    Source,
    Span,
    latin_options,
    marker,
    pattern_of,
)
from recense.core.text.sensitive_keys import KEY_KINDS
from recense.core.text.shapes import APART, SHAPE_PROBES, SHAPES, Shape
from recense.limits import REDACTION_ROUNDS_MAX

_UNSETTLED: Final = "unsettled"

KINDS: Final[frozenset[str]] = (
    KEY_KINDS
    | CONTEXT_KINDS
    | frozenset(shape.kind for shape in SHAPES)
    | {ONE_TIME_CODE, _UNSETTLED}
)
"""Every kind that a finding can have."""

MARKER: Final = re.compile("|".join(re.escape(marker(kind)) for kind in sorted(KINDS)))
"""Exactly the markers that `redact` writes."""

_CONTINUATION: Final = 0x80
_MARKER_HEAD: Final = MARKER_START.encode()
_MARKER_BYTES: Final = re.compile(MARKER.pattern.encode())


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """Code points ``start`` to ``end`` of the text given hold a secret of ``kind``; never which."""

    kind: str
    start: int
    end: int


class Redacted(msgspec.Struct, frozen=True, kw_only=True):
    """A text without its secrets, and where they were: sorted, disjoint, in the text given."""

    text: str
    findings: tuple[Finding, ...]


class Edit(msgspec.Struct, frozen=True, kw_only=True):
    """Code points ``start`` to ``end`` become ``replacement``, the marker of ``kind``.

    The marker stands in quotation marks where it takes the place of a bare JSON value.
    """

    kind: str
    start: int
    end: int
    replacement: str


def redact(text: str) -> Redacted:
    """``text`` with every secret replaced by its marker, and the findings that say where.

    Repeating it changes nothing and finds nothing. Never raises: any string is a legal text.
    """
    edits = find_edits(text)
    if not edits:
        return Redacted(text=text, findings=())
    return Redacted(
        text=_applied(text, edits),
        findings=tuple(Finding(kind=edit.kind, start=edit.start, end=edit.end) for edit in edits),
    )


def is_credential_shaped(text: str) -> bool:
    """Whether `redact` would change ``text``."""
    return bool(find_edits(text))


def may_hold_secret(data: bytes) -> bool:
    """Whether a search of ``data`` could find anything: a text in UTF-8, or one escaped for JSON.

    False is a promise, True is none. For JSON the promise holds where no printable character is
    written as an escape of its code point.
    """
    return bool(_PROBES.fired(data)) or (_is_foreign(data) and bool(_FOREIGN_PROBES.fired(data)))


def find_edits(text: str) -> tuple[Edit, ...]:
    """The replacements that `redact` makes in ``text``: sorted and disjoint."""
    edits: tuple[Edit, ...] = ()
    current = text
    for _ in range(REDACTION_ROUNDS_MAX):
        found = search(current)
        if not found:
            return edits
        edits = _merged((*edits, *_in_original(edits, found)))
        current = _applied(text, edits)
    return (Edit(kind=_UNSETTLED, start=0, end=len(text), replacement=marker(_UNSETTLED)),)


def _shape_detector(shape: Shape) -> Detector:
    def find(source: Source) -> Iterator[Span]:
        data = source.data
        for match in pattern_of(shape.pattern).finditer(data):
            start, end = match.span(1)
            if not _is_cut(data, start, end) and shape.accepts(data[slice(*match.span(2))]):
                yield Span(start, end, shape.kind)

    return Detector((shape.probe,), find)


def _is_cut(data: bytes, start: int, end: int) -> bool:
    """Whether a token goes on to the right, or is a stretch of base64 or of a digest."""
    left, right = data[start - 1 : start], data[end : end + 1]
    if right.isalnum() or right == b"_" or _DIGEST_HEAD.search(data, max(0, start - 100), start):
        return True
    if left in _URL_SAFE_SIGNS:
        return _is_drawn_run(data[max(0, start - _RUN_BYTES) : start])
    return left in _BASE64_SIGNS and right in _BASE64_SIGNS and data[start:end].isalnum()


def _is_drawn_run(run: bytes) -> bool:
    """Whether what stands before a token is a run of URL-safe base64 that the token is part of."""
    if len(run) < _RUN_BYTES or _URL_SAFE_RUN.fullmatch(run) is None:
        return False
    return not run.islower() and not run.isupper() and any(map(str.isdigit, run.decode()))


_DIGEST_HEAD: Final = re.compile(
    rb"(?:sha(?:1|224|256|384|512)|md5|h1)[=:-][\w+/=-]{0,96}\Z", re.ASCII
)
_BASE64_SIGNS: Final = frozenset({b"+", b"/"})
_URL_SAFE_SIGNS: Final = frozenset({b"-", b"_"})
_URL_SAFE_RUN: Final = re.compile(rb"[\w-]+", re.ASCII)
_RUN_BYTES = 24
DETECTORS: Final = (
    *map(_shape_detector, SHAPES),
    *CONTEXTS,
    *COMMANDS,
    ONE_TIME_CODES,
    *ASSIGNMENTS,
)
"""In the order in which they name a span that several of them claim."""


_TAB, _TAB_ESCAPED = rb"[ \t]", rb"(?:[ \t]|\\t)"
"""A probe also reads text that is escaped for JSON, where a tab is two characters."""


class _Probes:
    """A set of probes in one automaton, and the detectors that those which fire belong to."""

    def __init__(self, probes: Iterable[tuple[bytes, int]]) -> None:
        options = latin_options()
        options.never_capture = True
        self._set = re2.Set.SearchSet(options)
        self._owners: list[int] = []
        for probe, owner in probes:
            self._set.Add(probe.replace(_TAB, _TAB_ESCAPED))
            self._owners.append(owner)
        self._set.Compile()

    def fired(self, data: bytes) -> set[int]:
        """The owners of the probes that fire on ``data``."""
        matched = self._set.Match(data)
        return {self._owners[probe] for probe in matched} if matched else set()


_SOME_SHAPE: Final = -1
_SHAPE_PROBES: Final = _Probes(
    (APART + shape.probe if shape.prefixed else shape.probe, index)
    for index, shape in enumerate(SHAPES)
)
_PROBES: Final = _Probes(
    (
        *((probe, _SOME_SHAPE) for probe in SHAPE_PROBES),
        *(
            (probe, index)
            for index, detector in enumerate(DETECTORS[len(SHAPES) :], len(SHAPES))
            for probe in detector.probes
        ),
    )
)
_FOREIGN_PROBES: Final = _Probes(
    (probe, index) for index, detector in enumerate(DETECTORS) for probe in detector.foreign_probes
)


_FOREIGN_LEADS: Final = tuple(
    bytes([lead]) for lead in (0xC3, 0xCC, 0xD0, 0xD1, *range(0xE3, 0xEA))
)
"""First bytes of accented Latin, Cyrillic, Kana and Han in UTF-8: a foreign name holds one."""


def _is_foreign(data: bytes) -> bool:
    """Whether ``data`` could hold a name beyond ASCII: arrows, boxes and ticks are none."""
    return any(lead in data for lead in _FOREIGN_LEADS)


def fired_detectors(data: bytes, *, is_ascii: bool) -> set[int]:
    """Indexes into `DETECTORS` of those that could find something in a text, given as UTF-8."""
    fired = _PROBES.fired(data)
    if _SOME_SHAPE in fired:
        fired = (fired - {_SOME_SHAPE}) | _SHAPE_PROBES.fired(data)
    return fired if is_ascii or not _is_foreign(data) else fired | _FOREIGN_PROBES.fired(data)


def search(text: str, detectors: Iterable[int] | None = None) -> list[Edit]:
    """One search of ``text`` with some of `DETECTORS`, by index; by default those that could find.

    The replacements are sorted, disjoint, and none of them touches a marker. They are those of this
    text alone: what the replacements themselves put side by side is for the next search.
    """
    data = text.encode("utf-8", "surrogatepass")
    if detectors is None:
        detectors = fired_detectors(data, is_ascii=text.isascii())
        if not detectors:
            return []
    source = Source(data, text if len(data) == len(text) else data.decode("latin-1"))
    spans: list[Span] = []
    for index in sorted(detectors):
        spans.extend(_aligned(data, span) for span in DETECTORS[index].find(source))
    if not spans:
        return []
    outside = _outside_markers(data, _joined(spans))
    return list(_in_code_points(source, text, outside))


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
    joined: list[tuple[int, Span]] = []
    ranked = sorted(enumerate(spans), key=lambda item: (item[1].start, item[0]))
    for rank, span in ranked:
        if joined and span.start < joined[-1][1].end:
            first_rank, first = joined[-1]
            named = first if first_rank <= rank else span
            end = max(first.end, span.end)
            quote = first.quote or span.quote
            joined[-1] = (min(first_rank, rank), Span(first.start, end, named.kind, quote))
        else:
            joined.append((rank, span))
    return [span for _, span in joined]


def _outside_markers(data: bytes, spans: list[Span]) -> Iterator[Span]:
    """The spans without the markers they cover: a marker is never part of a finding."""
    if _MARKER_HEAD not in data:
        yield from spans
        return
    markers = [match.span() for match in _MARKER_BYTES.finditer(data)]
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


def _in_code_points(source: Source, text: str, spans: Iterable[Span]) -> Iterator[Edit]:
    same = source.view is text
    at_byte = at_point = 0
    for span in spans:
        start, end = span.start, span.end
        if not same:
            start = at_point + _points(source.data, at_byte, span.start)
            end = start + _points(source.data, span.start, span.end)
            at_byte, at_point = span.end, end
        replacement = span.quote + marker(span.kind) + span.quote
        yield Edit(kind=span.kind, start=start, end=end, replacement=replacement)


def _points(data: bytes, start: int, end: int) -> int:
    """Code points between two offsets of UTF-8, both at the beginning of one."""
    return len(data[start:end].decode("utf-8", "surrogatepass"))


def _applied(text: str, edits: Iterable[Edit]) -> str:
    parts: list[str] = []
    at = 0
    for edit in edits:
        parts += (text[at : edit.start], edit.replacement)
        at = edit.end
    parts.append(text[at:])
    return "".join(parts)


def _in_original(edits: tuple[Edit, ...], found: list[Edit]) -> Iterator[Edit]:
    """Findings in the text that ``edits`` made, as spans of the text before them.

    A boundary inside a replacement moves to the boundary of what was replaced.
    """
    shift = 0
    written: list[tuple[int, int, Edit]] = []
    for edit in edits:
        start = edit.start + shift
        written.append((start, start + len(edit.replacement), edit))
        shift += len(edit.replacement) - (edit.end - edit.start)

    def origin(offset: int, *, at_end: bool) -> int:
        before = bisect_right(written, offset - at_end, key=lambda item: item[0]) - 1
        if before < 0:
            return offset
        _, end, edit = written[before]
        if offset < end:
            return edit.end if at_end else edit.start
        return offset - end + edit.end

    for edit in found:
        yield Edit(
            kind=edit.kind,
            start=origin(edit.start, at_end=False),
            end=origin(edit.end, at_end=True),
            replacement=edit.replacement,
        )


def _merged(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    merged: list[Edit] = []
    for edit in sorted(edits, key=lambda item: (item.start, -item.end)):
        if merged and edit.start < merged[-1].end:
            last = merged[-1]
            end = max(last.end, edit.end)
            merged[-1] = Edit(
                kind=last.kind, start=last.start, end=end, replacement=last.replacement
            )
        else:
            merged.append(edit)
    return tuple(merged)
