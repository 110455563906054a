"""Sessions: listed and shown."""

from collections.abc import Callable
from typing import Literal

from recense.core.ids import anchor
from recense.core.instants import text_from_instant
from recense.core.text.redact import redact
from recense.core.transcript.materials import shown
from recense.core.transcript.messages import (
    LoadedSession,
    Message,
    role_of,
    visible_text,
)
from recense.core.transcript.records import (
    Origin,
    Session,
)
from recense.core.transcript.totals import totals_of
from recense.core.transcript.visibility import is_hidden
from recense.limits import (
    SESSIONS_LISTED_DEFAULT,
    TRANSCRIPT_MESSAGES_DEFAULT,
)
from recense.operations.admin import SessionList, SessionView, TranscriptMessage, TranscriptView
from recense.operations.recall import BranchesLeftOut, Gap, SessionsSearched
from recense.ports.transcripts import TranscriptReader, TranscriptStore
from recense.services.admission import (
    require_counts,
)
from recense.services.conversion import Load
from recense.services.eligibility import is_in_workspace, readable_session
from recense.services.gaps import gaps_of_sessions, in_contract_order
from recense.services.naming import find_session, required_session, unknown_session


class Sessions:
    """The sessions of one store, to look at."""

    def __init__(
        self,
        store: TranscriptStore,
        load: Load,
        is_available: Callable[[str], bool],
    ) -> None:
        self._store = store
        self._load = load
        self._is_available = is_available

    def list_sessions(
        self,
        *,
        source: str | None = None,
        workspace: str | None = None,
        origin: Origin | Literal["all"] = "all",
        shelved: bool = False,
        private: bool = True,
        limit: int = SESSIONS_LISTED_DEFAULT,
        offset: int = 0,
    ) -> SessionList:
        """Return sessions by the instant of their last event, newest first, those without one last.

        ``workspace`` includes what lies below it, as in recall. ``shelved`` includes the sessions
        that the person put away in the agent's own tool, ``private`` those that are hidden from
        every search. Answered from the sessions' own
        rows: the cost does not depend on their length. Raises InvalidRequest for a negative
        ``limit`` or ``offset``.
        """
        require_counts(limit=limit, offset=offset)
        with self._store.snapshot() as reader:
            chosen = [
                session
                for session in reader.sessions()
                if source in (None, session.source)
                and is_in_workspace(session, workspace)
                and origin in ("all", session.origin)
                and (shelved or not session.shelved)
                and (private or not is_hidden(session, reader.outline))
            ]
        chosen.sort(key=newest_first)
        page = chosen[offset : offset + limit]
        return SessionList(
            sessions=tuple(session_view(session, self._is_available) for session in page),
            total=len(chosen),
        )

    def transcript(
        self,
        session_id: str,
        *,
        first: int = 0,
        count: int = TRANSCRIPT_MESSAGES_DEFAULT,
        everything: bool = False,
        private: bool = True,
    ) -> TranscriptView:
        """Return a page of a session's messages, from the ``first``-th shown one on.

        ``everything`` shows abandoned branches, superseded prompts and boilerplate too;
        ``private`` a session that is hidden from every search. Raises NotFound when no session
        that may be shown has this id, and InvalidRequest when several have it or when
        ``first`` or ``count`` is negative.
        """
        require_counts(first=first, count=count)
        with self._store.snapshot() as reader:
            loaded = (
                self._load(reader, find_session(reader, session_id))
                if private
                else self._readable(reader, session_id)
            )
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

    def _readable(self, reader: TranscriptReader, name: str) -> LoadedSession:
        """Return the session of a name, unless it is hidden: that is as if there were none."""
        row = required_session(
            (each for each in reader.named(name) if not is_hidden(each, reader.outline)), name
        )
        loaded = readable_session(reader, self._load, row.session_id)
        if loaded is None:
            raise unknown_session(name)
        return loaded


def session_view(session: Session, is_available: Callable[[str], bool]) -> SessionView:
    """Return a session as it is listed; ``is_available`` says whether a source file is there."""
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
        source_available=path is None or is_available(path),
    )


def newest_first(session: Session) -> tuple[bool, int, str]:
    """Return the order of sessions by their last event, newest first, those without one last."""
    return (session.last_event_at is None, -(session.last_event_at or 0), session.session_id)


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
        totals_of([loaded.session]),
        {},
        unconverted=loaded.unconverted,
        unsearched=loaded.unsearched,
    )
    return in_contract_order(
        gap
        for gap in gaps
        if not isinstance(gap, SessionsSearched)
        and not (everything and isinstance(gap, BranchesLeftOut))
    )
