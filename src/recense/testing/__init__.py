"""Fakes that misbehave on purpose, for tests of ours and of anybody who builds on Recense.

`FakeClock` steps and jumps back, `FakeUptime` stands still and begins anew, `SeededChance` repeats
itself, `FaultyStore` fails, loses its acknowledgement or ends the process at a named commit
boundary of any store.
"""

from recense.testing.chance import SeededChance
from recense.testing.clock import FakeClock
from recense.testing.faulty_store import Boundary, Fault, FaultyStore
from recense.testing.uptime import FakeUptime

__all__ = ["Boundary", "FakeClock", "FakeUptime", "Fault", "FaultyStore", "SeededChance"]
