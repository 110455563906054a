"""Indexing: what recall needs of each message is written down before anybody asks.

Laws: pages are durable and bounded, and a session is vouched for by the commit that reaches its
end; killing the process anywhere and running again goes on from there. A session that has grown
costs its new events. Nothing is lost by leaving it undone: what is not indexed is read in full.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import assert_never

from msgspec.structs import replace

from recense.core.recall.echo import is_echo
from recense.core.recall.predicate import redacted_runs
from recense.core.recall.versions import INDEX_VERSION, REDACTION_VERSION
from recense.core.transcript.changes import Flagged, Grown, Opened, Standing, Thought, Unflagged
from recense.core.transcript.events import Event
from recense.core.transcript.messages import Message
from recense.core.transcript.projection import Projector
from recense.core.transcript.projection_state import decode_state, encode_state
from recense.core.transcript.records import Session
from recense.core.transcript.transcript import project
from recense.core.transcript.visible import image
from recense.core.values import Value
from recense.errors import StoreCorrupt
from recense.limits import (
    CONFLICTS_MAX,
    INDEX_PAGE_BYTES_MAX,
    INDEX_PAGE_SESSIONS_MAX,
    PAGE_BYTES_MAX,
)
from recense.operations.admin import IndexReport, Progress
from recense.ports.clock import Clock
from recense.ports.index import (
    IndexedMessages,
    IndexedThrough,
    IndexPage,
    MessageImage,
    SessionImages,
)
from recense.ports.transcripts import TranscriptReader, TranscriptStore
from recense.services.rebuilding import rebuilt


class Indexed(Value, kw_only=True):
    """What indexing did: sessions brought up to date, messages written, and whether a damaged index
    was begun anew.
    """

    sessions: int
    messages: int
    begun_anew: bool


class Indexing:
    """Indexing of one store."""

    def __init__(self, store: TranscriptStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def index(self, *, progress: Callable[[Progress], None], anew: bool) -> IndexReport:
        """Index what is converted and not indexed; an index that is damaged is begun anew, and any
        is with ``anew``.

        Repeating it does nothing. Raises the faults of the store; what was committed before one is
        kept.
        """
        began = self._clock.elapsed_ms()
        indexed = index_sessions(self._store, anew=anew, progress=as_progress(progress))
        return IndexReport(
            sessions_indexed=indexed.sessions,
            messages_indexed=indexed.messages,
            begun_anew=indexed.begun_anew,
            took_ms=self._clock.elapsed_ms() - began,
        )


def as_progress(progress: Callable[[Progress], None]) -> Callable[[int, int], None]:
    """Return what tells the progress of indexing in the words of all operations."""

    def report(done: int, total: int) -> None:
        progress(Progress(phase="indexing", done=done, total=total, unit="sessions", label=""))

    return report


def index_sessions(
    store: TranscriptStore, *, anew: bool, progress: Callable[[int, int], None]
) -> Indexed:
    """Index all that is converted and not indexed, in durable pages; a damaged index is begun anew,
    and any is with ``anew``.

    ``progress`` is told after each page how many sessions are done, and of how many. A session that
    others write or index meanwhile is left to the next run, and so is one that is damaged. Does
    nothing on a store that keeps no index. Raises the faults of the store.
    """
    if anew:
        store.empty_index()
    begun_anew = store.mend_index()
    with store.snapshot() as reader:
        index = reader.message_index()
        waiting = deque(() if index is None else index.waiting())
    done, messages = _index_each(store, waiting, progress)
    return Indexed(sessions=done, messages=messages, begun_anew=begun_anew)


def index_session(store: TranscriptStore, session_id: str) -> None:
    """Index what of one session is not indexed; raises as `index_sessions`, which makes a damaged
    index anew.
    """
    with store.snapshot() as reader:
        index = reader.message_index()
        if index is None or index.vouched(session_id) is not None:
            return
    _index_each(store, deque([session_id]), _silent)


def _silent(_done: int, _total: int) -> None:
    """Take progress and say nothing."""


def _index_each(
    store: TranscriptStore, waiting: deque[str], progress: Callable[[int, int], None]
) -> tuple[int, int]:
    """Index sessions in pages, and return how many were indexed to their end, and the messages."""
    total = len(waiting)
    done = messages = conflicts = 0
    while waiting:
        page, finished = _next_page(store, waiting)
        written = store.write_index(page)
        messages += sum(len(each.rows) for each in page.sessions if each.session_id in written)
        conflicts = 0 if written or not page.sessions else conflicts + 1
        if conflicts > CONFLICTS_MAX:
            waiting.popleft()  # others are always faster
            conflicts = 0
        if written or not page.sessions:
            done += len(written.intersection(islice(waiting, finished)))
            for _ in range(finished):
                waiting.popleft()
        progress(total - len(waiting), total)
    return done, messages


def _next_page(store: TranscriptStore, waiting: Iterable[str]) -> tuple[IndexPage, int]:
    """Return the next page of the sessions that wait, in their order, and how many of them it
    finishes.
    """
    sessions: list[SessionImages] = []
    size = finished = 0
    with store.snapshot() as reader:
        index = reader.message_index()
        for session_id in islice(waiting, INDEX_PAGE_SESSIONS_MAX):
            session = reader.session(session_id)
            if session is None or index is None:
                finished += 1  # it was forgotten meanwhile
                continue
            try:
                images = _images(reader, index, session)
            except StoreCorrupt:
                finished += 1  # reading it in full tells; others need not go without for it
                continue
            sessions.append(images)
            size += sum(len(row.image) for row in images.rows)
            if images.expected_events < images.through < session.events:
                break  # where no further event was there, the rest is lost, and so is the vouch
            finished += 1
            if size >= INDEX_PAGE_BYTES_MAX:
                break
    page = IndexPage(
        index_version=INDEX_VERSION,
        redaction_version=REDACTION_VERSION,
        sessions=tuple(sessions),
    )
    return page, finished


def _images(reader: TranscriptReader, index: IndexedMessages, session: Session) -> SessionImages:
    """Return the next images of a session: those of its next events, up to a page of them."""
    start = index.through(session.session_id)
    draft = _Draft(reader, index, session.session_id, start)
    last: Event | None = None
    size = 0
    through = start.events
    for event in reader.events(session.session_id, start.events):
        draft.feed(event)
        last = event
        through += 1
        size += len(event.payload)
        if size >= PAGE_BYTES_MAX:
            break
    if last is None and through:
        last = next(iter(reader.events(session.session_id, through - 1)))
    return SessionImages(
        session_id=session.session_id,
        expected_events=start.events,
        through=through,
        last_event=None if last is None else (last.event_id, last.recorded_at),
        importer_version=session.importer_version,
        state=draft.state(),
        rows=tuple(draft.rows()),
        standings=tuple(draft.standings),
        is_readable=draft.is_readable,
    )


class _Fed:
    """The first ``count`` events of a session, read again when a path is chosen.

    Apart from the draft, so that no draft refers to itself and its texts go when it goes.
    """

    def __init__(self, reader: TranscriptReader, session_id: str, count: int) -> None:
        self._reader = reader
        self._session_id = session_id
        self.count = count

    def messages(self) -> Sequence[Message]:
        """Return the messages that these events make."""
        return project(islice(self._reader.events(self._session_id), self.count)).messages


class _Draft:
    """Images while events come in; what grows is put together once, at the end."""

    def __init__(
        self,
        reader: TranscriptReader,
        index: IndexedMessages,
        session_id: str,
        start: IndexedThrough,
    ) -> None:
        self._reader = reader
        self._index = index
        self._session_id = session_id
        self._fed = _Fed(reader, session_id, start.events)
        self._projector = Projector(decode_state(start.state), self._fed.messages)
        self._messages: dict[int, Message] = {}
        self._grown: dict[int, list[int]] = {}
        self._stands: dict[int, bool] = {}  # by position, as far as a standing says
        self.standings: list[Standing] = []

    @property
    def is_readable(self) -> bool:
        """Whether every event of the session so far could be read, those of earlier pages too."""
        return not self._projector.counts.unreadable_events

    def state(self) -> bytes:
        """Return the projection's state after the last event."""
        return encode_state(self._projector.state())

    def feed(self, event: Event) -> None:
        """Take the next event."""
        for change in self._projector.feed(event):
            match change:
                case Opened(message=message):
                    self._messages[message.position] = message
                case Grown(position=position):
                    self._grown.setdefault(position, []).append(self._fed.count)
                case Flagged(first=first, last=last):
                    self._stand(Standing(first=first, last=last, live=False))
                case Unflagged(first=first, last=last, counts=counts):
                    self._stand(Standing(first=first, last=last, live=counts))
                case Thought():
                    pass  # never matched
                case _:
                    assert_never(change)
        self._fed.count += 1

    def _stand(self, standing: Standing) -> None:
        self.standings.append(standing)
        self._stands.update(dict.fromkeys(range(standing.first, standing.last + 1), standing.live))

    def rows(self) -> Iterator[MessageImage]:
        """Yield the images of what was opened or has grown, as they stand at the end: so a store
        need not write those again to which the standings come.
        """
        for row in self._rows():
            live = self._stands.get(row.position, row.live)
            yield row if live == row.live else replace(row, live=live)

    def _rows(self) -> Iterator[MessageImage]:
        for position, message in self._messages.items():
            more = self._grown.pop(position, [])
            if more:
                events = self._reader.events_at(self._session_id, (message.ordinal, *more))
                yield image_of(_as_placed(rebuilt(events), message), tuple(more))
            else:
                yield image_of(message, ())
        for position, more in self._grown.items():
            yield self._regrown(position, more)

    def _regrown(self, position: int, more: Sequence[int]) -> MessageImage:
        """Return the image of a message of an earlier page, with what has joined it."""
        vouched = self._index.number(self._session_id)
        before = None if vouched is None else self._index.at(vouched, position)
        if before is None:
            raise StoreCorrupt(
                f"the message index lacks message {position} of session {self._session_id!r}",
                hint="make it anew: recense index --anew",
            )
        ordinals = (before.ordinal, *before.more_ordinals, *more)
        message = rebuilt(self._reader.events_at(self._session_id, ordinals))
        grown = image_of(
            replace(message, position=position, ordinal=before.ordinal, turn=before.turn),
            ordinals[1:],
        )
        return replace(grown, live=before.live)


def image_of(message: Message, more_ordinals: tuple[int, ...]) -> MessageImage:
    """Return what the index holds of a message."""
    stored = image(message.runs)
    runs = redacted_runs(message)
    redacted_text = stored if runs is message.runs else image(runs)
    return MessageImage(
        position=message.position,
        ordinal=message.ordinal,
        more_ordinals=more_ordinals,
        turn=message.turn,
        kind=message.kind,
        at=message.at,
        identity=message.identity,
        live=not message.flags,
        echo=is_echo(message),
        has_materials=bool(message.materials),
        length=len(redacted_text),
        redacted=None if redacted_text == stored else redacted_text.encode(),
        image=stored.encode(),
    )


def _as_placed(message: Message, placed: Message) -> Message:
    """Return a message with the place in its session that another has."""
    return replace(
        message,
        position=placed.position,
        ordinal=placed.ordinal,
        turn=placed.turn,
        flags=placed.flags,
    )
