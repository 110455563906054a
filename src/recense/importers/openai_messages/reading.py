"""Whose messages a file holds, what is a record of it, and what identifies it.

**Session.** A conversation or a message belongs to the session it names. One that names none
belongs to the session of the file's name, and of one digest of the file's whole path and of its
first message that gives a model no standing orders: the path, because runs of one program write
files of one name that begin alike; the message, because one file holds many conversations; and not
the orders before it, because they often tell the time. What a log writes again and again, grown by
an answer, is so one session. What that costs: a file that was moved is another session, with its
messages a second time. Only an id avoids it, which a session keeps wherever its file lies. The
message is redacted before, so that nobody can test a guess at a secret by the digest.

**Identity.** A message is identified by its place and by all it says; with an id of its own that no
other is likely to have, by that and by all it says.
"""

from collections.abc import Iterator
from pathlib import PurePath
from typing import BinaryIO, Final, Literal

import msgspec

from recense.core.text.redact import redact
from recense.core.transcript.records import SourceRecord
from recense.core.transcript.remembering import stand_in
from recense.core.values import Value
from recense.importers.foreign_values import instant_of
from recense.importers.json_list import (
    Element,
    ElementReader,
    ElementSource,
    fields_of,
    items_of,
    record_from,
)
from recense.importers.lines import (
    LineReader,
    SourceLine,
    identifier_of,
    text_of,
)
from recense.importers.openai_messages.contents import words_of
from recense.importers.openai_messages.shapes import LISTS, STANDING_ORDERS
from recense.limits import HEAD_BYTES, LINE_BYTES_MAX, UNCLAIMED_BYTES_MAX

HEAD: Final = "conversation"
"""The type of the record that a conversation is without its messages."""

Form = Literal["lines", "document"]

_SESSION_KEYS: Final = ("session_id", "conversation_id", "thread_id")
_INSTANT_KEYS: Final = ("timestamp", "created_at", "created", "createdAt", "time")
_ITEM_ENDS: Final = ("_call", "_output", "_result")

_GOES_ON_AFTER: Final = (b"{", b"[", b",")
"""How the first line of an object ends that is spread over lines."""

_UNIQUE_ID_CODE_POINTS_MIN: Final = 16
"""A shorter id is a number of somebody's; services give longer ones."""

_OPENING_CODE_POINTS: Final = 4096
_STEM_CODE_POINTS_MAX: Final = 64
_DIGEST_BYTES: Final = 8
_LABEL_CODE_POINTS_MAX: Final = 64


class _ReadingState(Value, kw_only=True, array_like=True):
    """What reading must know of the objects before."""

    form: Form
    session: str
    position: int = 0
    at: int | None = None


_encoder: Final = msgspec.json.Encoder()
_sorted_encoder: Final = msgspec.json.Encoder(order="sorted")
_state_encoder: Final = msgspec.msgpack.Encoder()
_state_decoder: Final = msgspec.msgpack.Decoder(_ReadingState)


class _Lines:
    """The lines of a file as objects."""

    def __init__(self, file: BinaryIO, offset: int) -> None:
        self._reader = LineReader(file, offset)
        self.waiting = 0
        self.fault = ""

    def __iter__(self) -> Iterator[Element]:
        for line in self._reader:
            yield Element(raw=line.record, size=line.size, reason=line.reason, line=line)
        self.waiting = self._reader.waiting


class MessageReader:
    """Makes source records of the objects of one file, in order."""

    def __init__(self, file: BinaryIO, path: PurePath, state: bytes) -> None:
        self._file = file
        stem = identifier_of(path.name.partition(".")[0])
        self._stem = (
            stem if stem and len(stem) <= _STEM_CODE_POINTS_MAX else f"file-{_short(path.name)}"
        )
        self._path = str(path)
        if state:
            start = _state_decoder.decode(state)
        else:
            form = _form_of(file)
            start = _ReadingState(form=form, session=self._first_session(form))
        self._form: Form = start.form
        self._session = start.session
        self._position = start.position
        self._at = start.at

    @property
    def is_claimed(self) -> bool:
        """Whether it is known whose the messages are."""
        return bool(self._session)

    def elements(self, offset: int) -> ElementSource:
        """Return the objects of the file from an offset on."""
        return _elements(self._file, self._form, offset)

    def state(self) -> bytes:
        """Return what a later reader needs to read on."""
        return _state_encoder.encode(
            _ReadingState(
                form=self._form, session=self._session, position=self._position, at=self._at
            )
        )

    def records_of(self, element: Element) -> Iterator[SourceRecord]:
        """Yield the records of an object: of a conversation a head and its messages, else one."""
        position = self._position
        self._position += 1
        conversation = _conversation_of(element)
        if conversation is not None:
            yield from self._conversation(element, *conversation)
            return
        line = _line_of(element)
        value = line.value or {}
        self._at = _instant_in(value) or self._at
        yield _record(
            line, _session_in(value) or self._session, position, self._at, size=element.size
        )

    def _conversation(
        self, element: Element, head: dict[str, msgspec.Raw], messages: list[msgspec.Raw]
    ) -> Iterator[SourceRecord]:
        line = record_from(_encoder.encode(head))
        value = line.value or {}
        session = identifier_of(value.get("id")) or _session_in(value) or self._derived(messages)
        self._session = session
        at = _instant_in(value)
        said = [HEAD, *(value.get(key) for key in ("title", "model", "instructions"))]
        is_good = line.value is not None
        yield SourceRecord(
            source_session_id=session,
            position=0,
            type=HEAD if is_good else "bad",
            at=at,
            disposition="parsed" if is_good else "bad",
            record=line.record,
            content=_sorted_encoder.encode(said),
            size=0,
            reason=line.reason,
            blobs=element.line.blobs if element.line is not None else (),
        )
        for place, raw in enumerate(messages, start=1):
            message = record_from(raw)
            at = _instant_in(message.value or {}) or at
            yield _record(message, session, place, at, size=len(bytes(raw)))

    def _derived(self, messages: list[msgspec.Raw]) -> str:
        for raw in messages:
            opening = _opening_of(record_from(raw).value or {})
            if opening:
                return self._begun_by(opening)
        return self._begun_by("")

    def _first_session(self, form: Form) -> str:
        """Return the session of messages that name none; "" where it cannot be told yet."""
        size = 0
        for element in _elements(self._file, form, 0):
            if _conversation_of(element) is not None:
                return self._begun_by("")
            value = _line_of(element).value or {}
            session, opening = _session_in(value), _opening_of(value)
            if session or opening:
                return session or self._begun_by(opening)
            size += element.size
            if size > UNCLAIMED_BYTES_MAX:
                return self._begun_by("")
        return ""

    def _begun_by(self, opening: str) -> str:
        """Return the session that names none and has this opening, or none."""
        digest = _short(f"{self._path}\n{opening}")
        return f"{self._stem}-{digest}"


def _elements(file: BinaryIO, form: Form, offset: int) -> ElementSource:
    return _Lines(file, offset) if form == "lines" else ElementReader(file, offset)


def _form_of(file: BinaryIO) -> Form:
    """Return whether a file is read by lines: not a list, and not an object spread over lines."""
    file.seek(0)
    start = file.read(HEAD_BYTES).removeprefix(b"\xef\xbb\xbf").lstrip()
    first_line, line_feed, _ = start.partition(b"\n")
    is_spread = bool(line_feed) and first_line.rstrip().endswith(_GOES_ON_AFTER)
    is_document = start.startswith(b"[") or (start.startswith(b"{") and is_spread)
    return "document" if is_document else "lines"


def _conversation_of(
    element: Element,
) -> tuple[dict[str, msgspec.Raw], list[msgspec.Raw]] | None:
    """Return a conversation without its messages, and these; None of an object that is none."""
    if element.raw is None or element.reason:
        return None
    value = element.line.value if element.line is not None else None
    if value is not None and not any(key in value for key in LISTS):
        return None
    fields = fields_of(element.raw) or {}
    for key in LISTS:
        raw = fields.get(key)
        messages = None if raw is None else items_of(raw)
        if messages is not None:
            return {name: part for name, part in fields.items() if name != key}, messages
    return None


def _line_of(element: Element) -> SourceLine:
    """Return the one record that an object is."""
    if element.line is not None:
        return element.line
    if element.raw is None or len(element.raw) > LINE_BYTES_MAX:
        reason = element.reason or f"a message longer than {LINE_BYTES_MAX} bytes"
        return SourceLine(record=b"", value=None, size=element.size, reason=reason)
    return record_from(element.raw)


def _record(
    line: SourceLine, session: str, position: int, at: int | None, *, size: int
) -> SourceRecord:
    """Return the record of a message, or of what is none."""
    value = line.value
    if value is None:
        label, content = "bad", line.record or line.reason.encode()
    else:
        label, content = _label_of(value), _sorted_encoder.encode(value)
    identifier = identifier_of((value or {}).get("id"))
    is_unique = identifier is not None and len(identifier) >= _UNIQUE_ID_CODE_POINTS_MIN
    return SourceRecord(
        source_session_id=session,
        position=position,
        uuid=identifier if is_unique else None,
        type=label or "unknown",
        at=at,
        disposition="bad" if value is None else "parsed" if label else "skipped",
        record=line.record,
        content=content,
        size=size,
        reason=line.reason,
        blobs=line.blobs,
    )


def _label_of(value: dict[str, object]) -> str:
    """Return what a message is in a word; "" of an object that is none."""
    kind = text_of(value.get("type"))
    if kind == "reasoning" or kind.endswith(_ITEM_ENDS):
        return kind[:_LABEL_CODE_POINTS_MAX]
    return text_of(value.get("role")).lower()[:_LABEL_CODE_POINTS_MAX]


def _opening_of(value: dict[str, object]) -> str:
    """Return the redacted beginning of a message that can open a session; "" of any other."""
    label = _label_of(value)
    if not label or label in STANDING_ORDERS:
        return ""
    said = words_of(value.get("content")) or str(value.get("name"))
    return f"{label}\n{redact(said[:_OPENING_CODE_POINTS]).text}"


def _session_in(value: dict[str, object]) -> str | None:
    """Return the session that an object names."""
    named = (identifier_of(value.get(key)) for key in _SESSION_KEYS)
    return next((session for session in named if session is not None), None)


def _instant_in(value: dict[str, object]) -> int | None:
    """Return the instant of an object, where it has one."""
    instants = (instant_of(value.get(key)) for key in _INSTANT_KEYS)
    return next((instant for instant in instants if instant is not None), None)


def _short(text: str) -> str:
    return stand_in(text, _DIGEST_BYTES).hex()
