"""What every detector of secrets reads and gives: a text as bytes, and spans of bytes in it.

The text is UTF-8. It is searched with RE2 as bytes, and walked through as `view`, the same bytes
read as Latin-1, so that an offset means the same in both; a value is decoded only to be judged.
"""

import functools
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple, TypeAlias

import msgspec
import re2

from recense.core.text.hidden_characters import ESCAPES
from recense.core.text.secret_values import Place, is_secret
from recense.limits import QUOTED_SECRET_BYTES_MAX

ANSI: Final = r"\x1b\[[0-9;]*m"
"""A terminal colour: it may stand between a name and its value."""


class Span(NamedTuple):
    """Bytes ``start`` to ``end`` of a source hold a secret of ``kind``.

    ``quote`` is written on both sides of the marker where a bare JSON value becomes a string.
    """

    start: int
    end: int
    kind: str
    quote: str = ""


class Source(msgspec.Struct, frozen=True):
    """One text under examination: its UTF-8 bytes, and the same bytes as Latin-1."""

    data: bytes
    view: str
    _judged: dict[tuple[str, str, Place], bool] = msgspec.field(
        default_factory=dict[tuple[str, str, Place], bool]
    )

    @property
    def is_ascii(self) -> bool:
        """Whether every byte is a character of ASCII."""
        return self.data.isascii()

    def text(self, start: int, end: int) -> str:
        """The bytes ``start`` to ``end`` as the text they are; a cut character is replaced."""
        return self.data[start:end].decode("utf-8", "replace")

    def is_secret(self, start: int, end: int, kind: str, place: Place) -> bool:
        """What `secret_values.is_secret` says of a span; of one value it is asked once."""
        value = self.text(start, end)
        if "\x1b" in value:
            value = ESCAPES.sub("", value)
        judged = self._judged.get((value, kind, place))
        if judged is None:
            judged = self._judged[value, kind, place] = is_secret(value, kind, place)
        return judged


class Detector(msgspec.Struct, frozen=True):
    """What finds secrets of one family.

    ``probes`` are patterns without boundaries that fire on every text that holds such a secret, and
    also on that text escaped for JSON; ``find`` is called only where one has fired. Spans may
    overlap and come in any order. ``foreign_probes`` are those that only text beyond ASCII holds.
    """

    probes: tuple[bytes, ...]
    find: Callable[[Source], Iterator[Span]]
    foreign_probes: tuple[bytes, ...] = ()


Pattern: TypeAlias = "re2._Regexp[bytes]"  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - re2 has no public name for it
"""A compiled RE2 pattern over bytes."""


@functools.cache
def pattern_of(pattern: bytes) -> Pattern:
    """A compiled RE2 pattern over bytes read as Latin-1, compiled when first needed."""
    return re2.compile(pattern, latin_options())


def latin_options() -> re2.Options:
    """RE2 options of every pattern here: bytes, no log, room for large alternations."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    options.max_mem = 64 * 1024 * 1024
    return options


def stretches(source: Source, pattern: bytes, group: int = 0) -> Iterator[tuple[int, int, int]]:
    """Start and end of a group of each match, and where the next begins: no two stretches overlap.

    A detector that reads on from a match no further than that is linear, however many there are.
    """
    spans = [match.span(group) for match in pattern_of(pattern).finditer(source.data)]
    for index, (start, end) in enumerate(spans, 1):
        yield start, end, spans[index][0] if index < len(spans) else len(source.data)


def closing_quote(view: str, start: int, quote: str) -> int:
    """Where the string that ``quote`` opened before ``start`` ends on its line, or -1.

    ``quote`` is a quotation mark with the backslashes before it, as in JSON inside a JSON string.
    A mark closes when it has as many backslashes, or a whole number of escaped backslashes more, or
    fewer, which ends the string around it.
    """
    depth, mark = len(quote) - 1, quote[-1]
    stop = min(len(view), start + QUOTED_SECRET_BYTES_MAX)
    line = view.find("\n", start, stop)
    stop = stop if line < 0 else line
    found = view.find(mark, start, stop)
    while found >= 0:
        run = found
        while run > start and view[run - 1] == "\\":
            run -= 1
        if found - run < depth or (found - run) % (2 * depth + 2) == depth:
            return max(run, found - depth)
        found = view.find(mark, found + 1, stop)
    return -1
