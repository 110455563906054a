"""Every detector of secrets, and the probes that name those which could find something.

Law: what is left out is a promise. A detector that finds something in a text has a probe that fires
on the text, and on the text escaped for JSON; so one pass over the bytes leaves out all others. The
automata are built when the first text is searched, for that takes longer than most programs that
import this file run.
"""

import functools
import re
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import Final

import re2

from recense.core.late_patterns import late_pattern
from recense.core.text.assignments import ASSIGNMENTS
from recense.core.text.commands import COMMANDS
from recense.core.text.credentials import CONTEXTS
from recense.core.text.one_time_codes import ONE_TIME_CODES
from recense.core.text.secret_spans import (
    Detector,
    Pattern,
    Source,
    Span,
    latin_options,
    pattern_of,
)
from recense.core.text.shapes import APART, SHAPE_FAMILIES, SHAPES, Shape


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
    if right.isalnum() or right == b"_":
        return True
    if left not in _RUN_SIGNS and not left.isalnum():
        return False
    if _DIGEST_HEAD.search(data, max(0, start - 100), start):
        return True
    if left in _URL_SAFE_SIGNS:
        return _is_drawn_run(data[max(0, start - _RUN_BYTES) : start])
    return left in _BASE64_SIGNS and right in _BASE64_SIGNS and data[start:end].isalnum()


def _is_drawn_run(run: bytes) -> bool:
    """Whether what stands before a token is a run of URL-safe base64 that the token is part of."""
    if len(run) < _RUN_BYTES or _URL_SAFE_RUN.fullmatch(run) is None:
        return False
    return not run.islower() and not run.isupper() and any(map(str.isdigit, run.decode()))


_DIGEST_HEAD: Final = late_pattern(
    rb"(?:sha(?:1|224|256|384|512)|md5|h1)[=:-][\w+/=-]{0,96}\Z", re.ASCII
)
_RUN_SIGNS: Final = frozenset({b"=", b":", b"-", b"_", b"+", b"/"})
_BASE64_SIGNS: Final = frozenset({b"+", b"/"})
_URL_SAFE_SIGNS: Final = frozenset({b"-", b"_"})
_URL_SAFE_RUN: Final = late_pattern(rb"[\w-]+", re.ASCII)
_RUN_BYTES = 24

DETECTORS: Final = (
    *map(_shape_detector, SHAPES),
    *CONTEXTS,
    *COMMANDS,
    *ONE_TIME_CODES,
    *ASSIGNMENTS,
)
"""In the order in which they name a span that several of them claim."""

_TAB, _TAB_ESCAPED = rb"[ \t]", rb"(?:[ \t]|\\t)"
"""A probe also reads text that is escaped for JSON, where a tab is two characters."""
_NONE: Final = frozenset[int]()
_VEIL: Final = -1
_FOREIGN: Final = -2
_FAMILIES: Final = {-3 - number: family for number, family in enumerate(SHAPE_FAMILIES)}
_FOREIGN_PROBE: Final = rb"[\xc3\xcc\xd0\xd1\xe3-\xed]"
"""First bytes of accented Latin, Cyrillic, Kana, Han and Hangul in UTF-8: a name beyond ASCII holds
one, and arrows, boxes and ticks do not."""
_VEIL_PROBE: Final = (
    rb"\\u(?:[1-9A-Fa-f][0-9A-Fa-f]{3}|0[1-9A-Fa-f][0-9A-Fa-f]{2}|00[2-9A-Fa-f][0-9A-Fa-f]|001[bB])"
    rb"|\\x[0-9A-Fa-f]{2}|\\(?:033|e)\[|\x1b|&(?:#[0-9xX]|[a-z]{2,6};)"
    rb"|[^\"\\]\\*\"\\*\"[^\s,:=\"\\\]})][^\"\n]*\"\\*\""
    rb"|\xc2[\xa0\xad]|\xe1(?:\xa0\x8e|\x9a\x80)|\xe2\x80[\x80-\x8f\xaa-\xaf]|\xe2\x81[\x9f-\xaf]"
    rb"|\xe3\x80\x80|\xef\xbb\xbf|\xf3\xa0[\x80\x81]"
)
"""What may veil a secret from the other probes, in a text or in its JSON: what `hidden_characters`
and `spelled_characters` know, and a printable character that is written as an escape."""


class Probes:
    """A set of probes in one automaton, and the detectors that those which fire belong to."""

    def __init__(self, probes: Iterable[tuple[bytes, int]]) -> None:
        options = latin_options()
        options.never_capture = True
        self._set = re2.Set.SearchSet(options)
        self._probes: list[tuple[bytes, int]] = []
        for probe, owner in probes:
            widened = probe.replace(_TAB, _TAB_ESCAPED)
            self._set.Add(widened)
            self._probes.append((widened, owner))
        self._set.Compile()

    def fired(self, data: bytes) -> AbstractSet[int]:
        """The owners of the probes that fire on ``data``."""
        matched = self._set.Match(data)
        return {self._probes[probe][1] for probe in matched} if matched else _NONE

    def fired_with_patterns(self, data: bytes) -> list[tuple[int, Pattern]]:
        """The probes that fire on ``data``: their owners, and patterns without groups."""
        matched = self._set.Match(data)
        if not matched:
            return []
        fired = (self._probes[probe] for probe in matched)
        return [(owner, _ungrouped(probe)) for probe, owner in fired]


@functools.cache
def _ungrouped(pattern: bytes) -> Pattern:
    options = latin_options()
    options.never_capture = True
    return re2.compile(pattern, options)


@functools.cache
def _probes() -> Probes:
    return Probes(
        (
            (_VEIL_PROBE, _VEIL),
            (_FOREIGN_PROBE, _FOREIGN),
            *((family.probe, owner) for owner, family in _FAMILIES.items()),
            *(
                (probe, index)
                for index, detector in enumerate(DETECTORS[len(SHAPES) :], len(SHAPES))
                for probe in detector.probes
            ),
        )
    )


@functools.cache
def _shape_probes(owner: int) -> Probes:
    """The probes of the rows of one family."""
    members = ((SHAPES[index], index) for index in _FAMILIES[owner].members)
    return Probes(
        (APART + shape.probe if shape.prefixed else shape.probe, index) for shape, index in members
    )


@functools.cache
def _foreign_probes() -> Probes:
    return Probes(
        (probe, index)
        for index, detector in enumerate(DETECTORS)
        for probe in detector.foreign_probes
    )


def fired_detectors(data: bytes) -> tuple[AbstractSet[int], bool]:
    """Which of `DETECTORS` could find something in a text in UTF-8, and whether it may be veiled.

    A text that is not veiled has no other view (`views`) that could show a secret.
    """
    fired = _probes().fired(data)
    if not fired:
        return _NONE, False
    named = {index for index in fired if index >= 0}
    for owner in _FAMILIES.keys() & fired:
        named |= _shape_probes(owner).fired(data)
    if _FOREIGN in fired:
        named |= _foreign_probes().fired(data)
    return named, _VEIL in fired


def fired_probes(data: bytes) -> list[Pattern]:
    """Patterns of which each fires somewhere in ``data``, one of them wherever there is a secret.

    ``data`` is a text in UTF-8, or JSON that holds such a text as a string.
    """
    fired = _probes().fired_with_patterns(data)
    if not fired:
        return []
    patterns = [pattern for owner, pattern in fired if owner != _FOREIGN]
    if len(patterns) < len(fired):
        patterns += [pattern for _, pattern in _foreign_probes().fired_with_patterns(data)]
    return patterns
