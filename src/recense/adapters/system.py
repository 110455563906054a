"""The machine's own clock and chance: the only file that may read either."""

import secrets
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

_NS_PER_MICROSECOND: Final = 1_000
_NS_PER_MS: Final = 1_000_000

_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")


class SystemClock:
    """The clock of this machine, as `recense.ports.clock.Clock`."""

    def now(self) -> int:
        """Return the present instant (microseconds); it steps back when the machine does."""
        return time.time_ns() // _NS_PER_MICROSECOND

    def elapsed_ms(self) -> float:
        """Return milliseconds since some moment before this process began; it never steps back."""
        return time.monotonic_ns() / _NS_PER_MS


class SystemUptime:
    """The clock of this boot, as `recense.ports.clock.Uptime`.

    On Linux the kernel names the boot, and its clock counts sleep. Elsewhere it is the monotonic
    clock, which may stand still while the machine sleeps, so that what holds for a time holds that
    much longer; and the boot has no name. There a reading of an earlier boot cannot be told from
    one of this: what was to hold for a time may then hold for at most that time again.
    """

    def __init__(self) -> None:
        self._boot_id = "unnamed"
        with suppress(OSError):  # no Linux, or one that shows no /proc
            self._boot_id = _BOOT_ID.read_text(encoding="ascii").strip()
        self._clock: Final = getattr(time, "CLOCK_BOOTTIME", None)

    def boot_id(self) -> str:
        """Return the name of this boot."""
        return self._boot_id

    def uptime_ms(self) -> int:
        """Return milliseconds since some moment of this boot; it never steps back."""
        if self._clock is None:
            return time.monotonic_ns() // _NS_PER_MS
        return time.clock_gettime_ns(self._clock) // _NS_PER_MS


class SystemChance:
    """The operating system's source of chance, as `recense.ports.clock.Chance`."""

    def token(self, size: int) -> bytes:
        """Return ``size`` bytes fit for keys."""
        return secrets.token_bytes(size)
