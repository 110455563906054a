"""Which trace a call belongs to: W3C Trace Context, in the header ``traceparent``."""

import re
from collections.abc import Callable
from typing import Final

from recense.limits import DRAWN_BYTES

_TRACEPARENT: Final = re.compile(rb"(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}.*")
_TRACE_BYTES: Final = 16


class Drawn:
    """Chance that is drawn much at a time; for one thread."""

    def __init__(self, draw: Callable[[int], bytes]) -> None:
        self._draw: Final = draw
        self._bytes = b""

    def token(self, size: int) -> bytes:
        """Return ``size`` bytes, fit for ids; what is to be kept secret is drawn by itself."""
        if len(self._bytes) < size:
            self._bytes = self._draw(DRAWN_BYTES)
        token, self._bytes = self._bytes[:size], self._bytes[size:]
        return token


def trace_of(traceparent: bytes | None, draw: Callable[[int], bytes]) -> str:
    """Return the trace id of a call, 32 hexadecimal digits: the caller's, or a new one where there
    is none that can be read.
    """
    found = None if traceparent is None else _TRACEPARENT.fullmatch(traceparent)
    trace = "" if found is None else found[1].decode("ascii")
    return trace if trace.strip("0") else draw(_TRACE_BYTES).hex()
