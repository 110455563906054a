"""What became of requests that carry an idempotency key, for whoever asks the same again.

A write whose service takes a key of its own (`recense.services.fact_requests`) keeps its outcome in
its own commit, and needs none of this. Any other is *claimed* in a commit before it, and its answer
kept in a commit after it.

Laws:

- One request has a claim, however many come at once: it is a compare-and-append.
- A claim without an outcome is either being answered by this process, or its process ended before
  the answer was kept. Then nobody knows whether the write was done, and it is not done again; but
  where doing it again is known to change nothing more, it is.
- A request that was refused, or failed and kept nothing, leaves its key free.
- After IDEMPOTENCY_KEPT_SECONDS a key is as new.
"""

import threading
from hashlib import sha256
from typing import Final

import msgspec

from recense.core.values import Value
from recense.errors import IdempotencyMismatch, OutcomeUnknown, RequestInProgress, StoreCorrupt
from recense.limits import (
    IDEMPOTENCY_ANSWER_BYTES_MAX,
    IDEMPOTENCY_KEPT_SECONDS,
    IDEMPOTENCY_SWEPT_AT_ONCE,
)
from recense.ports.clock import Chance, Clock
from recense.ports.records import Append, Between, Record, RecordReader, RecordStore
from recense.services.conflicts import in_spite_of_conflicts

REQUESTS: Final = "_requests"
"""The collection of claims and outcomes."""

_AT: Final = "at"
_MICROSECONDS: Final = 1_000_000
_SEPARATOR: Final = b"\x00"
_ID_DIGITS: Final = 32
_HOLDER_BYTES: Final = 16
_NO_ANSWER: Final = msgspec.Raw(b"null")
_ENCODER: Final = msgspec.json.Encoder()


class RequestOfKey(Value, kw_only=True):
    """A request with an idempotency key: who asks what, under which key, and what is asked as JSON
    in which equal requests are equal.
    """

    key_id: str
    operation: str
    key: str
    asked: bytes

    def name(self) -> str:
        """Return what stands for the key in the store."""
        parts = (self.key_id.encode(), self.operation.encode(), self.key.encode())
        return sha256(_SEPARATOR.join(parts)).hexdigest()[:_ID_DIGITS]


class KeptAnswer(Value, kw_only=True):
    """What a request was answered before, as JSON; None where the answer was not kept."""

    answer: bytes | None


class RequestClaim(Value, kw_only=True):
    """The right to do what a request asks, once."""

    record_id: str
    asked: str


class _Outcome(Value, kw_only=True):
    """A claim as it is kept, and what became of it; ``at`` is when it was made (microseconds)."""

    asked: str
    at: int
    holder: str
    became: str = "begun"
    answer: msgspec.Raw = _NO_ANSWER


_DECODER: Final = msgspec.json.Decoder(_Outcome)


class RequestOutcomes:
    """The claims and outcomes of one store; its methods may be called by any thread."""

    def __init__(self, records: RecordStore, clock: Clock, chance: Chance) -> None:
        self._records: Final = records
        self._clock: Final = clock
        self._holder: Final = chance.token(_HOLDER_BYTES).hex()
        self._lock: Final = threading.Lock()
        self._unfinished: Final[set[str]] = set()

    def begin(self, request: RequestOfKey, *, may_be_done_again: bool) -> RequestClaim | KeptAnswer:
        """Return what the request was answered before, or the right to do it now, durably.

        Raises IdempotencyMismatch where the key was used for another request, RequestInProgress
        while it is being answered, and OutcomeUnknown where nobody knows whether it was done and it
        may not be done again.
        """
        name, asked = request.name(), sha256(request.asked).hexdigest()

        def attempt() -> RequestClaim | KeptAnswer:
            counter = f"outcome:{name}"
            with self._records.snapshot() as reader:
                times = reader.counters([counter])[counter]
                last = self._last(reader, f"{name}-{times - 1}")
            if last is not None and last.became != "undone":
                known = self._known(
                    last, f"{name}-{times - 1}", asked, may_be_done_again=may_be_done_again
                )
                if known is not None:
                    return known
            claim = RequestClaim(record_id=f"{name}-{times}", asked=asked)
            record = self._record(claim, "begun", None)
            append = Append(
                records=(record,), expected={counter: times}, bump=frozenset((counter,))
            )
            with self._lock:
                self._unfinished.add(claim.record_id)
            try:
                self._records.append(append, now=self._clock.now())
            except BaseException:
                self._finished(claim)
                raise
            return claim

        return in_spite_of_conflicts(attempt)

    def keep(self, claim: RequestClaim, answer: bytes | None) -> None:
        """Keep what a request was answered (JSON), for its repetitions; None says that it was done,
        and that its answer is none to keep. One that is too long is not kept.
        """
        fits = answer is not None and len(answer) <= IDEMPOTENCY_ANSWER_BYTES_MAX
        try:
            self._records.put([self._record(claim, "done", answer if fits else None)])
        finally:
            self._finished(claim)

    def undo(self, claim: RequestClaim) -> None:
        """Leave the key free: nothing was done."""
        try:
            self._records.put([self._record(claim, "undone", None)])
        finally:
            self._finished(claim)

    def leave(self, claim: RequestClaim) -> None:
        """Leave it open what became of a request: nobody knows."""
        self._finished(claim)

    def sweep(self) -> int:
        """Remove what is kept no longer, and return how much that was."""
        before = self._clock.now() - IDEMPOTENCY_KEPT_SECONDS * _MICROSECONDS
        where = (Between(field=_AT, at_most=before),)
        removed = 0
        while True:
            with self._records.snapshot() as reader:
                listing = reader.list(
                    REQUESTS, where, limit=IDEMPOTENCY_SWEPT_AT_ONCE, counted=False
                )
            if not listing.records:
                return removed
            removed += self._records.delete(
                REQUESTS, [record.record_id for record in listing.records]
            )

    def _last(self, reader: RecordReader, record_id: str) -> _Outcome | None:
        """Return the last claim of a key, if it is still kept."""
        found = reader.get(REQUESTS, [record_id]).get(record_id)
        if found is None:
            return None
        try:
            outcome = _DECODER.decode(found.body)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise StoreCorrupt(
                f"what became of the request {record_id!r} cannot be read",
                hint="a later release may have written it; see what holds, then use a new key",
            ) from error
        age = self._clock.now() - outcome.at
        return outcome if age < IDEMPOTENCY_KEPT_SECONDS * _MICROSECONDS else None

    def _known(
        self, last: _Outcome, record_id: str, asked: str, *, may_be_done_again: bool
    ) -> KeptAnswer | None:
        """Return the answer of a key that was used, or None where it may be done again."""
        if last.asked != asked:
            raise IdempotencyMismatch(
                "the idempotency key was used for another request",
                hint="a key is for one request and its repetitions; use a new one",
            )
        if last.became == "done":
            answer = bytes(last.answer)
            return KeptAnswer(answer=None if answer == bytes(_NO_ANSWER) else answer)
        with self._lock:
            is_unfinished = last.holder == self._holder and record_id in self._unfinished
        if is_unfinished:
            raise RequestInProgress(
                "a request with this idempotency key is being answered", hint="ask again shortly"
            )
        if may_be_done_again:
            return None
        raise OutcomeUnknown(
            "a request with this idempotency key was begun, and nobody knows whether it was done",
            hint="look whether it was; if not, ask again with a new key",
        )

    def _record(self, claim: RequestClaim, became: str, answer: bytes | None) -> Record:
        now = self._clock.now()
        outcome = _Outcome(
            asked=claim.asked,
            at=now,
            holder=self._holder,
            became=became,
            answer=_NO_ANSWER if answer is None else msgspec.Raw(answer),
        )
        return Record(
            collection=REQUESTS,
            record_id=claim.record_id,
            body=_ENCODER.encode(outcome),
            fields={_AT: now},
        )

    def _finished(self, claim: RequestClaim) -> None:
        with self._lock:
            self._unfinished.discard(claim.record_id)
