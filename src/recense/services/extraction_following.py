"""Reading sessions for facts while they grow.

Laws: what is read by itself was written after somebody let an extractor do so; the rest waits for a
person, who sees what it costs. A session is read when a turn of it has ended and enough is left for
a batch, or when nobody said anything in it for long. Text alone decides that: no tool is special.
"""

from collections.abc import Callable, Iterator
from typing import Final

from recense.core.extraction.coverage import Reading, left_after, left_since
from recense.core.extraction.exchanges import tokens_of
from recense.core.transcript.records import Session
from recense.core.transcript.visibility import is_hidden
from recense.errors import RecenseError
from recense.limits import EXTRACTION_ATTEMPTS_MAX, EXTRACTION_IDLE_SECONDS
from recense.operations.extraction import SessionRun
from recense.ports.clock import Clock
from recense.ports.extraction import Extractor
from recense.ports.records import Append, RecordStore
from recense.ports.transcripts import TranscriptStore
from recense.services.extraction_budget import DailyBudget, RunBudget
from recense.services.extraction_records import (
    EXTRACTION,
    SwitchedOn,
    decoded,
    switched_on_id,
    switched_on_record,
)
from recense.services.session_extraction import SessionReading

Wait = Callable[[float], bool]
"""Waits so many seconds, or until it is to stop; returns whether it is."""

Tell = Callable[[SessionRun | RecenseError], None]
"""Is told what reading one session did, or why it is tried again."""

_SECOND: Final = 1_000_000


class FollowedExtraction:
    """Reads what comes in, look after look; one object is for one thread."""

    def __init__(
        self,
        transcripts: TranscriptStore,
        records: RecordStore,
        clock: Clock,
        reading: SessionReading,
        extractor: Extractor,
        *,
        days: DailyBudget,
        chunk_tokens: int,
    ) -> None:
        self._transcripts: Final = transcripts
        self._records: Final = records
        self._clock: Final = clock
        self._reading: Final = reading
        self._days: Final = days
        self._chunk_tokens: Final = chunk_tokens
        self._since: Final = self._switched_on(extractor.extractor_id)
        self._looked_at: Final[dict[str, tuple[int, int]]] = {}

    def look(self) -> Iterator[SessionRun]:
        """Read every session that is due, one after the other, and yield what came of each: nothing
        of most. What is not asked for any more is not read.

        A session that was not due is not looked at again before it grows or has been idle for long.
        Raises the faults of the store: what was not read then is due at the next look.
        """
        with self._transcripts.snapshot() as reader:
            rows = [
                row
                for row in reader.sessions()
                if (row.last_event_at or 0) >= self._since and not is_hidden(row, reader.outline)
            ]
        budget = RunBudget(self._days, None)
        for row in rows:
            if self._is_due(row):
                yield self._read(row.session_id, budget)

    def _read(self, session: str, budget: RunBudget) -> SessionRun:
        try:
            return self._reading.read(session, budget, _unheard, since=self._since)
        except RecenseError:
            self._looked_at.pop(session, None)
            raise

    def before(self, wait: Wait, tell: Tell) -> Wait:
        """Return what reads all that is due and then waits as ``wait`` does.

        ``tell`` is told what came of each session before the next is read, and of an error that may
        pass; any other is raised, and so is what ``tell`` raises.
        """

        def read_and_wait(seconds: float) -> bool:
            try:
                for run in self.look():
                    tell(run)
            except RecenseError as error:
                if not error.retryable:
                    raise
                tell(error)
            return wait(seconds)

        return read_and_wait

    def _is_due(self, row: Session) -> bool:
        is_idle = self._clock.now() - (row.last_event_at or 0) >= EXTRACTION_IDLE_SECONDS * _SECOND
        look = (row.events + row.records, int(is_idle))
        if self._looked_at.get(row.session_id) == look:
            return False
        self._looked_at[row.session_id] = look
        readings = left_since(self._reading.readings(row.session_id), self._since)
        readings = left_after(readings, EXTRACTION_ATTEMPTS_MAX)
        left = sum(tokens_of(each.left) for each in readings)
        return left > 0 and (is_idle or (left >= self._chunk_tokens and _has_settled(readings)))

    def _switched_on(self, extractor: str) -> int:
        """Return when this extractor was first let follow sessions: now, if it never was."""
        record = switched_on_record(extractor, self._clock.now())
        self._records.append(Append(records=(record,)), now=self._clock.now())
        with self._records.snapshot() as reader:
            (kept,) = reader.get(EXTRACTION, [switched_on_id(extractor)]).values()
        return decoded(kept, SwitchedOn).at


def _has_settled(readings: tuple[Reading, ...]) -> bool:
    """Whether a turn has ended: the last word is the agent's, and no call waits for its result."""
    last = readings[-1].exchange
    return not last.is_open and last.parts[-1].author != "user"


def _unheard(_tokens: int) -> None:
    """Take progress and say nothing."""
