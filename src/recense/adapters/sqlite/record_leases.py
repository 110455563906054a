"""Leases, inside a transaction that the caller has begun.

Law: a row is never deleted, so that an epoch is never given twice.
"""

from typing import Final

from recense.adapters.sqlite.driver import Connection
from recense.ports.record_rules import LeaseRow

_READ: Final = (
    "SELECT holder, epoch, boot_id, until_ms, ttl_ms, released FROM record_leases WHERE name = ?"
)
_WRITE: Final = "INSERT OR REPLACE INTO record_leases VALUES (?, ?, ?, ?, ?, ?, ?)"


def read_lease(connection: Connection, name: str) -> LeaseRow | None:
    """Return what is kept of a lease, or None when nobody ever had it."""
    row = connection.execute(_READ, (name,)).fetchone()
    if row is None:
        return None
    holder, epoch, boot_id, until_ms, ttl_ms, released = row
    return LeaseRow(
        holder=holder,
        epoch=epoch,
        boot_id=boot_id,
        until_ms=until_ms,
        ttl_ms=ttl_ms,
        released=bool(released),
    )


def write_lease(connection: Connection, name: str, row: LeaseRow) -> None:
    """Keep what there is of a lease."""
    connection.execute(
        _WRITE,
        (name, row.holder, row.epoch, row.boot_id, row.until_ms, row.ttl_ms, row.released),
    )
