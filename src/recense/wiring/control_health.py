"""Looking at the control file of a store, and at the files of its namespaces."""

import os
import stat
from collections.abc import Iterator
from functools import partial
from typing import Final

from msgspec.structs import replace

from recense.adapters.sqlite.file import open_sqlite_file
from recense.adapters.sqlite.records import SqliteRecords
from recense.adapters.sqlite.store import SqliteStore
from recense.adapters.system import SystemChance, SystemClock, SystemUptime
from recense.core.namespaces import DEFAULT_NAMESPACE
from recense.core.text.redact import redact
from recense.errors import StoreFault
from recense.operations.admin import HealthCheck
from recense.services.control_health import ControlFound, control_check, count_keys
from recense.services.namespaces import known_namespaces
from recense.settings.layers import control_file, store_file
from recense.settings.loading import Settings

_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO
_BESIDE: Final = ("", "-wal", "-shm")
_NAMESPACE_FILE: Final = ".db"


def examined_control(settings: Settings) -> HealthCheck:
    """Return what the doctor says of the control file of a store; nothing is made where there is
    none. Of a store that lies in no file there is nothing to say.
    """
    path = control_file(settings.store)
    if path is None:
        return control_check(ControlFound())
    file_of = partial(store_file, settings.store)
    found = ControlFound(open_to_others=tuple(_open_to_others(path)))
    namespaces: tuple[str, ...] = ()
    if os.path.exists(path):
        try:
            found, namespaces = _read(path, found)
        except StoreFault as fault:
            return control_check(replace(found, faults=(redact(fault.message).text,)))
    places = {str(file_of(name)): name for name in namespaces}
    folder = f"{file_of(DEFAULT_NAMESPACE)}.d"
    there = set(_files_of_namespaces(folder))
    return control_check(
        replace(
            found,
            namespaces=len(namespaces),
            missing=tuple(name for place, name in places.items() if place not in there),
            unlisted=tuple(redact(each).text for each in sorted(there - places.keys())),
        )
    )


def _read(path: str, found: ControlFound) -> tuple[ControlFound, tuple[str, ...]]:
    """Return what stands in a control file, and which namespaces it lists. Raises StoreFault."""
    clock = SystemClock()
    file = open_sqlite_file(path, synchronous="full", chance=SystemChance(), create=False)
    try:
        records = SqliteRecords(file, SystemUptime())
        faults = SqliteStore(file, records).check()
        with records.snapshot() as reader:
            keys = count_keys(reader, clock.now())
        _default, *namespaces = known_namespaces(records)
    finally:
        file.close()
    return replace(found, faults=faults, keys=keys), tuple(namespaces)


def _open_to_others(path: str) -> Iterator[str]:
    """Yield the files of a store that others than their owner may open, where files have owners."""
    for each in (f"{path}{beside}" for beside in _BESIDE):
        if os.name != "nt" and os.path.exists(each) and os.stat(each).st_mode & _OTHERS:
            yield redact(each).text


def _files_of_namespaces(folder: str) -> Iterator[str]:
    """Yield the files of namespaces that are there."""
    try:
        with os.scandir(folder) as entries:
            yield from (each.path for each in entries if each.name.endswith(_NAMESPACE_FILE))
    except FileNotFoundError:
        return
