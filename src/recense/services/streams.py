"""Streams: texts that arrive in pieces, kept as far as they are surely free of secrets.

Laws:

- What is acknowledged as stored survives this process and holds no part of a secret. What a secret
  may be arriving in waits in memory, visible to nobody, and is lost with the process.
- The key of a stream is the id of the event that completes it. So any process knows a piece that
  comes after completion, and drops it; and the anchor of a text that is still arriving stays the
  anchor of the message it becomes.
- One writer at a time: where another process has written on a stream, a piece is refused as a
  conflict and not kept, and the next goes on from what is stored. No text is kept twice.
- A stream whose writer died stays readable; closing its session makes it an event.
"""

import copy
import threading
from collections import Counter, OrderedDict
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Final

from msgspec.structs import replace

from recense.core.text.json_text import settled_text
from recense.core.text.markers import MARKER_START
from recense.core.text.redact import MARKER
from recense.core.text.redact_stream import Given, StreamRedactor
from recense.core.transcript.events import Event, Text, encode_payload
from recense.core.transcript.records import Session
from recense.errors import InvalidRequest, NotFound, StoreConflict
from recense.limits import CONFLICTS_MAX, STREAM_CONTEXT_CODE_POINTS, STREAMS_ARRIVING_MAX
from recense.operations.sessions import StreamDelta, StreamReport
from recense.ports.clock import Clock
from recense.ports.commits import LedgerPage, OpenStream, StreamPage
from recense.ports.transcripts import TranscriptReader, TranscriptStore
from recense.services.admission import given_instant, require_identifier, require_open, typed
from recense.services.conflicts import in_spite_of_conflicts
from recense.services.conversion import stream_event
from recense.services.ledger import ledger_page
from recense.services.naming import find_session

_Key = tuple[str, str]
"""A session's id and a stream's key."""


class _Complete(Exception):
    """The stream at hand is complete: its event is in the ledger."""


class _Arriving:
    """A stream that this process writes: what it holds back, and how much of it is stored."""

    def __init__(self, begun: OpenStream, *, redact_secrets: bool) -> None:
        self.lock: Final = threading.Lock()
        self.begun: Final = begun
        self.stored = len(begun.text)
        self.half = ""
        self.redactor = (
            StreamRedactor(begun.text[-STREAM_CONTEXT_CODE_POINTS:]) if redact_secrets else None
        )

    @property
    def held(self) -> int:
        """How many code points wait."""
        return len(self.half) + (0 if self.redactor is None else self.redactor.held)


class Streams:
    """The texts that are arriving in the sessions of one store."""

    def __init__(self, store: TranscriptStore, clock: Clock, *, redact_secrets: bool) -> None:
        self._store = store
        self._clock = clock
        self._redact_secrets = redact_secrets
        self._lock = threading.Lock()
        self._arriving: OrderedDict[_Key, _Arriving] = OrderedDict()

    @property
    def holds_text(self) -> bool:
        """Whether something of a stream waits in memory, which would be lost with this process."""
        with self._lock:
            return any(each.held for each in self._arriving.values())

    def stream(self, session_id: str, delta: StreamDelta) -> StreamReport:
        """Take the next piece of a text; return what is stored of it, and what is held.

        A piece of a stream that is complete is dropped, and the report says so. After an error
        nothing of the piece is kept, and the same call may be made again. Raises NotFound for an
        unknown session; InvalidRequest for a field that cannot be kept, for a session that is
        closed, and where STREAMS_ARRIVING_MAX streams hold back text in this process already; and
        StoreConflict where another process writes on the stream: what this one held back of it is
        given up then, and the next piece goes on from what is stored.
        """
        delta = typed(delta, StreamDelta)
        require_identifier("stream", delta.stream)
        if delta.message is not None:
            require_identifier("message", delta.message)
        at = given_instant("at", delta.at)
        begun = OpenStream(
            stream_key=delta.stream,
            after_ordinal=0,
            at=self._clock.now() if at is None else at,
            payload=encode_payload(Text(role=delta.role, text="", message=delta.message)),
            text="",
        )
        try:
            key, arriving = self._arriving_at(session_id, begun)
            with arriving.lock:
                return self._take(key, arriving, delta.delta)
        except _Complete:
            return StreamReport(
                session=session_id, stream=delta.stream, stored=0, held=0, dropped=True
            )

    @contextmanager
    def ending(self, session_id: str) -> Generator[Mapping[str, OpenStream]]:
        """Return what the streams of a session hold in this process, its end taken as their end.

        Each ``text`` is what is held, after the gate; what is stored of it is not in it. No piece
        of them is taken meanwhile. When the block is left without an error they are forgotten.
        """
        with self._lock:
            ours = {key: each for key, each in self._arriving.items() if key[0] == session_id}
        with ExitStack() as locked:
            for key in sorted(ours):
                locked.enter_context(ours[key].lock)
            yield {key[1]: replace(each.begun, text=_rest(each)) for key, each in ours.items()}
            for key, each in ours.items():
                self._forget(key, each)

    def completed(self, session_id: str, stream_keys: Iterable[str]) -> None:
        """Forget streams that events have completed; what they held is in the events."""
        with self._lock:
            for stream_key in stream_keys:
                self._arriving.pop((session_id, stream_key), None)

    def _arriving_at(self, session_id: str, begun: OpenStream) -> tuple[_Key, _Arriving]:
        key = (session_id, begun.stream_key)
        with self._lock:
            arriving = self._arriving.get(key)
            if arriving is not None:
                self._arriving.move_to_end(key)
                return key, arriving
        with self._store.snapshot() as reader:
            session = require_open(find_session(reader, session_id))
            found = _open_stream(reader, session, begun.stream_key)
        key = (session.session_id, begun.stream_key)
        with self._lock:
            if key not in self._arriving:
                self._make_room()
                self._arriving[key] = _Arriving(found or begun, redact_secrets=self._redact_secrets)
            return key, self._arriving[key]

    def _make_room(self) -> None:
        """Forget the oldest stream that holds nothing: it goes on from what is stored."""
        if len(self._arriving) < STREAMS_ARRIVING_MAX:
            return
        idle = next((key for key, each in self._arriving.items() if not each.held), None)
        if idle is None:
            raise InvalidRequest(
                f"{STREAMS_ARRIVING_MAX} streams wait in this process for the rest of their text; "
                "there is no room for another",
                hint="complete streams, or close the sessions of those that will not go on",
            )
        del self._arriving[idle]

    def _forget(self, key: _Key, arriving: _Arriving) -> None:
        with self._lock:
            if self._arriving.get(key) is arriving:
                del self._arriving[key]

    def _take(self, key: _Key, arriving: _Arriving, delta: str) -> StreamReport:
        """Keep what a piece makes final; the stream is as before when that fails."""
        text, half = _whole_characters(arriving.half + delta)
        redactor = copy.copy(arriving.redactor)
        given = Given(text=text) if redactor is None else redactor.feed(text)
        if given.text:
            try:
                self._keep(key, arriving, given.text)
            except (NotFound, InvalidRequest, _Complete):
                self._forget(key, arriving)
                raise
        arriving.redactor, arriving.half = redactor, half
        arriving.stored += len(given.text)
        return StreamReport(
            session=key[0], stream=key[1], stored=arriving.stored, held=arriving.held
        )

    def _keep(self, key: _Key, arriving: _Arriving, text: str) -> None:
        page = StreamPage(
            session_id=key[0],
            stream_key=key[1],
            expected_length=arriving.stored,
            at=arriving.begun.at,
            payload=arriving.begun.payload,
            text=text,
        )
        for attempt in range(CONFLICTS_MAX):
            try:
                self._store.stream(page)
                break
            except StoreConflict:
                if self._is_kept(key, arriving, text):
                    break
                if attempt == CONFLICTS_MAX - 1:
                    raise
        if not arriving.stored:
            self._require_incomplete(key)

    def _is_kept(self, key: _Key, arriving: _Arriving, text: str) -> bool:
        """Whether a piece that met a conflict was kept after all; False to try again."""
        with self._store.snapshot() as reader:
            session = require_open(find_session(reader, key[0]))
            found = _open_stream(reader, session, key[1])
        kept = "" if found is None else found.text
        if len(kept) == arriving.stored:
            return False
        if kept[arriving.stored :] == text:
            return True
        self._forget(key, arriving)
        raise StoreConflict(
            f"stream {key[1]!r} of session {key[0]!r} holds {len(kept)} code points where this "
            f"process stored {arriving.stored}: another process writes on it",
            hint="let one process write a stream; the next piece goes on from what is stored",
        )

    def _require_incomplete(self, key: _Key) -> None:
        """Take back a stream that was begun while its event was appended."""

        def take_back() -> None:
            with self._store.snapshot() as reader:
                session = find_session(reader, key[0])
                if not reader.known_event_ids(session.session_id, (key[1],)):
                    return
                page = ledger_page(reader, session, (), ended_streams=(key[1],))
            self._store.append(page)
            raise _Complete

        in_spite_of_conflicts(take_back)


def closing_page(
    reader: TranscriptReader,
    session: Session,
    held: Mapping[str, OpenStream],
    *,
    recorded_at: int,
) -> LedgerPage:
    """Return the page that closes a session: its streams become events, in their order.

    ``held`` is what of them, or of others that nothing is stored of, waits in this process.
    """
    streams = reader.streams(session.session_id)
    keys = {*held, *(stream.stream_key for stream in streams)}
    complete = reader.known_event_ids(session.session_id, keys)
    events = [
        event
        for event in _settled(streams, held, recorded_at=recorded_at)
        if event.event_id not in complete
    ]
    page = ledger_page(reader, session, events, ended_streams=tuple(sorted(keys)), closed=True)
    return replace(page, findings=_hidden_in(events))


def _settled(
    streams: Iterable[OpenStream], held: Mapping[str, OpenStream], *, recorded_at: int
) -> Iterator[Event]:
    stored = {stream.stream_key: stream for stream in streams}
    for stream_key in (*stored, *sorted(held.keys() - stored.keys())):
        rest = held.get(stream_key)
        stream = stored.get(stream_key) or rest
        if stream is None:
            continue
        text = "".join(each.text for each in (stored.get(stream_key), rest) if each is not None)
        if text:
            yield stream_event(replace(stream, text=text), recorded_at=recorded_at)


def _hidden_in(events: Iterable[Event]) -> tuple[tuple[str, int], ...]:
    """Return the secrets that were hidden in texts as they arrived, by kind."""
    found = Counter(
        match[0].removeprefix(MARKER_START).removesuffix("]")
        for event in events
        for match in MARKER.finditer(event.payload.decode())
    )
    return tuple(sorted(found.items()))


def _rest(arriving: _Arriving) -> str:
    """Return what a stream holds, redacted as its end; the stream stays as it is."""
    redactor = copy.copy(arriving.redactor)
    half = settled_text(arriving.half)
    if redactor is None:
        return half
    return redactor.feed(half).text + redactor.finish().text


def _whole_characters(text: str) -> tuple[str, str]:
    """Return a text as it is kept, and the half of a character at its end that waits for the other
    half.
    """
    half = text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""
    whole = text[: len(text) - len(half)]
    if not whole.isascii():
        whole = whole.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return settled_text(whole), half


def _open_stream(reader: TranscriptReader, session: Session, stream_key: str) -> OpenStream | None:
    """Return a stream that is stored, None where there is none yet; raises _Complete."""
    if reader.known_event_ids(session.session_id, (stream_key,)):
        raise _Complete
    streams = reader.streams(session.session_id)
    return next((each for each in streams if each.stream_key == stream_key), None)
