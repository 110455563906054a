"""What changed, for who follows it: facts by when they were received, sessions by how far they are.

Laws: every event of a fact was given a stamp of its own, and stamps grow in the order of commits;
so who has seen all up to a stamp misses nothing behind it, however long ago that was. Sessions have
no such order: of them is told which are not as they were. Hidden sessions are never told of.
"""

from collections.abc import Mapping
from typing import Final

from recense.core.transcript.records import Session
from recense.core.transcript.visibility import is_hidden
from recense.core.values import Value
from recense.limits import CHANGES_PAGE
from recense.operations.changes import FactChange, SessionChange
from recense.ports.records import RECORDED_AT, Between, Equals, Order, RecordStore
from recense.ports.transcripts import TranscriptStore
from recense.services.fact_collections import MEMORY
from recense.services.fact_records import event_of
from recense.services.fact_views import event_views
from recense.services.requests import require_recall_allowed

_IN_ORDER: Final = Order(field=RECORDED_AT)
_NEWEST: Final = Order(field=RECORDED_AT, descending=True)
_SAID_OF_THE_WORLD: Final = Equals(field="internal", value=False)

SessionStandings = Mapping[str, SessionChange]
"""How far each session is, by its id."""


class FactChanges(Value, kw_only=True):
    """Events of facts in the order in which they were received; ``is_more`` says that there may be
    further ones.
    """

    facts: tuple[FactChange, ...]
    is_more: bool


class StoreChanges:
    """The changes of one store. Every method raises Incognito where nothing may be recalled."""

    def __init__(
        self, transcripts: TranscriptStore, records: RecordStore, *, incognito: bool
    ) -> None:
        self._transcripts: Final = transcripts
        self._records: Final = records
        self._incognito: Final = incognito

    def mark(self) -> str:
        """Return a text that changes whenever a fact is written, at the cost of a glance."""
        require_recall_allowed(incognito=self._incognito)
        return self._records.watermark(MEMORY)

    def newest_stamp(self) -> int:
        """Return the stamp of the newest event of a fact, 0 where there is none."""
        require_recall_allowed(incognito=self._incognito)
        with self._records.snapshot() as reader:
            found = reader.list(
                MEMORY, (_SAID_OF_THE_WORLD,), limit=1, order=_NEWEST, counted=False
            ).records
        return found[0].recorded_at or 0 if found else 0

    def facts_after(self, stamp: int) -> FactChanges:
        """Return the next CHANGES_PAGE events that were received after a stamp, in order."""
        require_recall_allowed(incognito=self._incognito)
        where = (_SAID_OF_THE_WORLD, Between(field=RECORDED_AT, at_least=stamp + 1))
        with self._records.snapshot() as reader:
            found = reader.list(
                MEMORY, where, limit=CHANGES_PAGE, order=_IN_ORDER, counted=False
            ).records
            views = event_views(reader, [event_of(record) for record in found])
        return FactChanges(
            facts=tuple(
                FactChange(fact=view, stamp=record.recorded_at or 0)
                for view, record in zip(views, found, strict=True)
            ),
            is_more=len(found) == CHANGES_PAGE,
        )

    def sessions(self) -> SessionStandings:
        """Return how far every session is that a person did not hide."""
        require_recall_allowed(incognito=self._incognito)
        with self._transcripts.snapshot() as reader:
            return {
                session.session_id: _standing(session)
                for session in reader.sessions()
                if not is_hidden(session, reader.outline)
            }


def _standing(session: Session) -> SessionChange:
    return SessionChange(
        session=session.session_id,
        source=session.source,
        records=session.records,
        events=session.events,
        messages=session.counts.messages,
        closed=session.closed,
    )
