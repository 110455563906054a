"""Connecting clients with this machine's settings, clock and installation."""

import os
import sys
import sysconfig
from collections.abc import Mapping
from typing import Final

from recense.adapters.system import SystemClock
from recense.core.connect.clients import HOOK_PROGRAM, System
from recense.services.connecting import Connecting, Installation
from recense.services.connection_proof import ConnectionProof
from recense.services.connection_receipts import Receipts, receipts_folder
from recense.settings.layers import data_folder, read_layers, store_file

_SUFFIX: Final = ".exe" if os.name == "nt" else ""

_FROM_HERE: Final = ("environment", "flag")
"""Where a setting comes from that a client's process would not find by itself."""


def open_connecting(
    flags: Mapping[str, str], environment: Mapping[str, str], home: str, working_directory: str
) -> Connecting:
    """Return what connects clients to the store that these flags and this machine's settings name.

    Raises SettingsInvalid.
    """
    layers = read_layers(flags, environment, home, working_directory)
    chosen = {
        name: layers.values[name]
        for name in ("store", "namespace")
        if layers.origins[name] in _FROM_HERE
    }
    if "store" in chosen:  # relative to our working folder, which is not the client's
        chosen["store"] = store_file(chosen["store"], "default") or chosen["store"]
    hook = _script(HOOK_PROGRAM)
    installation = Installation(
        system=_system(),
        home=home,
        environment=environment,
        program=_program(),
        hook=(hook,) if hook else (),
        chosen=chosen,
    )
    clock = SystemClock()
    return Connecting(
        installation,
        Receipts(receipts_folder(data_folder(environment, home))),
        clock,
        ConnectionProof(clock, environment, home).tools,
    )


def _system() -> System:
    if sys.platform == "win32":
        return "win32"
    return "darwin" if sys.platform == "darwin" else "linux"


def _program() -> tuple[str, ...]:
    """Return the words that start ``recense`` of this installation, from whatever folder."""
    script = _script("recense")
    return (script,) if script else (sys.executable, "-m", "recense")


def _script(name: str) -> str:
    """Return the whole path of a program that was installed with this package; "" for none."""
    path = os.path.join(sysconfig.get_path("scripts"), name + _SUFFIX)
    return path if os.path.isfile(path) else ""
