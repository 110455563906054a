"""How a key lies in a store: a record that is written once and again only to hold longer, and,
once it is revoked, a second one that nothing replaces.
"""

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from recense.core.instants import text_from_instant
from recense.core.values import Value
from recense.errors import StoreCorrupt
from recense.operations.keys import KeyScope, KeyView
from recense.ports.records import Record, RecordReader

KEYS: Final = "_keys"
REVOKED_KEYS: Final = "_revoked_keys"


class KeyRecord(Value, kw_only=True):
    """A key as it is kept; ``digest`` is the SHA-256 of all of it, instants are microseconds."""

    key_id: str
    digest: bytes
    namespace: str
    agent: str | None
    scopes: tuple[KeyScope, ...]
    issued_at: int
    expires_at: int | None


class RevokedKey(Value, kw_only=True):
    """That a key was revoked, and when (microseconds)."""

    key_id: str
    revoked_at: int


def stored_key(record: KeyRecord) -> Record:
    """Return a key as a store keeps it, found by its namespace and its agent."""
    named = {} if record.agent is None else {"agent": record.agent}
    return Record(
        collection=KEYS,
        record_id=record.key_id,
        body=msgspec.json.encode(record),
        fields={"namespace": record.namespace, "issued_at": record.issued_at, **named},
        recorded_at=record.issued_at,
    )


def read_key(record: Record) -> KeyRecord:
    """Return the key that was kept so. Raises StoreCorrupt for what is none."""
    try:
        return msgspec.json.decode(record.body, type=KeyRecord)
    except msgspec.MsgspecError as error:
        raise _damaged(record) from error


def revoked_among(reader: RecordReader, key_ids: Iterable[str]) -> dict[str, RevokedKey]:
    """Return the tombstones of keys. One that cannot be read is a fault, and no key that holds."""
    revoked: dict[str, RevokedKey] = {}
    for key_id, record in reader.get(REVOKED_KEYS, key_ids).items():
        try:
            revoked[key_id] = msgspec.json.decode(record.body, type=RevokedKey)
        except msgspec.MsgspecError as error:
            raise _damaged(record) from error
    return revoked


def _damaged(record: Record) -> StoreCorrupt:
    return StoreCorrupt(
        f"the record {record.record_id!r} of {record.collection} is damaged",
        hint="issue other keys; `recense doctor` looks for more damage",
    )


def key_view(record: KeyRecord, revoked: Mapping[str, RevokedKey], now: int) -> KeyView:
    """Return a key as it may be shown at an instant; ``revoked`` are tombstones of keys, by id."""
    tombstone = revoked.get(record.key_id)
    has_expired = record.expires_at is not None and now >= record.expires_at
    return KeyView(
        id=record.key_id,
        namespace=record.namespace,
        agent=record.agent,
        scopes=record.scopes,
        state="revoked" if tombstone else "expired" if has_expired else "valid",
        issued_at=text_from_instant(record.issued_at),
        expires_at=text_or_none(record.expires_at),
        revoked_at=None if tombstone is None else text_from_instant(tombstone.revoked_at),
    )


def text_or_none(instant: int | None) -> str | None:
    """Return the wire form of an instant, None for never."""
    return None if instant is None else text_from_instant(instant)


def until_words(instant: int | None) -> str:
    """Return how long something holds, as a message says it."""
    return "for good" if instant is None else f"until {text_from_instant(instant)}"
