"""Sessions: listed, shown, and written through the API.

Law of the API: appending is idempotent by event id, a page of events is kept whole or not at all,
and payloads pass the same gate as everything else that comes in.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, Literal

import msgspec
from msgspec.structs import replace

from recense.core.ids import anchor
from recense.core.instants import text_from_instant
from recense.core.recall.filters import is_at_or_below
from recense.core.text.json_text import settled, settled_text
from recense.core.text.known_secrets import NOTHING_KNOWN
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
from recense.core.transcript.records import (
    Blob,
    Origin,
    Session,
    SessionBirth,
    SessionFacts,
    session_id_of,
)
from recense.errors import InvalidRequest
from recense.limits import (
    SESSIONS_LISTED_DEFAULT,
    TITLE_CODE_POINTS_MAX,
    TRANSCRIPT_MESSAGES_DEFAULT,
)
from recense.operations.admin import SessionList, SessionView, TranscriptMessage, TranscriptView
from recense.operations.recall import BranchesLeftOut, Gap, SessionsSearched
from recense.operations.sessions import (
    AppendedEvent,
    AppendReport,
    ClosedSession,
    OpenSession,
    StreamDelta,
    StreamReport,
)
from recense.ports.clock import Clock
from recense.ports.transcripts import OpenStream, TranscriptStore
from recense.services.admission import (
    given_instant,
    require_counts,
    require_folder,
    require_identifier,
    require_open,
    typed,
)
from recense.services.conflicts import in_spite_of_conflicts
from recense.services.conversion import Load, ledger_page
from recense.services.gaps import gaps_of_sessions, in_contract_order
from recense.services.naming import find_session
from recense.services.streams import Streams, closing_page

_STRUCTURAL_KEYS: Final = frozenset({"kind", "role", "standing", "status", "sha256"})
"""Fields of a payload that hold one of a few words, or a digest. Ids are the caller's own here, and
pass the gate like everything else.
"""

_GIVEN_TITLE_RANK: Final = 3


class Sessions:
    """The sessions of one store."""

    def __init__(
        self,
        store: TranscriptStore,
        clock: Clock,
        load: Load,
        is_available: Callable[[str], bool],
        *,
        imported_sources: AbstractSet[str],
        redact_secrets: bool,
        streams: Streams,
    ) -> None:
        self._streams = streams
        self._store = store
        self._clock = clock
        self._load = load
        self._is_available = is_available
        self._imported_sources = imported_sources
        self._redact_secrets = redact_secrets

    def list_sessions(
        self,
        *,
        source: str | None = None,
        workspace: str | None = None,
        origin: Origin | Literal["all"] = "all",
        shelved: bool = False,
        limit: int = SESSIONS_LISTED_DEFAULT,
        offset: int = 0,
    ) -> SessionList:
        """Return sessions by the instant of their last event, newest first, those without one last.

        ``workspace`` includes what lies below it, as in recall. ``shelved`` includes the sessions
        that the person put away in the agent's own tool. Answered from the sessions' own
        rows: the cost does not depend on their length. Raises InvalidRequest for a negative
        ``limit`` or ``offset``.
        """
        require_counts(limit=limit, offset=offset)
        with self._store.snapshot() as reader:
            chosen = [
                session
                for session in reader.sessions()
                if source in (None, session.source)
                and _is_in(session, workspace)
                and origin in ("all", session.origin)
                and (shelved or not session.shelved)
            ]
        chosen.sort(key=newest_first)
        page = chosen[offset : offset + limit]
        return SessionList(
            sessions=tuple(self._view(session) for session in page), total=len(chosen)
        )

    def transcript(
        self,
        session_id: str,
        *,
        first: int = 0,
        count: int = TRANSCRIPT_MESSAGES_DEFAULT,
        everything: bool = False,
    ) -> TranscriptView:
        """Return a page of a session's messages, from the ``first``-th shown one on.

        ``everything`` shows abandoned branches, superseded prompts and boilerplate too. Raises
        NotFound when no session has this id, and InvalidRequest when several have it or when
        ``first`` or ``count`` is negative.
        """
        require_counts(first=first, count=count)
        with self._store.snapshot() as reader:
            loaded = self._load(reader, find_session(reader, session_id))
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
        """Return the session of this id, born now if it was not there.

        The title is kept on one line, cut to TITLE_CODE_POINTS_MAX, its secrets redacted. Raises
        InvalidRequest for an id, source, parent or workspace that cannot be kept, and for a source
        whose sessions are imported.
        """
        request = typed(request, OpenSession)
        require_identifier("session", request.session)
        require_identifier("source", request.source)
        for name, value in (("parent", request.parent), ("revision_of", request.revision_of)):
            if value is not None:
                require_identifier(name, value)
        require_folder(request.workspace)
        if request.source in self._imported_sources or ":" in request.source:
            raise InvalidRequest(
                f"source {request.source!r} is that of imported sessions, or has a colon",
                hint="name the program that writes the session, like 'api'",
            )
        title = None if request.title is None else self._title(request.title)
        created_at = given_instant("created_at", request.created_at)
        birth = SessionBirth(
            session_id=session_id_of(request.source, request.session),
            source=request.source,
            source_session_id=request.session,
            origin=request.origin,
            parent_session_id=request.parent,
            created_at=self._clock.now() if created_at is None else created_at,
        )
        facts = SessionFacts(
            workspace=request.workspace,
            title=title or None,
            title_rank=_GIVEN_TITLE_RANK if title else 0,
            revision_root=self._revision_root(request.revision_of),
        )
        return self._view(self._store.open_session(birth, facts))

    def append(self, session_id: str, events: Sequence[AppendedEvent]) -> AppendReport:
        """Append events in order, leaving out those whose id the session holds already.

        An event that completes a stream takes its place: what was stored of it goes in the same
        commit, and what was held is forgotten.

        Raises NotFound for an unknown session, InvalidRequest for an event that cannot be kept or a
        session that is closed; nothing of the call is kept then.
        """
        gated = [
            self._gate(position, typed(event, AppendedEvent))
            for position, event in enumerate(events)
        ]
        return in_spite_of_conflicts(lambda: self._append(session_id, gated))

    def stream(self, session_id: str, delta: StreamDelta) -> StreamReport:
        """Take the next piece of a text that is arriving; see `Streams.stream`."""
        return self._streams.stream(session_id, delta)

    def close(self, session_id: str) -> ClosedSession:
        """Close a session: nothing can be appended any more. Closing it again changes nothing.

        Streams that are still open become events, with what this process held back of them. Raises
        NotFound for an unknown session.
        """
        with self._store.snapshot() as reader:
            session_id = find_session(reader, session_id).session_id
        with self._streams.ending(session_id) as held:
            return in_spite_of_conflicts(lambda: self._close(session_id, held))

    def _close(self, session_id: str, held: Mapping[str, OpenStream]) -> ClosedSession:
        with self._store.snapshot() as reader:
            session = find_session(reader, session_id)
            if session.closed:
                return ClosedSession(session=session.session_id, events=session.events)
            page = closing_page(reader, session, held, recorded_at=self._clock.now())
        self._store.append(page)
        return ClosedSession(session=session_id, events=session.events + len(page.events))

    def _append(self, session_id: str, gated: Sequence["_GatedEvent"]) -> AppendReport:
        with self._store.snapshot() as reader:
            session = require_open(find_session(reader, session_id))
            held = reader.known_event_ids(
                session.session_id, [each.event.event_id for each in gated]
            )
            fresh = {each.event.event_id: each for each in gated if each.event.event_id not in held}
            ended = tuple(each.event.event_id for each in gated if each.ends_stream)
            findings: Counter[str] = Counter()
            for each in fresh.values():
                findings.update(dict(each.findings))
            page = ledger_page(
                reader,
                session,
                [each.event for each in fresh.values()],
                ended_streams=ended,
            )
        page = replace(
            page,
            blobs=tuple(blob for each in fresh.values() for blob in each.blobs),
            findings=tuple(sorted(findings.items())),
        )
        if fresh or (ended and session.open_streams):
            self._store.append(page)
        self._streams.completed(session.session_id, ended)
        return AppendReport(
            session=session.session_id,
            appended=len(fresh),
            already_held=len(gated) - len(fresh),
            secrets_redacted=dict(sorted(findings.items())),
        )

    def _revision_root(self, revised: str | None) -> str | None:
        """Return the root of the family of the session that is revised; itself where it is one."""
        if revised is None:
            return None
        with self._store.snapshot() as reader:
            row = reader.session(revised)
        return revised if row is None else row.revision_root or revised

    def _title(self, title: str) -> str:
        """Return a title as it is kept: redacted before it is cut, lest half a secret stays."""
        title = settled_text(title)
        if self._redact_secrets:
            title = redact(" ".join(redact(title).text.split())).text
        return " ".join(title.split())[:TITLE_CODE_POINTS_MAX].rstrip()

    def _gate(self, position: int, event: AppendedEvent) -> "_GatedEvent":
        require_identifier(f"event_id of event {position}", event.event_id)
        if event.stream not in (None, event.event_id):
            raise InvalidRequest(
                f"event {position} completes the stream {event.stream!r} and has another id",
                hint="the key of a stream is the id of the event that completes it: give both the "
                "same",
            )
        if event.invocation_id is not None:
            require_identifier(f"invocation_id of event {position}", event.invocation_id)
        try:
            gated = pass_gate(
                settled(event.payload),
                is_structural=_is_structural,
                is_opaque=_is_never_opaque,
                opaque_marks=(),
                known=NOTHING_KNOWN if self._redact_secrets else None,
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
        at = given_instant("at", event.at)
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
            ends_stream=event.stream is not None,
        )

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
    ends_stream: bool


def _is_in(session: Session, workspace: str | None) -> bool:
    if workspace is None:
        return True
    return session.workspace is not None and is_at_or_below(session.workspace, workspace)


def newest_first(session: Session) -> tuple[bool, int, str]:
    """Return the order of sessions by their last event, newest first, those without one last."""
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
        materials=tuple(shown(material, session_id) for material in message.materials),
    )


def _gaps(loaded: LoadedSession, *, everything: bool) -> tuple[Gap, ...]:
    """Return the gaps of one session that is shown and not searched."""
    gaps = gaps_of_sessions(
        [loaded.session], {}, unconverted=loaded.unconverted, unsearched=loaded.unsearched
    )
    return in_contract_order(
        gap
        for gap in gaps
        if not isinstance(gap, SessionsSearched)
        and not (everything and isinstance(gap, BranchesLeftOut))
    )
