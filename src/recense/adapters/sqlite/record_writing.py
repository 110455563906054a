"""Writing records, inside a transaction that the caller has begun."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import Final

import msgspec

from recense.adapters.sqlite.driver import (
    Connection,
    Row,
    SqlValue,
    filled,
    insert_long_rows,
    insert_rows,
    marks,
    read_number,
)
from recense.adapters.sqlite.record_terms import (
    OrderRow,
    Place,
    TermRow,
    boolean_terms,
    decode_fields,
    encode_fields,
    list_terms,
    observed_at_of,
    order_terms,
    text_terms,
)
from recense.adapters.sqlite.record_vectors import vector_bytes
from recense.adapters.sqlite.record_words import index_texts
from recense.limits import RECORDS_WAITING_MAX
from recense.ports.record_rules import (
    require_dimensions,
    require_expected,
    require_record,
    require_stamp,
)
from recense.ports.records import Append, Appended, Field, Record

_STATE: Final = (
    "SELECT last_stamp, last_key, indexed_through FROM record_collections WHERE collection_key = 0"
)
_KEEP_STATE: Final = (
    "UPDATE record_collections SET last_stamp = ?, last_key = ?, indexed_through = ?"
    " WHERE collection_key = 0"
)
_FIND_COLLECTION: Final = "SELECT collection_key FROM record_collections WHERE name = ?"
_MAKE_COLLECTION: Final = (
    "INSERT INTO record_collections (name, watermark, records, last_key, indexed_through)"
    " VALUES (?, 0, 0, 0, 0) RETURNING collection_key"
)
_COUNT_COLLECTION: Final = (
    "UPDATE record_collections SET watermark = watermark + 1, records = records + ?"
    " WHERE collection_key = ?"
)
_FIND: Final = "SELECT record_key FROM records WHERE collection_key = ? AND record_id = ?"
_FIND_IDS: Final = "SELECT record_id FROM records WHERE collection_key = ? AND record_id IN"
_DIMENSIONS: Final = (
    "SELECT length(vector) / 4 FROM records INDEXED BY records_with_vectors"
    " WHERE collection_key = ? AND vector IS NOT NULL LIMIT 1"
)
_VALUE: Final = itemgetter(0)
_ASKED_AT_ONCE: Final = 256
_COUNT: Final = "coalesce((SELECT count FROM record_counters WHERE name = ?), 0)"
_COUNTS_AT_ONCE: Final = 64
_BUMP: Final = "ON CONFLICT (name) DO UPDATE SET count = count + 1"
_WAITING: Final = (
    "SELECT record_key, collection_key, record_id, recorded_at, observed_at, fields, text"
    " FROM records WHERE record_key > ? AND record_key <= ?"
)


class _Waiting(msgspec.Struct, frozen=True, gc=False):
    """What indexes repeat of a record that was inserted."""

    place: Place
    record_id: str
    recorded_at: int | None
    observed_at: str | int | float | None
    fields: Mapping[str, Field]
    text: str | None


class PreparedRecord(msgspec.Struct, frozen=True, gc=False):
    """A record that can be kept, with what is written of it."""

    record: Record
    fields: bytes
    vector: bytes | None


def prepared(records: Iterable[Record]) -> list[PreparedRecord]:
    """Return records as they are written. Raises InvalidRequest for one that cannot be kept."""
    found: list[PreparedRecord] = []
    for record in records:
        require_record(record)
        vector = None if record.vector is None else vector_bytes(record.vector)
        found.append(PreparedRecord(record, encode_fields(record.fields), vector))
    return found


def put_records(connection: Connection, given: Sequence[PreparedRecord]) -> None:
    """Keep records; one that is there is replaced, and the last of several wins."""
    state = _State(connection)
    last = {(each.record.collection, each.record.record_id): each for each in given}
    _require_one_dimension(connection, given)
    for collection, group in _by_collection(last.values()):
        key = _collection_key(connection, collection)
        removed = _remove(
            connection, key, [each.record.record_id for each in group], state.indexed_through
        )
        _insert(connection, state, key, group, [each.record.recorded_at for each in group])
        connection.execute(_COUNT_COLLECTION, (len(group) - removed, key))
    for each in given:
        state.see_stamp(each.record.recorded_at)
    state.keep()


def append_records(
    connection: Connection, append: Append, given: Sequence[PreparedRecord], now: int
) -> Appended:
    """Add records on condition of counters, as the port says."""
    require_expected(read_counters(connection, append.expected), append)
    raised = [(name, 1) for name in sorted(append.bump)]
    insert_rows(connection, "INSERT INTO record_counters", raised, _BUMP)
    stamps: dict[tuple[str, str], int] = {}
    if not given:
        return Appended(stamps=stamps)
    _require_one_dimension(connection, given)
    state = _State(connection)
    keys = {each.record.collection: 0 for each in given}
    there: set[tuple[str, str]] = set()
    for collection in keys:
        keys[collection] = key = _collection_key(connection, collection)
        ids = [each.record.record_id for each in given if each.record.collection == collection]
        there |= {(collection, record_id) for record_id in _those_there(connection, key, ids)}
    new: list[PreparedRecord] = []
    for each in given:
        place = (each.record.collection, each.record.record_id)
        if place not in there and place not in stamps:
            stamps[place] = state.next_stamp(now)
            new.append(each)
    for collection, group in _by_collection(new):
        found = [stamps[collection, each.record.record_id] for each in group]
        _insert(connection, state, keys[collection], group, found)
        connection.execute(_COUNT_COLLECTION, (len(group), keys[collection]))
    if new:
        state.keep()
    return Appended(stamps=stamps)


def delete_records(connection: Connection, collection: str, record_ids: Iterable[str]) -> int:
    """Remove records and return how many there were."""
    key = find_collection(connection, collection)
    if key is None:
        return 0
    state = _State(connection)
    removed = _remove(connection, key, sorted(set(record_ids)), state.indexed_through)
    if removed:
        connection.execute(_COUNT_COLLECTION, (-removed, key))
    return removed


def read_counters(connection: Connection, names: Iterable[str]) -> dict[str, int]:
    """Return the counters of these names; one that was never raised is 0."""
    wanted = tuple(dict.fromkeys(names))
    found: dict[str, int] = {}
    for begin in range(0, len(wanted), _COUNTS_AT_ONCE):
        values = filled(wanted[begin : begin + _COUNTS_AT_ONCE])
        for counts in connection.execute(_counts(len(values)), values):  # one row
            found |= zip(values, counts, strict=True)
    return found


@cache
def _counts(count: int) -> str:
    """Return the statement that reads so many counters as one row, in the order of their names."""
    return f"SELECT {', '.join([_COUNT] * count)}"


def _those_there(connection: Connection, collection_key: int, ids: Sequence[str]) -> Iterator[str]:
    """Yield which of some ids a collection has."""
    for begin in range(0, len(ids), _ASKED_AT_ONCE):
        values = filled(ids[begin : begin + _ASKED_AT_ONCE])
        rows = connection.execute(f"{_FIND_IDS} ({marks(values)})", (collection_key, *values))
        yield from (record_id for (record_id,) in rows)


def find_collection(connection: Connection, name: str) -> int | None:
    """Return the key of a collection that was written to, or None."""
    return read_number(connection, _FIND_COLLECTION, (name,))


class _State:
    """What the whole store knows: its last stamp and key, and how far it is indexed."""

    def __init__(self, connection: Connection) -> None:
        self._connection: Final = connection
        self._inserted: Final[list[_Waiting]] = []
        ((self._last_stamp, self.last_key, self.indexed_through),) = connection.execute(_STATE)

    def next_stamp(self, now: int) -> int:
        """Return a stamp that is later than every one before."""
        last: int | None = self._last_stamp
        stamp = now if last is None else max(now, last + 1)
        require_stamp(stamp)
        self._last_stamp = stamp
        return stamp

    def see_stamp(self, stamp: int | None) -> None:
        """Let later stamps be later than this one."""
        if stamp is not None and (self._last_stamp is None or stamp > self._last_stamp):
            self._last_stamp = stamp

    def see_inserted(self, records: Sequence[_Waiting]) -> None:
        """Take note of what was inserted, in the order of its keys."""
        self._inserted.extend(records)
        _, self.last_key = records[-1].place

    def keep(self) -> None:
        """Index what waits if it is much, and write what changed."""
        if self.last_key - self.indexed_through > RECORDS_WAITING_MAX:
            before = (self.indexed_through, self.last_key - len(self._inserted))
            _index(self._connection, [*_waiting(self._connection, before), *self._inserted])
            self.indexed_through = self.last_key
        state = (self._last_stamp, self.last_key, self.indexed_through)
        self._connection.execute(_KEEP_STATE, state)


def _by_collection(
    given: Iterable[PreparedRecord],
) -> Iterator[tuple[str, list[PreparedRecord]]]:
    collection_of = attrgetter("record.collection")
    for collection, group in groupby(sorted(given, key=collection_of), key=collection_of):
        yield collection, list(group)


def _collection_key(connection: Connection, name: str) -> int:
    found = find_collection(connection, name)
    if found is None:
        found = read_number(connection, _MAKE_COLLECTION, (name,)) or 0
    return found


def _require_one_dimension(connection: Connection, given: Iterable[PreparedRecord]) -> None:
    """Raise DimensionMismatch unless all vectors of a collection have one length."""
    expected: dict[str, int] = {}
    for each in given:
        collection = each.record.collection
        if each.record.vector is None:
            continue
        length = len(each.record.vector)
        if collection not in expected:
            expected[collection] = dimensions_of(connection, collection) or length
        require_dimensions(collection, expected[collection], length)


def dimensions_of(connection: Connection, collection: str) -> int | None:
    """Return the length of the vectors of a collection, or None when it has none."""
    key = find_collection(connection, collection)
    return None if key is None else read_number(connection, _DIMENSIONS, (key,))


def _insert(
    connection: Connection,
    state: _State,
    collection_key: int,
    given: Sequence[PreparedRecord],
    stamps: Sequence[int | None],
) -> None:
    rows: list[tuple[SqlValue, ...]] = []
    terms: list[TermRow] = []
    inserted: list[_Waiting] = []
    for key, (each, stamp) in enumerate(zip(given, stamps, strict=True), state.last_key + 1):
        record = each.record
        fields, text, name = record.fields, record.text, record.record_id
        at, place = observed_at_of(fields), (collection_key, key)
        rows.append(
            (key, collection_key, name, stamp, at, each.fields, text, each.vector, record.body)
        )
        inserted.append(_Waiting(place, name, stamp, at, fields, text))
        terms += list_terms(fields, place)
    state.see_inserted(inserted)
    insert_long_rows(connection, "INSERT INTO records", rows)
    _insert_terms(connection, terms)


def _insert_terms(connection: Connection, terms: list[TermRow]) -> None:
    """Insert terms of one type in the order in which they lie in the file."""
    terms.sort(key=_VALUE)
    insert_rows(connection, "INSERT INTO record_terms", terms)


def _waiting(connection: Connection, between: tuple[int, int]) -> Iterator[_Waiting]:
    """Yield what waits behind one key and up to another."""
    for key, collection, name, stamp, at, fields, text in connection.execute(_WAITING, between):
        yield _Waiting((collection, key), name, stamp, at, decode_fields.decode(fields), text)


def _index(connection: Connection, waiting: Sequence[_Waiting]) -> None:
    """Repeat records for the indexes."""
    texts: list[TermRow] = []
    booleans: list[TermRow] = []
    order: list[OrderRow] = []
    for each in waiting:
        texts += text_terms(each.fields, each.place)
        booleans += boolean_terms(each.fields, each.place)
        order += order_terms(each.place, each.record_id, each.observed_at, each.recorded_at)
    _insert_terms(connection, booleans)
    _insert_terms(connection, texts)
    insert_rows(connection, "INSERT INTO record_order", order)
    index_texts(connection, [(each.place, each.text) for each in waiting if each.text is not None])


def _remove(
    connection: Connection, collection_key: int, record_ids: Iterable[str], indexed_through: int
) -> int:
    """Remove records with all that repeats them, and return how many there were."""
    removed = 0
    for record_id in record_ids:
        if is_unicode(record_id):
            key = read_number(connection, _FIND, (collection_key, record_id))
            if key is not None:
                _remove_row(connection, key, is_indexed=key <= indexed_through)
                removed += 1
    return removed


def _remove_row(connection: Connection, key: int, *, is_indexed: bool) -> None:
    row: Row | None = connection.execute(
        "SELECT collection_key, record_id, recorded_at, observed_at, fields, text IS NOT NULL"
        " FROM records WHERE record_key = ?",
        (key,),
    ).fetchone()
    if row is None:
        return
    collection, record_id, stamp, observed_at, kept, has_text = row
    fields: Mapping[str, str | int | float | bool | tuple[str, ...]] = decode_fields.decode(kept)
    place = (collection, key)
    terms = list_terms(fields, place)
    if is_indexed:
        terms += text_terms(fields, place)
        terms += boolean_terms(fields, place)
        connection.executemany(
            "DELETE FROM record_order WHERE collection_key = ? AND term_kind = ? AND value = ?"
            " AND record_id = ? AND record_key = ?",
            order_terms(place, record_id, observed_at, stamp),
        )
        if has_text:
            connection.execute("DELETE FROM record_words WHERE rowid = ?", (key,))
    connection.executemany(
        "DELETE FROM record_terms"
        " WHERE value = ? AND term_kind = ? AND collection_key = ? AND record_key = ?",
        terms,
    )
    connection.execute("DELETE FROM records WHERE record_key = ?", (key,))


def is_unicode(text: str) -> bool:
    """Whether a text has no lone surrogate, so that it can stand in the file."""
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)
