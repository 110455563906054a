"""The two stores that an agent's records lie in, and the one commit by which it writes.

Law: everything that an agent writes at once is one commit, made under its lease: its records, and
where something is said, the events of its session. The store looks at the lease inside that commit,
so that a process which stalled past its lease changes nothing, whatever its own clock says.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from typing import Final

import msgspec
from msgspec.structs import replace

from recense.core.text.json_text import settled, settled_text
from recense.core.text.redact import redact
from recense.core.text.redact_json import redact_json
from recense.core.transcript.events import Note, Payload, Text, ToolResult, decode_payload
from recense.core.transcript.records import TITLE_BY_PERSON, Session, SessionBirth, SessionFacts
from recense.errors import NotFound, StoreConflict, StoreFault
from recense.operations.sessions import AppendedEvent
from recense.ports.clock import Clock
from recense.ports.commits import FencedRecords
from recense.ports.records import Lease, Record, RecordReader, RecordStore
from recense.ports.transcripts import TranscriptReader, TranscriptStore
from recense.services.agent_records import (
    Head,
    SeenHead,
    head_record,
    next_session,
    read_seen_head,
    source_of,
)
from recense.services.conflicts import in_spite_of_conflicts
from recense.services.event_gate import GatedEvent, passed_gate
from recense.services.indexing import index_session
from recense.services.ledger import ledger_page

RecordAt = Callable[[int], Record]
"""Returns a record, given the ordinal of the event that it refers to."""


class AgentDraft:
    """What is to be written in one commit: events, records, and where the agent stands then.

    It builds on where the agent stood when ``seen``, and is not kept on anything else.
    """

    def __init__(self, seen: SeenHead, now: int) -> None:
        self.now: Final = now
        self.seen: Final = seen
        self.head = replace(seen.head, last_at=now, writes=seen.head.writes + 1)
        self.events: Final[list[GatedEvent]] = []
        self._records: Final[list[Record]] = []
        self._placed: Final[list[tuple[int, RecordAt]]] = []

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to write."""
        return not (self.events or self._records)

    def put(self, *records: Record) -> None:
        """Write records, in this order."""
        self._records.extend(records)

    def say(self, event: GatedEvent, *records_at: RecordAt) -> None:
        """Write an event, and records that say where it is."""
        self._placed.extend((len(self.events), each) for each in records_at)
        self.events.append(event)

    def records(self, first_ordinal: int) -> tuple[Record, ...]:
        """Return the records, the head last, given the ordinal of the first event."""
        return (
            *(made(first_ordinal + place) for place, made in self._placed),
            *self._records,
            head_record(self.head),
        )


class AgentStore:
    """Where all agents of a store write and read."""

    def __init__(
        self,
        transcripts: TranscriptStore,
        records: RecordStore,
        clock: Clock,
        *,
        redact_secrets: bool,
    ) -> None:
        self._transcripts: Final = transcripts
        self.records: Final = records
        self.clock: Final = clock
        self._redact_secrets: Final = redact_secrets

    def key(self) -> bytes:
        """Return the store's secret key."""
        return self._transcripts.key()

    def reading(self) -> AbstractContextManager[RecordReader]:
        """Return a reader of the records of this moment."""
        return self.records.snapshot()

    def keep(self, lease: Lease, draft: AgentDraft) -> None:
        """Write a draft in one commit. Raises LeaseLost, and keeps nothing, when the lease does not
        hold; StoreConflict when the same holder wrote something else since the draft was begun;
        NotFound when the agent's session was forgotten since it resumed.
        """
        if not draft.events:
            self.records.fenced_put(lease, draft.records(0), unchanged=draft.seen.record)
            return
        conflict = in_spite_of_conflicts(lambda: self._appended(lease, draft))
        if conflict is not None:
            raise conflict

    def current_session(self, head: Head) -> str:
        """Return the session that an agent's turns go to: the head's, or the next one where that
        was forgotten or closed.
        """
        with self._transcripts.snapshot() as reader:
            while _is_over(reader, head.session):
                head = replace(head, session=next_session(head))
        return head.session

    def holds(self, session: str) -> bool:
        """Whether a session is there; one that was forgotten is not."""
        with self._transcripts.snapshot() as reader:
            return reader.outline(session) is not None

    def contents(self, session: str, ordinals: Sequence[int]) -> list[str | None]:
        """Return the texts of events, in the order given; None for one that cannot be read, and for
        all of a session that was forgotten.
        """
        with self._transcripts.snapshot() as reader:
            events = reader.events_at(session, ordinals)
        if len(events) != len(ordinals):
            return [None] * len(ordinals)
        return [text_of(event.payload) for event in events]

    def index(self, session: str) -> None:
        """Index what of a session is not indexed yet, so that recall need not read all of it.

        An index that cannot be written is done without: recall reads in full then, and the doctor
        tells what is wrong.
        """
        with suppress(StoreFault):
            index_session(self._transcripts, session)

    def gated(self, event_id: str, payload: Payload, at: str | None, now: int) -> GatedEvent:
        """Return an event as it may be kept."""
        event = AppendedEvent(event_id=event_id, payload=msgspec.json.encode(payload), at=at)
        return passed_gate(event, "the turn", now=now, redact_secrets=self._redact_secrets)

    def hidden(self, text: str) -> str:
        """Return a text as it may be kept: without its secrets."""
        text = settled_text(text)
        return redact(text).text if self._redact_secrets else text

    def hidden_json(self, json: bytes) -> tuple[bytes, bool]:
        """Return JSON as it may be kept, and whether something in it was hidden."""
        json = settled(json)
        if not self._redact_secrets:
            return json, False
        redacted = redact_json(json, _is_structural)
        return redacted.record, bool(redacted.findings)

    def _appended(self, lease: Lease, draft: AgentDraft) -> StoreConflict | None:
        """Append a draft; where the agent stands elsewhere by now, return the conflict: to append
        the same draft again would be of no use.
        """
        try:
            self._append(lease, draft)
        except StoreConflict as error:
            with self.reading() as reader:
                seen = read_seen_head(reader, draft.head.agent)
            if seen != draft.seen:
                return error
            raise
        return None

    def _append(self, lease: Lease, draft: AgentDraft) -> None:
        with self._transcripts.snapshot() as reader:
            session = self._session(reader, draft)
            page = ledger_page(reader, session, [each.event for each in draft.events])
        findings: dict[str, int] = {}
        for kind, count in (each for event in draft.events for each in event.findings):
            findings[kind] = findings.get(kind, 0) + count
        self._transcripts.append(
            replace(
                page,
                blobs=tuple(blob for each in draft.events for blob in each.blobs),
                findings=tuple(sorted(findings.items())),
                fenced=FencedRecords(
                    lease=lease,
                    records=draft.records(session.events),
                    unchanged=draft.seen.record,
                ),
            )
        )

    def _session(self, reader: TranscriptReader, draft: AgentDraft) -> Session:
        """Return the agent's session, born now if it was not there; one that a person had forgotten
        or closed while its agent was held is not begun anew.
        """
        found = reader.session(draft.head.session)
        if found is not None and not found.closed:
            return found
        if found is not None or reader.is_forgotten(draft.head.session):
            raise NotFound(
                f"session {draft.head.session!r} of agent {draft.head.agent!r} was forgotten or "
                "closed",
                hint="resume the agent again: it goes on in a new session",
            )
        source, name = source_of(draft.head.session)
        birth = SessionBirth(
            session_id=draft.head.session,
            source=source,
            source_session_id=name,
            origin="agent",
            parent_session_id=None,
            created_at=draft.now,
        )
        facts = SessionFacts(title=f"Agent {draft.head.agent}", title_rank=TITLE_BY_PERSON)
        return self._transcripts.open_session(birth, facts)


def text_of(payload: bytes) -> str | None:
    """Return the text of an event of an agent's session, or None where it cannot be read."""
    match decode_payload(payload):
        case Text(text=text) | Note(text=text):
            return text
        case ToolResult(content=str(content)):
            return content
        case _:
            return None


def grouped_contents(
    store: AgentStore, places: Sequence[tuple[str, int]]
) -> Mapping[tuple[str, int], str | None]:
    """Return the texts at places (session, ordinal), which may be of several sessions."""
    found: dict[tuple[str, int], str | None] = {}
    for session in dict.fromkeys(session for session, _ in places):
        ordinals = [ordinal for each, ordinal in places if each == session]
        contents = store.contents(session, ordinals)
        found.update(
            ((session, ordinal), text) for ordinal, text in zip(ordinals, contents, strict=True)
        )
    return found


def _is_over(reader: TranscriptReader, session_id: str) -> bool:
    row = reader.outline(session_id)
    return reader.is_forgotten(session_id) if row is None else row.closed


def _is_structural(_path: tuple[str, ...]) -> bool:
    return False
