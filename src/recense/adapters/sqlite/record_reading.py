"""Reading records at one moment."""

from collections.abc import Iterable, Sequence
from typing import Final

from recense.adapters.sqlite.border import border
from recense.adapters.sqlite.driver import Connection, Row
from recense.adapters.sqlite.record_listing import (
    WHOLE,
    Collection,
    find_collection_at,
    listed,
    whole_rows,
)
from recense.adapters.sqlite.record_terms import decode_fields
from recense.adapters.sqlite.record_text_search import best_rows
from recense.adapters.sqlite.record_vectors import nearest_keys, vector_of
from recense.adapters.sqlite.record_writing import dimensions_of, is_unicode, read_counters
from recense.ports.record_rules import (
    no_longer_listed,
    require_dimensions,
    require_limit,
    require_text,
    require_vector,
    require_where,
    single,
)
from recense.ports.records import BY_ID, Listing, Near, Order, Record, Where

_BY_ID: Final = f"SELECT {WHOLE} FROM records r WHERE r.collection_key = ? AND r.record_id = ?"  # noqa: S608 - of names above alone


class SqliteRecordReader:
    """A `recense.ports.records.RecordReader` on one connection, for one thread."""

    def __init__(self, connection: Connection, place: str) -> None:
        self._connection: Final = connection
        self._place: Final = place
        self._collections: Final[dict[str, Collection | None]] = {}

    def get(self, collection: str, record_ids: Iterable[str]) -> dict[str, Record]:
        """Return the records with these ids, by id."""
        require_text("a collection", collection)
        with border(self._place):
            found = self._collection(collection)
            if found is None:
                return {}
            wanted = [(found.key, each) for each in dict.fromkeys(record_ids) if is_unicode(each)]
            rows = self._connection.executemany(_BY_ID, wanted)
            return {row[1]: _record(collection, row) for row in rows}

    def list(
        self,
        collection: str,
        where: Where = (),
        *,
        limit: int | None = None,
        order: Order = BY_ID,
        after: str | None = None,
        counted: bool = True,
        enough: int | None = None,
    ) -> Listing:
        """Return the records that match, in order."""
        require_text("a collection", collection)
        require_where(where)
        require_limit(limit)
        with border(self._place):
            found = self._collection(collection)
            mark: Row | None = None
            if after is not None:
                if found is not None and is_unicode(after):
                    mark = self._connection.execute(_BY_ID, (found.key, after)).fetchone()
                if mark is None:
                    raise no_longer_listed(after)
            if found is None:
                return Listing(records=(), total=0)
            page = (limit, mark)
            rows, total = listed(
                self._connection, found, where, order, page, counted=counted, enough=enough
            )
            if limit is not None:
                rows = whole_rows(self._connection, [row[0] for row in rows])
            records = tuple([_record(collection, row) for row in rows])
            return Listing(records=records, total=total)

    def search_text(
        self, collection: str, words: Sequence[str], limit: int, where: Where = ()
    ) -> tuple[Record, ...]:
        """Return the best records that have one of the words, as the port says."""
        require_text("a collection", collection)
        require_where(where)
        require_limit(limit)
        with border(self._place):
            found = self._collection(collection)
            if found is None:
                return ()
            rows = best_rows(self._connection, found, words, limit, where)
            return tuple([_record(collection, row) for row in rows])

    def search_vector(
        self, collection: str, vector: Sequence[float], limit: int, where: Where = ()
    ) -> tuple[Near, ...]:
        """Return the records with the nearest vectors, as the port says."""
        require_text("a collection", collection)
        require_where(where)
        require_limit(limit)
        require_vector(vector)
        with border(self._place):
            found = self._collection(collection)
            dimensions = dimensions_of(self._connection, collection)
            if found is None or dimensions is None:
                return ()
            require_dimensions(collection, dimensions, len(vector))
            near = nearest_keys(self._connection, found, single(vector), limit, where)
            rows = whole_rows(self._connection, [key for key, _ in near])
            return tuple(
                Near(record=_record(collection, row), similarity=similarity)
                for row, (_, similarity) in zip(rows, near, strict=True)
            )

    def counters(self, names: Iterable[str]) -> dict[str, int]:
        """Return the counters of these names."""
        with border(self._place):
            return read_counters(self._connection, names)

    def _collection(self, name: str) -> Collection | None:
        """Return a collection as it is at this moment, or None."""
        if name not in self._collections:
            self._collections[name] = find_collection_at(self._connection, name)
        return self._collections[name]


def _record(collection: str, row: Row) -> Record:
    _, record_id, recorded_at, _, fields, text, vector, body = row
    return Record(
        collection=collection,
        record_id=record_id,
        body=body,
        fields=decode_fields.decode(fields),
        text=text,
        vector=None if vector is None else vector_of(vector),
        recorded_at=recorded_at,
    )
