"""A clock of a boot that a test moves."""


class FakeUptime:
    """A `recense.ports.clock.Uptime` that stands still until it is told to move."""

    def __init__(self, uptime_ms: int = 0, *, boot: int = 1) -> None:
        self._uptime_ms = uptime_ms
        self._boot = boot

    def boot_id(self) -> str:
        """Return the name of this boot."""
        return f"boot-{self._boot}"

    def uptime_ms(self) -> int:
        """Return milliseconds since the boot."""
        return self._uptime_ms

    def advance(self, ms: int) -> None:
        """Let time pass."""
        self._uptime_ms += ms

    def reboot(self) -> None:
        """Begin another boot, whose clock starts at nothing."""
        self._boot += 1
        self._uptime_ms = 0
