"""Excerpts: the part of a long text that fits into an answer.

Laws:

- An excerpt is a piece of the text as it is, at a known offset; nothing is added and nothing closed
  up. Its JSON string (escapes counted, quotes not) is never larger than the bytes it was given.
- A grapheme is never cut, unless it alone is larger than the budget: then the cut is between code
  points.
- Excerpts taken page by page, each from the end of the one before, are together the whole text.
"""

from typing import Final

import msgspec

from recense.core.late_patterns import late_regex
from recense.core.values import Value

_encoder: Final = msgspec.json.Encoder()

_GRAPHEME: Final = late_regex(r"\p{RI}{2}[\p{GCB=EX}\p{GCB=ZWJ}\p{GCB=SM}]*|\X")
"""A grapheme at a place where one begins. Flags are named apart: to tell whether two of their
letters belong together ``\\X`` counts back through all of them, at every one."""

_SURE_BOUNDARY: Final = late_regex(r"(?r)\p{GCB=Other}(?=\p{GCB=Other})")
"""Between two characters of this class UAX 29 always breaks (GB999), whatever stands around."""

_LOOK_BACK_CODE_POINTS: Final = 256


class Excerpt(Value, kw_only=True):
    """A piece of a text, and how many code points into the text it begins."""

    offset: int
    text: str


def json_bytes(text: str) -> int:
    """Return the bytes of a text inside a JSON string: UTF-8 with escapes, without the quotes."""
    return len(_encoder.encode(text)) - 2


def excerpt_around(text: str, start: int, end: int, bytes_max: int) -> Excerpt:
    """Return the excerpt with [start, end) as near its middle as the text allows.

    ``0 <= start <= end <= len(text)``. What one side does not need the other side gets. When the
    span itself is too large, the excerpt begins with it.
    """
    start = grapheme_start(text, start)
    end = grapheme_end(text, end)
    left = bytes_max - json_bytes(text[start:end])
    if left < 0:
        return excerpt_from(text, start, bytes_max)
    first = _first_within(text, start, left // 2)
    last = _last_within(text, end, left - json_bytes(text[first:start]))
    first = _first_within(text, start, left - json_bytes(text[end:last]))
    return Excerpt(offset=first, text=text[first:last])


def excerpt_from(text: str, offset: int, bytes_max: int) -> Excerpt:
    """Return the excerpt that begins at the grapheme in which ``offset`` lies.

    When that grapheme alone is too large, the excerpt begins at ``offset`` itself, so that paging
    always goes on.
    """
    start = grapheme_start(text, offset)
    last = _last_within(text, start, bytes_max)
    if last <= offset < len(text):
        start = offset
        last = _most_within(text, start, bytes_max)
    return Excerpt(offset=start, text=text[start:last])


def grapheme_start(text: str, offset: int) -> int:
    """Return the last grapheme boundary at or before ``offset``; both ends are boundaries."""
    if offset <= 0 or offset >= len(text):
        return min(max(offset, 0), len(text))
    around = text[offset - 1 : offset + 1]
    if around.isascii() and around != "\r\n":
        return offset  # of two characters of ASCII UAX 29 keeps only these together (GB3)
    boundary = _boundary_before(text, offset)
    for grapheme in _GRAPHEME.finditer(text, boundary):
        if grapheme.end() > offset:
            break
        boundary = grapheme.end()
    return boundary


def grapheme_end(text: str, offset: int) -> int:
    """Return the first grapheme boundary at or after ``offset``."""
    start = grapheme_start(text, offset)
    if start == offset or start == len(text):
        return start
    grapheme = _GRAPHEME.match(text, start)
    return grapheme.end() if grapheme else len(text)


def _boundary_before(text: str, offset: int) -> int:
    """Return some grapheme boundary at or before ``offset`` that needs no reading from the
    start.
    """
    reach = _LOOK_BACK_CODE_POINTS
    while reach < offset:
        found = _SURE_BOUNDARY.search(text, offset - reach, offset + 1)
        if found is not None:
            return found.end()
        reach *= 4
    return 0


def _first_within(text: str, end: int, bytes_max: int) -> int:
    """Return the first grapheme boundary from which the text up to ``end`` fits."""
    low, high = max(0, end - max(bytes_max, 0)), end  # a code point takes a byte at least
    while low < high:
        middle = (low + high) // 2
        if json_bytes(text[middle:end]) <= bytes_max:
            high = middle
        else:
            low = middle + 1
    return min(grapheme_end(text, low), end)


def _last_within(text: str, start: int, bytes_max: int) -> int:
    """Return the last grapheme boundary up to which the text from ``start`` fits."""
    return max(grapheme_start(text, _most_within(text, start, bytes_max)), start)


def _most_within(text: str, start: int, bytes_max: int) -> int:
    """Return the last offset up to which the text from ``start`` fits, graphemes cut or not."""
    low, high = start, min(len(text), start + max(bytes_max, 0))
    while low < high:
        middle = (low + high + 1) // 2
        if json_bytes(text[start:middle]) <= bytes_max:
            low = middle
        else:
            high = middle - 1
    return low
