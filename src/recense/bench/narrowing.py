"""How benchmarks ask for the answer of a full scan, and hold it against the narrowed one."""

import msgspec
from msgspec.structs import replace

from recense.bench.measuring import Assertions
from recense.operations.recall import RecallAnswer, RecallRequest
from recense.services.memory import Memory


def recall_by_scan(memory: Memory, request: RecallRequest) -> RecallAnswer:
    """Return the answer that reading every eligible session gives."""
    return memory.recall(request)


def hold_equal(memory: Memory, request: RecallRequest, asserted: Assertions) -> None:
    """Assert that both ways give the same passages, order, scores and gaps."""
    narrowed, scanned = memory.recall(request), recall_by_scan(memory, request)
    asserted.hold(
        told(narrowed) == told(scanned),
        "the narrowed answer is that of the full scan",
        ", ".join(request.terms),
    )


def told(answer: RecallAnswer) -> bytes:
    """Return all of an answer but how it was come by: how long it took, and the path."""
    return msgspec.json.encode(replace(answer, took_ms=0.0, path="scan"))
