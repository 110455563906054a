"""The keys of a store, for who runs the process."""

from collections.abc import Generator
from contextlib import contextmanager

from recense.adapters.system import SystemChance, SystemClock
from recense.services.keys import Keys
from recense.settings.loading import Settings
from recense.wiring.control import open_control


@contextmanager
def open_keys(settings: Settings, *, create: bool) -> Generator[Keys]:
    """Hold the keys of the store that the settings name.

    Raises as `recense.wiring.control.open_control`.
    """
    with open_control(settings, create=create) as control:
        yield Keys(control, SystemClock(), SystemChance())
