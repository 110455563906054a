"""Sessions: listed, shown, and written through the API.

Law of the API: appending is idempotent by event id, a page of events is kept whole or not at all,
and payloads pass the same gate as everything else that comes in.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, Literal

import msgspec

from recense.core.ids import anchor
from recense.core.instants import instant_from_text, text_from_instant
from recense.core.text.redact import redact
from recense.core.transcript.events import Event, decode_payload
from recense.core.transcript.gate import pass_gate
from recense.core.transcript.materials import shown
from recense.core.transcript.messages import (
    LoadedSession,
    Message,
    role_of,
    visible_text,
)
from recense.core.transcript.projection import Projector
from recense.core.transcript.projection_state import decode_state, encode_state
from recense.core.transcript.records import (
    Blob,
    Origin,
    Session,
    SessionBirth,
    SessionFacts,
    session_id_of,
)
from recense.errors import InvalidRequest, StoreConflict
from recense.operations.admin import SessionList, SessionView, TranscriptMessage, TranscriptView
from recense.operations.recall import (
    BranchesLeftOut,
    Gap,
    NotConverted,
    SessionUnreadable,
    SpilledBodyMissing,
    TextBeyondLimit,
)
from recense.operations.sessions import AppendedEvent, AppendReport, ClosedSession, OpenSession
from recense.ports.clock import Clock
from recense.ports.transcripts import LedgerPage, TranscriptReader, TranscriptStore
from recense.services.conversion import derived_rows, last_instant
from recense.services.naming import required_session

CONFLICTS_MAX: Final = 32
"""Appends of others that may come between reading a session and appending to it."""

_STRUCTURAL_KEYS: Final = frozenset(
    {"kind", "role", "standing", "message", "parent", "call_id", "sha256", "media_type", "status"}
)

Load = Callable[[TranscriptReader, Session], LoadedSession]


class Sessions:
    """The sessions of one store."""

    def __init__(
        self,
        store: TranscriptStore,
        clock: Clock,
        load: Load,
        is_available: Callable[[str], bool],
        *,
        redact_secrets: bool,
    ) -> None:
        self._store = store
        self._clock = clock
        self._load = load
        self._is_available = is_available
        self._redact_secrets = redact_secrets

    def list_sessions(
        self,
        *,
        source: str | None = None,
        workspace: str | None = None,
        origin: Origin | Literal["all"] = "all",
        limit: int = 50,
        offset: int = 0,
    ) -> SessionList:
        """Return sessions by the instant of their last event, newest first, those without one last.

        Answered from the sessions' own rows: the cost does not depend on their length.
        """
        with self._store.snapshot() as reader:
            chosen = [
                session
                for session in reader.sessions()
                if source in (None, session.source)
                and workspace in (None, session.workspace)
                and origin in ("all", session.origin)
            ]
        chosen.sort(key=_newest_first)
        page = chosen[offset : offset + limit]
        return SessionList(
            sessions=tuple(self._view(session) for session in page), total=len(chosen)
        )

    def transcript(
        self, session_id: str, *, first: int = 0, count: int = 100, everything: bool = False
    ) -> TranscriptView:
        """Return a page of a session's messages, from the ``first``-th shown one on.

        ``everything`` shows abandoned branches, superseded prompts and boilerplate too. Raises
        NotFound when no session has this id.
        """
        with self._store.snapshot() as reader:
            loaded = self._load(reader, _find(reader, session_id))
        messages = [
            message for message in loaded.transcript.messages if everything or not message.flags
        ]
        return TranscriptView(
            session=loaded.session.session_id,
            messages=tuple(
                _transcript_message(loaded.session.session_id, message)
                for message in messages[first : first + count]
            ),
            total=len(messages),
            gaps=_gaps(loaded, everything=everything),
        )

    def open_session(self, request: OpenSession) -> SessionView:
        """Return the session of this id, born now if it was not there."""
        created_at = self._instant(request.created_at, "created_at")
        birth = SessionBirth(
            session_id=session_id_of(request.source, request.session),
            source=request.source,
            source_session_id=request.session,
            origin=request.origin,
            parent_session_id=request.parent,
            created_at=self._clock.now() if created_at is None else created_at,
        )
        facts = SessionFacts(workspace=request.workspace, title=request.title, title_rank=3)
        return self._view(self._store.open_session(birth, facts))

    def append(self, session_id: str, events: Sequence[AppendedEvent]) -> AppendReport:
        """Append events in order, leaving out those whose id the session holds already.

        Raises NotFound for an unknown session, InvalidRequest for an event that cannot be kept or a
        session that is closed; nothing of the call is kept then.
        """
        gated = [self._gate(position, event) for position, event in enumerate(events)]
        for attempt in range(CONFLICTS_MAX):
            try:
                return self._append(session_id, gated)
            except StoreConflict:
                if attempt == CONFLICTS_MAX - 1:
                    raise
        raise StoreConflict(f"session {session_id!r} is being appended to without pause")

    def close(self, session_id: str) -> ClosedSession:
        """Close a session: nothing can be appended any more. Closing it again changes nothing."""
        with self._store.snapshot() as reader:
            session = _find(reader, session_id)
        if not session.closed:
            self._store.append(
                LedgerPage(
                    session_id=session.session_id,
                    expected_events=session.events,
                    expected_through=session.converted_through,
                    events=(),
                    counts=session.counts,
                    projection_state=session.projection_state,
                    last_event_at=session.last_event_at,
                    closed=True,
                )
            )
        return ClosedSession(session=session.session_id, events=session.events)

    def _append(self, session_id: str, gated: Sequence["_GatedEvent"]) -> AppendReport:
        with self._store.snapshot() as reader:
            session = _find(reader, session_id)
            if session.closed:
                raise InvalidRequest(
                    f"session {session.session_id!r} is closed", hint="open another session"
                )
            held = reader.known_event_ids(
                session.session_id, [each.event.event_id for each in gated]
            )
        fresh = {each.event.event_id: each for each in gated if each.event.event_id not in held}
        projector = Projector(decode_state(session.projection_state))
        events = [each.event for each in fresh.values()]
        opened, grown, dead = derived_rows(projector, events)
        if events:
            self._store.append(
                LedgerPage(
                    session_id=session.session_id,
                    expected_events=session.events,
                    expected_through=session.converted_through,
                    events=tuple(events),
                    blobs=tuple(blob for each in fresh.values() for blob in each.blobs),
                    counts=projector.counts,
                    projection_state=encode_state(projector.state()),
                    opened=opened,
                    grown=grown,
                    dead=dead,
                    last_event_at=last_instant(session, events),
                )
            )
        findings: Counter[str] = Counter()
        for each in fresh.values():
            findings.update(dict(each.findings))
        return AppendReport(
            session=session.session_id,
            appended=len(fresh),
            already_held=len(gated) - len(fresh),
            secrets_redacted=dict(sorted(findings.items())),
        )

    def _gate(self, position: int, event: AppendedEvent) -> "_GatedEvent":
        try:
            gated = pass_gate(
                event.payload,
                is_structural=_is_structural,
                is_opaque=_is_never_opaque,
                redact_secrets=self._redact_secrets,
            )
        except ValueError as error:
            raise InvalidRequest(
                f"event {position} has a payload that is not one JSON value",
                hint="give the payload as the JSON of one object with a kind",
            ) from error
        if decode_payload(gated.record) is None:
            raise InvalidRequest(
                f"event {position} has a payload of no known kind, or with a field of a wrong type",
                hint="the kinds are text, thinking, tool_call, tool_result, attachment, summary, "
                "note, error, invocation_opened, invocation_ended",
            )
        now = self._clock.now()
        at = self._instant(event.at, "at")
        return _GatedEvent(
            event=Event(
                event_id=event.event_id,
                invocation_id=event.invocation_id,
                at=now if at is None else at,
                recorded_at=now,
                payload=gated.record,
            ),
            blobs=gated.blobs,
            findings=gated.findings,
        )

    def _instant(self, text: str | None, field: str) -> int | None:
        if text is None:
            return None
        instant = instant_from_text(text)
        if instant is None:
            raise InvalidRequest(
                f"{field} is {text!r}, which is no RFC 3339 instant",
                hint="write it like 2026-01-31T09:30:00Z",
            )
        return instant

    def _view(self, session: Session) -> SessionView:
        path = session.source_path
        return SessionView(
            session=session.session_id,
            source=session.source,
            workspace=session.workspace,
            title=session.title and redact(session.title).text,
            messages=session.counts.messages,
            created_at=_text(session.created_at),
            last_at=_text(session.last_event_at),
            origin=session.origin,
            private=session.private,
            source_available=path is None or self._is_available(path),
        )


class _GatedEvent(msgspec.Struct, frozen=True, kw_only=True):
    event: Event
    blobs: tuple[Blob, ...]
    findings: tuple[tuple[str, int], ...]


def _find(reader: TranscriptReader, name: str) -> Session:
    """Return the session of this name; by its id without a look at the others."""
    return reader.session(name) or required_session(reader.sessions(), name)


def _newest_first(session: Session) -> tuple[bool, int, str]:
    return (session.last_event_at is None, -(session.last_event_at or 0), session.session_id)


def _is_structural(path: tuple[str, ...]) -> bool:
    return len(path) == 1 and path[0] in _STRUCTURAL_KEYS


def _is_never_opaque(_path: tuple[str, ...]) -> bool:
    return False


def _text(instant: int | None) -> str | None:
    return None if instant is None else text_from_instant(instant)


def _transcript_message(session_id: str, message: Message) -> TranscriptMessage:
    return TranscriptMessage(
        position=message.position,
        role=role_of(message),
        kind=message.kind,
        text=redact(visible_text(message)).text,
        at=_text(message.at),
        turn=message.turn,
        anchor=anchor(session_id, message.event_id),
        flags=tuple(sorted(message.flags)),
        materials=tuple(shown(material) for material in message.materials),
    )


def _gaps(loaded: LoadedSession, *, everything: bool) -> tuple[Gap, ...]:
    counts = loaded.transcript.counts
    gaps: list[Gap] = []
    if counts.unreadable_events:
        gaps.append(
            SessionUnreadable(session=loaded.session.session_id, events=counts.unreadable_events)
        )
    if counts.bytes_beyond_limit:
        gaps.append(TextBeyondLimit(sessions=1, bytes=counts.bytes_beyond_limit))
    if counts.spilled_bodies:
        gaps.append(SpilledBodyMissing(sessions=1, bodies=counts.spilled_bodies))
    if loaded.unsearched:
        gaps.append(NotConverted(n=loaded.unsearched, searched=False))
    if counts.branch_messages and not everything:
        gaps.append(BranchesLeftOut(sessions=1, messages=counts.branch_messages))
    return tuple(gaps)
