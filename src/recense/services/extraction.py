"""Extraction over all sessions: how far they are read, and reading them.

Law: nothing is read because a file came in or a hook ran, but because somebody says so, or follows
sessions and says so once. What is left, and what it costs, is told before.
"""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby, pairwise
from typing import Final, TypeVar

from recense.core.extraction.coverage import Coverage, Reading, coverage_of, totalled
from recense.core.extraction.exchanges import tokens_of
from recense.core.extraction.spending import CallTokens
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
from recense.services.episodes import is_episode_id
from recense.services.extraction_budget import DailyBudget, RunBudget
from recense.services.extraction_following import FollowedExtraction, Tell, Wait
from recense.services.naming import required_session
from recense.services.session_extraction import SessionReading
from recense.services.text_extraction import ReadableText, TextReading

_Done = TypeVar("_Done")


class Extraction:
    """Reads the sessions of one store by one extractor."""

    def __init__(
        self,
        transcripts: TranscriptStore,
        records: RecordStore,
        reading: SessionReading,
        extractor: Extractor,
        days: DailyBudget,
        *,
        texts: TextReading | None,
        following: Callable[[], FollowedExtraction],
    ) -> None:
        """``texts`` reads the texts that were kept, None where no model does; ``following`` makes
        what reads sessions as they grow.
        """
        self._transcripts: Final = transcripts
        self._records: Final = records
        self._reading: Final = reading
        self._extractor: Final = extractor
        self._days: Final = days
        self._texts: Final = texts
        self._following: Final = following

    def status(
        self, sessions: Sequence[str], progress: Callable[[Progress], None]
    ) -> ExtractionStatus:
        """Return how far sessions and texts are read, those named or all that nobody hid, newest
        first, and what the rest costs. Of texts those are listed of which something is left.

        Raises NotFound and InvalidRequest for a name.
        """
        rows, kept = self._rows(sessions), self._kept(sessions)
        told = _Told(progress, len(rows) + len(kept))
        stands = [
            told.counted(self._stand(self._reading, row.session_id, row.title, row.workspace))
            for row in rows
        ]
        texts = [
            told.counted(self._stand(reading, each.key, each.words, None)) for reading, each in kept
        ]
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
            texts=tuple(each.view for each in texts if each.is_open),
            texts_total=_total([each.coverage for each in texts]),
            cost=self._cost([call for each in (*stands, *texts) for call in each.calls]),
            budget=self._days.today(),
        )

    def run(self, request: ExtractRequest, progress: Callable[[Progress], None]) -> ExtractReport:
        """Read what is left of the sessions and texts that are named, or of all, several at a time.

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
        due = [(self._reading, row.session_id) for row in rows]
        due += [(reading, each.key) for reading, each in self._kept(request.sessions)]
        budget = RunBudget(self._days, request.budget_tokens)
        told = _Told(progress, len(due))

        def read(each: tuple[SessionReading, str]) -> SessionRun:
            reading, name = each
            return told.counted(reading.read(name, budget, told.tokens, is_named=not request.every))

        with ThreadPoolExecutor(EXTRACTION_SESSIONS_AT_ONCE) as pool:
            runs = tuple(pool.map(read, due))
        return ExtractReport(
            extractor=self._extractor.extractor_id,
            version=self._extractor.version,
            sessions=runs[: len(rows)],
            texts=runs[len(rows) :],
            budget=self._days.today(),
        )

    def followed(self, wait: Wait, tell: Tell) -> Wait:
        """Return what reads what is due of sessions as they grow, and then waits as ``wait`` does:
        see `FollowedExtraction`. From the first such call on, what is written is read by itself.
        """
        return self._following().before(wait, tell)

    def _cost(self, calls: Sequence[CallTokens]) -> ReadingCost:
        return ReadingCost(
            calls=len(calls),
            tokens=sum(each.total for each in calls),
            micros=self._days.micros(calls),
        )

    def _rows(self, names: Sequence[str]) -> list[Session]:
        """Return the sessions of these names, of none all that nobody hid, newest first."""
        with self._transcripts.snapshot() as reader:
            every = list(reader.sessions())
            shown = [row for row in every if not is_hidden(row, reader.outline)]
        if names:
            of_sessions = [name for name in names if not is_episode_id(name)]
            named = [required_session(shown, name) for name in of_sessions]
            return list({row.session_id: row for row in named}.values())
        return sorted(shown, key=lambda row: (-(row.last_event_at or 0), row.session_id))

    def _kept(self, names: Sequence[str]) -> list[tuple[SessionReading, ReadableText]]:
        """Return the texts of these names, of none all that are to be read, newest first, with what
        reads them. Raises NotFound, and InvalidRequest where no model reads texts.
        """
        named = [name for name in names if is_episode_id(name)]
        if self._texts is None:
            if named:
                raise InvalidRequest(
                    f"{named[0]!r} is a text, and {self._extractor.extractor_id} reads none",
                    hint="texts are read by a model: set extractor",
                )
            return []
        texts = self._texts
        found = list(map(texts.named, dict.fromkeys(named))) if names else texts.every()
        return [(texts.reading, each) for each in found]

    def _stand(
        self, reading: SessionReading, name: str, title: str | None, workspace: str | None
    ) -> "_Stand":
        read = reading.readings(name)
        coverage = coverage_of(read)
        view = SessionCoverage(
            session=name,
            title=None if title is None else redact(title).text,
            workspace=workspace,
            messages=coverage.messages,
            covered=coverage.covered,
            uncovered=coverage.uncovered,
            failed=coverage.failed,
            tokens_uncovered=coverage.tokens_uncovered,
            tokens_omitted=coverage.tokens_omitted,
            strip=strip_of(read),
            failures=tuple(
                FailedSpan(
                    anchor=_place(name, each),
                    tokens=tokens_of(each.left),
                    attempts=each.attempts,
                    reason=each.reason,
                )
                for each in read
                if each.attempts and not each.is_covered
            ),
            to_confirm=reading.waiting(name),
        )
        return _Stand(view=view, coverage=coverage, calls=reading.calls_left(name, read))


def strip_of(readings: Sequence[Reading]) -> str:
    """Return how far pieces are read, as the letters that `SessionCoverage` tells of."""
    parts = min(STRIP_PARTS_MAX, len(readings))
    letters = ["c" if each.is_covered else "f" if each.attempts else "u" for each in readings]
    bounds = [len(letters) * part // parts for part in range(parts + 1)] if parts else []
    spans = [letters[start:end] for start, end in pairwise(bounds)]
    return "".join(next(letter for letter in "fuc" if letter in span) for span in spans)


def _place(name: str, each: Reading) -> str:
    """Return where a piece begins: the anchor of its message, of a text the text."""
    event_id = each.exchange.parts[0].event_id
    return anchor(name, event_id) if event_id else name


class _Stand(Value, kw_only=True):
    view: SessionCoverage
    coverage: Coverage
    calls: tuple[CallTokens, ...]

    @property
    def is_open(self) -> bool:
        """Whether something is left to read, or waits for a person."""
        return bool(self.coverage.uncovered or self.view.to_confirm)


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

    def counted(self, what: _Done) -> _Done:
        """Return what came of a session, which is done."""
        with self._lock:
            self._done += 1
            self._tell()
        return what

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
