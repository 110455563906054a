"""What was answered about pairs, kept between reads.

Laws: an answer is served again only where reading again would give it, but for what the next
sentence allows. It holds while the watermarks of the collections that it was read from are what
they were, and for no longer than FOLDED_PAIR_KEPT_MS_MAX, so that a backend that forgets to move a
watermark does no harm for longer; a write through this memory ends it at once. Only answers as of
the present are kept: each was made of all that there is, so no input of it comes later, and it
serves the present and every instant from its own on.

An answer is kept only if the watermarks were the same before and after it was read. Where they move
it is read again, three times, and then given without being kept. Trouble with watermarks (a backend
that has none, one that fails) means that nothing is kept: never an error.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Final

from recense.core.values import Value
from recense.errors import StoreFault
from recense.limits import (
    FOLDED_PAIR_KEPT_MS_MAX,
    FOLDED_PAIRS_KEPT_MAX,
    MOVING_WATERMARK_RETRIES_MAX,
)
from recense.operations.facts import Beliefs, GetFacts
from recense.ports.clock import Clock
from recense.ports.records import RecordReader, RecordStore
from recense.services.fact_collections import EPISODES, MEMORY


class PairAnswer(Value, kw_only=True):
    """What a request for a pair is answered.

    ``newest`` is the instant of the newest event of the pair and of the registry, ``serves_from``
    an instant from which on the answer is the same as long as nothing is written.
    """

    beliefs: Beliefs
    newest: int = 0
    serves_from: int = 0
    may_be_kept: bool = False


class _Kept(Value, kw_only=True):
    answer: PairAnswer
    marks: tuple[str, ...]
    kept_at_ms: float


class FactCache:
    """Keeps the answers about pairs that were asked for last; for any thread."""

    def __init__(self, store: RecordStore, clock: Clock) -> None:
        self._store: Final = store
        self._clock: Final = clock
        self._lock: Final = threading.Lock()
        self._kept: Final[OrderedDict[GetFacts, _Kept]] = OrderedDict()
        self._writes = 0

    def clear(self) -> None:
        """Forget every answer, also those that are being read now: this memory has written."""
        with self._lock:
            self._writes += 1
            self._kept.clear()

    def kept(self, request: GetFacts, as_of: int | None) -> PairAnswer | None:
        """Return what a request for a pair was answered, None where it is to be read.

        ``request`` is one without an instant; ``as_of`` is the one that is asked for.
        """
        with self._lock:
            kept = self._kept.get(request)
        if kept is None or (as_of is not None and as_of < kept.answer.serves_from):
            return None
        age_ms = self._clock.elapsed_ms() - kept.kept_at_ms
        if (
            age_ms >= FOLDED_PAIR_KEPT_MS_MAX
            or self._marks(_COLLECTIONS[: len(kept.marks)]) != kept.marks
        ):
            with self._lock:
                if self._kept.get(request) is kept:
                    del self._kept[request]
            return None
        with self._lock:
            if request in self._kept:
                self._kept.move_to_end(request)
        return kept.answer

    def read(self, request: GetFacts, read: Callable[[RecordReader], PairAnswer]) -> Beliefs:
        """Return what ``read`` answers, and keep it as far as that is possible."""
        for _ in range(MOVING_WATERMARK_RETRIES_MAX):
            answer, has_settled = self._attempt(request, read)
            if has_settled:
                return answer.beliefs
        return self._attempt(request, read)[0].beliefs

    def _attempt(
        self, request: GetFacts, read: Callable[[RecordReader], PairAnswer]
    ) -> tuple[PairAnswer, bool]:
        """Return an answer, and whether nothing would be won by reading it again."""
        writes, kept_at_ms = self._writes, self._clock.elapsed_ms()
        before = self._marks(_COLLECTIONS)
        with self._store.snapshot() as reader:
            answer = read(reader)
        if before is None or not answer.may_be_kept:
            return answer, True
        marks = before if _has_evidence(answer.beliefs) else before[:1]
        if self._marks(_COLLECTIONS[: len(marks)]) != marks:
            return answer, False
        self._keep(request, _Kept(answer=answer, marks=marks, kept_at_ms=kept_at_ms), writes)
        return answer, True

    def _keep(self, request: GetFacts, kept: _Kept, writes: int) -> None:
        with self._lock:
            if writes != self._writes:
                return
            self._kept[request] = kept
            self._kept.move_to_end(request)
            if len(self._kept) > FOLDED_PAIRS_KEPT_MAX:
                self._kept.popitem(last=False)

    def _marks(self, collections: Sequence[str]) -> tuple[str, ...] | None:
        """Return the watermarks of collections, None where there is trouble."""
        if "watermark" not in self._store.capabilities:
            return None
        try:
            return tuple(map(self._store.watermark, collections))
        except StoreFault:
            return None


_COLLECTIONS: Final = (MEMORY, EPISODES)
"""What an answer is read from; the second only where it shows words that something was read in."""


def _has_evidence(beliefs: Beliefs) -> bool:
    return any(belief.evidence for belief in beliefs.beliefs)
