"""Conversion: archived records become events, page by page, and with them everything derived.

Laws: a page commits whole or not at all, on the base it was computed from; killing the process
anywhere and running again gives the same bytes; what has not been converted is found by a query, so
reading queues nothing. A session is its ledger plus its archive past ``converted_through``, which
`load_session` converts in memory by the very same steps.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping

from msgspec.structs import replace

from recense.core.ids import event_identity
from recense.core.transcript.events import (
    ConvertedEvent,
    Event,
    Text,
    decode_payload,
    encode_payload,
)
from recense.core.transcript.messages import LoadedSession, Transcript
from recense.core.transcript.records import (
    ArchivedRecord,
    Session,
    SessionFacts,
    with_facts,
)
from recense.core.transcript.transcript import project
from recense.core.values import Value
from recense.errors import MissingExtra, NotFound, StoreConflict
from recense.limits import CONFLICTS_MAX, PAGE_BYTES_MAX, PAGE_RECORDS_MAX
from recense.ports.clock import Clock
from recense.ports.commits import ConversionMark, KeepSource, LedgerPage, OpenStream
from recense.ports.pages import restarted, unknown_session
from recense.ports.sources import Importer
from recense.ports.transcripts import TranscriptReader, TranscriptStore
from recense.services.ledger import ledger_page

Load = Callable[[TranscriptReader, Session], LoadedSession]
"""`load_session` with the importers of this machine."""


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
    """What converting a session did; ``parsed`` counts the records of which messages are due, and
    ``messages`` the owned messages that the store holds more for its commits: below zero where a
    session begun anew gave fewer.
    """

    records: int
    parsed: int
    events: int
    messages: int


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
    it where another version of the importer converted it and the archive is whole. A session that
    turns out to be a sub-agent's of a forgotten one is forgotten.

    ``progress`` is told the records of each page. When another process converts the same session,
    both go on from what is committed, and each page is committed once. Raises StoreConflict when
    that keeps happening, and MissingExtra when the session's importer is not installed.
    """
    records = parsed = events = messages = conflicts = 0
    is_orphan = False
    while True:
        with store.snapshot() as reader:
            session = reader.session(session_id)
            if session is None or not waits(reader, session, importers):
                is_orphan = session is not None and _is_of_forgotten(reader, session)
                break
            next_page = (
                None  # it starts anew
                if _starts_anew(reader, session, importers)
                else _next_page(reader, importers, session, clock.now(), keep_source)
            )
        try:
            if next_page is None:
                messages -= store.restart(session_id, session.importer_version) or 0
                continue
            page, commit = next_page
            added = store.append(commit)
        except StoreConflict:
            conflicts += 1
            if conflicts > CONFLICTS_MAX:
                raise
            continue
        except NotFound:
            continue  # it was forgotten meanwhile, as the next look will tell
        conflicts = 0
        records += page.records
        parsed += page.parsed
        events += len(page.events)
        messages += added
        progress(page.records)
        if session.converted_through + page.records >= session.records and not _has_parent(
            session, page.facts
        ):
            break  # no other look is needed: this was all, and nothing else decides what stays
    if is_orphan:
        store.forget([session_id])
        messages = 0
    return Converted(records=records, parsed=parsed, events=events, messages=messages)


def _has_parent(session: Session, facts: SessionFacts) -> bool:
    """Whether a session is a sub-agent's, now that a page has said what it says."""
    known = with_facts(session, facts)
    return known.origin == "subagent" and known.parent_session_id is not None


def _is_of_forgotten(reader: TranscriptReader, session: Session) -> bool:
    """Whether a session is a sub-agent's of one that was forgotten, which only its records told: it
    goes the same way.
    """
    parent = session.parent_session_id
    return session.origin == "subagent" and parent is not None and reader.is_forgotten(parent)


def _next_page(
    reader: TranscriptReader,
    importers: Mapping[str, Importer],
    session: Session,
    now: int,
    keep_source: KeepSource,
) -> tuple[ConvertedPage, LedgerPage]:
    """Return what the next records of a session give, and the commit that keeps it."""
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
    return page, commit


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
    unconverted = held = 0
    waiting = session.records - session.converted_through
    unsearched = waiting if waiting and session.source not in importers else 0

    # What another version of the importer remembers is not for this one to go on from.
    start = session
    if waiting and _starts_anew(reader, session, importers):
        start = restarted(session)

    def events() -> Iterator[Event]:
        nonlocal unconverted, held
        for event in reader.events(session.session_id) if start is session else ():
            held += 1
            yield event
        if not unsearched:
            for page in _pages(reader, start, importers, recorded_at=0):
                unconverted += page.records
                facts.append(page.facts)
                yield from page.events
        if session.open_streams:
            yield from _open_stream_events(reader, session)

    transcript = project(events())
    if unconverted or session.open_streams:
        session = _completed(session, facts, transcript)
    # Damage that came since the row was written: events that can no longer be read, or are gone.
    lost = transcript.counts.unreadable_events + (start.events - held)
    if lost > session.counts.unreadable_events:
        session = replace(session, counts=replace(session.counts, unreadable_events=lost))
    return LoadedSession(
        session=session,
        transcript=transcript,
        unconverted=unconverted,
        unsearched=unsearched,
    )


def _completed(session: Session, facts: Iterable[SessionFacts], transcript: Transcript) -> Session:
    """Return a session's row with what was converted in memory, or is still written."""
    for page_facts in facts:
        session = with_facts(session, page_facts)
    instants = [message.at for message in transcript.messages if message.at is not None]
    if session.last_event_at is not None:
        instants.append(session.last_event_at)
    counts = transcript.counts
    return replace(
        session,
        owned_messages=session.owned_messages + counts.messages - session.counts.messages,
        owned_length=session.owned_length + counts.length - session.counts.length,
        counts=counts,
        last_event_at=max(instants, default=None),
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
