"""Conversion: archived records become events, page by page, and with them everything derived.

Laws: a page commits whole or not at all, on the base it was computed from; killing the process
anywhere and running again gives the same bytes; what has not been converted is found by a query, so
reading queues nothing. A session is its ledger plus its archive past ``converted_through``, which
`load_session` converts in memory by the very same steps.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, assert_never

from msgspec.structs import replace

from recense.core.ids import event_identity
from recense.core.transcript.events import ConvertedEvent, Event, encode_payload
from recense.core.transcript.messages import LoadedSession
from recense.core.transcript.projection import (
    Flagged,
    Grown,
    Opened,
    Projector,
    Thought,
    project,
)
from recense.core.transcript.projection_state import decode_state, encode_state
from recense.core.transcript.records import ArchivedRecord, Session, SessionFacts, with_facts
from recense.core.values import Value
from recense.errors import StoreConflict, Unsupported
from recense.limits import PAGE_BYTES_MAX, PAGE_RECORDS_MAX
from recense.ports.clock import Clock
from recense.ports.sources import Importer
from recense.ports.transcripts import (
    ConversionMark,
    DeadRange,
    Growth,
    KeepSource,
    LedgerPage,
    MessageRow,
    TranscriptReader,
    TranscriptStore,
)

CONFLICTS_MAX: Final = 32
"""Pages another process may convert under our feet before we call the store contended."""


class ConvertedPage(Value, kw_only=True):
    """The events of some archived records, and the importer's state and session facts after
    them.
    """

    records: int
    events: tuple[Event, ...]
    state: bytes
    facts: SessionFacts


class Converted(Value, kw_only=True):
    """What converting a session did."""

    records: int
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
    """Convert what a session's archive holds beyond ``converted_through``, in durable pages.

    ``progress`` is told the records of each page. When another process converts the same session,
    both go on from what is committed, and each page is committed once. Raises StoreConflict when
    that keeps happening, and Unsupported when the session's importer is not installed.
    """
    records = events = conflicts = 0
    while True:
        with store.snapshot() as reader:
            session = reader.session(session_id)
            if session is None or session.converted_through >= session.records:
                return Converted(records=records, events=events)
            page = next(_pages(reader, session, importers, recorded_at=clock.now()))
        try:
            store.append(_ledger_page(session, page, importers, keep_source))
        except StoreConflict:
            conflicts += 1
            if conflicts > CONFLICTS_MAX:
                raise
            continue
        records += page.records
        events += len(page.events)
        progress(page.records)


def load_session(
    reader: TranscriptReader, session: Session, importers: Mapping[str, Importer]
) -> LoadedSession:
    """Return a session projected as it stands, also where it is not converted yet.

    Writes nothing. Where the importer is not installed the transcript is that of the ledger, and
    ``unsearched`` says how many records it lacks. The row's counts and facts include what was
    converted in memory; owned counts take every such message as owned, until conversion knows
    better.
    """
    facts: list[SessionFacts] = []
    unconverted = 0
    unsearched = 0 if session.source in importers else session.records - session.converted_through

    def events() -> Iterator[Event]:
        nonlocal unconverted
        yield from reader.events(session.session_id)
        if unsearched:
            return
        for page in _pages(reader, session, importers, recorded_at=0):
            unconverted += page.records
            facts.append(page.facts)
            yield from page.events

    transcript = project(events())
    counts = transcript.counts
    if unconverted:
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


def derived_rows(
    projector: Projector, events: Sequence[Event]
) -> tuple[tuple[MessageRow, ...], tuple[Growth, ...], tuple[DeadRange, ...]]:
    """Feed events to a projector; return the message rows they open, growths and dead ranges."""
    opened: dict[int, MessageRow] = {}
    grown: list[Growth] = []
    dead: list[DeadRange] = []
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
                    dead.append(DeadRange(first=first, last=last))
                case Thought():
                    pass  # attached to a message, never counted
                case _:
                    assert_never(change)
    return tuple(opened.values()), tuple(grown), tuple(dead)


def last_instant(session: Session, events: Sequence[Event]) -> int | None:
    """Return the latest instant of the session with these events; None when none has one."""
    instants = [event.at for event in events if event.at is not None]
    if session.last_event_at is not None:
        instants.append(session.last_event_at)
    return max(instants, default=None)


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
    importer = importers.get(session.source)
    if importer is None:
        raise Unsupported(
            f"session {session.session_id!r} waits for conversion by the importer "
            f"{session.source!r}, which is not installed",
            hint=f"installed importers: {', '.join(sorted(importers)) or 'none'}",
        )
    fresh: set[str] = set()
    while records := reader.records(session.session_id, through, PAGE_RECORDS_MAX, PAGE_BYTES_MAX):
        conversion = importer.convert(
            state, [record for record in records if record.disposition == "parsed"]
        )
        known = reader.known_event_ids(
            session.session_id, [event.event_id for event in conversion.events]
        )
        events: list[Event] = []
        by_seq = {record.seq: record for record in records}
        for converted in conversion.events:
            if converted.event_id not in known and converted.event_id not in fresh:
                fresh.add(converted.event_id)
                events.append(_event(converted, by_seq[converted.record_seq], recorded_at))
        through, state = records[-1].seq + 1, conversion.state
        yield ConvertedPage(
            records=len(records), events=tuple(events), state=state, facts=conversion.facts
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


def _ledger_page(
    session: Session,
    page: ConvertedPage,
    importers: Mapping[str, Importer],
    keep_source: KeepSource,
) -> LedgerPage:
    projector = Projector(decode_state(session.projection_state))
    opened, grown, dead = derived_rows(projector, page.events)
    return LedgerPage(
        session_id=session.session_id,
        expected_events=session.events,
        expected_through=session.converted_through,
        events=page.events,
        facts=page.facts,
        counts=projector.counts,
        projection_state=encode_state(projector.state()),
        opened=opened,
        grown=grown,
        dead=dead,
        last_event_at=last_instant(session, page.events),
        conversion=ConversionMark(
            converted_through=session.converted_through + page.records,
            convert_state=page.state,
            importer_version=importers[session.source].version,
            keep_source=keep_source,
        ),
    )
