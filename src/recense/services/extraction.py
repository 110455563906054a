"""Extraction over all sessions: how far they are read, and reading them.

Law: nothing is read because a file came in or a hook ran, but because somebody says so, or follows
sessions and says so once. What is left, and what it costs, is told before.
"""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby, pairwise
from typing import Final

from recense.core.extraction.coverage import Coverage, Reading, coverage_of, totalled
from recense.core.extraction.exchanges import tokens_of
from recense.core.ids import anchor
from recense.core.text.redact import redact
from recense.core.transcript.records import Session
from recense.core.transcript.visibility import is_hidden
from recense.core.values import Value
from recense.errors import InvalidRequest
from recense.limits import EXTRACTION_SESSIONS_AT_ONCE, STRIP_PARTS_MAX
from recense.operations.admin import Progress
from recense.operations.extraction import (
    CoverageTotal,
    ExtractionStatus,
    ExtractReport,
    ExtractRequest,
    FailedSpan,
    ReadingCost,
    SessionCoverage,
    SessionRun,
)
from recense.ports.extraction import Extractor
from recense.ports.records import RecordStore
from recense.ports.transcripts import TranscriptStore
from recense.services.extraction_budget import RunBudget, TokenBudget
from recense.services.extraction_following import FollowedExtraction, Tell, Wait
from recense.services.naming import required_session
from recense.services.session_extraction import SessionReading


class Extraction:
    """Reads the sessions of one store by one extractor."""

    def __init__(
        self,
        transcripts: TranscriptStore,
        records: RecordStore,
        reading: SessionReading,
        extractor: Extractor,
        days: TokenBudget,
        *,
        following: Callable[[], FollowedExtraction],
    ) -> None:
        """``following`` makes what reads sessions as they grow."""
        self._transcripts: Final = transcripts
        self._records: Final = records
        self._reading: Final = reading
        self._extractor: Final = extractor
        self._days: Final = days
        self._following: Final = following

    def status(
        self, sessions: Sequence[str], progress: Callable[[Progress], None]
    ) -> ExtractionStatus:
        """Return how far sessions are read, those named or all that nobody hid, newest first, and
        what the rest costs.

        Raises NotFound and InvalidRequest for a name.
        """
        rows = self._rows(sessions)
        told = _Told(progress, len(rows))
        stands: list[_Stand] = []
        for row in rows:
            stands.append(self._stand(row))
            told.session()
        by_workspace = sorted(stands, key=lambda each: each.view.workspace or "")
        return ExtractionStatus(
            extractor=self._extractor.extractor_id,
            version=self._extractor.version,
            sessions=tuple(each.view for each in stands),
            workspaces={
                workspace: _total([each.coverage for each in group])
                for workspace, group in groupby(
                    by_workspace, key=lambda each: each.view.workspace or ""
                )
            },
            total=_total([each.coverage for each in stands]),
            cost=ReadingCost(
                calls=sum(each.cost.calls for each in stands),
                tokens=sum(each.cost.tokens for each in stands),
            ),
            budget=self._days.today(),
        )

    def run(self, request: ExtractRequest, progress: Callable[[Progress], None]) -> ExtractReport:
        """Read what is left of the sessions that are named, or of all, several at a time.

        Raises InvalidRequest where none is named, and where all are to be sent to a model without a
        budget; NotFound and InvalidRequest for a name, and the faults of the store. What could not
        be read is reported by session, and is still left.
        """
        if bool(request.sessions) == request.every:
            raise InvalidRequest(
                "expected sessions to read, or all of them, and not both",
                hint="recense extract run SESSION, or recense extract run --all --budget TOKENS",
            )
        if request.every and request.budget_tokens is None and self._extractor.readings_max:
            raise InvalidRequest(
                "reading all sessions sends them to a model, and no budget is given",
                hint="see what it takes: recense extract status; then add --budget TOKENS",
            )
        rows = self._rows(request.sessions)
        budget = RunBudget(self._days, request.budget_tokens)
        told = _Told(progress, len(rows))

        def read(row: Session) -> SessionRun:
            done = self._reading.read(
                row.session_id, budget, told.tokens, is_named=not request.every
            )
            told.session()
            return done

        with ThreadPoolExecutor(EXTRACTION_SESSIONS_AT_ONCE) as pool:
            return self._report(tuple(pool.map(read, rows)))

    def followed(self, wait: Wait, tell: Tell) -> Wait:
        """Return what reads what is due of sessions as they grow, and then waits as ``wait`` does:
        see `FollowedExtraction`. From the first such call on, what is written is read by itself.
        """
        return self._following().before(wait, tell)

    def _report(self, runs: tuple[SessionRun, ...]) -> ExtractReport:
        return ExtractReport(
            extractor=self._extractor.extractor_id,
            version=self._extractor.version,
            sessions=runs,
            budget=self._days.today(),
        )

    def _rows(self, names: Sequence[str]) -> list[Session]:
        """Return the sessions of these names, of none all that nobody hid, newest first."""
        with self._transcripts.snapshot() as reader:
            every = list(reader.sessions())
            shown = [row for row in every if not is_hidden(row, reader.outline)]
        if names:
            named = [required_session(shown, name) for name in names]
            return list({row.session_id: row for row in named}.values())
        return sorted(shown, key=lambda row: (-(row.last_event_at or 0), row.session_id))

    def _stand(self, row: Session) -> "_Stand":
        read = self._reading.readings(row.session_id)
        coverage = coverage_of(read)
        view = SessionCoverage(
            session=row.session_id,
            title=None if row.title is None else redact(row.title).text,
            workspace=row.workspace,
            messages=coverage.messages,
            covered=coverage.covered,
            uncovered=coverage.uncovered,
            failed=coverage.failed,
            tokens_uncovered=coverage.tokens_uncovered,
            tokens_omitted=coverage.tokens_omitted,
            strip=strip_of(read),
            failures=tuple(
                FailedSpan(
                    anchor=anchor(row.session_id, each.exchange.parts[0].event_id),
                    tokens=tokens_of(each.left),
                    attempts=each.attempts,
                    reason=each.reason,
                )
                for each in read
                if each.attempts and not each.is_covered
            ),
            to_confirm=self._reading.waiting(row.session_id),
        )
        return _Stand(view=view, coverage=coverage, cost=self._reading.cost(row.session_id, read))


def strip_of(readings: Sequence[Reading]) -> str:
    """Return how far pieces are read, as the letters that `SessionCoverage` tells of."""
    parts = min(STRIP_PARTS_MAX, len(readings))
    letters = ["c" if each.is_covered else "f" if each.attempts else "u" for each in readings]
    bounds = [len(letters) * part // parts for part in range(parts + 1)] if parts else []
    spans = [letters[start:end] for start, end in pairwise(bounds)]
    return "".join(next(letter for letter in "fuc" if letter in span) for span in spans)


class _Stand(Value, kw_only=True):
    view: SessionCoverage
    coverage: Coverage
    cost: ReadingCost


class _Told:
    """What a person is told while several sessions are read."""

    def __init__(self, progress: Callable[[Progress], None], sessions: int) -> None:
        self._progress: Final = progress
        self._lock: Final = threading.Lock()
        self._sessions: Final = sessions
        self._done = self._tokens = 0

    def tokens(self, tokens: int) -> None:
        """Tokens were read."""
        with self._lock:
            self._tokens += tokens
            self._tell()

    def session(self) -> None:
        """A session was read."""
        with self._lock:
            self._done += 1
            self._tell()

    def _tell(self) -> None:
        self._progress(
            Progress(
                phase="extracting",
                done=self._done,
                total=self._sessions,
                unit="sessions",
                label=f"{self._tokens} tokens",
            )
        )


def _total(coverages: Sequence[Coverage]) -> CoverageTotal:
    together = totalled(coverages)
    return CoverageTotal(
        sessions=len(coverages),
        messages=together.messages,
        covered=together.covered,
        uncovered=together.uncovered,
        failed=together.failed,
        tokens_uncovered=together.tokens_uncovered,
        tokens_omitted=together.tokens_omitted,
    )
