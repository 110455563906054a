"""Opening the memory that flags, environment and files of this machine name."""

import os
from collections.abc import Mapping
from contextlib import AbstractContextManager

from recense.cli.connecting import ConnectOperations
from recense.cli.memory import MemoryOperations
from recense.errors import SettingsInvalid
from recense.settings.layers import home_folder
from recense.settings.loading import Settings, load_settings
from recense.wiring import open_memory
from recense.wiring.connecting import open_connecting


def open_configured(
    flags: Mapping[str, str], *, create: bool
) -> AbstractContextManager[MemoryOperations]:
    """Return the memory that these flags and this machine's settings name.

    Raises SettingsInvalid, and what opening a store raises.
    """
    return open_memory(configured(flags), create=create)


def connecting_configured(flags: Mapping[str, str]) -> ConnectOperations:
    """Return what connects clients to the store that these flags and this machine's settings name.

    Raises SettingsInvalid.
    """
    return open_connecting(flags, os.environ, home_folder(os.environ), _here())


def configured(flags: Mapping[str, str]) -> Settings:
    """Return the settings in force on this machine with these flags. Raises SettingsInvalid."""
    return load_settings(flags, os.environ, home_folder(os.environ), _here())


def _here() -> str:
    try:
        return os.getcwd()
    except OSError as error:
        raise SettingsInvalid(
            "the working directory does not exist any more", hint="change to one that does"
        ) from error
