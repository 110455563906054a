"""Many statements in one commit: each is decided as if those before it had been written.

Law: what is read is one moment of the store and, on top of it, what was decided since. It is kept
together, on the condition that nothing of what was read has changed.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from recense.core.values import Value
from recense.ports.records import (
    BY_ID,
    Append,
    ContainsAny,
    Listing,
    Near,
    Order,
    Record,
    RecordReader,
    Where,
)
from recense.services.fact_collections import MEMORY
from recense.services.fact_reading import HistoryKeys
from recense.services.fact_records import require_whole

_HISTORY_FIELDS: Final = ("pairs", "touches")
_NOTHING: Final = Listing(records=(), total=0)


class Draft(Value, kw_only=True):
    """What is to be written for one request, on the condition of what was read for it.

    ``defines`` says that it changes the registry.
    """

    records: tuple[Record, ...] = ()
    expected: Mapping[str, int] = {}
    bump: frozenset[str] = frozenset()
    defines: bool = False

    def append(self) -> Append:
        """Return it as the store takes it."""
        return Append(records=self.records, expected=self.expected, bump=self.bump)


class DraftReader:
    """A `recense.ports.records.RecordReader` that also reads drafts by id and, as histories are
    read, by one of the keys that events touch. Everything else it reads of the store alone.
    """

    def __init__(self, reader: RecordReader) -> None:
        self._reader: Final = reader
        self._counters: Final[dict[str, int]] = {}
        self._drafted: Final[dict[tuple[str, str], Record]] = {}
        self._drafted_by: Final = {field: _ByKey(field) for field in _HISTORY_FIELDS}
        self._read_by: Final = {field: _ByKey(field) for field in _HISTORY_FIELDS}
        self._asked: Final = {field: set[str]() for field in _HISTORY_FIELDS}
        self._expected: Final[dict[str, int]] = {}
        self._bump: Final[set[str]] = set()

    def add(self, draft: Draft) -> None:
        """Read a draft from here on."""
        self._expected.update(draft.expected)
        if not draft.records:
            return
        self._bump.update(draft.bump)
        for record in draft.records:
            self._drafted.setdefault((record.collection, record.record_id), record)
            for drafted in self._drafted_by.values():
                drafted.add(record)

    def append(self) -> Append | None:
        """Return everything that was drafted as one append, None where that is nothing."""
        if not self._drafted:
            return None
        return Append(
            records=tuple(self._drafted.values()),
            expected=self._expected,
            bump=frozenset(self._bump),
        )

    def read_ahead(self, keys: Sequence[HistoryKeys]) -> None:
        """Read the histories of keys that will be asked for, together."""
        wanted: dict[str, set[str]] = {field: set() for field in _HISTORY_FIELDS}
        for each in keys:
            for field, values in each.by_field():
                wanted[field].update(values)
        for field, values in wanted.items():
            self._read_keys(field, values)

    def count_ahead(self, names: Iterable[str]) -> None:
        """Read counters that will be asked for, together."""
        missing = [name for name in names if name not in self._counters]
        if missing:
            self._counters.update(self._reader.counters(dict.fromkeys(missing)))

    def get(self, collection: str, record_ids: Iterable[str]) -> dict[str, Record]:
        """Return the records with these ids, by id; what was drafted is not in the store."""
        found: dict[str, Record] = {}
        missing: list[str] = []
        for record_id in record_ids:
            record = self._drafted.get((collection, record_id))
            if record is None:
                missing.append(record_id)
            else:
                found[record_id] = record
        return {**found, **self._reader.get(collection, missing)} if missing else found

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
        """Return the records that match, drafts with them where it is a history that is listed."""
        match where:
            case (ContainsAny(field=field, values=keys),) if (
                collection == MEMORY and field in _HISTORY_FIELDS and limit is None
            ):
                return self._history(field, keys)
            case _:
                return self._reader.list(
                    collection,
                    where,
                    limit=limit,
                    order=order,
                    after=after,
                    counted=counted,
                    enough=enough,
                )

    def search_text(
        self, collection: str, words: Sequence[str], limit: int, where: Where = ()
    ) -> tuple[Record, ...]:
        """Search the store."""
        return self._reader.search_text(collection, words, limit, where)

    def search_vector(
        self, collection: str, vector: Sequence[float], limit: int, where: Where = ()
    ) -> tuple[Near, ...]:
        """Search the store."""
        return self._reader.search_vector(collection, vector, limit, where)

    def counters(self, names: Iterable[str]) -> dict[str, int]:
        """Return the counters of these names as the store has them: on them the whole depends."""
        wanted = tuple(names)
        self.count_ahead(wanted)
        return {name: self._counters[name] for name in wanted}

    def _history(self, field: str, keys: Sequence[str]) -> Listing:
        self._read_keys(field, keys)
        # The store's come last, so that they stand: they have a stamp.
        records = (*self._drafted_by[field].having(keys), *self._read_by[field].having(keys))
        if not records:
            return _NOTHING
        found = {record.record_id: record for record in records}
        return Listing(records=tuple(found.values()), total=len(found))

    def _read_keys(self, field: str, keys: Collection[str]) -> None:
        """Read the histories of keys that were not read yet, together."""
        asked = self._asked[field]
        if not asked.issuperset(keys):
            missing = set(keys).difference(asked)
            where = (ContainsAny(field=field, values=tuple(sorted(missing))),)
            listing = self._reader.list(MEMORY, where)
            require_whole(listing)
            asked |= missing
            for record in listing.records:
                self._read_by[field].add(record)


class _ByKey:
    """Records by each of the keys that one of their fields holds."""

    def __init__(self, field: str) -> None:
        self._field: Final = field
        self._records: Final[dict[str, list[Record]]] = {}

    def add(self, record: Record) -> None:
        """Have a record."""
        keys = record.fields.get(self._field)
        if isinstance(keys, tuple):
            for key in keys:
                self._records.setdefault(key, []).append(record)

    def having(self, keys: Iterable[str]) -> list[Record]:
        """Return the records that hold one of some keys; some twice."""
        records = self._records
        return [record for key in keys if key in records for record in records[key]]
