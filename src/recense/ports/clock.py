"""Time and chance, as arguments of services and stores."""

from typing import Protocol


class Clock(Protocol):
    """Where a service learns what time it is."""

    def now(self) -> int:
        """Return the present instant (microseconds since the epoch, UTC). It may step back."""
        ...

    def elapsed_ms(self) -> float:
        """Return milliseconds since some fixed moment; it never steps back. For durations only."""
        ...


class Uptime(Protocol):
    """Where a store learns how long something may still hold: a clock that all processes of the
    machine share, that no correction moves and that begins anew with every boot.
    """

    def boot_id(self) -> str:
        """Return what names this boot; under another name no earlier reading says anything."""
        ...

    def uptime_ms(self) -> int:
        """Return milliseconds since some moment of this boot; it never steps back, and goes on
        while the machine sleeps, where the system can say so.
        """
        ...


class Chance(Protocol):
    """Where a service gets bytes that nobody can guess."""

    def token(self, size: int) -> bytes:
        """Return ``size`` fresh random bytes."""
        ...
