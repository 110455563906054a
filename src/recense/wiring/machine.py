"""The clock and the chance of this machine, for who stands above wiring."""

from recense.adapters.system import SystemChance, SystemClock
from recense.ports.clock import Chance, Clock


def machine_clock() -> Clock:
    """Return the clock of this machine."""
    return SystemClock()


def machine_chance() -> Chance:
    """Return this machine's source of chance."""
    return SystemChance()
