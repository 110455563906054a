"""How much a key may ask."""

import pytest

from recense.errors import TooManyRequests
from recense.limits import KEYS_METERED_MAX
from recense.servers.http.metering import Meter


class Seconds:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_key_may_ask_so_much_at_once_and_so_much_a_second() -> None:
    seconds = Seconds()
    meter = Meter(seconds, at_once_max=2, per_second=2, burst=3)
    with meter.counted("mira"), meter.counted("mira"):
        with pytest.raises(TooManyRequests, match="in flight"), meter.counted("mira"):
            pass
        with meter.counted("ola"):
            pass
    with meter.counted("mira"):
        pass
    with pytest.raises(TooManyRequests) as refused, meter.counted("mira"):
        pass
    assert refused.value.retry_after_seconds == 1
    seconds.now += 0.5
    with meter.counted("mira"):
        pass


def test_keys_that_rest_are_forgotten() -> None:
    seconds = Seconds()
    meter = Meter(seconds, at_once_max=1, per_second=1, burst=1)
    with meter.counted("first"):
        for number in range(KEYS_METERED_MAX + 10):
            with meter.counted(str(number)):
                pass
        with pytest.raises(TooManyRequests), meter.counted("first"):
            pass
    with meter.counted("0"):
        pass
