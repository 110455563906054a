"""What the reference store holds: values that are replaced, never changed."""

from collections.abc import Iterable, Mapping

from recense.core.ids import tombstone
from recense.core.transcript.events import Event
from recense.core.transcript.records import (
    ArchivedRecord,
    Session,
)
from recense.core.values import Value
from recense.ports.commits import ImportFile, MessageRow, OpenStream


class Holding(Value, kw_only=True):
    """All there is of one session, but for its owned counters."""

    session: Session
    records: tuple[ArchivedRecord, ...] = ()
    dropped: frozenset[int] = frozenset()
    events: tuple[Event, ...] = ()
    rows: Mapping[int, MessageRow] = {}
    streams: Mapping[str, OpenStream] = {}
    blobs: frozenset[str] = frozenset()
    findings: Mapping[str, int] = {}


class State(Value, kw_only=True):
    """One moment of the whole store; its mappings are replaced, never changed."""

    key: bytes
    holdings: Mapping[str, Holding] = {}
    files: Mapping[tuple[str, str], ImportFile] = {}
    blobs: Mapping[str, bytes] = {}
    tombstones: frozenset[bytes] = frozenset()

    def is_forgotten(self, session_id: str) -> bool:
        """Whether a tombstone names this session."""
        return tombstone(self.key, session_id) in self.tombstones


def identities(holdings: Iterable[Holding]) -> frozenset[bytes]:
    """Return the identities of all records of sessions."""
    return frozenset(record.identity for each in holdings for record in each.records)


def blob_references(holdings: Iterable[Holding]) -> frozenset[str]:
    """Return the SHA-256 of all blobs that sessions refer to."""
    return frozenset(digest for each in holdings for digest in each.blobs)
