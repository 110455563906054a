"""Reading lines safely: what every importer of JSON Lines has in common.

Laws:

- Every byte is in exactly one record's ``size``, or waits. Blank lines belong to the record before
  them; those that stand before the first record of a reading belong to that one. A file that holds
  only blanks yields nothing, and all its bytes wait.
- Reading on from any offset of a page gives the same records as reading the whole, wherever the
  file was cut while it grew. Therefore of a last line without its line feed the whole objects at
  its head are taken, as a rule all of it; what follows them is torn and waits. (A line that grows
  beyond LINE_BYTES_MAX after objects at its head were taken is the one exception.)
- A record is the exact bytes of one JSON object, but for U+0000 and lone surrogates, written
  plainly or as escapes, which become U+FFFD. Objects glued together on one line are a record each.
- What is no JSON object is one bad record, kept, with a reason: a whole line, or what is left of a
  line after good objects. Nothing is raised for the content of a file.
- A line is kept when what remains of it, its long payloads lifted out, is within LINE_BYTES_MAX;
  its sizes count what stood in the file. Memory is bounded, whatever the file, and work is linear,
  also over blanks without end.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import BytesIO
from itertools import chain
from typing import Final, Protocol, cast

import msgspec
from msgspec.structs import replace

from recense.core.text.json_text import settled
from recense.core.transcript.lifting import Lift, LiftedLine, PayloadLifter
from recense.core.transcript.records import Blob, SourcePage, SourceRecord
from recense.core.values import Value
from recense.limits import (
    CUT_HEAD_BYTES,
    FOLDER_CODE_POINTS_MAX,
    IDENTIFIER_CODE_POINTS_MAX,
    LIFTED_PAYLOAD_BYTES_MIN,
    LINE_BYTES_MAX,
    NESTING_MAX,
    PAGE_BYTES_MAX,
    PAGE_RECORDS_MAX,
    READ_BYTES,
    RECORD_COMMAS_MAX,
    SPILLED_CALLS_MAX,
    TITLE_CODE_POINTS_MAX,
    UNCLAIMED_BYTES_MAX,
)

_BOM: Final = b"\xef\xbb\xbf"
_BLANK: Final = b" \t\r\n"

_BLANK_LINES: Final = re.compile(rb"[ \t\r\n]*\n")

# Possessive, so that a long line costs neither backtracking nor memory; an unclosed string runs to
# the end of the line.
_BRACE_OR_STRING: Final = re.compile(rb'[{}]|"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)', re.DOTALL)


_decoder: Final = msgspec.json.Decoder()


class SourceLine(Value, kw_only=True):
    """One record of a file: its bytes, its value when it is a JSON object, the source bytes that it
    accounts for, when it is bad the reason why, and the payloads that were lifted out of it.
    """

    record: bytes
    value: dict[str, object] | None
    size: int
    reason: str = ""
    blobs: tuple[Blob, ...] = ()


class ByteSource(Protocol):
    """What lines are read from: a binary file, or what one decodes to."""

    def seek(self, offset: int, /) -> int:
        """Go to an offset from the start."""
        ...

    def read(self, size: int, /) -> bytes:
        """Return the next bytes, at most ``size``; b"" at the end."""
        ...


class LineReader:
    """Iterates once over the records of a file from an offset on.

    ``fault`` is asked at the end whether the source ended for a reason other than being read to its
    end; then what is left is no line that could grow, but a last, bad record. ``waiting`` is, after
    the last record, the number of bytes that were seen and not taken.
    """

    def __init__(self, file: ByteSource, offset: int, *, fault: Callable[[], str] = str) -> None:
        self._file = file
        self._offset = offset
        self._fault = fault
        self.waiting = 0

    def __iter__(self) -> Iterator[SourceLine]:
        """Yield the records in order; OSError passes through."""
        held: SourceLine | None = None  # waits for the blanks that belong to it
        blanks = 0
        for line, is_ended in self._raw_lines():
            if line.rest is not None and not line.rest.strip(_BLANK):
                blanks += line.size
                continue
            records = _records(line)
            if not is_ended and records[-1].value is None:
                self.waiting = records.pop().size
                if not records:
                    break
            if held is not None:
                yield _sized(held, held.size + blanks)
            else:
                records[0] = _sized(records[0], records[0].size + blanks)
            blanks = 0
            yield from records[:-1]
            held = records[-1]
        if held is not None:
            yield _sized(held, held.size + blanks)
        else:
            self.waiting += blanks
        if reason := self._fault():
            size, self.waiting = self.waiting, 0
            yield SourceLine(record=b"", value=None, size=size, reason=reason)

    def _raw_lines(self) -> Iterator[tuple[LiftedLine, bool]]:
        """Yield the lines without their line feeds, and whether they had one, which their sizes
        count. Blank lines that follow each other are one.
        """
        self._file.seek(self._offset)
        unended: PayloadLifter | None = None
        is_first = self._offset == 0
        while piece := self._file.read(READ_BYTES):
            at = 0
            while (end := piece.find(b"\n", at)) >= 0:
                raw = piece[at:end]
                if unended is None and len(raw) <= LIFTED_PAYLOAD_BYTES_MIN:
                    line = LiftedLine(rest=raw, size=len(raw) + 1)
                else:
                    unended = unended or PayloadLifter(LINE_BYTES_MAX)
                    unended.feed(raw)
                    line = unended.finish(unseen=1)
                yield (_unmarked(line) if is_first else line), True
                is_first, unended, at = False, None, end + 1
                if (blank := _BLANK_LINES.match(piece, at)) is not None:
                    yield LiftedLine(rest=b"", size=blank.end() - at), True
                    at = blank.end()
            if at < len(piece):
                unended = unended or PayloadLifter(LINE_BYTES_MAX)
                unended.feed(piece[at:])
        if unended is not None:
            line = unended.finish()
            yield (_unmarked(line) if is_first else line), False


def _unmarked(line: LiftedLine) -> LiftedLine:
    """Return a file's first line with blanks for its byte order mark, so that sizes stay true."""
    if line.rest is not None and line.rest.startswith(_BOM):
        return replace(line, rest=line.rest.replace(_BOM, b"   ", 1))
    return line


def _sized(line: SourceLine, size: int) -> SourceLine:
    return line if line.size == size else replace(line, size=size)


def _records(line: LiftedLine) -> list[SourceLine]:
    """Return the records of one line; their sizes sum to that of the line."""
    raw = line.rest
    if raw is None:
        reason = f"a line longer than {LINE_BYTES_MAX} bytes without its payloads"
        return [SourceLine(record=b"", value=None, size=line.size, reason=reason)]
    whole = _record(raw, line.size, line.lifts)
    if whole.value is not None:
        return [whole]
    records: list[SourceLine] = []
    start = 0
    for end in _object_ends(raw):
        lifts = [lift for lift in line.lifts if start <= lift.at < end]
        size = end - start + sum(lift.longer_by for lift in lifts)
        record = _record(raw[start:end], size, lifts)
        if record.value is None:
            break
        records.append(record)
        start = end
    if not records:
        return [whole]
    left = line.size - sum(record.size for record in records)
    if raw[start:].strip(_BLANK):
        lifts = [lift for lift in line.lifts if start <= lift.at]
        return [*records, _record(raw[start:], left, lifts)]
    records[-1] = _sized(records[-1], records[-1].size + left)
    return records


def _record(raw: bytes, size: int, lifts: Sequence[Lift]) -> SourceLine:
    """Return the one record that these bytes are, good or bad, with its payloads."""
    record = _judged(raw, size)
    if not lifts:
        return record
    blobs = {lift.blob.sha256: lift.blob for lift in lifts if lift.blob is not None}
    return replace(record, blobs=tuple(blobs.values()))


def _judged(raw: bytes, size: int) -> SourceLine:
    """Return the one record that these bytes are, good or bad."""
    record = settled(raw.strip(_BLANK))
    if len(record) > RECORD_COMMAS_MAX and record.count(b",") > RECORD_COMMAS_MAX:
        return _bad(record, size, f"a record with more than {RECORD_COMMAS_MAX} commas")
    try:
        value = cast("object", _decoder.decode(record))
    except msgspec.ValidationError:
        return _bad(record, size, "a number that no JSON reader takes")
    except (msgspec.DecodeError, UnicodeDecodeError):
        return _bad(record, size, "not JSON")
    except RecursionError:
        return _bad(record, size, _TOO_DEEP)
    if not isinstance(value, dict):
        return _bad(record, size, "JSON, but not an object")
    fields = mapping_of(cast("object", value))
    if _is_too_deep(record, fields):
        return _bad(record, size, _TOO_DEEP)
    return SourceLine(record=record, value=fields, size=size)


_TOO_DEEP: Final = f"JSON nested deeper than {NESTING_MAX} levels"


def _bad(record: bytes, size: int, reason: str) -> SourceLine:
    kept = record.decode("utf-8", "replace").encode()
    return SourceLine(record=kept, value=None, size=size, reason=reason)


def _is_too_deep(record: bytes, value: dict[str, object]) -> bool:
    """Whether the value is nested deeper than NESTING_MAX; cheap for all that could not be."""
    if len(record) <= NESTING_MAX or _count(record, b"{") + _count(record, b"[") <= NESTING_MAX:
        return False
    level: list[object] = [value]
    for _ in range(NESTING_MAX):
        below: list[object] = []
        for item in level:
            below += mapping_of(item).values() or list_of(item)
        if not any(isinstance(item, dict | list) for item in below):
            return False
        level = below
    return True


def _count(record: bytes, sign: bytes) -> int:
    """Return how often a rare byte stands in a record: to leave it out is quicker than to count."""
    return len(record) - len(record.replace(sign, b""))


def _object_ends(raw: bytes) -> Iterator[int]:
    """Yield where each brace that opened outside of all others is closed again, up to the first
    that is nested too deep or closes nothing.
    """
    depth = 0
    for found in _BRACE_OR_STRING.finditer(raw):
        token = found.group()
        if token == b"{":
            depth += 1
            if depth > NESTING_MAX:
                return
        elif token == b"}":
            depth -= 1
            if depth == 0:
                yield found.end()
            elif depth < 0:
                return


def claimed(
    reader: LineReader,
    session_of: Callable[[SourceLine], str | None],
    claim: Callable[[str | None], None],
) -> Iterator[SourceLine]:
    """Yield the records from a file's start once it is known whose they are.

    Records are held back until ``session_of`` names a session; then ``claim`` is told, and they
    follow. When more than UNCLAIMED_BYTES_MAX bytes are held it is told None and must choose. When
    the file ends before, nothing is yielded and all bytes wait.
    """
    lines = iter(reader)
    held: list[SourceLine] = []
    size = 0
    for line in lines:
        held.append(line)
        size += line.size
        session = session_of(line)
        if session is not None or size > UNCLAIMED_BYTES_MAX:
            claim(session)
            yield from held
            yield from lines
            return
    reader.waiting += size


def pages(
    reader: LineReader,
    lines: Iterable[SourceLine],
    offset: int,
    record_of: Callable[[SourceLine], SourceRecord],
    state: Callable[[], bytes],
) -> Iterator[SourcePage]:
    """Yield pages of what ``record_of`` makes of the lines, beginning at ``offset``.

    ``lines`` are those of ``reader``, all or what `claimed` leaves of them. ``state`` is asked
    after the last record of each page, before the next line is shown to ``record_of``. Lines of no
    size, at most SPILLED_CALLS_MAX in a row, are on the page of the line after them. The last page
    says what waits, and holds no records where there is nothing else to say.
    """
    records: list[SourceRecord] = []
    size = weight = 0
    for line in lines:
        room = 1 if line.size else 1 + SPILLED_CALLS_MAX
        heft = max(line.size, len(line.record))
        is_full = len(records) + room > PAGE_RECORDS_MAX or weight + heft > PAGE_BYTES_MAX
        if records and records[-1].size and is_full:
            offset += size
            yield SourcePage(records=tuple(records), offset=offset, state=state())
            records, size, weight = [], 0, 0
        records.append(record_of(line))
        size += line.size
        weight += heft
    if records or reader.waiting:
        yield SourcePage(
            records=tuple(records), offset=offset + size, state=state(), waiting=reader.waiting
        )


def head_objects(head: bytes) -> Iterator[dict[str, object]] | None:
    """Return the JSON objects with which a file begins, each decoded when it is asked for; None
    when the head is cut inside the first.
    """
    lines = iter(LineReader(BytesIO(head), 0))
    first = next(lines, None)
    if first is not None:
        return (line.value for line in chain((first,), lines) if line.value is not None)
    if head.removeprefix(_BOM).lstrip(_BLANK)[:1] in (b"", b"{"):
        return None
    return iter(())


def is_cut_record(head: bytes, own_field: re.Pattern[bytes]) -> bool:
    """Whether a head that is cut inside its first record may be of the format whose records begin
    with ``own_field``: it does, or it is too short to tell.
    """
    return len(head) < CUT_HEAD_BYTES or own_field.search(head[:CUT_HEAD_BYTES]) is not None


# --- narrowing decoded JSON ----------------------------------------------------------------------


def text_of(value: object) -> str:
    """Return the value when it is a text, else the empty text."""
    return value if isinstance(value, str) else ""


def mapping_of(value: object) -> dict[str, object]:
    """Return the value when it is a JSON object, else an empty one."""
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def list_of(value: object) -> list[object]:
    """Return the value when it is a JSON array, else an empty one."""
    return cast("list[object]", value) if isinstance(value, list) else []


def identifier_of(value: object) -> str | None:
    """Return the value when it can name a session or a record: a short printable ASCII text without
    a slash, which separates a sub-agent from its parent; else None.
    """
    if (
        isinstance(value, str)
        and 0 < len(value) <= IDENTIFIER_CODE_POINTS_MAX
        and value.isascii()
        and value.isprintable()
        and "/" not in value
    ):
        return value
    return None


def folder_of(value: object) -> str | None:
    """Return the value when it can be the path of a folder, else None."""
    text = text_of(value)
    return text if 0 < len(text) <= FOLDER_CODE_POINTS_MAX else None


def title_of(value: object) -> str:
    """Return a text as a title: on one line, at most TITLE_CODE_POINTS_MAX code points."""
    start = text_of(value).lstrip()[: 16 * TITLE_CODE_POINTS_MAX]
    return " ".join(start.split())[:TITLE_CODE_POINTS_MAX].rstrip()
