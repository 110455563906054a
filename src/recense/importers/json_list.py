"""Reading documents of JSON objects safely: a list, or objects one after the other.

A document is what LineReader is not for: its objects may be many megabytes, spread over lines, and
hold hundreds of records each.

Laws:

- One object is in memory at a time, and its decoded value never is: who expands it looks at raw
  parts of it. Memory is bounded whatever the document, by the bound on an object.
- Every byte is in exactly one record's ``size``, or waits. Brackets, commas and blanks belong to
  the object before them; those before the first object of a reading belong to that one.
- An object is taken when it is whole; what follows the last whole one waits. A list that is not
  closed is a fault of the document, however it ends: what is whole of it is taken all the same, and
  nothing is lost when the rest comes.
- Work can stop after any page and go on from it: a page may end inside an object, whose bytes are
  then read again. When that object is another one by then, all its records are given again.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from io import BytesIO
from typing import Final, Protocol, TypeVar

import msgspec
from msgspec.structs import replace

from recense.core.text.json_text import settled
from recense.core.transcript.records import SourcePage, SourceRecord
from recense.core.values import Value
from recense.importers.lines import ByteSource, LineReader, SourceLine
from recense.limits import (
    OBJECT_BYTES_MAX,
    OBJECT_PARTS_MAX,
    PAGE_BYTES_MAX,
    PAGE_RECORDS_MAX,
    READ_BYTES,
)

_BOM: Final = b"\xef\xbb\xbf"
_BETWEEN: Final = re.compile(rb"[ \t\r\n,\[\]]*")
_NO_OBJECT: Final = re.compile(rb"[^{]*")
# Possessive, so that they cost neither backtracking nor memory. A run passes over objects without
# objects in them; a string that is not closed ends it at its quote.
_STRING: Final = rb'"(?:[^"\\]++|\\.)*+"'
_FLAT: Final = rb'[^{}"]++|%s' % _STRING
_RUN: Final = re.compile(rb"(?:%s|\{(?:%s)*+\})*+" % (_FLAT, _FLAT), re.DOTALL)
_STRING_REST: Final = re.compile(rb"(?:[^\"\\]++|\\.)*+", re.DOTALL)
_QUOTE, _OPEN, _CLOSE = b'"{}'

_HEAD_BYTES: Final = 512
_DIGEST_BYTES: Final = 8

_OPENING: Final = (b"{", b"[")
_CLOSING: Final = (b"}", b"]")
_TOP_RUN: Final = re.compile(rb'(?:[^{}\[\]",]++|%s)*+' % _STRING, re.DOTALL)
_NESTED_RUN: Final = re.compile(rb'(?:[^{}\[\]"]++|%s)*+' % _STRING, re.DOTALL)

_SETTLED_BYTES: Final = 1024 * 1024
_OUTSIDE_ESCAPES: Final = re.compile(rb"(?<!\\)[ ,{}]")
"""Where JSON can be cut without cutting an escape or a character."""


class Element(Value, kw_only=True):
    """An object of a document: its bytes (None: more than OBJECT_BYTES_MAX), and the source bytes
    that it accounts for. With a ``reason`` it is bad: no object, or too long. ``line`` is the
    record that it is, where it was read as one.
    """

    raw: bytes | None
    size: int
    reason: str = ""
    line: SourceLine | None = None


class ElementReader:
    """Iterates once over the objects of a document from an offset on.

    After the last one ``waiting`` is the number of bytes that were not taken, and ``fault`` what is
    wrong with the document beyond its objects, or "".
    """

    def __init__(self, file: ByteSource, offset: int) -> None:
        self._file = file
        self._offset = offset
        self._buffer = bytearray()
        self._at = 0  # how far the buffer is scanned
        self._open_lists = 0
        self.waiting = 0
        self.fault = ""

    def __iter__(self) -> Iterator[Element]:
        """Yield the objects in order; OSError passes through."""
        self._file.seek(0)
        starts_with_list = _begins_with_list(self._file.read(_HEAD_BYTES))
        if self._offset and starts_with_list:
            before = max(0, self._offset - _HEAD_BYTES)
            self._file.seek(before)
            end = self._file.read(self._offset - before).rstrip()
            self._open_lists = 0 if end.endswith(b"]") else 1
        self._file.seek(self._offset)
        held: Element | None = None  # waits for what stands between it and the next
        between = self._skip(_BETWEEN, is_first=self._offset == 0)
        while (element := self._element()) is not None:
            if held is None:
                element = replace(element, size=element.size + between)
            else:
                yield replace(held, size=held.size + between)
            held = element
            del element
            between = self._skip(_BETWEEN)
        if self._open_lists > 0:
            self.fault = "the list ends before it is closed"
        elif self.waiting:
            self.fault = "the file ends inside an object"
        if held is None:
            self.waiting += between
        else:
            yield replace(held, size=held.size + between)

    def _fill(self) -> bool:
        """Append a piece of the file to the buffer; return whether there was one."""
        piece = self._file.read(READ_BYTES)
        self._buffer += piece
        return bool(piece)

    def _skip(self, pattern: re.Pattern[bytes], *, is_first: bool = False) -> int:
        """Pass over what matches, out of the buffer; return how many bytes it was."""
        size = 0
        if is_first and self._fill() and self._buffer.startswith(_BOM):
            size = self._at = len(_BOM)
        while True:
            start, self._at = self._at, _end(pattern, self._buffer, self._at)
            passed = self._buffer[start : self._at]
            size += len(passed)
            if pattern is _BETWEEN:
                self._open_lists += passed.count(b"[") - passed.count(b"]")
            if self._at < len(self._buffer):
                return size
            self._buffer.clear()
            self._at = 0
            if not self._fill():
                return size

    def _element(self) -> Element | None:
        """Return the next object, or what stands in the place of one; None at the end."""
        if self._at == len(self._buffer):
            return None
        if self._buffer[self._at] != _OPEN:
            size = self._skip(_NO_OBJECT)
            if self._at == len(self._buffer):
                self.waiting = size
                return None
            return Element(raw=None, size=size, reason="no JSON object")
        if self._at:
            del self._buffer[: self._at]
        self._at = 1
        size = 0  # of what has been dropped from the buffer
        depth, in_string = 1, False
        while True:
            pattern = _STRING_REST if in_string else _RUN
            self._at = _end(pattern, self._buffer, self._at)
            token = self._buffer[self._at] if self._at < len(self._buffer) else None
            if token is None or (in_string and token != _QUOTE):  # or half an escape
                if size or len(self._buffer) > OBJECT_BYTES_MAX:
                    size += self._at
                    del self._buffer[: self._at]
                    self._at = 0
                if not self._fill():
                    self.waiting = size + len(self._buffer)
                    return None
                continue
            self._at += 1
            in_string = token == _QUOTE and not in_string
            depth += (token == _OPEN) - (token == _CLOSE)
            if depth == 0:
                return self._taken(size)

    def _taken(self, dropped: int) -> Element:
        """Return the object that ends where the buffer is scanned to, and free its bytes."""
        size = dropped + self._at
        raw = None if dropped or self._at > OBJECT_BYTES_MAX else bytes(self._buffer[: self._at])
        del self._buffer[: self._at]
        self._at = 0
        reason = "" if raw is not None else f"an object longer than {OBJECT_BYTES_MAX} bytes"
        return Element(raw=raw, size=size, reason=reason)


def _end(pattern: re.Pattern[bytes], buffer: bytearray, at: int) -> int:
    found = pattern.match(buffer, at)
    return found.end() if found is not None else at


def _begins_with_list(head: bytes) -> bool:
    return head.removeprefix(_BOM).lstrip().startswith(b"[")


# --- raw parts of an object -----------------------------------------------------------------------

_fields_decoder: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_items_decoder: Final = msgspec.json.Decoder(list[msgspec.Raw])
_Parts = TypeVar("_Parts")


def fields_of(raw: bytes | msgspec.Raw) -> dict[str, msgspec.Raw] | None:
    """Return the fields of a JSON object, undecoded; None when it is none or holds too many."""
    return _parts(_fields_decoder, raw)


def items_of(raw: bytes | msgspec.Raw) -> list[msgspec.Raw] | None:
    """Return the items of a JSON array, undecoded; None when it is none or holds too many."""
    return _parts(_items_decoder, raw)


def _parts(decoder: "msgspec.json.Decoder[_Parts]", raw: bytes | msgspec.Raw) -> _Parts | None:
    text = bytes(raw)
    if text.count(b",") >= OBJECT_PARTS_MAX and _has_too_many_parts(text):
        return None
    for _ in range(2):
        try:
            return decoder.decode(text)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            text = settled_text(text)
    return None


def _has_too_many_parts(text: bytes) -> bool:
    """Whether an object or array has more than OBJECT_PARTS_MAX parts, without decoding it."""
    parts, depth, at = 1, 0, 0
    while at < len(text):
        pattern = _TOP_RUN if depth == 1 else _NESTED_RUN
        found = pattern.match(text, at)
        at = found.end() if found is not None else at
        token = text[at : at + 1]
        at += 1
        parts += token == b","
        depth += (token in _OPENING) - (token in _CLOSING)
        if parts > OBJECT_PARTS_MAX:
            return True
    return False


def settled_text(text: bytes) -> bytes:
    """Return what `settled` makes of a JSON text, in UTF-8 whatever it was; its escapes may be
    millions.
    """
    pieces: list[bytes] = []
    start = 0
    while start < len(text):
        cut = _OUTSIDE_ESCAPES.search(text, start + _SETTLED_BYTES)
        end = cut.end() if cut else len(text)
        pieces.append(settled(text[start:end]))
        start = end
    return b"".join(pieces).decode("utf-8", "replace").encode()


def record_from(raw: bytes | msgspec.Raw) -> SourceLine:
    """Return the one record that the bytes of an object are, good or bad, as a line would be."""
    line = bytes(raw).replace(b"\n", b" ") + b"\n"
    return next(iter(LineReader(BytesIO(line), 0)))


# --- pages ----------------------------------------------------------------------------------------


class ElementSource(Protocol):
    """What objects are taken from: a document, or the lines of a file."""

    waiting: int
    fault: str

    def __iter__(self) -> Iterator[Element]:
        """Yield the objects in order."""
        ...


class Reached(Value, kw_only=True, array_like=True):
    """Where reading stands after a page, which may end inside an object.

    ``begun`` is how many bytes of that object are accounted for, ``done`` how many of its records
    are given, and ``digest`` stands for its bytes. ``state`` is the importer's own, as it was
    before that object.
    """

    begun: int = 0
    done: int = 0
    digest: bytes = b""
    state: bytes = b""


def progress_of(state: bytes) -> Reached:
    """Return what the state of a page says; b"" is that of a file's start."""
    return _progress_decoder.decode(state) if state else Reached()


def expanded_pages(
    source: ElementSource,
    offset: int,
    progress: Reached,
    records_of: Callable[[Element], Iterable[SourceRecord]],
    state: Callable[[], bytes],
) -> Iterator[SourcePage]:
    """Yield pages of what ``records_of`` makes of objects, at least one record of each.

    ``source`` begins ``progress.begun`` bytes before ``offset``, where the last page ended. Sizes
    are those that ``records_of`` gives, but for the last record of an object, which accounts for
    what is left of it. ``state`` is asked before each object is shown to ``records_of``.
    """
    at = offset - progress.begun  # where the object begins
    accounted = offset
    page: list[SourceRecord] = []
    length = 0
    for element in source:
        before = state()
        digest = _digest(element) if progress.done else b""
        skipped = progress.done if digest == progress.digest else 0
        progress = Reached()
        end = at
        for index, (record, is_last) in enumerate(_with_last(records_of(element))):
            if index >= skipped:
                is_full = len(page) == PAGE_RECORDS_MAX
                if page and (is_full or length + len(record.record) > PAGE_BYTES_MAX):
                    digest = digest or _digest(element)
                    reached = Reached(begun=accounted - at, done=index, digest=digest, state=before)
                    yield _page(page, accounted, reached)
                    page, length = [], 0
            end = at + element.size if is_last else min(end + record.size, at + element.size)
            if index >= skipped:
                page.append(replace(record, size=max(0, end - accounted)))
                length += len(record.record)
                accounted = max(accounted, end)
        at += element.size
    if page or source.waiting or source.fault:
        reached = Reached(begun=accounted - at, state=state())
        last = _page(page, accounted, reached)
        yield replace(last, waiting=source.waiting, fault=source.fault)


_progress_encoder: Final = msgspec.msgpack.Encoder()
_progress_decoder: Final = msgspec.msgpack.Decoder(Reached)


def _page(records: list[SourceRecord], offset: int, reached: Reached) -> SourcePage:
    return SourcePage(
        records=tuple(records), offset=offset, state=_progress_encoder.encode(reached)
    )


def _digest(element: Element) -> bytes:
    """Return what stands for the bytes of an object, to see that it is the same one."""
    raw = element.raw or str(element.size).encode()
    return blake2b(raw, digest_size=_DIGEST_BYTES).digest()


def _with_last(records: Iterable[SourceRecord]) -> Iterator[tuple[SourceRecord, bool]]:
    """Yield each record, and whether it is the last."""
    held: SourceRecord | None = None
    for record in records:
        if held is not None:
            yield held, False
        held = record
    if held is not None:
        yield held, True
