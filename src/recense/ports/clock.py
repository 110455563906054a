"""Time and chance, as arguments of services."""

from typing import Protocol


class Clock(Protocol):
    """Where a service learns what time it is."""

    def now(self) -> int:
        """Return the present instant (microseconds since the epoch, UTC). It may step back."""
        ...

    def elapsed_ms(self) -> float:
        """Return milliseconds since some fixed moment; it never steps back. For durations only."""
        ...


class Chance(Protocol):
    """Where a service gets bytes that nobody can guess."""

    def token(self, size: int) -> bytes:
        """Return ``size`` fresh random bytes."""
        ...
