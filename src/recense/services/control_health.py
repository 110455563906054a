"""What the doctor says of a control file: whether it is whole and its owner's alone, and whether
the files of namespaces are those that it lists.

Law: it is of a whole store, so it is said to who runs the process alone, and over no wire: there
nobody learns of another namespace.
"""

from collections.abc import Sequence
from typing import Final

from recense.core.values import Value
from recense.operations.admin import HealthCheck
from recense.ports.records import RecordReader
from recense.services.key_records import KEYS, key_view, read_key, revoked_among

CONTROL_FILE: Final = "control_file"
"""The name of the check."""


class KeyCounts(Value, kw_only=True):
    """How many keys hold, hold no more by their time, and were revoked."""

    valid: int = 0
    expired: int = 0
    revoked: int = 0


class ControlFound(Value, kw_only=True):
    """What was found of a control file. ``open_to_others`` are files that others than their owner
    may open; ``missing`` are namespaces whose file is not there, ``unlisted`` files of namespaces
    that are not on the list.
    """

    faults: Sequence[str] = ()
    open_to_others: Sequence[str] = ()
    namespaces: int = 0
    missing: Sequence[str] = ()
    unlisted: Sequence[str] = ()
    keys: KeyCounts = KeyCounts()


def count_keys(reader: RecordReader, now: int) -> KeyCounts:
    """Return how many keys there are, by how they stand. Raises StoreCorrupt for a damaged one."""
    records = [read_key(each) for each in reader.list(KEYS, counted=False).records]
    revoked = revoked_among(reader, [each.key_id for each in records])
    states = [key_view(each, revoked, now).state for each in records]
    return KeyCounts(
        valid=states.count("valid"),
        expired=states.count("expired"),
        revoked=states.count("revoked"),
    )


def control_check(found: ControlFound) -> HealthCheck:
    """Return what the doctor says. A namespace whose file was deleted stays on the list, and an
    expired key is kept: neither is a fault.
    """
    fixes = {
        "keep a copy of it, put one from before in its place, or delete it and issue keys anew": (
            found.faults
        ),
        "chmod 600 each of these files": found.open_to_others,
        "a server lists one again when a key of its namespace asks; delete what nobody knows": (
            found.unlisted
        ),
    }
    keys = found.keys
    items = (
        *found.faults,
        *(f"{each} can be opened by others than its owner" for each in found.open_to_others),
        *(f"no namespace on the list has the file {each}" for each in found.unlisted),
        *(f"the file of the namespace {each!r} is not there" for each in found.missing),
    )
    return HealthCheck(
        name=CONTROL_FILE,
        ok=not (found.faults or found.open_to_others or found.unlisted),
        detail=(
            f"namespaces beside the default one: {found.namespaces}, without their file: "
            f"{len(found.missing)}; keys that hold: {keys.valid}, expired: {keys.expired}, "
            f"revoked: {keys.revoked}"
        ),
        items=items,
        fix="; ".join(fix for fix, of in fixes.items() if of),
    )
