"""The control file of a store: its keys and the list of its namespaces, beside the default one.

It is a file of its own, so that the files of namespaces hold nothing but what is theirs: one can be
copied, given away or erased alone.
"""

import os
from collections.abc import Generator
from contextlib import contextmanager

from recense.adapters.sqlite.file import open_sqlite_file
from recense.adapters.sqlite.records import SqliteRecords
from recense.adapters.system import SystemChance, SystemUptime
from recense.core.text.redact import redact
from recense.errors import SettingsInvalid
from recense.ports.records import RecordStore
from recense.settings.layers import control_file
from recense.settings.loading import Settings


def no_file(url: str) -> SettingsInvalid:
    """Return the error for a store that lies in no file."""
    return SettingsInvalid(
        f"store {redact(url).text!r} names no file; expected sqlite:///path (three slashes), "
        "a path or memory:",
        hint="other backends are not part of this release",
    )


def has_control(settings: Settings) -> bool:
    """Whether the control file of a store is there. Raises as `open_control`."""
    return os.path.exists(_control_file(settings.store))


@contextmanager
def open_control(settings: Settings, *, create: bool) -> Generator[RecordStore]:
    """Hold the control file of a store open, made when it is missing and ``create`` says so.

    What is written there survives a power cut, whatever the memories do: that a key was revoked is
    not forgotten. Raises SettingsInvalid for a store that lies in no file, and the faults of
    opening one.
    """
    path = _control_file(settings.store)
    file = open_sqlite_file(path, synchronous="full", chance=SystemChance(), create=create)
    records = SqliteRecords(file, SystemUptime())
    try:
        yield records
    finally:
        records.close()


def _control_file(url: str) -> str:
    path = control_file(url)
    if path is None:
        raise SettingsInvalid(
            f"store {redact(url).text!r} names no file, beside which keys and the list of "
            "namespaces could lie",
            hint="name a store like sqlite:///path/to/recense.db",
        )
    return path
