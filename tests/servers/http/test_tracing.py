"""Which trace a call belongs to."""

import pytest

from recense.limits import DRAWN_BYTES
from recense.servers.http.tracing import Drawn, trace_of


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


def test_chance_is_drawn_much_at_a_time_and_no_byte_of_it_is_given_twice() -> None:
    drawn: list[int] = []

    def draw(size: int) -> bytes:
        drawn.append(size)
        return len(drawn).to_bytes(4, "big") * (size // 4)

    chance = Drawn(draw)
    tokens = [chance.token(16) for _ in range(DRAWN_BYTES // 16 + 1)]
    assert drawn == [DRAWN_BYTES, DRAWN_BYTES]
    assert {len(each) for each in tokens} == {16}
    assert tokens[-1] != tokens[0]
