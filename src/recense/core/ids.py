"""Identifiers that derive from what they name, so that deriving again gives the same one.

Event ids depend on the source's own record id and nothing of this machine: two stores that import
the same files hold the same ids. Identities are *keyed*: they hash the record as it was before
redaction, and without the store's secret key nobody can use them to test a guess at what a redacted
secret was.
"""

import base64
from hashlib import blake2b
from typing import Final

from recense.errors import NotFound

DIGEST_BYTES: Final = 16
"""128 bits: a collision among a billion records has a chance of about 1 in 10^21."""

_SEPARATOR: Final = b"\x00"


def event_id(source: str, record_id: str, part: int) -> str:
    """Return the id of the ``part``-th event that conversion makes of one record.

    32 hexadecimal digits. ``record_id`` is the source's id where it has one, else the
    text that names the record's place; equal arguments give equal ids in every store.
    """
    digest = blake2b(digest_size=DIGEST_BYTES)
    digest.update(_SEPARATOR.join((source.encode(), record_id.encode(), str(part).encode())))
    return digest.hexdigest()


def identity(store_key: bytes, parts: tuple[str, ...], content: bytes) -> bytes:
    """Return the 16-byte identity of a record: keyed over what names it and what it says.

    ``parts`` is (source, uuid) where the source has uuids, else (session, position); ``content`` is
    the record before redaction, without what a copy rewrites.
    """
    named = [part.encode("utf-8", "surrogatepass") for part in parts]
    hashed = _SEPARATOR.join((*named, content))
    return blake2b(hashed, key=store_key, digest_size=DIGEST_BYTES).digest()


def event_identity(record_identity: bytes, id_of_event: str) -> bytes:
    """Return the identity of one event of a record, which copies of the record share.

    Each event of a record has its own, so that two messages of one record never pass for copies.
    """
    return blake2b(record_identity + id_of_event.encode(), digest_size=DIGEST_BYTES).digest()


def tombstone(store_key: bytes, session_id: str) -> bytes:
    """Return the 16 bytes by which a store knows a forgotten session again, and nobody else."""
    text = session_id.encode("utf-8", "surrogatepass")
    return blake2b(text, key=store_key, digest_size=DIGEST_BYTES, person=b"tombstone").digest()


def anchor(session_id: str, first_event_id: str) -> str:
    """Return the opaque anchor of a message: it survives re-conversion, and only we read it."""
    pair = f"{first_event_id}\n{session_id}".encode("utf-8", "surrogatepass")
    return base64.urlsafe_b64encode(pair).decode("ascii").rstrip("=")


def split_anchor(text: str) -> tuple[str, str]:
    """Return (session id, event id) of an anchor.

    Raises NotFound for any text that `anchor` did not make: a malformed anchor and an unknown one
    are the same answer.
    """
    try:
        padded = text + "=" * (-len(text) % 4)
        first_event_id, _, session_id = base64.urlsafe_b64decode(padded).decode().partition("\n")
    except ValueError:
        first_event_id, session_id = "", ""
    if not session_id or anchor(session_id, first_event_id) != text:
        raise unknown_anchor()
    return session_id, first_event_id


def unknown_anchor() -> NotFound:
    """Return the one answer to every anchor that leads nowhere: unknown, invisible or foreign."""
    return NotFound(
        "no such passage: the anchor is not one that recall returned",
        hint="copy the anchor whole from an answer of recall",
    )


_MATERIAL_MARK: Final = "m."
"""How a material's id begins, and no anchor."""


def material_id(session_id: str, id_of_event: str) -> str:
    """Return the opaque id of a material: it survives re-conversion, and only we read it."""
    return _MATERIAL_MARK + anchor(session_id, id_of_event)


def split_material_id(text: str) -> tuple[str, str]:
    """Return (session id, event id) of a material's id.

    Raises NotFound for any text that `material_id` did not make, as for one that leads nowhere.
    """
    if not text.startswith(_MATERIAL_MARK):
        raise unknown_material()
    try:
        return split_anchor(text.removeprefix(_MATERIAL_MARK))
    except NotFound as error:
        raise unknown_material() from error


def unknown_material() -> NotFound:
    """Return the one answer to every id of a material that leads nowhere: unknown, invisible or
    foreign.
    """
    return NotFound(
        "no such material: the id is not one that recall returned",
        hint="copy the id whole from an answer of recall",
    )
