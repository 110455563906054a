"""How much is asked."""

import pytest

from recense.errors import TooManyRequests
from recense.limits import KEYS_METERED_MAX
from recense.servers.http.metering import Meter
from recense.servers.http.tracing import trace_of


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


@pytest.mark.parametrize(
    "given",
    [
        None,
        b"",
        b"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
        b"ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        b"00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        b"00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        b'00-4bf92f3577b34da6a3ce929d0e0e473"-00f067aa0ba902b7-01',
    ],
)
def test_a_trace_that_cannot_be_read_is_a_new_one(given: bytes | None) -> None:
    assert trace_of(given, lambda size: b"\x01" * size) == "01" * 16
