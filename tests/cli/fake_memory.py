"""A memory that answers every operation with a sample, or with the error it is told to raise."""

import signal
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Literal

from recense.bench.requests import BenchRequest
from recense.bench.results import BenchResult
from recense.cli.key_operations import KeyOperations
from recense.cli.memory import MemoryOperations
from recense.core.text.known_secrets import KnownSecrets
from recense.core.transcript.records import Origin
from recense.errors import RecenseError, StoreBusy
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
from recense.servers.http.options import Listening, ServeOptions
from tests.cli import samples
from tests.cli.fake_agents import AgentAnswers, FakeAgents
from tests.cli.fake_connecting import FakeConnecting
from tests.cli.fake_extraction import ExtractionAnswers, FakeExtraction
from tests.cli.fake_facts import FactAnswers, FakeFacts
from tests.cli.key_words import FakeKeys


class FakeMemory(FakeFacts):
    """Records what it was asked, in ``asked``."""

    def __init__(
        self,
        *,
        error: BaseException | None = None,
        imported: ImportReport = samples.IMPORTED,
        health: Health = samples.HEALTHY,
        answer: RecallAnswer = samples.ANSWER,
        material: MaterialBytes = samples.MATERIAL,
        grepped: GrepAnswer = samples.GREPPED,
        reports: Sequence[Progress] = (),
        difference: str = "",
        facts: FactAnswers | None = None,
        agents: AgentAnswers | None = None,
        extraction: ExtractionAnswers | None = None,
    ) -> None:
        super().__init__(facts or FactAnswers(), error)
        self.agents = FakeAgents(agents or AgentAnswers(), self._take)
        self.extraction = FakeExtraction(extraction or ExtractionAnswers(), self._take, reports)
        self.known_secrets = 0
        self.is_client_installed = True
        self.stopped_by = signal.SIGTERM
        self._imported = imported
        self._health = health
        self._answer = answer
        self._material = material
        self._grepped = grepped
        self._reports = reports
        self._difference = difference

    def open(
        self, flags: Mapping[str, str], *, create: bool
    ) -> AbstractContextManager[MemoryOperations]:
        self.asked.append(("open", dict(flags), create))
        return nullcontext(self)

    def open_keys(
        self, flags: Mapping[str, str], *, create: bool
    ) -> AbstractContextManager[KeyOperations]:
        self.asked.append(("open_keys", dict(flags), create))
        return nullcontext(FakeKeys(self._take))

    def serve(
        self,
        flags: Mapping[str, str],
        options: ServeOptions,
        ready: Callable[[Listening], None],
    ) -> Listening:
        self._take("serve", dict(flags), options)
        return Listening(
            address=f"http://{options.host}:{options.port}",
            store="sqlite:///recense.db",
            insecure=options.insecure,
        )

    def serve_models(
        self,
        flags: Mapping[str, str],
        memory: MemoryOperations,
        surfaces: frozenset[Surface],
        *,
        read_only: bool,
        names: Sequence[str] | None,
    ) -> None:
        self._take("serve_models", dict(flags), surfaces, read_only, names)

    def connecting(self, flags: Mapping[str, str]) -> FakeConnecting:
        self.asked.append(("connecting", dict(flags)))
        return FakeConnecting(self._take, installed=self.is_client_installed)

    def source_names(self) -> tuple[str, ...]:
        return ("claude_code", "codex")

    def import_sessions(
        self,
        source: str | None,
        paths: Sequence[str],
        *,
        progress: Callable[[Progress], None],
        archive_only: bool,
        known_secrets: KnownSecrets,
    ) -> ImportReport:
        self._take("import", source, tuple(paths), archive_only)
        self.known_secrets = known_secrets.count
        for report in self._reports:
            progress(report)
        return self._imported

    def watch_sessions(
        self,
        source: str | None,
        paths: Sequence[str],
        *,
        every: float,
        wait: Callable[[float], bool],
        tell: Callable[[ImportReport | RecenseError], None],
        progress: Callable[[Progress], None],
        archive_only: bool,
        known_secrets: KnownSecrets,
    ) -> ImportReport:
        self._take("watch", source, tuple(paths), every, archive_only)
        tell(self._imported)
        tell(StoreBusy("another process is writing"))
        signal.raise_signal(self.stopped_by)
        assert wait(every)
        return self._imported

    def convert(self, progress: Callable[[Progress], None]) -> ConvertReport:
        self._take("convert")
        for report in self._reports:
            progress(report)
        return samples.CONVERTED

    def index(self, progress: Callable[[Progress], None], *, anew: bool) -> IndexReport:
        self._take("index", anew)
        for report in self._reports:
            progress(report)
        return samples.INDEXED

    def verify_scan(self, request: RecallRequest) -> ScanVerification:
        self._take("verify", request)
        return ScanVerification(
            answer=self._answer,
            is_equal=not self._difference,
            difference=self._difference,
            scan_took_ms=480.0,
        )

    def recall(self, request: RecallRequest) -> RecallAnswer:
        self._take("recall", request)
        return self._answer

    def recall_more(self, request: MoreRequest) -> Passage:
        self._take("more", request)
        return samples.PASSAGE

    def recall_material(self, material_id: str) -> MaterialBytes:
        self._take("material", material_id)
        return self._material

    def grep(self, request: GrepRequest) -> GrepAnswer:
        self._take("grep", request)
        return self._grepped

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
        self._take("sessions", source, workspace, origin, shelved, limit, offset)
        return samples.SESSIONS

    def transcript(
        self, session_id: str, *, first: int, count: int, everything: bool
    ) -> TranscriptView:
        self._take("transcript", session_id, first, count, everything)
        return samples.TRANSCRIPT

    def hide_session(self, session: str) -> HiddenSession:
        self._take("hide", session)
        return HiddenSession(session=session, private=True)

    def unhide_session(self, session: str) -> HiddenSession:
        self._take("unhide", session)
        return HiddenSession(session=session, private=False)

    def plan_forgetting(self, session: str, *, with_forks: bool) -> ForgetPlan:
        self._take("plan", session, with_forks)
        return ForgetPlan(sessions=(session,), forks=() if with_forks else samples.FORKS)

    def forget_session(self, session: str, *, with_forks: bool) -> ForgetReport:
        self._take("forget", session, with_forks)
        return samples.FORGOTTEN

    def doctor(self, *, everywhere: bool) -> Health:
        self._take("doctor", everywhere)
        return self._health

    def digest(self) -> Digest:
        self._take("digest")
        return samples.DIGEST

    def bench(self, request: BenchRequest, progress: Callable[[Progress], None]) -> BenchResult:
        self._take("bench", request)
        for report in self._reports:
            progress(report)
        return samples.MEASURED
