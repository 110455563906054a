"""Which records of a collection match, and the first of them in order.

Laws: what no index serves is looked at record by record, by the very rules of every store; so are
the records that wait to be indexed. The engine orders only where it need not look at all that
match, and counts only what it can count without a look at any.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isqrt
from operator import itemgetter
from typing import Any, Final

import msgspec

from recense.adapters.sqlite.driver import Connection, Row, SqlValue, read_number
from recense.adapters.sqlite.record_plans import (
    COLUMNS,
    Clause,
    RecordPlan,
    fields_hold,
    has_term,
    is_between,
    joined,
    matching_keys,
    plan_of,
)
from recense.adapters.sqlite.record_terms import OBSERVED_AT, ORDER_KINDS, decode_fields
from recense.ports.record_rules import SortKey, in_order, is_met, no_longer_listed, sort_key
from recense.ports.records import RECORDED_AT, Order, Where

SLIM: Final = "r.record_key, r.record_id, r.recorded_at, r.observed_at, r.fields"
WHOLE: Final = f"{SLIM}, r.text, r.vector, r.body"
TEXT: Final = 5
"""Where a WHOLE row has its text."""

_ID: Final = 1
_BY_KEYS: Final = (
    f"SELECT {WHOLE} FROM records r"  # noqa: S608 - of names above alone
    " WHERE r.record_key IN (SELECT value FROM json_each(?))"
)

_COLLECTION: Final = (
    "SELECT c.collection_key, c.records, s.indexed_through"
    " FROM record_collections c, record_collections s WHERE c.name = ? AND s.collection_key = 0"
)


_WATERMARK: Final = "SELECT watermark FROM record_collections WHERE name = ?"


class Collection(msgspec.Struct, frozen=True):
    """A collection at one moment."""

    key: int
    records: int
    indexed_through: int


def find_collection_at(connection: Connection, name: str) -> Collection | None:
    """Return a collection that was written to, or None."""
    row = connection.execute(_COLLECTION, (name,)).fetchone()
    return None if row is None else Collection(*row)


def read_watermark(connection: Connection, name: str) -> int:
    """Return how often a collection was changed."""
    return read_number(connection, _WATERMARK, (name,)) or 0


def listed(
    connection: Connection,
    collection: Collection,
    where: Where,
    order: Order,
    page: tuple[int | None, Row | None],
    *,
    counted: bool,
    enough: int | None,
) -> tuple[list[Row], int | None]:
    """Return the first rows that match, and how many match in all, or ``enough`` of them at least;
    None where that is not ``counted`` and not known without.

    ``page`` is how many rows, and behind which one. Rows are WHOLE without a limit, and SLIM with
    one. Raises NotFound when the row before the page does not match.
    """
    limit, after = page
    plan = plan_of(where)
    if after is not None and not _is_met(after, where):
        raise no_longer_listed(after[_ID])
    if limit is not None and plan.at_once is None and not plan.rest and _is_indexed(order):
        indexed = _Indexed(connection, collection, plan, order)
        waiting = waiting_rows(connection, collection, where)
        total = indexed.count(enough) + len(waiting) if counted else None
        if limit == 0:
            return [], total
        # Where so many match, the first are met sooner in order than all are read and ordered.
        many = isqrt(limit * collection.records)
        if matching_count_up_to(connection, collection, plan, many) is None:
            found = [*waiting, *indexed.first(limit, after)]
            return _behind(_ordered(found, order), order, after)[:limit], total
    columns = WHOLE if limit is None else SLIM
    found = list(matching_rows(connection, collection, where, columns, plan))
    ordered = _ordered(found, order)
    return _behind(ordered, order, after)[:limit], len(found)


def matching_rows(
    connection: Connection,
    collection: Collection,
    where: Where,
    columns: str,
    plan: RecordPlan,
) -> Iterator[Row]:
    """Yield the rows that match, in no order."""
    if plan.at_once is not None:
        keys = matching_keys(collection.key, plan.at_once)
        rows = connection.execute(
            f"SELECT {columns} FROM ({keys.text}) t CROSS JOIN records r USING (record_key)",  # noqa: S608 - of names above alone
            keys.bindings,
        )
        yield from _met(rows, where if len(where) > 1 else ())
    elif plan.terms:
        first, *others = plan.terms
        keys = matching_keys(collection.key, first)
        conditions = _conditions(collection, others, plan, "r.record_key")
        rows = connection.execute(
            f"SELECT {columns} FROM ({keys.text}) t CROSS JOIN records r USING (record_key)"  # noqa: S608 - as above
            f" WHERE {conditions.text}",
            keys.bindings + conditions.bindings,
        )
        yield from _met(rows, plan.rest)
        yield from waiting_rows(connection, collection, where, columns)
    else:
        rows = connection.execute(
            f"SELECT {columns} FROM records r WHERE r.collection_key = ?",  # noqa: S608 - as above
            (collection.key,),
        )
        yield from _met(rows, where)


def whole_rows(connection: Connection, keys: Sequence[int]) -> list[Row]:
    """Return the rows with these keys, WHOLE, in their order."""
    if not keys:
        return []
    asked = msgspec.json.encode(keys).decode()
    read = {row[0]: row for row in connection.execute(_BY_KEYS, (asked,)).fetchall()}
    return [read[key] for key in keys if key in read]


def waiting_rows(
    connection: Connection, collection: Collection, where: Where, columns: str = SLIM
) -> list[Row]:
    """Return the rows that match and wait to be indexed."""
    held = fields_hold(where)
    rows = connection.execute(
        f"SELECT {columns} FROM records r WHERE r.record_key > ? AND r.collection_key + 0 = ?"  # noqa: S608 - as above
        f" AND {held.text}",
        (collection.indexed_through, collection.key, *held.bindings),
    )
    return list(_met(rows, where))


def matching_count_up_to(
    connection: Connection, collection: Collection, plan: RecordPlan, most: int
) -> int | None:
    """Return how many records at most can match, if an index says so and they are few."""
    if not plan.terms:
        return None
    keys = matching_keys(collection.key, plan.terms[0])
    count = read_number(
        connection,
        f"SELECT count(*) FROM ({keys.text} LIMIT ?)",  # noqa: S608 - as above
        (*keys.bindings, most + 1),
    )
    return None if count is None or count > most else count


class _Indexed:
    """What is indexed of a collection and meets conditions that indexes know."""

    def __init__(
        self, connection: Connection, collection: Collection, plan: RecordPlan, order: Order
    ) -> None:
        self._connection: Final = connection
        self._collection: Final = collection
        self._plan: Final = plan
        self._order: Final = order
        self._direction: Final = "DESC" if order.descending else "ASC"
        self._beyond: Final = "<" if order.descending else ">"

    def count(self, enough: int | None) -> int:
        """Return how many there are; counting stops where that is ``enough``."""
        collection, plan = self._collection, self._plan
        most = -1 if enough is None else enough
        if plan.terms:
            first, *others = plan.terms
            keys = matching_keys(collection.key, first)
            is_joined = bool(plan.bounds)
            conditions = _conditions(collection, others, plan, "t.record_key", joins=is_joined)
            join = " CROSS JOIN records r USING (record_key)" if is_joined else ""
            return self._number(
                Clause(
                    f"SELECT count(*) FROM (SELECT 1 FROM ({keys.text}) t{join}"  # noqa: S608 - as above
                    f" WHERE {conditions.text} LIMIT ?)",
                    (*keys.bindings, *conditions.bindings, most),
                )
            )
        if plan.bounds:
            first_bound, *other_bounds = plan.bounds
            source = self._in_order_of(first_bound.field, [first_bound], other_bounds)
            return self._number(
                Clause(
                    f"SELECT count(*) FROM (SELECT 1 FROM {source.text} LIMIT ?)",  # noqa: S608 - as above
                    (*source.bindings, most),
                )
            )
        waiting = "SELECT count(*) FROM records WHERE record_key > ? AND collection_key + 0 = ?"
        return collection.records - self._number(
            Clause(waiting, (collection.indexed_through, collection.key))
        )

    def first(self, limit: int, after: Row | None) -> list[Row]:
        """Return the first rows, SLIM and in order, behind a row."""
        field = self._order.field
        if field is None:
            return self._by_id(limit, after, ())
        column = COLUMNS[field]
        bounds = [bound for bound in self._plan.bounds if bound.field == field]
        others = [bound for bound in self._plan.bounds if bound.field != field]
        value = None if after is None else _order_value(after, field)
        found: list[Row] = []
        if after is None or value is not None:
            source = self._in_order_of(field, bounds, others)
            cursor = Clause("")
            if after is not None:
                cursor = Clause(
                    f" AND (o.value, o.record_id) {self._beyond} (?, ?)", (value, after[_ID])
                )
            found = self._connection.execute(
                f"SELECT {SLIM} FROM {source.text}{cursor.text}"  # noqa: S608 - as above
                f" ORDER BY o.value {self._direction}, o.record_id {self._direction} LIMIT ?",
                (*source.bindings, *cursor.bindings, limit),
            ).fetchall()
        if len(found) < limit and not bounds:
            behind = after if after is not None and value is None else None
            missing = (Clause(f"{column} IS NULL"),)
            found += self._by_id(limit - len(found), behind, missing)
        return found

    def _by_id(self, limit: int, after: Row | None, also: Iterable[Clause]) -> list[Row]:
        collection = self._collection
        clauses = [
            Clause("r.collection_key = ?", (collection.key,)),
            Clause("r.record_key <= ?", (collection.indexed_through,)),
            _conditions(collection, self._plan.terms, self._plan, "r.record_key"),
            *also,
        ]
        if after is not None:
            clauses.append(Clause(f"r.record_id {self._beyond} ?", (after[_ID],)))
        conditions = joined(clauses)
        return self._connection.execute(
            f"SELECT {SLIM} FROM records r INDEXED BY records_by_id WHERE {conditions.text}"  # noqa: S608 - as above
            f" ORDER BY r.record_id {self._direction} LIMIT ?",
            (*conditions.bindings, limit),
        ).fetchall()

    def _in_order_of(self, field: str, bounds: Iterable[Any], others: Iterable[Any]) -> Clause:
        """Return what is read in the order of a field, within bounds of it and of others."""
        collection = self._collection
        conditions = joined(
            [
                Clause(
                    "o.collection_key = ? AND o.term_kind = ?",
                    (collection.key, ORDER_KINDS[field]),
                ),
                *(is_between("o.value", bound) for bound in bounds),
                *(is_between(COLUMNS[bound.field], bound) for bound in others),
                *(has_term(collection.key, term, "o.record_key") for term in self._plan.terms),
            ]
        )
        return Clause(
            f"record_order o CROSS JOIN records r USING (record_key) WHERE {conditions.text}",
            conditions.bindings,
        )

    def _number(self, query: Clause) -> int:
        return read_number(self._connection, query.text, query.bindings) or 0


def _conditions(
    collection: Collection, terms: Iterable[Any], plan: RecordPlan, key: str, *, joins: bool = True
) -> Clause:
    clauses = [Clause("1"), *(has_term(collection.key, term, key) for term in terms)]
    if joins:
        clauses.extend(is_between(COLUMNS[bound.field], bound) for bound in plan.bounds)
    return joined(clauses)


def _is_indexed(order: Order) -> bool:
    return order.field is None or order.field in COLUMNS


def _met(rows: Iterable[Row], where: Where) -> Iterable[Row]:
    """Return the rows that meet conditions."""
    return (row for row in rows if _is_met(row, where)) if where else rows


def _is_met(row: Row, where: Where) -> bool:
    fields: Mapping[str, Any] = decode_fields.decode(row[4])
    return all(is_met(fields, row[2], condition) for condition in where)


def _order_value(row: Row, field: str) -> SqlValue:
    value: SqlValue = row[3] if field == OBSERVED_AT else row[2]
    return value


def _ordered(rows: list[Row], order: Order) -> list[Row]:
    """Return rows in order; by id they are compared as they are, since no two have one."""
    if order.field is None:
        return sorted(rows, key=itemgetter(_ID), reverse=order.descending)
    return in_order(((_sort_key(row, order), row[_ID], row) for row in rows), order)


def _sort_key(row: Row, order: Order) -> SortKey | None:
    match order.field:
        case field if field == RECORDED_AT:
            return sort_key(row[_ID], {}, row[2], order)
        case field if field == OBSERVED_AT:
            return sort_key(row[_ID], {} if row[3] is None else {field: row[3]}, None, order)
        case _:
            return sort_key(row[_ID], decode_fields.decode(row[4]), row[2], order)


def _behind(rows: list[Row], order: Order, after: Row | None) -> list[Row]:
    """Return the rows that come behind one, which need not be among them."""
    if after is None:
        return rows
    mark = _ordered([*rows, after], order)
    place = next(place for place, row in enumerate(mark) if row[_ID] == after[_ID])
    return [row for row in mark[place + 1 :] if row[_ID] != after[_ID]]
