"""The ledger's pages: events, and the message rows and counts that follow from them.

Law: what is derived is computed from the session as it was read, and commits with its events or not
at all; the store refuses a page whose base has moved.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Final, assert_never

from recense.core.recall.scanning import is_scan_safe
from recense.core.transcript.changes import Flagged, Grown, Opened, Standing, Thought, Unflagged
from recense.core.transcript.events import Event
from recense.core.transcript.messages import Message, Run
from recense.core.transcript.projection import Projector
from recense.core.transcript.projection_state import decode_state, encode_state
from recense.core.transcript.records import Counts, Session, SessionFacts
from recense.core.transcript.transcript import project
from recense.core.values import Value
from recense.ports.commits import ConversionMark, Growth, LedgerPage, MessageRow
from recense.ports.transcripts import TranscriptReader

_NO_FACTS: Final = SessionFacts()


class DerivedRows(Value, kw_only=True):
    """What events make of the message rows, which of them are scan-safe, and the projector's counts
    and state after them.
    """

    opened: tuple[MessageRow, ...]
    grown: tuple[Growth, ...]
    standings: tuple[Standing, ...]
    scan_safe: tuple[bool, ...]
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
    scan_safe: list[bool] = []
    for event in events:
        given: list[Run] = []
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
                    given += message.runs
                case Grown(position=position, runs=runs, length=length):
                    given += runs
                    grown.append(Growth(position=position, length=length))
                case Flagged(first=first, last=last):
                    standings.append(Standing(first=first, last=last, live=False))
                case Unflagged(first=first, last=last, counts=counts):
                    standings.append(Standing(first=first, last=last, live=counts))
                case Thought():
                    pass  # attached to a message, never counted
                case _:
                    assert_never(change)
        scan_safe.append(is_scan_safe(event.payload, given))
        fed.append(event)
    return DerivedRows(
        opened=tuple(opened.values()),
        grown=tuple(grown),
        standings=tuple(standings),
        scan_safe=tuple(scan_safe),
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
        scan_safe=derived.scan_safe,
        conversion=conversion,
        ended_streams=ended_streams,
        closed=closed,
    )
