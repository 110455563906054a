"""Searching the vectors of records: every one is looked at, so that nothing is missed."""

from array import array
from collections.abc import Sequence
from heapq import nsmallest
from sys import byteorder
from typing import Final

from recense.adapters.sqlite.driver import Connection
from recense.adapters.sqlite.record_listing import Collection
from recense.adapters.sqlite.record_terms import decode_fields
from recense.ports.record_rules import cosine, is_met, norm
from recense.ports.records import Where

_SCAN: Final = (
    "SELECT record_key, record_id, recorded_at, fields, vector"
    " FROM records INDEXED BY records_with_vectors"
    " WHERE collection_key = ? AND vector IS NOT NULL"
)


def vector_bytes(vector: Sequence[float]) -> bytes:
    """Return a vector as it lies in the file."""
    numbers = array("f", vector)
    if byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def vector_of(kept: bytes) -> tuple[float, ...]:
    """Return a vector that lies in the file."""
    return tuple(_numbers(kept))


def nearest_keys(
    connection: Connection,
    collection: Collection,
    asked: Sequence[float],
    limit: int,
    where: Where,
) -> list[tuple[int, float]]:
    """Return keys and cosines of the records with the nearest vectors, nearest first."""
    own = norm(asked)
    found: list[tuple[float, str, int]] = []
    for key, record_id, recorded_at, fields, kept in connection.execute(_SCAN, (collection.key,)):
        if where and not _is_met(fields, recorded_at, where):
            continue
        numbers = _numbers(kept)
        found.append((-cosine(asked, numbers, own * norm(numbers)), record_id, key))
    return [(key, -distance) for distance, _, key in nsmallest(limit, found)]


def _numbers(kept: bytes) -> "array[float]":
    numbers = array("f", kept)
    if byteorder == "big":
        numbers.byteswap()
    return numbers


def _is_met(kept: bytes, recorded_at: int | None, where: Where) -> bool:
    fields = decode_fields.decode(kept)
    return all(is_met(fields, recorded_at, condition) for condition in where)
