"""The machine's own clock and chance: the only file that may read either."""

import secrets
import time
from typing import Final

_NS_PER_MICROSECOND: Final = 1_000
_NS_PER_MS: Final = 1_000_000


class SystemClock:
    """The clock of this machine, as `recense.ports.clock.Clock`."""

    def now(self) -> int:
        """Return the present instant (microseconds); it steps back when the machine does."""
        return time.time_ns() // _NS_PER_MICROSECOND

    def elapsed_ms(self) -> float:
        """Return milliseconds since some moment before this process began; it never steps back."""
        return time.monotonic_ns() / _NS_PER_MS


class SystemChance:
    """The operating system's source of chance, as `recense.ports.clock.Chance`."""

    def token(self, size: int) -> bytes:
        """Return ``size`` bytes fit for keys."""
        return secrets.token_bytes(size)
