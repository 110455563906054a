"""Extraction: sessions are read for facts, and nothing of them twice.

Laws:

- What is left to read is worked out from what was read and the session as it is now; nothing else
  is remembered of it.
- A session is read by one process at a time, under a lease, batch after batch. A batch is recorded,
  then filed under keys of its own, then covered: whoever is killed in between loses no answer that
  a model gave, and files nothing twice.
- An answer that cannot be used, and a text that an endpoint refuses, leaves its batch uncovered,
  with the reason; the others go on. An endpoint that is not to be had, or refuses the request, the
  key or the model, ends the run, of all its sessions.
- Neither a session that a person hid nor one that cannot be read whole is sent anywhere. One that
  is hidden or forgotten while it is read is shown no further, and nothing is kept of an answer that
  comes after that.
- Whoever loses the lease, as a machine does that slept, ends there; what was recorded is.
"""

from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from typing import Final

import msgspec

from recense.core.extraction.batches import Batch, batches_of, entries_of
from recense.core.extraction.coverage import Reading, Unit, left_after, left_since, readings_of
from recense.core.extraction.quotation import Quotation, quotation
from recense.core.extraction.spending import CallTokens
from recense.core.facts.changes import Definition
from recense.core.values import Value
from recense.errors import (
    BudgetExhausted,
    InvalidRequest,
    LeaseHeld,
    LeaseLost,
    ModelFault,
    ModelRejected,
    ModelUnavailable,
    NotFound,
)
from recense.limits import EXTRACTION_ATTEMPTS_MAX, EXTRACTION_LEASE_TTL_MS
from recense.operations.extraction import (
    FiledProposal,
    SessionRun,
)
from recense.ports.clock import Clock
from recense.ports.extraction import Extractor, Proposed
from recense.ports.records import RecordStore
from recense.services.extraction_budget import RunBudget
from recense.services.extraction_filing import BatchFiling
from recense.services.extraction_records import (
    KeptBatch,
    ReadBy,
    batch_record,
    batches_to_confirm,
    coverage_records,
    pending_batches,
    read_coverage,
)
from recense.services.extraction_runs import OngoingRun, ReadableTexts, refused_proposal
from recense.services.filing import Filing
from recense.services.held_lease import HeldLease


class ReadingRules(Value, kw_only=True):
    """How sessions are read: tokens of a batch, tokens of one message that are read at most, and
    the person's time zone.
    """

    chunk_tokens: int
    ceiling_tokens: int
    timezone: str


class SessionReading:
    """Reads single sessions for facts."""

    def __init__(
        self,
        records: RecordStore,
        clock: Clock,
        texts: ReadableTexts,
        filing: Filing,
        extractor: Extractor,
        *,
        rules: ReadingRules,
        holder: str,
    ) -> None:
        self._records: Final = records
        self._clock: Final = clock
        self._texts: Final = texts
        self._filing: Final = filing
        self._proposals: Final = BatchFiling(filing, texts)
        self._extractor: Final = extractor
        self._rules: Final = rules
        self._holder: Final = holder

    def read(
        self,
        session_id: str,
        budget: RunBudget,
        progress: Callable[[int], None],
        *,
        since: int | None = None,
        is_named: bool = False,
    ) -> SessionRun:
        """Read what is left of a session, batch after batch, and return what came of it; nothing
        that was written before ``since``, where that is given, and unless a person named the
        session nothing that failed EXTRACTION_ATTEMPTS_MAX times. It ends as *part* also where the
        session is gone or hidden meanwhile.

        ``progress`` is told the tokens of each batch. Repeating it reads what failed again, and
        nothing else. Raises the faults of the store.
        """
        run = OngoingRun(session_id, since, is_named=is_named)
        lease = HeldLease(
            self._records,
            self._clock,
            name=f"extraction:{session_id}",
            what=self._texts.called(session_id),
            again="read it again",
            holder=self._holder,
            ttl_ms=EXTRACTION_LEASE_TTL_MS,
        )
        try:
            lease.acquire()
        except LeaseHeld as error:
            return run.ended("held", error.message)
        try:
            return self._read(run, lease, budget, progress)
        except LeaseLost as error:
            return run.ended("held", error.message)
        except NotFound as error:
            return run.ended("part", error.message)
        finally:
            lease.release()

    def _read(
        self,
        run: OngoingRun,
        lease: HeldLease,
        budget: RunBudget,
        progress: Callable[[int], None],
    ) -> SessionRun:
        read_by = self.read_by(run.session)
        with self._records.snapshot() as reader:
            pending = pending_batches(reader, read_by)
            entries = read_coverage(reader, read_by)
        if pending:
            self._require_shown(run.session)
        for batch in pending:
            self._file(run, lease, batch)
            entries += batch.entries
            run.replayed += 1
        exchanges = self._texts.pieces(run.session)
        failed: set[Unit] = set()
        readings = readings_of(exchanges, entries)
        if run.since is not None:
            readings = left_since(readings, run.since)
        given_up = ()
        if not run.is_named:
            given_up = [each for each in readings if each.attempts >= EXTRACTION_ATTEMPTS_MAX]
            readings = left_after(readings, EXTRACTION_ATTEMPTS_MAX)
        for batch in self._in_turn(read_by, readings):
            units = {part.exchange.unit for part in batch.parts}
            if units & failed:
                continue  # windows of one piece are covered in order
            if budget.given_up:
                return run.ended("unavailable", budget.given_up)
            try:
                kept, dropped = self._ask(lease, read_by, batch, budget)
            except BudgetExhausted as error:
                return run.ended("budget", error.message)
            except ModelFault as error:
                self._require_shown(run.session)
                failed |= self._failed(run, lease, batch, error)
                if isinstance(error, ModelUnavailable | ModelRejected):
                    budget.give_up(error.message)
                    return run.ended("unavailable", error.message)
            else:
                self._file(run, lease, kept)
                run.took(kept, dropped)
                progress(batch.tokens)
        return run.ended("part" if failed or given_up else "complete")

    def _in_turn(self, read_by: ReadBy, readings: Sequence[Reading]) -> Iterator[Batch]:
        """Yield what is left to read, what failed before after all else: a piece at which a run
        ends each time keeps no other from being read.
        """
        failed = {each.exchange.unit for each in readings if each.attempts}
        for is_again in (False, True):
            for batch in self._batches(read_by, readings):
                if (batch.parts[0].exchange.unit in failed) == is_again:
                    yield batch

    def _batches(self, read_by: ReadBy, readings: Sequence[Reading]) -> Iterator[Batch]:
        return batches_of(
            readings,
            read_by=read_by.text,
            chunk_tokens=self._rules.chunk_tokens,
            ceiling_tokens=self._rules.ceiling_tokens,
        )

    def _reserved(self, batch: Batch, vocabulary: Sequence[Definition]) -> CallTokens:
        """Return the most tokens that reading a batch takes."""
        parts = sum(len(each.window.message.parts) for each in batch.parts)
        beside = self._extractor.overhead_tokens(parts, vocabulary)
        return CallTokens(
            tokens_in=self._extractor.readings_max * batch.tokens + beside,
            tokens_out=self._extractor.answer_tokens,
        )

    def _require_shown(self, session_id: str) -> None:
        """Raise NotFound for a session that is to be read no further."""
        if not self._texts.is_shown(session_id):
            called = self._texts.called(session_id)
            raise NotFound(f"{called} was hidden or forgotten while it was read")

    def _failed(
        self, run: OngoingRun, lease: HeldLease, batch: Batch, error: ModelFault
    ) -> set[Unit]:
        """Record that a batch failed, and return what was in it; none, and no record, where it was
        shown to nobody: an endpoint that is not there counts against no message.
        """
        if _was_shown_to_nobody(error):
            return set()
        entries = entries_of(batch, "failed", self._clock.now(), reason=error.message)
        records = coverage_records(self.read_by(run.session), entries)
        self._records.fenced_put(lease.required(), records)
        run.failed_with(error)
        return {part.exchange.unit for part in batch.parts}

    def readings(self, session_id: str) -> tuple[Reading, ...]:
        """Return how far each piece of a session is read."""
        with self._records.snapshot() as reader:
            entries = read_coverage(reader, self.read_by(session_id))
        return readings_of(self._texts.pieces(session_id), entries)

    def waiting(self, session_id: str) -> tuple[FiledProposal, ...]:
        """Return what was proposed of a session and waits for the person."""
        with self._records.snapshot() as reader:
            batches = batches_to_confirm(reader, self.read_by(session_id))
        return tuple(each for batch in batches for each in self._proposals.waiting(batch))

    def calls_left(self, session_id: str, readings: Sequence[Reading]) -> tuple[CallTokens, ...]:
        """Return what each call that reads the rest of a session takes at most, where nothing
        fails; none where nothing is sent anywhere.
        """
        batches = self._batches(self.read_by(session_id), readings)
        vocabulary = self._filing.vocabulary()
        calls = [self._reserved(each, vocabulary) for each in batches]
        return tuple(each for each in calls if each.total)

    def read_by(self, session_id: str) -> ReadBy:
        """Return under what the reading of a session is kept."""
        return ReadBy(
            session=session_id,
            extractor=self._extractor.extractor_id,
            version=self._extractor.version,
        )

    def _ask(
        self, lease: HeldLease, read_by: ReadBy, batch: Batch, budget: RunBudget
    ) -> tuple[KeptBatch, tuple[str, ...]]:
        """Return what an extractor makes of a batch, recorded, and what of its answer was no
        proposal. Raises ModelFault, NotFound, and
        BudgetExhausted before anybody was asked.
        """
        self._require_shown(read_by.session)
        definitions = self._filing.vocabulary()
        tokens = self._reserved(batch, definitions)
        if tokens.total:
            with budget.call(tokens) as settle:
                try:
                    proposed = self._proposed(batch, definitions)
                except ModelFault as error:
                    if error.is_cost_known:
                        settle(CallTokens(tokens_in=error.tokens_in, tokens_out=error.tokens_out))
                    raise
                taken = CallTokens(tokens_in=proposed.tokens_in, tokens_out=proposed.tokens_out)
                settle(taken)
        else:
            proposed, taken = self._proposed(batch, definitions), CallTokens()
        self._require_shown(read_by.session)
        try:
            kept = self._kept(read_by, batch, proposed, definitions, taken.total)
        except ModelFault as error:  # the reviewer's; what was proposed is paid all the same
            error.tokens_in, error.tokens_out = proposed.tokens_in, proposed.tokens_out
            raise
        self._records.fenced_put(lease.required(), [batch_record(kept)])
        return kept, proposed.dropped

    def _proposed(self, batch: Batch, vocabulary: Sequence[Definition]) -> Proposed:
        newest = max((part.exchange.at or 0 for part in batch.parts), default=0)
        return self._extractor.propose(batch.view, vocabulary, newest or None, self._rules.timezone)

    def _kept(
        self,
        read_by: ReadBy,
        batch: Batch,
        proposed: Proposed,
        definitions: Sequence[Definition],
        taken: int,
    ) -> KeptBatch:
        quotations: list[Quotation] = []
        refused: list[FiledProposal] = []
        for proposal in proposed.proposals:
            try:
                quotations.append(quotation(batch.view, proposal))
            except InvalidRequest as error:
                refused.append(refused_proposal(proposal, error))
        review = self._filing.reviewed(quotations)
        now = self._clock.now()
        return KeptBatch(
            batch=batch.batch_id,
            read_by=read_by,
            state="pending",
            at=now,
            registry=sha256(msgspec.json.encode(definitions)).hexdigest(),
            tokens_read=batch.tokens,
            tokens_taken=taken,
            quotations=review.quotations,
            refused=(*refused, *review.left_out),
            entries=entries_of(batch, "facts" if proposed.proposals else "nothing", now),
        )

    def _file(self, run: OngoingRun, lease: HeldLease, batch: KeptBatch) -> None:
        """File what a batch proposed, then cover what it read."""
        done = self._proposals.done(batch)
        records = [batch_record(done), *coverage_records(batch.read_by, batch.entries)]
        self._records.fenced_put(lease.required(), records)
        run.proposals += done.filed


def _was_shown_to_nobody(error: ModelFault) -> bool:
    is_untried = not (error.was_sent or error.tokens_in or error.tokens_out)
    return isinstance(error, ModelUnavailable) and is_untried
