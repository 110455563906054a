"""How much one key may ask: so many calls at a time, and so many a second.

A bucket for each key holds the calls that it may still make at once, and fills at its rate.
"""

import math
from collections import OrderedDict
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from recense.errors import TooManyRequests
from recense.limits import (
    KEY_CALLS_AT_ONCE_MAX,
    KEY_CALLS_BURST_MAX,
    KEY_CALLS_PER_SECOND_MAX,
    KEYS_METERED_MAX,
)


@dataclass
class _Bucket:
    """What a key may still ask at the moment ``filled_at``, and how many calls it has in flight."""

    left: float
    filled_at: float
    in_flight: int = 0


class Meter:
    """Counts the calls of keys; for one thread. ``now`` returns seconds that never step back."""

    def __init__(
        self,
        now: Callable[[], float],
        *,
        at_once_max: int = KEY_CALLS_AT_ONCE_MAX,
        per_second: float = KEY_CALLS_PER_SECOND_MAX,
        burst: int = KEY_CALLS_BURST_MAX,
    ) -> None:
        self._now: Final = now
        self._at_once_max: Final = at_once_max
        self._per_second: Final = per_second
        self._burst: Final = burst
        self._buckets: Final[OrderedDict[str, _Bucket]] = OrderedDict()

    @contextmanager
    def counted(self, key: str) -> Generator[None]:
        """Count a call of a key for as long as the context lasts.

        Raises TooManyRequests, with when to come again, where the key has used up what it may.
        """
        bucket = self._filled(key)
        if bucket.in_flight >= self._at_once_max:
            raise TooManyRequests(
                f"{bucket.in_flight} calls with this key are in flight, as many as may",
                hint="wait for some of them",
            )
        if bucket.left < 1:
            seconds = math.ceil((1 - bucket.left) / self._per_second)
            raise TooManyRequests(
                f"this key may make {self._per_second:g} calls a second",
                hint="spread them, or ask for more at a time",
                retry_after_seconds=max(1, seconds),
            )
        bucket.left -= 1
        bucket.in_flight += 1
        try:
            yield
        finally:
            bucket.in_flight -= 1

    def _filled(self, key: str) -> _Bucket:
        now = self._now()
        bucket = self._buckets.get(key)
        if bucket is None:
            self._forget_one()
            bucket = self._buckets[key] = _Bucket(left=self._burst, filled_at=now)
        self._buckets.move_to_end(key)
        grown = bucket.left + (now - bucket.filled_at) * self._per_second
        bucket.left, bucket.filled_at = min(self._burst, grown), now
        return bucket

    def _forget_one(self) -> None:
        """Make room: the key that rests longest goes; of one in flight the next is taken."""
        if len(self._buckets) < KEYS_METERED_MAX:
            return
        resting = next((key for key, each in self._buckets.items() if not each.in_flight), None)
        if resting is not None:
            del self._buckets[resting]
