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
from recense.core.transcript.changes import Flagged, Grown, Opened, Thought
from recense.core.transcript.events import ConvertedEvent, Event, encode_payload
from recense.core.transcript.messages import LoadedSession
from recense.core.transcript.projection import Projector
from recense.core.transcript.projection_state import decode_state, encode_state
from recense.core.transcript.records import (
    ArchivedRecord,
    Blob,
    Session,
    SessionFacts,
    with_facts,
)
from recense.core.transcript.transcript import project
from recense.core.values import Value
from recense.errors import MissingExtra, StoreConflict
from recense.limits import CONFLICTS_MAX, PAGE_BYTES_MAX, PAGE_RECORDS_MAX
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
    """Convert what a session's archive holds beyond ``converted_through``, in durable pages.

    ``progress`` is told the records of each page. When another process converts the same session,
    both go on from what is committed, and each page is committed once. Raises StoreConflict when
    that keeps happening, and MissingExtra when the session's importer is not installed.
    """
    records = parsed = events = conflicts = 0
    while True:
        with store.snapshot() as reader:
            session = reader.session(session_id)
            if session is None or session.converted_through >= session.records:
                return Converted(records=records, parsed=parsed, events=events)
            page = next(_pages(reader, session, importers, recorded_at=clock.now()))
        try:
            store.append(
                ledger_page(
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
            )
        except StoreConflict:
            conflicts += 1
            if conflicts > CONFLICTS_MAX:
                raise
            continue
        records += page.records
        parsed += page.parsed
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


def install_importer(source: str) -> str:
    """Return what a person does when sessions wait for an importer that is not installed."""
    return f"install what registers the importer {source!r}"


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


def ledger_page(
    session: Session,
    events: Sequence[Event],
    *,
    facts: SessionFacts = _NO_FACTS,
    blobs: tuple[Blob, ...] = (),
    conversion: ConversionMark | None = None,
    closed: bool = False,
) -> LedgerPage:
    """Return the page that appends events to a session as it was read, and all they derive."""
    projector = Projector(decode_state(session.projection_state))
    opened, grown, dead = derived_rows(projector, events)
    return LedgerPage(
        session_id=session.session_id,
        expected_events=session.events,
        expected_through=session.converted_through,
        events=tuple(events),
        blobs=blobs,
        facts=facts,
        counts=projector.counts,
        projection_state=encode_state(projector.state()),
        opened=opened,
        grown=grown,
        dead=dead,
        conversion=conversion,
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
