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
- Memory is bounded by LINE_BYTES_MAX, whatever the file.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from typing import Final, Protocol, cast

import msgspec

from recense.core.text.json_text import settled
from recense.core.transcript.records import SourcePage, SourceRecord
from recense.core.values import Value
from recense.limits import (
    CUT_HEAD_BYTES,
    FOLDER_CODE_POINTS_MAX,
    IDENTIFIER_CODE_POINTS_MAX,
    LINE_BYTES_MAX,
    NESTING_MAX,
    PAGE_BYTES_MAX,
    PAGE_RECORDS_MAX,
    READ_BYTES,
    RECORD_COMMAS_MAX,
    TITLE_CODE_POINTS_MAX,
    UNCLAIMED_BYTES_MAX,
)

SIDE_FILES: Final = frozenset({"history.jsonl", "journal.jsonl", "session_index.jsonl"})
"""Names of files that agents keep beside sessions and that hold none: prompts to type again, a
workflow's progress, an index. No importer claims another agent's either, in a folder of both.
"""

_BOM: Final = b"\xef\xbb\xbf"
_BLANK: Final = b" \t\r\n"

# Possessive, so that a long line costs neither backtracking nor memory; an unclosed string runs to
# the end of the line.
_BRACE_OR_STRING: Final = re.compile(rb'[{}]|"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)', re.DOTALL)


class SourceLine(Value, kw_only=True):
    """One record of a file: its bytes, its value when it is a JSON object, the source bytes that it
    accounts for, and when it is bad the reason why.
    """

    record: bytes
    value: dict[str, object] | None
    size: int
    reason: str = ""


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
        for raw, size, is_ended in self._raw_lines():
            if raw is not None and not raw.strip(_BLANK):
                blanks += size
                continue
            records = _records(raw, size)
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

    def _raw_lines(self) -> Iterator[tuple[bytes | None, int, bool]]:
        """Yield each line without its line feed, its size with it, and whether it has one.

        None stands for a line that is too long to be held.
        """
        self._file.seek(self._offset)
        unended: list[bytes] = []
        size = 0
        is_first = self._offset == 0
        while piece := self._file.read(READ_BYTES):
            lines = piece.split(b"\n")
            rest = lines.pop()
            for line in lines:
                size += len(line)
                unended.append(line)
                yield _joined(unended, size, is_first=is_first), size + 1, True
                is_first = False
                unended, size = [], 0
            size += len(rest)
            if size <= LINE_BYTES_MAX:
                unended.append(rest)
            else:
                unended.clear()
        if size:
            yield _joined(unended, size, is_first=is_first), size, False


def _joined(pieces: list[bytes], size: int, *, is_first: bool) -> bytes | None:
    if size > LINE_BYTES_MAX:
        return None
    line = pieces[0] if len(pieces) == 1 else b"".join(pieces)
    if is_first and line.startswith(_BOM):
        return line.replace(_BOM, b"   ", 1)  # as long as the mark, so that sizes stay true
    return line


def _sized(line: SourceLine, size: int) -> SourceLine:
    if line.size == size:
        return line
    return SourceLine(record=line.record, value=line.value, size=size, reason=line.reason)


def _records(raw: bytes | None, size: int) -> list[SourceLine]:
    """Return the records of one line; their sizes sum to ``size``."""
    if raw is None:
        reason = f"a line longer than {LINE_BYTES_MAX} bytes"
        return [SourceLine(record=b"", value=None, size=size, reason=reason)]
    whole = _record(raw, size)
    if whole.value is not None:
        return [whole]
    records: list[SourceLine] = []
    start = 0
    for end in _object_ends(raw):
        record = _record(raw[start:end], end - start)
        if record.value is None:
            break
        records.append(record)
        start = end
    if not records:
        return [whole]
    left = size - sum(record.size for record in records)
    if raw[start:].strip(_BLANK):
        return [*records, _record(raw[start:], left)]
    records[-1] = _sized(records[-1], records[-1].size + left)
    return records


def _record(raw: bytes, size: int) -> SourceLine:
    """Return the one record that these bytes are, good or bad."""
    record = settled(raw.strip(_BLANK))
    if record.count(b",") > RECORD_COMMAS_MAX:
        return _bad(record, size, f"a record with more than {RECORD_COMMAS_MAX} commas")
    try:
        value = cast("object", msgspec.json.decode(record))
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
    if record.count(b"{") + record.count(b"[") <= NESTING_MAX:
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
    after the last record of each page, before the next line is shown to ``record_of``. The last
    page says what waits, and holds no records where there is nothing else to say.
    """
    records: list[SourceRecord] = []
    size = 0
    for line in lines:
        if records and (len(records) == PAGE_RECORDS_MAX or size + line.size > PAGE_BYTES_MAX):
            offset += size
            yield SourcePage(records=tuple(records), offset=offset, state=state())
            records, size = [], 0
        records.append(record_of(line))
        size += line.size
    if records or reader.waiting:
        yield SourcePage(
            records=tuple(records), offset=offset + size, state=state(), waiting=reader.waiting
        )


def head_objects(head: bytes) -> list[dict[str, object]] | None:
    """Return the JSON objects with which a file begins; None when it is cut inside the first."""
    lines = list(LineReader(BytesIO(head), 0))
    if not lines and head.removeprefix(_BOM).lstrip(_BLANK)[:1] in (b"", b"{"):
        return None
    return [line.value for line in lines if line.value is not None]


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
