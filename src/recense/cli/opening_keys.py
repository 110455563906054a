"""Opening the keys of the store that flags, environment and files of this machine name."""

from collections.abc import Mapping
from contextlib import AbstractContextManager

from recense.cli.key_operations import KeyOperations
from recense.cli.opening import configured
from recense.wiring.keys import open_keys


def open_configured_keys(
    flags: Mapping[str, str], *, create: bool
) -> AbstractContextManager[KeyOperations]:
    """Return the keys of the store that these flags and this machine's settings name.

    Raises SettingsInvalid, and what opening a store raises.
    """
    return open_keys(configured(flags), create=create)
