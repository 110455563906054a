"""The memory: the object a user holds; every operation of Recense on one store."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, Self

import msgspec
from msgspec.structs import replace

from recense.core.text.known_secrets import NOTHING_KNOWN, KnownSecrets
from recense.core.transcript.records import Origin
from recense.limits import SESSIONS_LISTED_DEFAULT, TRANSCRIPT_MESSAGES_DEFAULT
from recense.operations.admin import (
    ConvertReport,
    Digest,
    Health,
    ImportReport,
    IndexReport,
    Progress,
    SessionList,
    SessionView,
    TranscriptView,
)
from recense.operations.grep import GrepAnswer, GrepRequest
from recense.operations.materials import MaterialBytes
from recense.operations.privacy import ForgetPlan, ForgetReport, HiddenSession
from recense.operations.recall import (
    MoreRequest,
    Passage,
    RecallAnswer,
    RecallRequest,
    ScanVerification,
)
from recense.operations.sessions import (
    AppendedEvent,
    AppendReport,
    ClosedSession,
    OpenSession,
    StreamDelta,
    StreamReport,
)
from recense.services.agent_memory import AgentMemory
from recense.services.cancelling import IsCancelled, never
from recense.services.doctor import Doctor
from recense.services.fact_memory import FactMemory, FactServices
from recense.services.grepping import Grep
from recense.services.importing import Importing
from recense.services.indexing import Indexing
from recense.services.materials import Materials
from recense.services.privacy import Privacy
from recense.services.recall import Recall
from recense.services.requests import require_recall_allowed
from recense.services.sessions import Sessions
from recense.services.streams import Streams
from recense.services.watching import Tell, Wait, Watching
from recense.services.writing import Writing

if TYPE_CHECKING:
    from recense.services.agents import Agents
    from recense.services.extraction import Extraction
    from recense.services.serving import Serving


def _silent(_progress: Progress) -> None:
    """Take progress and say nothing."""


class Services(msgspec.Struct, frozen=True, kw_only=True):
    """The services of one store. ``facts``, ``agents``, ``extraction`` and ``serving`` make theirs
    when first called, and return the same at each call; ``has_facts`` says whether to ask the first
    at all. ``incognito`` refuses to read facts.
    """

    importing: Importing
    indexing: Indexing
    watching: Watching
    recall: Recall
    grep: Grep
    materials: Materials
    sessions: Sessions
    writing: Writing
    streams: Streams
    privacy: Privacy
    doctor: Doctor
    facts: Callable[[], FactServices]
    has_facts: Callable[[], bool]
    agents: "Callable[[], Agents]"
    extraction: "Callable[[], Extraction]"
    serving: "Callable[[], Serving]"
    forget_extraction: Callable[[Sequence[str]], int]
    incognito: bool


class Memory(FactMemory, AgentMemory):
    """One store and all that can be done with it; a context manager that closes the store.

    Methods are safe to call from several threads; each is one operation of its own.
    """

    def __init__(self, services: Services, *, close: Callable[[], None]) -> None:
        FactMemory.__init__(self, services.facts, incognito=services.incognito)
        AgentMemory.__init__(self, services.agents)
        self._services = services
        self._close = close

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Give back the agents that are held, and let go of the store."""
        try:
            self.release_agents()
        finally:
            self._close()

    @property
    def holds_text(self) -> bool:
        """Whether a text that is still arriving would lose its end if this was closed now."""
        return self._services.streams.holds_text

    def source_names(self) -> tuple[str, ...]:
        """Return the names of the sources that can be imported; see `Importing.source_names`."""
        return self._services.importing.source_names()

    def require_source(self, source: str | None) -> None:
        """Raise InvalidRequest for a source that there is not, and MissingExtra for one that cannot
        be imported here; None is any.
        """
        self._services.importing.chosen(source)

    def import_sessions(
        self,
        source: str | None = None,
        paths: Sequence[str] = (),
        *,
        progress: Callable[[Progress], None] = _silent,
        archive_only: bool = False,
        known_secrets: KnownSecrets = NOTHING_KNOWN,
    ) -> ImportReport:
        """Find and import sessions; see `Importing.import_sessions`."""
        return self._services.importing.import_sessions(
            source,
            paths,
            progress=progress,
            archive_only=archive_only,
            known_secrets=known_secrets,
        )

    def watch_sessions(
        self,
        source: str | None,
        paths: Sequence[str],
        *,
        every: float,
        wait: Wait,
        tell: Tell,
        progress: Callable[[Progress], None] = _silent,
        archive_only: bool = False,
        known_secrets: KnownSecrets = NOTHING_KNOWN,
    ) -> ImportReport:
        """Import sessions, then follow their files until told to stop; see `Watching.watch`."""
        return self._services.watching.watch(
            source,
            paths,
            every=every,
            wait=wait,
            tell=tell,
            progress=progress,
            archive_only=archive_only,
            known_secrets=known_secrets,
        )

    def convert(self, progress: Callable[[Progress], None] = _silent) -> ConvertReport:
        """Convert what is archived and not converted yet; see `Importing.convert`."""
        return self._services.importing.convert(progress=progress)

    def recall(
        self,
        request: RecallRequest,
        *,
        is_cancelled: IsCancelled = never,
    ) -> RecallAnswer:
        """Answer a request; see `Recall.recall`."""
        return self._services.recall.recall(request, is_cancelled=is_cancelled)

    def recall_by_scan(self, request: RecallRequest) -> RecallAnswer:
        """Answer a request by reading every session; see `Recall.recall_by_scan`."""
        return self._services.recall.recall_by_scan(request)

    def verify_scan(self, request: RecallRequest) -> ScanVerification:
        """Answer a request both ways and compare; see `Recall.verify_scan`."""
        return self._services.recall.verify_scan(request)

    def index(
        self, progress: Callable[[Progress], None] = _silent, *, anew: bool = False
    ) -> IndexReport:
        """Index what is converted and not indexed yet; see `Indexing.index`."""
        return self._services.indexing.index(progress=progress, anew=anew)

    def recall_more(self, request: MoreRequest) -> Passage:
        """Extend one passage; see `Recall.recall_more`."""
        return self._services.recall.recall_more(request)

    def recall_material(self, material_id: str) -> MaterialBytes:
        """Return the bytes of an attachment; see `Materials.recall_material`."""
        return self._services.materials.recall_material(material_id)

    def grep(self, request: GrepRequest, *, is_cancelled: IsCancelled = never) -> GrepAnswer:
        """Return every line that holds a pattern, newest first; see `Grep.grep`."""
        return self._services.grep.grep(request, is_cancelled=is_cancelled)

    def sessions(
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
        """List sessions, as a person looks through them or, without ``private``, as a recall; see
        `Sessions.list_sessions`. Raises Incognito for the second.
        """
        self._require_looked_at(private=private)
        return self._services.sessions.list_sessions(
            source=source,
            workspace=workspace,
            origin=origin,
            shelved=shelved,
            private=private,
            limit=limit,
            offset=offset,
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
        """Show a session, as a person looks at it or, without ``private``, as a recall; see
        `Sessions.transcript`. Raises Incognito for the second.
        """
        self._require_looked_at(private=private)
        return self._services.sessions.transcript(
            session_id, first=first, count=count, everything=everything, private=private
        )

    def _require_looked_at(self, *, private: bool) -> None:
        """Refuse what would recall sessions while the person is incognito (Incognito)."""
        require_recall_allowed(incognito=self._services.incognito and not private)

    def session_open(self, request: OpenSession) -> SessionView:
        """Open a session; see `Writing.open_session`."""
        return self._services.writing.open_session(request)

    def session_append(self, session_id: str, events: Sequence[AppendedEvent]) -> AppendReport:
        """Append to a session; see `Writing.append`."""
        return self._services.writing.append(session_id, events)

    def session_stream(self, session_id: str, delta: StreamDelta) -> StreamReport:
        """Take the next piece of a text that is arriving; see `Streams.stream`."""
        return self._services.streams.stream(session_id, delta)

    def session_close(self, session_id: str) -> ClosedSession:
        """Close a session; see `Writing.close`."""
        return self._services.writing.close(session_id)

    def hide_session(self, session: str) -> HiddenSession:
        """Hide a session from every search; see `Privacy.set_private`."""
        return self._services.privacy.set_private(session, private=True)

    def unhide_session(self, session: str) -> HiddenSession:
        """Show a hidden session again; see `Privacy.set_private`."""
        return self._services.privacy.set_private(session, private=False)

    def plan_forgetting(self, session: str, *, with_forks: bool = False) -> ForgetPlan:
        """Return what forgetting a session would remove; see `Privacy.plan`, and of facts
        `FactForgetting.plan`.
        """
        privacy = self._services.privacy
        plan = privacy.plan(session, with_forks=with_forks)
        if not self._services.has_facts():
            return plan
        facts = self._facts().forgetting.plan(
            lambda each: each in plan.sessions or privacy.is_forgotten(each)
        )
        return replace(plan, facts=facts)

    def forget_session(self, session: str, *, with_forks: bool = False) -> ForgetReport:
        """Remove a session for good, also where an agent's records repeat it, what was proposed
        from it does or a fact that nothing else supports; see `Privacy.forget` and
        `FactForgetting.erase`.
        """
        privacy = self._services.privacy
        report = privacy.forget(session, with_forks=with_forks)
        self.forget_agent_texts(report.sessions)
        facts = 0
        if self._services.has_facts():
            with self._changing():
                facts = self._facts().forgetting.erase(privacy.is_forgotten)
        self._services.forget_extraction(report.sessions)
        return replace(report, facts=facts)

    @property
    def extraction(self) -> "Extraction":
        """What reads sessions for facts. Raises Incognito, SettingsInvalid, MissingExtra."""
        require_recall_allowed(incognito=self._services.incognito)
        return self._services.extraction()

    @property
    def serving(self) -> "Serving":
        """What a server needs of the store beside its operations."""
        return self._services.serving()

    def doctor(self, *, everywhere: bool = False) -> Health:
        """Examine the store; see `Doctor.health`."""
        return self._services.doctor.health(everywhere=everywhere)

    def digest(self) -> Digest:
        """Return the store's digest; see `Doctor.digest`."""
        return self._services.doctor.digest()
