"""Sessions that are written through the API: opened, appended to, streamed into, closed.

Laws: appending is idempotent by event id, a page of events is kept whole or not at all, and
payloads pass the same gate as everything else that comes in.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from msgspec.structs import replace

from recense.core.text.json_text import settled_text
from recense.core.text.redact import redact
from recense.core.transcript.records import (
    TITLE_BY_PERSON,
    TITLE_BY_PROMPT,
    SessionBirth,
    SessionFacts,
    session_id_of,
)
from recense.errors import InvalidRequest
from recense.limits import TITLE_CODE_POINTS_MAX
from recense.operations.admin import SessionView
from recense.operations.sessions import (
    AppendedEvent,
    AppendReport,
    ClosedSession,
    OpenSession,
)
from recense.ports.clock import Clock
from recense.ports.commits import OpenStream
from recense.ports.transcripts import TranscriptStore
from recense.services.admission import (
    given_instant,
    require_folder,
    require_identifier,
    require_open,
    typed,
)
from recense.services.conflicts import in_spite_of_conflicts
from recense.services.event_gate import GatedEvent, gated_event
from recense.services.ledger import ledger_page
from recense.services.naming import find_session
from recense.services.sessions import session_view
from recense.services.streams import Streams, closing_page


class Writing:
    """Writes sessions into one store."""

    def __init__(
        self,
        store: TranscriptStore,
        clock: Clock,
        streams: Streams,
        *,
        imported_sources: AbstractSet[str],
        redact_secrets: bool,
    ) -> None:
        self._store = store
        self._clock = clock
        self._streams = streams
        self._imported_sources = imported_sources
        self._redact_secrets = redact_secrets

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
            title_rank=TITLE_BY_PERSON if title else TITLE_BY_PROMPT,
            revision_root=self._revision_root(request.revision_of),
        )
        return session_view(self._store.open_session(birth, facts), _is_always_available)

    def append(self, session_id: str, events: Sequence[AppendedEvent]) -> AppendReport:
        """Append events in order, leaving out those whose id the session holds already.

        An event that completes a stream takes its place: what was stored of it goes in the same
        commit, and what was held is forgotten.

        Raises NotFound for an unknown session, InvalidRequest for an event that cannot be kept or a
        session that is closed; nothing of the call is kept then.
        """
        gated = [
            gated_event(
                typed(event, AppendedEvent),
                f"event {position}",
                now=self._clock.now(),
                redact_secrets=self._redact_secrets,
            )
            for position, event in enumerate(events)
        ]
        return in_spite_of_conflicts(lambda: self._append(session_id, gated))

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
            if session.records:
                require_open(session)
            if session.closed:
                return ClosedSession(session=session.session_id, events=session.events)
            page = closing_page(reader, session, held, recorded_at=self._clock.now())
        self._store.append(page)
        return ClosedSession(session=session_id, events=session.events + len(page.events))

    def _append(self, session_id: str, gated: Sequence[GatedEvent]) -> AppendReport:
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


def _is_always_available(_path: str) -> bool:
    return True  # a session of the API has no source file that could be gone
