"""Chance that repeats itself."""

from hashlib import shake_256
from typing import Final


class SeededChance:
    """A `recense.ports.clock.Chance` whose tokens follow from a seed: equal seeds, equal tokens.

    Two tokens of one source differ as chance would make them. Never for real keys.
    """

    def __init__(self, seed: int = 0) -> None:
        self._seed: Final = seed
        self._drawn = 0

    def token(self, size: int) -> bytes:
        """Return the next ``size`` bytes."""
        self._drawn += 1
        return shake_256(f"{self._seed}:{self._drawn}".encode()).digest(size)
