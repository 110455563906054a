from recense.adapters.system import SystemChance, SystemClock

YEAR_2020 = 1_577_836_800_000_000


def test_the_clock_tells_microseconds_since_the_epoch() -> None:
    assert YEAR_2020 < SystemClock().now() < 3 * YEAR_2020


def test_elapsed_time_never_steps_back() -> None:
    clock = SystemClock()
    moments = [clock.elapsed_ms() for _ in range(1_000)]
    assert moments == sorted(moments)


def test_chance_gives_as_many_bytes_as_asked_and_never_the_same() -> None:
    tokens = {SystemChance().token(32) for _ in range(100)}
    assert len(tokens) == 100
    assert {len(token) for token in tokens} == {32}
