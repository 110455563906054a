"""JSON as models write it: values among other words, with the faults that models make.

Laws:

- Text that is valid JSON is read as what it says. Beyond that a string may hold control characters,
  escapes that are none and quotation marks of its own; a list or an object may end with a comma.
- What ends too early is told from what is broken, and keeps its whole items.
- Time grows with the text alone, whatever it holds, and nothing recurses: how deep values go is
  bounded, and so is how often a character is looked at again.
"""

import json
import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from typing import Final

from recense.core.values import Value
from recense.limits import LOOSE_JSON_DEPTH_MAX, LOOSE_JSON_LOOKS_MAX

_VALUE: Final = 1
_KEY: Final = 2
_COLON: Final = 4
_COMMA: Final = 8
_END: Final = 16
"""What may come next, as a set of these."""

_CLOSING_OF: Final = {"{": "}", "[": "]"}

_OPENING: Final = re.compile(r"[{\[]")
_BLANK: Final = re.compile(r"\s*+")
_CLOSING_QUOTE: Final = re.compile(r'\\.|("(?=\s*+(?:[,:}\]]|\Z)))', re.DOTALL)
"""A quotation mark ends a string where something follows that may follow a string."""

_SCALAR: Final = re.compile(
    r"(?:true|false|null|-?(?:0|[1-9][0-9]{0,400}+)(?:\.[0-9]{1,400}+)?(?:[eE][+-]?[0-9]{1,9}+)?)"
    r"(?![\w.+-])"
)
_HALF_A_SCALAR: Final = re.compile(r"(?:t|tr|tru|f|fa|fal|fals|n|nu|nul|-?[0-9.eE+-]{0,40})\Z")
_ESCAPE_OR_QUOTE: Final = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|\\|"')


class FoundValue(Value, kw_only=True):
    """An object or a list, read. One that ``is_cut`` ended with the text: of the list that was
    being written it holds the whole items, and of what came before everything.
    """

    value: object
    is_cut: bool = False


class BrokenValue(Value, kw_only=True):
    """What begins at ``start`` as an object or a list and is none; ``at`` is the place where that
    shows, and ``reason`` says what should have stood there.
    """

    start: int
    at: int
    reason: str


def values_in(text: str) -> Iterator[FoundValue | BrokenValue]:
    """Yield the outermost objects and lists in a text, in order, whatever stands around them.

    What is broken is looked into for whole values. After one that is cut there are no more.
    """
    scan = _Scan(text)
    at = 0
    while (opening := _OPENING.search(text, at)) is not None:
        start = opening.start()
        reading = _Reading(scan, start)
        outcome = reading.run()
        yield outcome
        if isinstance(outcome, BrokenValue):
            at = start + 1
        elif outcome.is_cut:
            return
        else:
            at = reading.at
        if scan.looks_left < 0:
            yield BrokenValue(start=start, at=at, reason="it is too tangled to be read further")
            return


class _Scan:
    """What all readings of one text share."""

    def __init__(self, text: str) -> None:
        self.text: Final = text
        self.looks_left = LOOSE_JSON_LOOKS_MAX * (len(text) + 1_000)
        closing = (found.start(1) for found in _CLOSING_QUOTE.finditer(text))
        self._closing: Final = array("q", (at for at in closing if at >= 0))

    def closing_quote(self, after: int) -> int | None:
        """Return where the string ends that begins before a place."""
        index = bisect_left(self._closing, after)
        return self._closing[index] if index < len(self._closing) else None

    def past_blank(self, at: int) -> int:
        """Return where the next token begins."""
        found = _BLANK.match(self.text, at)
        end = at if found is None else found.end()
        self.looks_left -= 1 + end - at
        return end


class _Frame:
    """An object or a list that is open; ``end`` is where its last whole part ends."""

    __slots__ = ("end", "opening")

    def __init__(self, opening: str, end: int) -> None:
        self.opening: Final = opening
        self.end = end


class _Reading:
    """One attempt to read a value from its opening bracket on."""

    def __init__(self, scan: _Scan, start: int) -> None:
        self.at = start
        self._scan: Final = scan
        self._text: Final = scan.text
        self._start: Final = start
        self._frames: list[_Frame] = []
        self._expected = _VALUE
        self._strings: list[tuple[int, int]] = []  # without their quotation marks
        self._comma = -1  # the newest, where nothing came after it
        self._needless: list[int] = []  # commas before a closing bracket

    def run(self) -> FoundValue | BrokenValue:
        """Return what stands there; `at` is then its end."""
        while True:
            self.at = self._scan.past_blank(self.at)
            if self.at == len(self._text):
                return self._cut()
            if self._scan.looks_left < 0:
                return self._broken("an end")
            character = self._text[self.at]
            if character in "{[":
                outcome = self._opened(character)
            elif character in "}]":
                outcome = self._closed(character)
            elif character == '"':
                outcome = self._string()
            elif character in ",:":
                outcome = self._mark(character)
            else:
                outcome = self._scalar()
            if outcome is not None:
                return outcome

    def _opened(self, bracket: str) -> BrokenValue | None:
        if not self._expected & _VALUE:
            return self._broken(self._wanted())
        if len(self._frames) == LOOSE_JSON_DEPTH_MAX:
            return self._broken("nothing nested so deeply")
        self.at += 1
        self._comma = -1
        self._frames.append(_Frame(bracket, self.at))
        self._expected = (_KEY if bracket == "{" else _VALUE) | _END
        return None

    def _closed(self, bracket: str) -> FoundValue | BrokenValue | None:
        frames = self._frames
        if not self._expected & _END or _CLOSING_OF[frames[-1].opening] != bracket:
            return self._broken(self._wanted())
        if self._comma >= 0:
            self._needless.append(self._comma)
        frames.pop()
        self.at += 1
        if frames:
            self._part_ended()
            return None
        return self._value(self.at, "") or self._broken("something that JSON knows")

    def _string(self) -> FoundValue | BrokenValue | None:
        if not self._expected & (_VALUE | _KEY):
            return self._broken(self._wanted())
        end = self._scan.closing_quote(self.at + 1)
        if end is None:
            return self._cut()
        self._strings.append((self.at + 1, end))
        self.at = end + 1
        if self._expected & _KEY:
            self._comma = -1
            self._expected = _COLON
        else:
            self._part_ended()
        return None

    def _mark(self, character: str) -> BrokenValue | None:
        if not self._expected & (_COMMA if character == "," else _COLON):
            return self._broken(self._wanted())
        if character == ",":
            self._comma = self.at
            self._expected = (_KEY if self._frames[-1].opening == "{" else _VALUE) | _END
        else:
            self._expected = _VALUE
        self.at += 1
        return None

    def _scalar(self) -> FoundValue | BrokenValue | None:
        found = _SCALAR.match(self._text, self.at) if self._expected & _VALUE else None
        if found is not None:
            self._scan.looks_left -= found.end() - self.at
            self.at = found.end()
            self._part_ended()
            return None
        if self._expected & _VALUE and _HALF_A_SCALAR.match(self._text, self.at):
            return self._cut()
        return self._broken(self._wanted())

    def _part_ended(self) -> None:
        self._comma = -1
        self._frames[-1].end = self.at
        self._expected = _COMMA | _END

    def _wanted(self) -> str:
        names = {
            _VALUE: "a value",
            _KEY: "a key in quotation marks",
            _COLON: "a colon",
            _COMMA: "a comma",
            _END: "a closing bracket",
        }
        return " or ".join(name for mark, name in names.items() if self._expected & mark)

    def _broken(self, wanted: str) -> BrokenValue:
        return BrokenValue(start=self._start, at=self.at, reason=f"expected {wanted}")

    def _cut(self) -> FoundValue | BrokenValue:
        """Return what is whole: of the innermost list that an object is being written into, and
        where there is none of the outermost list.
        """
        kinds = [frame.opening for frame in self._frames]
        lists = [index for index, kind in enumerate(kinds) if kind == "["]
        if not lists:
            return self._broken("more: the text ends here")
        into = [index for index in lists if kinds[index + 1 : index + 2] == ["{"]]
        index = into[-1] if into else lists[0]
        closing = "".join(_CLOSING_OF[kind] for kind in reversed(kinds[: index + 1]))
        whole = self._value(self._frames[index].end, closing, is_cut=True)
        return whole or self._broken("something that JSON knows")

    def _value(self, end: int, closing: str, *, is_cut: bool = False) -> FoundValue | None:
        """Return what stands up to a place, closed by more brackets; None where that is nothing."""
        edits = [(at, at + 1, "") for at in self._needless if at < end]
        for mended in (False, True):
            if mended:
                edits += [
                    (start, stop, _ESCAPE_OR_QUOTE.sub(_mended, self._text[start:stop]))
                    for start, stop in self._strings
                    if stop < end
                ]
            try:
                value: object = json.loads(self._edited(sorted(edits), end) + closing, strict=False)
            except ValueError:
                continue
            return FoundValue(value=value, is_cut=is_cut)
        return None

    def _edited(self, edits: list[tuple[int, int, str]], end: int) -> str:
        parts: list[str] = []
        at = self._start
        for start, stop, written in edits:
            parts += (self._text[at:start], written)
            at = stop
        parts.append(self._text[at:end])
        return "".join(parts)


def _mended(found: re.Match[str]) -> str:
    """Return an escape that is one as it is, and any other backslash or mark as itself, escaped."""
    written = found.group()
    return written if len(written) > 1 else f"\\{written}"
