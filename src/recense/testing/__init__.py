"""Fakes that misbehave on purpose, for tests of ours and of anybody who builds on Recense.

`FakeClock` steps and jumps back, `FakeUptime` stands still and begins anew, `SeededChance` repeats
itself, `FaultyStore` and `FaultyRecords` fail, lose their acknowledgement or end the process at a
named commit boundary of any store.
"""

from recense.testing.boundaries import Boundary, Fault
from recense.testing.chance import SeededChance
from recense.testing.clock import FakeClock
from recense.testing.faulty_records import FaultyRecords
from recense.testing.faulty_store import FaultyStore
from recense.testing.uptime import FakeUptime

__all__ = [
    "Boundary",
    "FakeClock",
    "FakeUptime",
    "Fault",
    "FaultyRecords",
    "FaultyStore",
    "SeededChance",
]
