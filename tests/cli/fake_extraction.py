"""The reading of sessions in a fake memory: every operation answers with a sample, or an error."""

from collections.abc import Callable, Sequence

from recense.core.values import Value
from recense.errors import RecenseError, StoreBusy
from recense.operations.admin import Progress
from recense.operations.extraction import (
    ExtractionStatus,
    ExtractReport,
    ExtractRequest,
    SessionRun,
)
from tests.cli import extraction_samples


class ExtractionAnswers(Value, kw_only=True):
    """What a fake memory answers about reading sessions."""

    status: ExtractionStatus = extraction_samples.STATUS
    report: ExtractReport = extraction_samples.ALL_READ


class FakeExtraction:
    """Tells what it was asked to ``take``, which may raise; then reports how far it has come."""

    def __init__(
        self,
        answers: ExtractionAnswers,
        take: Callable[..., None],
        reports: Sequence[Progress],
    ) -> None:
        self._answers = answers
        self._take = take
        self._reports = reports

    def status(
        self, sessions: Sequence[str], progress: Callable[[Progress], None]
    ) -> ExtractionStatus:
        self._take("extraction_status", tuple(sessions))
        for report in self._reports:
            progress(report)
        return self._answers.status

    def run(self, request: ExtractRequest, progress: Callable[[Progress], None]) -> ExtractReport:
        self._take("extract", request)
        for report in self._reports:
            progress(report)
        return self._answers.report

    def followed(
        self,
        wait: Callable[[float], bool],
        tell: Callable[[SessionRun | RecenseError], None],
    ) -> Callable[[float], bool]:
        self._take("followed")

        def read_and_wait(seconds: float) -> bool:
            for run in self._answers.report.sessions:
                tell(run)
            tell(StoreBusy("another process is writing"))
            return wait(seconds)

        return read_and_wait
