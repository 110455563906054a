"""Grep: which lines of a message hold a pattern, where, and in which order.

Laws:

- Only redacted text is searched: a message is redacted whole first, and what stands where a secret
  was is synthetic and never matches, nor does a match reach across it. So neither a text nor a
  regular expression can tell anything of a secret, however it is asked; a text that looks like a
  secret is refused all the same, as the terms of recall are.
- A match is a line that holds the pattern, however often. Without a regular expression and without
  regard to case, the messages that match are those that match the term in recall.
- The time is linear in the text, whatever the pattern (RE2).
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final, Protocol

import re2

from recense.core.recall.predicate import redacted_runs
from recense.core.recall.terms import admitted_text
from recense.core.text.fold import FoldedText, fold
from recense.core.text.json_text import settled_text
from recense.core.transcript.messages import Message, Run
from recense.core.transcript.visible import image
from recense.core.values import Value
from recense.errors import InvalidRequest
from recense.limits import (
    MATCH_COLUMNS_MAX,
    MATCH_LINE_BYTES_MAX,
    PATTERN_MEMORY_BYTES_MAX,
    TERM_CODE_POINTS_MAX,
)

Span = tuple[int, int]
"""Code points from the first to before the second."""

_BY_LINES: Final = "(?m)"
"""What stands before every regular expression: the ends of lines are ends."""

_REACH: Final = MATCH_LINE_BYTES_MAX
"""Code points of a line, from its first match on, beyond which others are not looked for: no more
of a line is ever shown."""

_CONTINUATION: Final = 0x80
_CONTINUATION_MASK: Final = 0xC0


Find = Callable[[int, int, bool], Iterator[Span]]
"""Yields where a pattern occurs in a stretch of own text, ascending and apart; with True at most
once in a line, which is all that counting needs."""


class Pattern(Protocol):
    """A pattern that was admitted."""

    def may_occur(self, runs: Sequence[Run]) -> bool:
        """Whether stored runs could hold a match; False is a promise, and costs no redaction."""
        ...

    def find_in(self, text: str) -> Find:
        """Return what finds the pattern in stretches of a text."""
        ...


class LineMatch(Value, kw_only=True):
    """A line that matches: its number from 1, and its span in the text."""

    number: int
    start: int
    end: int


class MatchedText:
    """The redacted text of a message in which a pattern may occur."""

    def __init__(self, runs: Sequence[Run], pattern: Pattern) -> None:
        self.text: Final = "".join(run.text for run in runs)
        self._own: list[Span] = []
        start = 0
        for run in runs:
            end = start + len(run.text)
            if not run.synthetic:
                self._own.append((start, end))
            start = end
        self._find = pattern.find_in(self.text)

    def lines(self) -> Iterator[LineMatch]:
        """Yield the lines that match, in order."""
        text = self.text
        number, end = 1, -1
        for start_of_run, end_of_run in self._own:
            for first, _ in self._find(start_of_run, end_of_run, True):  # noqa: FBT003 -- see Find
                if first > end:
                    number += text.count("\n", max(end, 0), first)
                    start, end = text.rfind("\n", 0, first) + 1, _line_end(text, first)
                    yield LineMatch(number=number, start=start, end=end)

    def columns(self, line: LineMatch) -> tuple[Span, ...]:
        """Return where in a line the pattern is, as spans of the line: the first MATCH_COLUMNS_MAX;
        none where the pattern is empty.
        """
        found = (
            (first - line.start, last - line.start)
            for start, end in self._own
            if start < line.end and end > line.start
            for first, last in self._find(max(start, line.start), min(end, line.end), False)  # noqa: FBT003 -- see Find
            if first < last
        )
        return tuple(islice(found, MATCH_COLUMNS_MAX))


def admit_pattern(text: str, *, is_regex: bool, heeds_case: bool) -> Pattern:
    """Return a pattern as it is searched; space at its ends counts.

    Raises InvalidRequest when it is blank, longer than TERM_CODE_POINTS_MAX, has a line break, or
    is no regular expression of RE2's when it should be one; CredentialShaped when redaction would
    change it.
    """
    admitted_text(text, "the pattern", TERM_CODE_POINTS_MAX)
    text = settled_text(text)
    if "\n" in text or "\r" in text:
        raise InvalidRequest(
            "the pattern has a line break, and is looked for line by line",
            hint="recense recall finds a text over several lines",
        )
    if is_regex:
        return _Expression(text, heeds_case=heeds_case)
    return _Letters(text) if heeds_case else _FoldedLetters(text)


def matched_text(message: Message, pattern: Pattern) -> MatchedText | None:
    """Return a message's redacted text, to look for a pattern in; None where it surely is not.

    Flags are the caller's matter.
    """
    if not pattern.may_occur(message.runs):
        return None
    return MatchedText(redacted_runs(message), pattern)


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


class _Letters:
    """A text, code point for code point."""

    def __init__(self, text: str) -> None:
        self._text = text

    def may_occur(self, runs: Sequence[Run]) -> bool:
        return any(self._text in run.text for run in runs if not run.synthetic)

    def find_in(self, text: str) -> Find:
        def find(start: int, end: int, once_a_line: bool) -> Iterator[Span]:  # noqa: FBT001 -- see Find
            at = text.find(self._text, start, end)
            while at >= 0:
                last = at + len(self._text)
                yield at, last
                at = text.find(self._text, _line_end(text, last) if once_a_line else last, end)

        return find


class _FoldedLetters:
    """A text in folded form, as recall finds it."""

    def __init__(self, text: str) -> None:
        self._folded = fold(text)

    def may_occur(self, runs: Sequence[Run]) -> bool:
        return self._folded in image(runs)

    def find_in(self, text: str) -> Find:
        def find(start: int, end: int, once_a_line: bool) -> Iterator[Span]:  # noqa: FBT001 -- see Find
            stretch = text[start:end]
            if self._folded in fold(stretch):
                for line in stretch.split("\n"):
                    yield from islice(self._in_line(line, start), 1 if once_a_line else None)
                    start += len(line) + len("\n")

        return find

    def _in_line(self, line: str, at: int) -> Iterator[Span]:
        """Yield the first occurrence in a line and those within reach of it, as offsets from
        ``at``: the way back from folded offsets is dear in a long line, and short within reach.
        """
        whole = FoldedText(line)
        found = whole.folded.find(self._folded)
        if found < 0:
            return
        first, done = whole.original_span(found, found + len(self._folded))
        yield at + first, at + done
        at, rest = at + done, FoldedText(line[done : done + _REACH])
        done = 0
        found = rest.folded.find(self._folded)
        while found >= 0:
            first, last = rest.original_span(found, found + len(self._folded))
            if first >= done:  # one character may fold to several, and hold the text twice
                yield at + first, at + last
                done = last
            found = rest.folded.find(self._folded, found + len(self._folded))


class _Expression:
    """A regular expression, which never sees more than one line of one run.

    What stands around the run is its context: a line that goes on behind a marker does not end
    before it.
    """

    def __init__(self, text: str, *, heeds_case: bool) -> None:
        options = re2.Options()
        options.case_sensitive = heeds_case
        options.log_errors = False
        options.max_mem = PATTERN_MEMORY_BYTES_MAX
        options.never_capture = True
        options.never_nl = True
        try:
            self._expression = re2.compile((_BY_LINES + text).encode(), options)
        except re2.error as error:
            raise InvalidRequest(
                f"the pattern is no regular expression that is searched: {_words_of(error)}",
                hint="the syntax is RE2's, without look-around and back-references; without"
                " --regex a pattern is the text itself",
            ) from error

    def may_occur(self, runs: Sequence[Run]) -> bool:
        return any(not run.synthetic for run in runs)

    def find_in(self, text: str) -> Find:
        offsets = _Offsets(text)
        data = offsets.data

        def find(start: int, end: int, once_a_line: bool) -> Iterator[Span]:  # noqa: FBT001 -- see Find
            at = offsets.byte_of(start)
            stop = at + len(text[start:end].encode("utf-8", "replace"))
            while at <= stop:
                found = self._expression.search(data, at, stop)
                if found is None:
                    return
                first, last = found.span()
                at = last + (first == last)
                span = (offsets.point_of(first), offsets.point_of(last))
                if first < last or _is_of_own_line(text, start, span[0], end):
                    yield span
                    if once_a_line:
                        line_end = data.find(b"\n", last, stop)
                        at = stop + 1 if line_end < 0 else line_end + 1

        return find


class _Offsets:
    """A text in UTF-8, and the way from offsets in one to offsets in the other.

    Asked in ascending order the way takes linear time in all; an offset within a character is that
    of the character.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self.data = text.encode("utf-8", "replace")
        self._is_same = len(self.data) == len(text)
        self._point = self._byte = 0

    def byte_of(self, point: int) -> int:
        """Return where a code point begins in UTF-8."""
        if self._is_same:
            return point
        if point < self._point:
            self._point = self._byte = 0
        self._byte += len(self._text[self._point : point].encode("utf-8", "replace"))
        self._point = point
        return self._byte

    def point_of(self, byte: int) -> int:
        """Return the code point of an offset in UTF-8."""
        if self._is_same:
            return byte
        while 0 < byte < len(self.data) and self.data[byte] & _CONTINUATION_MASK == _CONTINUATION:
            byte -= 1
        if byte < self._byte:
            self._point = self._byte = 0
        self._point += len(self.data[self._byte : byte].decode())
        self._byte = byte
        return self._point


def _is_of_own_line(text: str, start: int, at: int, end: int) -> bool:
    """Whether an empty match lies in own text: within it, or at the end of a line that is there.

    A line of nothing but a marker has none, nor has what follows the last line break.
    """
    if at == len(text) and text.endswith("\n"):
        return False
    is_begun = at > start or at == 0 or text[at - 1] == "\n"
    return is_begun and (at < end or at == len(text))


def _words_of(error: Exception) -> str:
    """Return what RE2 says of a pattern, without what stands before it."""
    said: object = error.args[0] if error.args else ""
    words = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
    return words.replace(_BY_LINES, "", 1)
