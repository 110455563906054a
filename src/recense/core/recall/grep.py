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

from collections.abc import Iterator, Sequence
from typing import Final

import re2

from recense.core.recall.predicate import redacted_runs
from recense.core.recall.terms import admitted_text
from recense.core.text.fold import FoldedText, fold
from recense.core.text.json_text import settled_text
from recense.core.transcript.messages import Message, Run
from recense.core.transcript.visible import image
from recense.core.values import Value
from recense.errors import InvalidRequest
from recense.limits import MATCH_LINE_BYTES_MAX, PATTERN_MEMORY_BYTES_MAX, TERM_CODE_POINTS_MAX

Span = tuple[int, int]

_BY_LINES: Final = "(?m)"
"""What stands before every regular expression: the ends of lines are ends."""

_CONTINUATION: Final = 0x80
_CONTINUATION_MASK: Final = 0xC0


class Pattern:
    """A pattern that was admitted."""

    def may_occur(self, runs: Sequence[Run]) -> bool:
        """Whether stored runs could hold a match; False is a promise, and costs no redaction."""
        raise NotImplementedError

    def spans(self, text: str, runs: Sequence[Run]) -> Iterator[Span]:
        """Yield where the pattern occurs in the own runs of a text, ascending and apart.

        Of one line the first occurrence, and others at least as far as a shown line reaches.
        """
        raise NotImplementedError


class Columns(Value, kw_only=True):
    """Code points from ``start`` to before ``end`` of a line, from 0."""

    start: int
    end: int


class LineMatch(Value, kw_only=True):
    """A line that matches: its number from 1, its span in the text, and where the pattern is in it.

    Columns as far as a shown line reaches from the first; none where the pattern is empty there.
    """

    number: int
    start: int
    end: int
    columns: tuple[Columns, ...]


class MatchedText(Value, kw_only=True):
    """The redacted text of a message, and its lines that match, in order, each found when asked
    for.
    """

    text: str
    lines: Iterator[LineMatch]


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
    """Return a message's redacted text with its lines that match; None where surely none does.

    Flags are the caller's matter.
    """
    if not pattern.may_occur(message.runs):
        return None
    runs = redacted_runs(message)
    text = "".join(run.text for run in runs)
    return MatchedText(text=text, lines=_lines(text, pattern.spans(text, runs)))


def _lines(text: str, spans: Iterator[Span]) -> Iterator[LineMatch]:
    """Yield the lines in which spans begin; one that reaches further is cut to its line."""
    number, start, end = 1, 0, _line_end(text, 0)
    is_match = False
    columns: list[Columns] = []
    for first, last in spans:
        if first > end:
            if is_match:
                yield LineMatch(number=number, start=start, end=end, columns=tuple(columns))
            number += text.count("\n", end, first)
            start, end = text.rfind("\n", end, first) + 1, _line_end(text, first)
            columns = []
        is_match = True
        if first < last and (not columns or first - start - columns[0].start < _REACH):
            columns.append(Columns(start=first - start, end=min(last, end) - start))
    if is_match:
        yield LineMatch(number=number, start=start, end=end, columns=tuple(columns))


_REACH: Final = MATCH_LINE_BYTES_MAX
"""Code points of a line, from its first match on, in which others are told apart: no more of it is
ever shown."""


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


class _Letters(Pattern):
    """A text, code point for code point."""

    def __init__(self, text: str) -> None:
        self._text = text

    def may_occur(self, runs: Sequence[Run]) -> bool:
        return any(self._text in run.text for run in runs if not run.synthetic)

    def spans(self, text: str, runs: Sequence[Run]) -> Iterator[Span]:
        start = 0
        for run in runs:
            end = start + len(run.text)
            at = -1 if run.synthetic else text.find(self._text, start, end)
            while at >= 0:
                yield at, at + len(self._text)
                at = text.find(self._text, at + len(self._text), end)
            start = end


class _FoldedLetters(Pattern):
    """A text in folded form, as recall finds it."""

    def __init__(self, text: str) -> None:
        self._folded = fold(text)

    def may_occur(self, runs: Sequence[Run]) -> bool:
        return self._folded in image(runs)

    def spans(self, text: str, runs: Sequence[Run]) -> Iterator[Span]:
        start = 0
        for run in runs:
            if not run.synthetic and self._folded in fold(run.text):
                at = start
                for line in run.text.split("\n"):
                    yield from self._in_line(line, at)
                    at += len(line) + len("\n")
            start += len(run.text)

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


class _Expression(Pattern):
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

    def spans(self, text: str, runs: Sequence[Run]) -> Iterator[Span]:
        data = text.encode("utf-8", "replace")
        at, at_byte = 0, 0
        for run in runs:
            end = at + len(run.text)
            end_byte = at_byte + len(run.text.encode("utf-8", "replace"))
            if not run.synthetic:
                for first, last in self._in_run(data, at_byte, end_byte, at):
                    if first < last or _is_of_own_line(text, at, first, end):
                        yield first, last
            at, at_byte = end, end_byte

    def _in_run(self, data: bytes, start: int, end: int, at: int) -> Iterator[Span]:
        """Yield matches within bytes ``start`` to ``end`` in code points; ``at`` is those of
        ``start``.
        """
        done = start
        for found in self._expression.finditer(data, start, end):
            first, last = (_at_character(data, offset) for offset in found.span())
            if first < done:  # an empty match within a character, or a byte of one
                continue
            at += len(data[done:first].decode())
            length = len(data[first:last].decode())
            yield at, at + length
            at, done = at + length, last


def _is_of_own_line(text: str, start: int, at: int, end: int) -> bool:
    """Whether an empty match lies in own text: within it, or at the end of a line that is there.

    A line of nothing but a marker has none, nor has what follows the last line break.
    """
    if at == len(text) and text.endswith("\n"):
        return False
    is_begun = at > start or at == 0 or text[at - 1] == "\n"
    return is_begun and (at < end or at == len(text))


def _at_character(data: bytes, offset: int) -> int:
    """Return where the character begins in which an offset lies: an expression may ask for bytes."""
    while 0 < offset < len(data) and data[offset] & _CONTINUATION_MASK == _CONTINUATION:
        offset -= 1
    return offset


def _words_of(error: Exception) -> str:
    """Return what RE2 says of a pattern, without what stands before it."""
    said: object = error.args[0] if error.args else ""
    words = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
    return words.replace(_BY_LINES, "", 1)
