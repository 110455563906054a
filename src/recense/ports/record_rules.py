"""What every store of records makes of what it is given: what is refused, what a condition means,
and the order of a listing.

Law: the contract of `recense.ports.records` is written out here once, in values, so that stores can
only differ in where records lie. A store may ask its engine instead, where that says the same.
"""

import math
from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import itemgetter, mul
from typing import Final, TypeVar, assert_never, cast

from recense.core.text.quoting import quoted
from recense.core.values import Value
from recense.errors import (
    DimensionMismatch,
    InvalidRequest,
    LeaseHeld,
    LeaseLost,
    NotFound,
    StoreConflict,
)
from recense.ports.records import (
    RECORDED_AT,
    Append,
    Between,
    Condition,
    ContainsAny,
    Equals,
    Field,
    GrantedLease,
    Lease,
    OneOf,
    Order,
    Record,
    Scalar,
    Where,
)

INTEGERS: Final = range(-(2**63), 2**63)
"""What an integer may be."""

STAMPS: Final = range(-(2**62), 2**62)
"""What a stamp may be, in microseconds: 146,000 years either way leave room for later ones."""

SortKey = tuple[int, str | int | float, str]
Kept = TypeVar("Kept")


# --- what is refused ------------------------------------------------------------------------------


def require_record(record: Record) -> None:
    """Raise InvalidRequest unless a record can be kept as it is."""
    require_text("a collection", record.collection)
    require_text("a record id", record.record_id)
    if record.text is not None:
        require_text("a text", record.text)
    require_texts("the name of a field", record.fields)
    if RECORDED_AT in record.fields:
        raise InvalidRequest(
            f"a field is named {RECORDED_AT!r}",
            hint="that is the name of the stamp: `Record.recorded_at`",
        )
    for name, value in record.fields.items():
        if not (isinstance(value, bool) or (isinstance(value, str) and value.isascii())):
            _require_field(name, value)
    if record.recorded_at is not None:
        require_stamp(record.recorded_at)
    if record.vector is not None:
        require_vector(record.vector)


def require_text(what: str, text: str) -> None:
    """Raise InvalidRequest for a text with a lone surrogate, which has no bytes."""
    if text.isascii():
        return
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidRequest(
            f"{what} is no Unicode text: {error.reason} at {error.start}",
            hint="replace lone surrogates where the text is read",
        ) from error


def require_texts(what: str, texts: Collection[str]) -> None:
    """Raise InvalidRequest where one of several texts has a lone surrogate."""
    if not "".join(texts).isascii():
        for text in texts:
            require_text(what, text)


def require_stamp(instant: int) -> None:
    """Raise InvalidRequest for a stamp outside of STAMPS."""
    if instant not in STAMPS:
        raise InvalidRequest(
            f"{instant} is no stamp", hint="stamps are microseconds since 1970, below 2^62"
        )


def require_vector(vector: Sequence[float]) -> None:
    """Raise InvalidRequest for a vector that is empty or has a number beyond single precision."""
    if not vector or not all(map(math.isfinite, single(vector))):
        raise InvalidRequest(
            f"a vector of {len(vector)} numbers is empty or has one that is not finite",
            hint="give finite numbers of single precision",
        )


def require_limit(limit: int | None) -> None:
    """Raise InvalidRequest for a negative limit."""
    if limit is not None and limit < 0:
        raise InvalidRequest(f"a limit of {limit}", hint="give 0 or more, or none")


def require_time_to_live(ttl_ms: int) -> None:
    """Raise InvalidRequest for a lease that would not hold for a moment."""
    if ttl_ms <= 0 or ttl_ms not in STAMPS:
        raise InvalidRequest(f"a lease of {ttl_ms} ms", hint="give 1 or more")


def require_where(where: Where) -> None:
    """Raise InvalidRequest for a condition that no record could be compared with."""
    for condition in where:
        match condition:
            case Equals(value=value):
                _require_field(condition.field, value)
            case OneOf(values=values) | ContainsAny(values=values):
                for value in values:
                    _require_field(condition.field, value)
            case Between(at_least=at_least, at_most=at_most):
                _require_bounds(condition.field, at_least, at_most)
            case _:
                assert_never(condition)


def require_expected(found: Mapping[str, int], append: Append) -> None:
    """Raise StoreConflict unless counters are as an append expects them."""
    for name, count in append.expected.items():
        if found.get(name, 0) != count:
            raise StoreConflict(
                f"counter {name!r} is {found.get(name, 0)}, expected {count}",
                hint="read again, decide again, append again",
            )


def require_unchanged(unchanged: Record, found: Record | None) -> None:
    """Raise StoreConflict unless a record was found as the caller read it."""
    if found is None or found.body != unchanged.body:
        raise StoreConflict(
            f"record {quoted(unchanged.record_id)} of {quoted(unchanged.collection)} is another "
            "than was read",
            hint="read again, decide again, write again",
        )


def require_dimensions(collection: str, expected: int, found: int) -> None:
    """Raise DimensionMismatch unless a vector has the length of its collection's."""
    if found != expected:
        raise DimensionMismatch(
            f"a vector of {found} numbers in collection {collection!r}, where all have {expected}",
            hint="keep the vectors of another model in a collection of their own",
        )


def _require_bounds(name: str, at_least: Scalar | None, at_most: Scalar | None) -> None:
    given = [bound for bound in (at_least, at_most) if bound is not None]
    for bound in given:
        _require_field(name, bound)
    kinds = {_rank(bound) for bound in given}
    if len(kinds) != 1 or kinds == {_BOOLEAN}:
        raise InvalidRequest(
            f"field {name!r} between {at_least!r} and {at_most!r}",
            hint="give one bound or two, both numbers or both texts",
        )


def _require_field(name: str, value: object) -> None:
    match value:
        case str():
            if not value.isascii():
                require_text(f"field {name!r}", value)
        case bool():
            return
        case int():
            if value not in INTEGERS:
                raise InvalidRequest(
                    f"field {name!r} is {value}", hint="an integer has 64 bits; keep it as a text"
                )
        case float():
            if not math.isfinite(value):
                raise InvalidRequest(f"field {name!r} is {value}", hint="give a finite number")
        case tuple():
            for each in cast("tuple[object, ...]", value):
                if not isinstance(each, str):
                    raise _no_field(name, each)
            require_texts(f"field {name!r}", cast("tuple[str, ...]", value))
        case _:
            raise _no_field(name, value)


def _no_field(name: str, value: object) -> InvalidRequest:
    return InvalidRequest(
        f"field {name!r} holds a {type(value).__name__}",
        hint="a field is a text, an integer, a double, a boolean or a tuple of texts",
    )


# --- what a condition means -----------------------------------------------------------------------


def matches(record: Record, where: Where) -> bool:
    """Whether all conditions hold for a record."""
    return all(is_met(record.fields, record.recorded_at, condition) for condition in where)


def is_met(fields: Mapping[str, Field], recorded_at: int | None, condition: Condition) -> bool:
    """Whether a condition holds for these fields and this stamp."""
    found = recorded_at if condition.field == RECORDED_AT else fields.get(condition.field)
    if found is None:
        return False
    match condition:
        case Equals(value=value):
            return _is_same(found, value)
        case OneOf(values=values):
            return any(_is_same(found, value) for value in values)
        case Between(at_least=at_least, at_most=at_most):
            return _is_between(found, at_least, at_most)
        case ContainsAny(values=values):
            return isinstance(found, tuple) and any(value in found for value in values)
        case _:
            assert_never(condition)


def _is_same(found: Field, value: Scalar) -> bool:
    return not isinstance(found, tuple) and _rank(found) == _rank(value) and found == value


def _is_between(found: Field, at_least: Scalar | None, at_most: Scalar | None) -> bool:
    if isinstance(found, tuple):
        return False
    if isinstance(at_least, str) or isinstance(at_most, str):
        return (
            isinstance(found, str)
            and (at_least is None or found >= str(at_least))
            and (at_most is None or found <= str(at_most))
        )
    return (
        _rank(found) == _NUMBER
        and not isinstance(found, str)
        and (at_least is None or found >= at_least)
        and (at_most is None or found <= at_most)
    )


# --- order ----------------------------------------------------------------------------------------

_BOOLEAN: Final = 0
_NUMBER: Final = 1
_TEXT: Final = 2


def _rank(value: Scalar) -> int:
    if isinstance(value, str):
        return _TEXT
    return _BOOLEAN if isinstance(value, bool) else _NUMBER


def sort_key(
    record_id: str, fields: Mapping[str, Field], recorded_at: int | None, order: Order
) -> SortKey | None:
    """Return what a record is ordered by; None for one that has no number and no text there, and
    comes last by its id.
    """
    if order.field is None:
        return (0, 0, record_id)
    found = recorded_at if order.field == RECORDED_AT else fields.get(order.field)
    if found is None or isinstance(found, tuple | bool):
        return None
    return (_rank(found), found, record_id)


def in_order(found: Iterable[tuple[SortKey | None, str, Kept]], order: Order) -> list[Kept]:
    """Return things in order, each given with what it is ordered by and the id of its record."""
    valued: list[tuple[SortKey, Kept]] = []
    valueless: list[tuple[str, Kept]] = []
    for key, record_id, thing in found:
        if key is None:
            valueless.append((record_id, thing))
        else:
            valued.append((key, thing))
    valued.sort(key=itemgetter(0), reverse=order.descending)
    valueless.sort(key=itemgetter(0), reverse=order.descending)
    return [*(thing for _, thing in valued), *(thing for _, thing in valueless)]


def no_longer_listed(record_id: str) -> NotFound:
    """Return the error for a page behind a record that does not match."""
    return NotFound(
        f"record {quoted(record_id)} is not in this listing",
        hint="begin the listing from its start",
    )


# --- vectors --------------------------------------------------------------------------------------


def single(vector: Sequence[float]) -> tuple[float, ...]:
    """Return a vector as it is kept: in single precision (IEEE 754 binary32)."""
    return tuple(array("f", vector))


def norm(vector: Sequence[float]) -> float:
    """Return the Euclidean length of a vector."""
    return math.sqrt(sum(map(mul, vector, vector)))


def cosine(one: Sequence[float], other: Sequence[float], norms: float) -> float:
    """Return the cosine of two vectors, given the product of their norms; 0 where that is 0."""
    return sum(map(mul, one, other)) / norms if norms else 0.0


# --- leases ---------------------------------------------------------------------------------------


class LeaseRow(Value, kw_only=True):
    """What a store keeps of a lease: who had it last, and until when on the clock of which boot."""

    holder: str
    epoch: int
    boot_id: str
    until_ms: int
    ttl_ms: int
    released: bool = False

    def left_ms(self, boot_id: str, uptime_ms: int) -> int:
        """Return how long it still holds; 0 when it is over. Of another boot nothing holds.

        More than it was given cannot be left: then the clock is another boot's that has no name.
        """
        left_ms = self.until_ms - uptime_ms
        if self.released or self.boot_id != boot_id or left_ms > self.ttl_ms:
            return 0
        return max(0, left_ms)


def granted(
    row: LeaseRow | None, holder: str, ttl_ms: int, boot_id: str, uptime_ms: int
) -> LeaseRow:
    """Return the row of a lease that is given after what there was, with a new epoch."""
    return LeaseRow(
        holder=holder,
        epoch=row.epoch + 1 if row else 1,
        boot_id=boot_id,
        until_ms=uptime_ms + ttl_ms,
        ttl_ms=ttl_ms,
    )


def require_free(name: str, row: LeaseRow | None, boot_id: str, uptime_ms: int) -> None:
    """Raise LeaseHeld while a lease holds."""
    if row is not None and (left_ms := row.left_ms(boot_id, uptime_ms)):
        raise LeaseHeld(
            f"lease {name!r} is held by {row.holder!r} for another {left_ms} ms",
            hint="try again when it is released or over",
        )


def require_held(lease: Lease, row: LeaseRow | None, boot_id: str, uptime_ms: int) -> LeaseRow:
    """Return the row of a lease that holds; raise LeaseLost when it does not."""
    if row is None or (row.holder, row.epoch) != (lease.holder, lease.epoch):
        epoch = row.epoch if row else 0
        raise LeaseLost(
            f"lease {lease.name!r} of epoch {lease.epoch} is lost: the newest epoch is {epoch}",
            hint="stop what was done under it, or acquire it again",
        )
    if not row.left_ms(boot_id, uptime_ms):
        raise LeaseLost(
            f"lease {lease.name!r} of epoch {lease.epoch} is over",
            hint="stop what was done under it, or acquire it again",
        )
    return row


def granted_lease(name: str, row: LeaseRow, boot_id: str, uptime_ms: int) -> GrantedLease:
    """Return the newest lease of a name, and for how long it holds."""
    lease = Lease(name=name, holder=row.holder, epoch=row.epoch, ttl_ms=row.ttl_ms)
    return GrantedLease(lease=lease, left_ms=row.left_ms(boot_id, uptime_ms))
