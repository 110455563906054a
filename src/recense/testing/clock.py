"""A clock that a test moves."""

from typing import Final

_MICROSECONDS_PER_MS: Final = 1_000


class FakeClock:
    """A `recense.ports.clock.Clock` that stands still until it is told to move.

    With ``step_ms`` it also moves by itself, by that much at each question, so that durations are
    not nothing.
    """

    def __init__(self, instant: int = 0, *, step_ms: float = 0.0) -> None:
        self._instant = instant
        self._elapsed_ms = 0.0
        self._step_ms: Final = step_ms

    def now(self) -> int:
        """Return the present instant (microseconds), then take a step."""
        instant = self._instant
        self.advance(self._step_ms)
        return instant

    def elapsed_ms(self) -> float:
        """Return milliseconds since the clock was made, then take a step; it never steps back."""
        elapsed_ms = self._elapsed_ms
        self.advance(self._step_ms)
        return elapsed_ms

    def advance(self, ms: float) -> None:
        """Let time pass."""
        self._elapsed_ms += ms
        self._instant += round(ms * _MICROSECONDS_PER_MS)

    def jump(self, instant: int) -> None:
        """Set the present instant, back or forth, as when a machine's clock is corrected.

        What has elapsed stays as it is.
        """
        self._instant = instant
