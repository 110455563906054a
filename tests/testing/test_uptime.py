"""The clock of a boot that a test moves, and the machine's own."""

from recense.adapters.system import SystemUptime
from recense.testing import FakeUptime


def test_the_fake_clock_stands_still_until_it_is_moved_and_begins_anew_with_a_boot() -> None:
    uptime = FakeUptime(5)
    before = uptime.boot_id()
    assert uptime.uptime_ms() == 5
    uptime.advance(7)
    assert uptime.uptime_ms() == 12
    assert uptime.boot_id() == before
    uptime.reboot()
    assert uptime.uptime_ms() == 0
    assert uptime.boot_id() != before


def test_the_machine_s_clock_names_one_boot_and_never_steps_back() -> None:
    one, other = SystemUptime(), SystemUptime()
    assert one.boot_id() == other.boot_id() != ""
    readings = [uptime.uptime_ms() for uptime in (one, other, one)]
    assert readings == sorted(readings)
