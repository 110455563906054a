"""What the command line asks of a memory, and how it gets one."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Literal, Protocol

from recense.bench.requests import BenchRequest
from recense.bench.results import BenchResult
from recense.cli.agent_operations import AgentOperations
from recense.cli.extraction_operations import ExtractionOperations
from recense.cli.fact_operations import FactOperations
from recense.core.transcript.records import Origin
from recense.errors import RecenseError
from recense.operations.admin import (
    ConvertReport,
    Digest,
    Health,
    ImportReport,
    IndexReport,
    Progress,
    SessionList,
    TranscriptView,
)
from recense.operations.grep import GrepAnswer, GrepRequest
from recense.operations.materials import MaterialBytes
from recense.operations.operation import Surface
from recense.operations.privacy import ForgetPlan, ForgetReport, HiddenSession
from recense.operations.recall import (
    MoreRequest,
    Passage,
    RecallAnswer,
    RecallRequest,
    ScanVerification,
)

if TYPE_CHECKING:
    from recense.core.text.known_secrets import KnownSecrets

Report = Callable[[Progress], None]
"""Is told how far a long piece of work has come; may be called often."""

RunBench = Callable[[BenchRequest, Report], BenchResult]
"""Runs a benchmark, which opens memories of its own."""


class MemoryOperations(FactOperations, Protocol):
    """The object a user holds, as far as the commands need it.

    Every method raises what `recense.errors` lists and nothing else.
    """

    @property
    def agents(self) -> AgentOperations:
        """What agents wrote down."""
        ...

    @property
    def extraction(self) -> ExtractionOperations:
        """Reading sessions for facts."""
        ...

    def source_names(self) -> tuple[str, ...]:
        """Return the names of the sources that can be imported, in order."""
        ...

    def import_sessions(
        self,
        source: str | None,
        paths: Sequence[str],
        *,
        progress: Report,
        archive_only: bool,
        known_secrets: "KnownSecrets",
    ) -> ImportReport:
        """Find and import sessions: of one source or all, from paths or where it keeps them."""
        ...

    def watch_sessions(
        self,
        source: str | None,
        paths: Sequence[str],
        *,
        every: float,
        wait: Callable[[float], bool],
        tell: Callable[[ImportReport | RecenseError], None],
        progress: Report,
        archive_only: bool,
        known_secrets: "KnownSecrets",
    ) -> ImportReport:
        """Import sessions, then what changes in their files until ``wait`` says to stop.

        ``tell`` is told what a round brought in, or why it will be tried again.
        """
        ...

    def convert(self, progress: Report) -> ConvertReport:
        """Turn archived sessions into ledger events, and index them."""
        ...

    def index(self, progress: Report, *, anew: bool) -> IndexReport:
        """Index what is converted and not indexed yet; with ``anew`` everything."""
        ...

    def recall(self, request: RecallRequest) -> RecallAnswer:
        """Answer a request."""
        ...

    def verify_scan(self, request: RecallRequest) -> ScanVerification:
        """Answer a request by the index and by reading every session, and compare."""
        ...

    def recall_more(self, request: MoreRequest) -> Passage:
        """Return a passage with more of what surrounds its anchor."""
        ...

    def recall_material(self, material_id: str) -> MaterialBytes:
        """Return the bytes of an attachment."""
        ...

    def grep(self, request: GrepRequest) -> GrepAnswer:
        """Return every line that holds a pattern, newest first."""
        ...

    def sessions(
        self,
        *,
        source: str | None,
        workspace: str | None,
        origin: Origin | Literal["all"],
        shelved: bool,
        limit: int,
        offset: int,
    ) -> SessionList:
        """Return sessions, newest first."""
        ...

    def transcript(
        self, session_id: str, *, first: int, count: int, everything: bool
    ) -> TranscriptView:
        """Return a page of a session's messages; ``everything`` includes abandoned branches."""
        ...

    def hide_session(self, session: str) -> HiddenSession:
        """Hide a session from every search."""
        ...

    def unhide_session(self, session: str) -> HiddenSession:
        """Show a hidden session again."""
        ...

    def plan_forgetting(self, session: str, *, with_forks: bool) -> ForgetPlan:
        """Return what forgetting a session would remove and what would still hold its text."""
        ...

    def forget_session(self, session: str, *, with_forks: bool) -> ForgetReport:
        """Remove a session for good."""
        ...

    def doctor(self, *, everywhere: bool) -> Health:
        """Look at the store and say what is wrong and what to do; with ``everywhere`` also at the
        keys and the list of namespaces beside it.
        """
        ...

    def digest(self) -> Digest:
        """Return the digest of everything kept."""
        ...


class ServeModels(Protocol):
    """Serves a client of a model over the streams of this process, which ends with it."""

    def __call__(
        self,
        flags: Mapping[str, str],
        memory: MemoryOperations,
        surfaces: frozenset[Surface],
        *,
        read_only: bool,
        names: Sequence[str] | None,
    ) -> None:
        """Offer the tools of these surfaces, or of them those that are named; ``memory`` is the one
        that ``flags`` (``store``, ``namespace``) name.
        """
        ...


class OpenMemory(Protocol):
    """Opens the memory that flags (``store``, ``namespace``) name, among other settings."""

    def __call__(
        self, flags: Mapping[str, str], *, create: bool
    ) -> AbstractContextManager[MemoryOperations]:
        """Return it; a store that does not exist is made with ``create``, else StoreUnavailable."""
        ...
