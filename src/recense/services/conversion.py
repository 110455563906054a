"""Conversion: archived records become events, page by page, and with them everything derived.

Laws: a page commits whole or not at all, on the base it was computed from; killing the process
anywhere and running again gives the same bytes; what has not been converted is found by a query, so
reading queues nothing. A session is its ledger plus its archive past ``converted_through``, which
`load_session` converts in memory by the very same steps.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final, assert_never

from msgspec.structs import replace

from recense.core.ids import event_identity
from recense.core.transcript.changes import Flagged, Grown, Opened, Thought, Unflagged
from recense.core.transcript.events import (
    ConvertedEvent,
    Event,
    Text,
    decode_payload,
    encode_payload,
)
from recense.core.transcript.messages import LoadedSession, Message
from recense.core.transcript.projection import Projector
from recense.core.transcript.projection_state import decode_state, encode_state
from recense.core.transcript.records import (
    ArchivedRecord,
    Counts,
    Session,
    SessionFacts,
    with_facts,
)
from recense.core.transcript.transcript import project
from recense.core.values import Value
from recense.errors import MissingExtra, NotFound, StoreConflict
from recense.limits import CONFLICTS_MAX, PAGE_BYTES_MAX, PAGE_RECORDS_MAX
from recense.ports.clock import Clock
from recense.ports.pages import restarted, unknown_session
from recense.ports.sources import Importer
from recense.ports.transcripts import (
    ConversionMark,
    Growth,
    KeepSource,
    LedgerPage,
    MessageRow,
    OpenStream,
    Standing,
    TranscriptReader,
    TranscriptStore,
)

Load = Callable[[TranscriptReader, Session], LoadedSession]
"""`load_session` with the importers of this machine."""


_NO_FACTS: Final = SessionFacts()


class ConvertedPage(Value, kw_only=True):
    """The events of some archived records, and the importer's state and session facts after
    them. ``parsed`` counts the records that conversion is about, ``records`` all of them.
    """

    records: int
    parsed: int
    events: tuple[Event, ...]
    state: bytes
    facts: SessionFacts


class Converted(Value, kw_only=True):
    """What converting a session did; ``parsed`` counts the records of which messages are due."""

    records: int
    parsed: int
    events: int


def convert_session(
    store: TranscriptStore,
    importers: Mapping[str, Importer],
    session_id: str,
    *,
    clock: Clock,
    keep_source: KeepSource,
    progress: Callable[[int], None],
) -> Converted:
    """Convert what a session's archive holds beyond ``converted_through``, in durable pages; all of
    it where an earlier version of the importer converted it and the archive is whole.

    ``progress`` is told the records of each page. When another process converts the same session,
    both go on from what is committed, and each page is committed once. Raises StoreConflict when
    that keeps happening, and MissingExtra when the session's importer is not installed.
    """
    records = parsed = events = conflicts = 0
    while True:
        with store.snapshot() as reader:
            session = reader.session(session_id)
            if session is None or not waits(reader, session, importers):
                return Converted(records=records, parsed=parsed, events=events)
            starts_anew = _starts_anew(reader, session, importers)
        try:
            if starts_anew:
                store.restart(session_id, session.importer_version)
                continue
            page = _convert_page(store, importers, session, clock.now(), keep_source)
        except StoreConflict:
            conflicts += 1
            if conflicts > CONFLICTS_MAX:
                raise
            continue
        except NotFound:  # it was forgotten meanwhile
            return Converted(records=records, parsed=parsed, events=events)
        records += page.records
        parsed += page.parsed
        events += len(page.events)
        progress(page.records)


def _convert_page(
    store: TranscriptStore,
    importers: Mapping[str, Importer],
    session: Session,
    now: int,
    keep_source: KeepSource,
) -> ConvertedPage:
    """Convert the next records of a session as it was read, commit that, and return it."""
    with store.snapshot() as reader:
        page = next(_pages(reader, session, importers, recorded_at=now), None)
        if page is None:
            raise unknown_session(session.session_id)
        commit = ledger_page(
            reader,
            session,
            page.events,
            facts=page.facts,
            conversion=ConversionMark(
                converted_through=session.converted_through + page.records,
                convert_state=page.state,
                importer_version=importers[session.source].version,
                keep_source=keep_source,
            ),
        )
    store.append(commit)
    return page


def load_session(
    reader: TranscriptReader, session: Session, importers: Mapping[str, Importer]
) -> LoadedSession:
    """Return a session projected as it stands, also where it is not converted yet or still written.

    Writes nothing. A stream that is open reads as the event that completes it would, if it came
    now: its message has the event id, the kind and the turn that it will have then.

    Where the importer is not installed the transcript is that of the ledger, and ``unsearched``
    says how many records it lacks. The row's counts and facts include what was converted in memory
    or is still written; owned counts take every such message as owned, until conversion knows
    better.
    """
    facts: list[SessionFacts] = []
    unconverted = 0
    unsearched = 0 if session.source in importers else session.records - session.converted_through

    # What an earlier version of the importer remembers is not for this one to go on from.
    start = session
    if session.converted_through < session.records and _starts_anew(reader, session, importers):
        start = restarted(session)

    def events() -> Iterator[Event]:
        nonlocal unconverted
        yield from reader.events(session.session_id) if start is session else ()
        if not unsearched:
            for page in _pages(reader, start, importers, recorded_at=0):
                unconverted += page.records
                facts.append(page.facts)
                yield from page.events
        if session.open_streams:
            yield from _open_stream_events(reader, session)

    transcript = project(events())
    counts = transcript.counts
    if unconverted or session.open_streams:
        for page_facts in facts:
            session = with_facts(session, page_facts)
        session = replace(
            session,
            owned_messages=session.owned_messages + counts.messages - session.counts.messages,
            owned_length=session.owned_length + counts.length - session.counts.length,
            counts=counts,
        )
    return LoadedSession(
        session=session,
        transcript=transcript,
        unconverted=unconverted,
        unsearched=unsearched,
    )


def stream_event(stream: OpenStream, *, recorded_at: int) -> Event:
    """Return the event that a stream becomes: its id is the stream's key."""
    payload = decode_payload(stream.payload)
    return Event(
        event_id=stream.stream_key,
        at=stream.at,
        recorded_at=recorded_at,
        payload=encode_payload(replace(payload, text=stream.text))
        if isinstance(payload, Text)
        else stream.payload,
    )


def _open_stream_events(reader: TranscriptReader, session: Session) -> Iterator[Event]:
    """Yield the open streams of a session as events; one that is complete is open no more."""
    streams = reader.streams(session.session_id)
    complete = reader.known_event_ids(session.session_id, [stream.stream_key for stream in streams])
    for stream in streams:
        if stream.stream_key not in complete:
            yield stream_event(stream, recorded_at=0)


def waits(reader: TranscriptReader, session: Session, importers: Mapping[str, Importer]) -> bool:
    """Whether converting the session would change something: records wait, or another version of
    its importer converted it and the archive still holds all of it.
    """
    return session.converted_through < session.records or _starts_anew(reader, session, importers)


def _starts_anew(
    reader: TranscriptReader, session: Session, importers: Mapping[str, Importer]
) -> bool:
    return _is_outdated(session, importers) and reader.is_whole(session.session_id)


def _is_outdated(session: Session, importers: Mapping[str, Importer]) -> bool:
    """Whether another version of the installed importer converted what is converted of it."""
    importer = importers.get(session.source)
    return (
        importer is not None
        and session.converted_through > 0
        and session.importer_version != importer.version
    )


def install_importer(source: str) -> str:
    """Return what a person does when sessions wait for an importer that is not installed."""
    return f"install what registers the importer {source!r}"


class DerivedRows(Value, kw_only=True):
    """What events make of the message rows, and the projector's counts and state after them."""

    opened: tuple[MessageRow, ...]
    grown: tuple[Growth, ...]
    standings: tuple[Standing, ...]
    counts: Counts
    state: bytes


def derived_rows(
    state: bytes, events: Sequence[Event], earlier: Callable[[], Iterable[Event]]
) -> DerivedRows:
    """Return what events derive, that come after those of a projection state.

    ``earlier`` returns all events before them; it is asked when a path is chosen among them.
    """
    opened: dict[int, MessageRow] = {}
    grown: list[Growth] = []
    standings: list[Standing] = []
    fed: list[Event] = []

    def recollect() -> Sequence[Message]:
        return project(chain(earlier(), fed)).messages

    projector = Projector(decode_state(state), recollect)
    for event in events:
        for change in projector.feed(event):
            match change:
                case Opened(message=message, length=length):
                    opened[message.position] = MessageRow(
                        position=message.position,
                        event_id=message.event_id,
                        identity=message.identity,
                        length=length,
                        live=not message.flags,
                    )
                case Grown(position=position, length=length):
                    grown.append(Growth(position=position, length=length))
                case Flagged(first=first, last=last):
                    standings.append(Standing(first=first, last=last, live=False))
                case Unflagged(first=first, last=last, counts=counts):
                    standings.append(Standing(first=first, last=last, live=counts))
                case Thought():
                    pass  # attached to a message, never counted
                case _:
                    assert_never(change)
        fed.append(event)
    return DerivedRows(
        opened=tuple(opened.values()),
        grown=tuple(grown),
        standings=tuple(standings),
        counts=projector.counts,
        state=encode_state(projector.state()),
    )


def ledger_page(
    reader: TranscriptReader,
    session: Session,
    events: Sequence[Event],
    *,
    facts: SessionFacts = _NO_FACTS,
    conversion: ConversionMark | None = None,
    ended_streams: tuple[str, ...] = (),
    closed: bool = False,
) -> LedgerPage:
    """Return the page that appends events to a session as it was read, and all they derive.

    What the gate made of events that came through the API (blobs, findings) is for the caller to
    add.
    """
    derived = derived_rows(
        session.projection_state, events, lambda: reader.events(session.session_id)
    )
    return LedgerPage(
        session_id=session.session_id,
        expected_events=session.events,
        expected_through=session.converted_through,
        events=tuple(events),
        facts=facts,
        counts=derived.counts,
        projection_state=derived.state,
        opened=derived.opened,
        grown=derived.grown,
        standings=derived.standings,
        conversion=conversion,
        ended_streams=ended_streams,
        closed=closed,
    )


def _pages(
    reader: TranscriptReader,
    session: Session,
    importers: Mapping[str, Importer],
    *,
    recorded_at: int,
) -> Iterator[ConvertedPage]:
    """Yield what conversion makes of the archive past ``converted_through``, page by page."""
    through, state = session.converted_through, session.convert_state
    if through >= session.records:
        return
    if _is_outdated(session, importers):
        state = b""
    importer = importers.get(session.source)
    if importer is None:
        raise MissingExtra(
            f"session {session.session_id!r} waits for conversion by the importer "
            f"{session.source!r}, which is not installed; installed are: "
            f"{', '.join(sorted(importers)) or 'none'}",
            hint=install_importer(session.source),
        )
    fresh: set[str] = set()
    while records := reader.records(session.session_id, through, PAGE_RECORDS_MAX, PAGE_BYTES_MAX):
        parsed = [record for record in records if record.disposition == "parsed"]
        conversion = importer.convert(state, parsed)
        ids = [event.event_id for event in conversion.events]
        known = reader.known_event_ids(session.session_id, ids if session.events else ())
        events: list[Event] = []
        by_seq = {record.seq: record for record in records}
        for converted in conversion.events:
            if converted.event_id not in known and converted.event_id not in fresh:
                fresh.add(converted.event_id)
                events.append(_event(converted, by_seq[converted.record_seq], recorded_at))
        through, state = records[-1].seq + 1, conversion.state
        yield ConvertedPage(
            records=len(records),
            parsed=len(parsed),
            events=tuple(events),
            state=state,
            facts=conversion.facts,
        )


def _event(converted: ConvertedEvent, record: ArchivedRecord, recorded_at: int) -> Event:
    shared = record.uuid is not None
    return Event(
        event_id=converted.event_id,
        at=converted.at,
        recorded_at=recorded_at,
        identity=event_identity(record.identity, converted.event_id) if shared else None,
        payload=encode_payload(converted.payload),
    )
