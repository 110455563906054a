"""A memory that answers every operation with a sample, or with the error it is told to raise."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Literal

from recense.cli.memory import MemoryOperations
from recense.core.transcript.records import Origin
from recense.operations.admin import (
    ConvertReport,
    Digest,
    Health,
    ImportReport,
    Progress,
    SessionList,
    TranscriptView,
)
from recense.operations.recall import MoreRequest, Passage, RecallAnswer, RecallRequest
from tests.cli import samples


class FakeMemory:
    """Records what it was asked, in ``asked``."""

    def __init__(
        self,
        *,
        error: BaseException | None = None,
        imported: ImportReport = samples.IMPORTED,
        health: Health = samples.HEALTHY,
        answer: RecallAnswer = samples.ANSWER,
        reports: Sequence[Progress] = (),
    ) -> None:
        self.asked: list[object] = []
        self._error = error
        self._imported = imported
        self._health = health
        self._answer = answer
        self._reports = reports

    def open(
        self, flags: Mapping[str, str], *, create: bool
    ) -> AbstractContextManager[MemoryOperations]:
        self.asked.append(("open", dict(flags), create))
        return nullcontext(self)

    def _take(self, *question: object) -> None:
        self.asked.append(question)
        if self._error is not None:
            raise self._error

    def source_names(self) -> tuple[str, ...]:
        return ("claude_code", "codex")

    def import_sessions(
        self,
        source: str | None,
        paths: Sequence[str],
        *,
        progress: Callable[[Progress], None],
        archive_only: bool,
    ) -> ImportReport:
        self._take("import", source, tuple(paths), archive_only)
        for report in self._reports:
            progress(report)
        return self._imported

    def convert(self, progress: Callable[[Progress], None]) -> ConvertReport:
        self._take("convert")
        for report in self._reports:
            progress(report)
        return samples.CONVERTED

    def recall(self, request: RecallRequest, *, explain: bool = False) -> RecallAnswer:
        self._take("recall", request, explain)
        return self._answer

    def recall_more(self, request: MoreRequest) -> Passage:
        self._take("more", request)
        return samples.PASSAGE

    def sessions(
        self,
        *,
        source: str | None,
        workspace: str | None,
        origin: Origin | Literal["all"],
        limit: int,
        offset: int,
    ) -> SessionList:
        self._take("sessions", source, workspace, origin, limit, offset)
        return samples.SESSIONS

    def transcript(
        self, session_id: str, *, first: int, count: int, everything: bool
    ) -> TranscriptView:
        self._take("transcript", session_id, first, count, everything)
        return samples.TRANSCRIPT

    def doctor(self) -> Health:
        self._take("doctor")
        return self._health

    def digest(self) -> Digest:
        self._take("digest")
        return samples.DIGEST
