"""The reference store of records.

Laws: every commit is one assignment of a new state, and a state never changes, so that a snapshot
is the state itself. What can be worked out is worked out when it is asked for, never kept. Speed is
no aim here; being obviously right is.
"""

import threading
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from typing import Final, TypeVar

from msgspec.structs import replace

from recense.core.recall.index_words import index_words
from recense.core.values import Value
from recense.ports.clock import Uptime
from recense.ports.commits import FencedRecords
from recense.ports.record_rules import (
    LeaseRow,
    cosine,
    granted,
    granted_lease,
    in_order,
    matches,
    no_longer_listed,
    norm,
    require_dimensions,
    require_expected,
    require_free,
    require_held,
    require_limit,
    require_record,
    require_stamp,
    require_text,
    require_texts,
    require_time_to_live,
    require_unchanged,
    require_vector,
    require_where,
    single,
    sort_key,
)
from recense.ports.records import (
    BY_ID,
    EVERYTHING,
    Append,
    Appended,
    Capability,
    GrantedLease,
    Lease,
    Listing,
    Near,
    Order,
    Record,
    RecordReader,
    Where,
)

Place = tuple[str, str]

_Also = TypeVar("_Also")


class RecordsState(Value, kw_only=True):
    """One moment of the whole store; its mappings are replaced, never changed."""

    records: Mapping[Place, Record] = {}
    mutations: Mapping[str, int] = {}
    counters: Mapping[str, int] = {}
    leases: Mapping[str, LeaseRow] = {}
    last_stamp: int | None = None


class MemoryRecords:
    """A `recense.ports.records.RecordStore` that ends with its process."""

    capabilities: frozenset[Capability] = EVERYTHING

    def __init__(self, uptime: Uptime) -> None:
        self._uptime: Final = uptime
        self._lock: Final = threading.Lock()
        self._state = RecordsState()

    def put(self, records: Iterable[Record]) -> None:
        """Keep records, as the port says."""
        given = [kept(record) for record in records]
        with self._lock:
            self._state = _with_records(self._state, given)

    def delete(self, collection: str, record_ids: Iterable[str]) -> int:
        """Remove records and return how many there were."""
        require_text("a collection", collection)
        gone = {(collection, record_id) for record_id in record_ids}
        with self._lock:
            state = self._state
            left = {place: each for place, each in state.records.items() if place not in gone}
            removed = len(state.records) - len(left)
            if removed:
                mutations = _mutated(state.mutations, {collection})
                self._state = replace(state, records=left, mutations=mutations)
            return removed

    def append(self, append: Append, *, now: int) -> Appended:
        """Add records, as the port says."""
        require_stamp(now)
        given = [kept(record) for record in append.records]
        require_texts("the name of a counter", (*append.expected, *append.bump))
        with self._lock:
            state = self._state
            require_expected(state.counters, append)
            new: dict[Place, Record] = {}
            stamps: dict[Place, int] = {}
            last = state.last_stamp
            for record in given:
                place = (record.collection, record.record_id)
                if place in state.records or place in new:
                    continue
                last = now if last is None else max(now, last + 1)
                require_stamp(last)
                new[place] = replace(record, recorded_at=last)
                stamps[place] = last
            counters = dict(state.counters)
            for name in append.bump:
                counters[name] = counters.get(name, 0) + 1
            _require_one_dimension(state.records, given)
            self._state = replace(_with_records(state, new.values()), counters=counters)
            return Appended(stamps=stamps)

    def acquire(self, name: str, holder: str, *, ttl_ms: int) -> Lease:
        """Take a lease, as the port says."""
        require_text("the name of a lease", name)
        require_text("a holder", holder)
        require_time_to_live(ttl_ms)
        with self._lock:
            row = self._state.leases.get(name)
            boot_id, uptime_ms = self._uptime.boot_id(), self._uptime.uptime_ms()
            require_free(name, row, boot_id, uptime_ms)
            new = granted(row, holder, ttl_ms, boot_id, uptime_ms)
            self._keep_lease(name, new)
            return Lease(name=name, holder=holder, epoch=new.epoch, ttl_ms=ttl_ms)

    def renew(self, lease: Lease) -> None:
        """Let a lease hold for its time from now, as the port says."""
        require_time_to_live(lease.ttl_ms)
        with self._lock:
            row = self._held(lease)
            until_ms = self._uptime.uptime_ms() + lease.ttl_ms
            renewed = replace(row, until_ms=until_ms, ttl_ms=lease.ttl_ms)
            self._keep_lease(lease.name, renewed)

    def release(self, lease: Lease) -> None:
        """Give a lease back, as the port says."""
        with self._lock:
            row = self._state.leases.get(lease.name)
            if row is not None and (row.holder, row.epoch) == (lease.holder, lease.epoch):
                self._keep_lease(lease.name, replace(row, released=True))

    def newest_lease(self, name: str) -> GrantedLease | None:
        """Return the newest lease of a name, as the port says."""
        require_text("the name of a lease", name)
        row = self._state.leases.get(name)
        boot_id, uptime_ms = self._uptime.boot_id(), self._uptime.uptime_ms()
        return None if row is None else granted_lease(name, row, boot_id, uptime_ms)

    def fenced_put(
        self, lease: Lease, records: Iterable[Record], *, unchanged: Record | None = None
    ) -> None:
        """Keep records if the lease holds, as the port says."""
        fenced = FencedRecords(lease=lease, records=tuple(records), unchanged=unchanged)
        self.fenced_put_with(fenced, lambda: None)

    def fenced_put_with(self, fenced: FencedRecords, also: Callable[[], _Also]) -> _Also:
        """Keep records if their lease holds, and return what ``also`` does in the same commit; what
        that raises takes all of it back.
        """
        given = [kept(record) for record in fenced.records]
        with self._lock:
            self._held(fenced.lease)
            if (unchanged := fenced.unchanged) is not None:
                place = (unchanged.collection, unchanged.record_id)
                require_unchanged(unchanged, self._state.records.get(place))
            state = _with_records(self._state, given)
            done = also()
            self._state = state
            return done

    def watermark(self, collection: str) -> str:
        """Return how often the collection was changed."""
        require_text("a collection", collection)
        return str(self._state.mutations.get(collection, 0))

    @contextmanager
    def snapshot(self) -> Generator[RecordReader]:
        """Return a reader of this moment."""
        yield _MemoryRecordReader(self._state)

    def close(self) -> None:
        """Do nothing: the store goes when nobody refers to it."""

    def _held(self, lease: Lease) -> LeaseRow:
        row = self._state.leases.get(lease.name)
        return require_held(lease, row, self._uptime.boot_id(), self._uptime.uptime_ms())

    def _keep_lease(self, name: str, row: LeaseRow) -> None:
        self._state = replace(self._state, leases={**self._state.leases, name: row})


class _MemoryRecordReader:
    """A `recense.ports.records.RecordReader` of one state."""

    def __init__(self, state: RecordsState) -> None:
        self._state: Final = state

    def get(self, collection: str, record_ids: Iterable[str]) -> dict[str, Record]:
        """Return the records with these ids, by id."""
        require_text("a collection", collection)
        wanted = set(record_ids)
        return {
            each.record_id: each
            for each in _of(self._state, collection)
            if each.record_id in wanted
        }

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
        found = in_order(
            (
                (
                    sort_key(each.record_id, each.fields, each.recorded_at, order),
                    each.record_id,
                    each,
                )
                for each in _matching(self._state, collection, where)
            ),
            order,
        )
        start = 0
        if after is not None:
            ids = [record.record_id for record in found]
            if after not in ids:
                raise no_longer_listed(after)
            start = ids.index(after) + 1
        end = None if limit is None else start + limit
        return Listing(records=tuple(found[start:end]), total=len(found))

    def search_text(
        self, collection: str, words: Sequence[str], limit: int, where: Where = ()
    ) -> tuple[Record, ...]:
        """Return the records that have most of the words, the newest of them first."""
        require_text("a collection", collection)
        require_where(where)
        require_limit(limit)
        asked = set(words)
        found: list[tuple[int, Record]] = []
        for record in _matching(self._state, collection, where):
            shared = asked.intersection(index_words(record.text or ""))
            if shared:
                found.append((len(shared), record))
        found.sort(key=lambda each: (-each[0], each[1].record_id))
        return tuple(record for _, record in found[:limit])

    def search_vector(
        self, collection: str, vector: Sequence[float], limit: int, where: Where = ()
    ) -> tuple[Near, ...]:
        """Return the records with the nearest vectors."""
        require_text("a collection", collection)
        require_where(where)
        require_limit(limit)
        require_vector(vector)
        for record in _of(self._state, collection):
            if record.vector is not None:
                require_dimensions(collection, len(record.vector), len(vector))
        asked = single(vector)
        near = [
            Near(
                record=record,
                similarity=cosine(asked, record.vector, norm(asked) * norm(record.vector)),
            )
            for record in _matching(self._state, collection, where)
            if record.vector is not None
        ]
        near.sort(key=lambda each: (-each.similarity, each.record.record_id))
        return tuple(near[:limit])

    def counters(self, names: Iterable[str]) -> dict[str, int]:
        """Return the counters of these names."""
        return {name: self._state.counters.get(name, 0) for name in names}


def _of(state: RecordsState, collection: str) -> list[Record]:
    return [each for (name, _), each in state.records.items() if name == collection]


def _matching(state: RecordsState, collection: str, where: Where) -> list[Record]:
    return [record for record in _of(state, collection) if matches(record, where)]


def kept(record: Record) -> Record:
    """Return a record as a store keeps it. Raises InvalidRequest for one that cannot be kept."""
    require_record(record)
    if record.vector is None:
        return record
    return replace(record, vector=single(record.vector))


def _with_records(state: RecordsState, given: Iterable[Record]) -> RecordsState:
    """Return the state with records put into it."""
    records = dict(state.records)
    last = state.last_stamp
    changed: set[str] = set()
    given = list(given)
    _require_one_dimension(state.records, given)
    for record in given:
        records[record.collection, record.record_id] = record
        changed.add(record.collection)
        if record.recorded_at is not None:
            last = record.recorded_at if last is None else max(last, record.recorded_at)
    mutations = _mutated(state.mutations, changed)
    return replace(state, records=records, mutations=mutations, last_stamp=last)


def _mutated(mutations: Mapping[str, int], changed: Iterable[str]) -> Mapping[str, int]:
    return {**mutations, **{name: mutations.get(name, 0) + 1 for name in changed}}


def _require_one_dimension(there: Mapping[Place, Record], given: Iterable[Record]) -> None:
    """Raise DimensionMismatch unless all vectors of a collection have one length."""
    dimensions = {
        each.collection: len(each.vector) for each in there.values() if each.vector is not None
    }
    for record in given:
        if record.vector is not None:
            expected = dimensions.setdefault(record.collection, len(record.vector))
            require_dimensions(record.collection, expected, len(record.vector))
