"""How benchmarks hold a narrowed answer against that of the full scan."""

import msgspec
from msgspec.structs import replace

from recense.bench.measuring import Assertions
from recense.operations.recall import RecallAnswer, RecallRequest
from recense.services.memory import Memory


def hold_equal(memory: Memory, request: RecallRequest, asserted: Assertions) -> None:
    """Assert that both ways give the same passages, order, scores and gaps."""
    verified = memory.verify_scan(request)
    asserted.hold(
        verified.is_equal,
        "the narrowed answer is that of the full scan",
        f"{', '.join(request.terms)}: {verified.difference}",
    )


def told(answer: RecallAnswer) -> bytes:
    """Return all of an answer but how it was come by: how long it took, and the path."""
    return msgspec.json.encode(replace(answer, took_ms=0.0, path="scan"))
