"""Which fields of records an index repeats, and as what.

Law: a condition is served by an index only where the index has every record that meets it. All
other conditions are looked at record by record, with `recense.ports.record_rules.is_met`.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from recense.ports.records import RECORDED_AT, Condition, ContainsAny, Equals, Field, OneOf, Scalar

LIST_KINDS: Final[Mapping[str, int]] = {"touches": 1, "pairs": 2}
"""Fields whose lists are repeated at once, by the number they have in ``term_kind``."""

TEXT_KINDS: Final[Mapping[str, int]] = {
    "value_key": 11,
    "refers_to": 12,
    "subject": 13,
    "predicate": 14,
    "kind": 15,
}
"""Fields whose texts are repeated, what tells most records apart first."""

BOOLEAN_KINDS: Final[Mapping[str, int]] = {"standing": 21, "retraction": 22, "internal": 23}
"""Fields whose booleans are repeated, as 0 and 1."""

OBSERVED_AT: Final = "observed_at"
ORDER_KINDS: Final[Mapping[str, int]] = {OBSERVED_AT: 31, RECORDED_AT: 32}
"""What a listing is ordered by without a look at every record."""

_OBSERVED_KIND: Final = ORDER_KINDS[OBSERVED_AT]
_RECORDED_KIND: Final = ORDER_KINDS[RECORDED_AT]

encode_fields: Final = msgspec.msgpack.Encoder().encode
decode_fields: Final = msgspec.msgpack.Decoder(
    dict[str, str | int | float | bool | tuple[str, ...]]
)


Place = tuple[int, int]
"""The keys of a collection and of a record."""

TermRow = tuple[str | int, int, int, int]
"""A row of record_terms: value, kind, and the place."""

OrderRow = tuple[int, int, str | int | float, str, int]
"""A row of record_order: collection, kind, value, id and key of a record."""


class IndexTerm(msgspec.Struct, frozen=True):
    """A condition as an index serves it: one of these values under a kind."""

    kind: int
    values: tuple[str | int, ...]


def list_terms(fields: Mapping[str, Field], place: Place) -> list[TermRow]:
    """Return the rows of what is repeated at once; one value twice only once."""
    collection, key = place
    return [
        (value, kind, collection, key)
        for name, kind in LIST_KINDS.items()
        if isinstance(found := fields.get(name), tuple)
        for value in dict.fromkeys(found)
    ]


def text_terms(fields: Mapping[str, Field], place: Place) -> list[TermRow]:
    """Return the rows of the texts that are repeated later."""
    collection, key = place
    return [
        (found, kind, collection, key)
        for name, kind in TEXT_KINDS.items()
        if isinstance(found := fields.get(name), str)
    ]


def boolean_terms(fields: Mapping[str, Field], place: Place) -> list[TermRow]:
    """Return the rows of the booleans that are repeated later."""
    collection, key = place
    return [
        (1 if found else 0, kind, collection, key)
        for name, kind in BOOLEAN_KINDS.items()
        if isinstance(found := fields.get(name), bool)
    ]


def order_terms(
    place: Place, record_id: str, observed_at: str | float | None, recorded_at: int | None
) -> list[OrderRow]:
    """Return the rows by which a record is found in an order."""
    collection, key = place
    rows: list[OrderRow] = []
    if observed_at is not None:
        rows.append((collection, _OBSERVED_KIND, observed_at, record_id, key))
    if recorded_at is not None:
        rows.append((collection, _RECORDED_KIND, recorded_at, record_id, key))
    return rows


def observed_at_of(fields: Mapping[str, Field]) -> str | int | float | None:
    """Return the field ``observed_at`` where it is a number or a text."""
    found = fields.get(OBSERVED_AT)
    return None if isinstance(found, bool | tuple) else found


def term_of(condition: Condition) -> IndexTerm | None:
    """Return a condition as an index serves it, or None."""
    match condition:
        case Equals(field=field, value=value):
            return _scalar_term(field, (value,))
        case OneOf(field=field, values=values):
            return _scalar_term(field, values)
        case ContainsAny(field=field, values=values):
            kind = LIST_KINDS.get(field)
            return None if kind is None else _term(kind, values)
        case _:
            return None


def _scalar_term(field: str, values: tuple[Scalar, ...]) -> IndexTerm | None:
    texts = tuple(value for value in values if isinstance(value, str))
    if field in TEXT_KINDS and len(texts) == len(values):
        return _term(TEXT_KINDS[field], texts)
    booleans = tuple(int(value) for value in values if isinstance(value, bool))
    if field in BOOLEAN_KINDS and len(booleans) == len(values):
        return _term(BOOLEAN_KINDS[field], booleans)
    return None


def _term(kind: int, values: tuple[str | int, ...]) -> IndexTerm | None:
    distinct = tuple(dict.fromkeys(values))
    return IndexTerm(kind, distinct) if distinct else None
