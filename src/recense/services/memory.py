"""The memory: the object a user holds; every operation of Recense on one store."""

from collections.abc import Callable, Sequence
from typing import Literal, Self

from recense.core.transcript.records import Origin
from recense.limits import SESSIONS_LISTED_DEFAULT, TRANSCRIPT_MESSAGES_DEFAULT
from recense.operations.admin import (
    ConvertReport,
    Digest,
    Health,
    ImportReport,
    Progress,
    SessionList,
    SessionView,
    TranscriptView,
)
from recense.operations.recall import MoreRequest, Passage, RecallAnswer, RecallRequest
from recense.operations.sessions import AppendedEvent, AppendReport, ClosedSession, OpenSession
from recense.services.doctor import Doctor
from recense.services.importing import Importing
from recense.services.recall import Recall
from recense.services.sessions import Sessions


def _silent(_progress: Progress) -> None:
    """Take progress and say nothing."""


class Memory:
    """One store and all that can be done with it; a context manager that closes the store.

    Methods are safe to call from several threads; each is one operation of its own.
    """

    def __init__(
        self,
        *,
        importing: Importing,
        recall: Recall,
        sessions: Sessions,
        doctor: Doctor,
        close: Callable[[], None],
    ) -> None:
        self._importing = importing
        self._recall = recall
        self._sessions = sessions
        self._doctor = doctor
        self._close = close

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the store."""
        self._close()

    def source_names(self) -> tuple[str, ...]:
        """Return the names of the sources that can be imported; see `Importing.source_names`."""
        return self._importing.source_names()

    def import_sessions(
        self,
        source: str | None = None,
        paths: Sequence[str] = (),
        *,
        progress: Callable[[Progress], None] = _silent,
        archive_only: bool = False,
    ) -> ImportReport:
        """Find and import sessions; see `Importing.import_sessions`."""
        return self._importing.import_sessions(
            source, paths, progress=progress, archive_only=archive_only
        )

    def convert(self, progress: Callable[[Progress], None] = _silent) -> ConvertReport:
        """Convert what is archived and not converted yet; see `Importing.convert`."""
        return self._importing.convert(progress=progress)

    def recall(self, request: RecallRequest, *, explain: bool = False) -> RecallAnswer:
        """Answer a request; see `Recall.recall`."""
        return self._recall.recall(request, explain=explain)

    def recall_more(self, request: MoreRequest) -> Passage:
        """Extend one passage; see `Recall.recall_more`."""
        return self._recall.recall_more(request)

    def sessions(
        self,
        *,
        source: str | None = None,
        workspace: str | None = None,
        origin: Origin | Literal["all"] = "all",
        limit: int = SESSIONS_LISTED_DEFAULT,
        offset: int = 0,
    ) -> SessionList:
        """List sessions; see `Sessions.list_sessions`."""
        return self._sessions.list_sessions(
            source=source, workspace=workspace, origin=origin, limit=limit, offset=offset
        )

    def transcript(
        self,
        session_id: str,
        *,
        first: int = 0,
        count: int = TRANSCRIPT_MESSAGES_DEFAULT,
        everything: bool = False,
    ) -> TranscriptView:
        """Show a session; see `Sessions.transcript`."""
        return self._sessions.transcript(
            session_id, first=first, count=count, everything=everything
        )

    def session_open(self, request: OpenSession) -> SessionView:
        """Open a session; see `Sessions.open_session`."""
        return self._sessions.open_session(request)

    def session_append(self, session_id: str, events: Sequence[AppendedEvent]) -> AppendReport:
        """Append to a session; see `Sessions.append`."""
        return self._sessions.append(session_id, events)

    def session_close(self, session_id: str) -> ClosedSession:
        """Close a session; see `Sessions.close`."""
        return self._sessions.close(session_id)

    def doctor(self) -> Health:
        """Examine the store; see `Doctor.health`."""
        return self._doctor.health()

    def digest(self) -> Digest:
        """Return the store's digest; see `Doctor.digest`."""
        return self._doctor.digest()
