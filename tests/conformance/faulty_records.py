"""Stores of records that break their word in one way each, for the suite to find out."""

from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from recense.adapters.memory.records import MemoryRecords
from recense.core.recall.index_words import index_words
from recense.errors import StoreConflict
from recense.ports.records import (
    BY_ID,
    Append,
    Appended,
    Lease,
    Listing,
    Near,
    Order,
    Record,
    RecordReader,
    Where,
)
from recense.testing import FakeUptime
from tests.conformance.record_openers import MemoryOpener


class PassingReader:
    """Passes every question on; a plant changes one of them."""

    def __init__(self, reader: RecordReader) -> None:
        self._reader: Final = reader

    def get(self, collection: str, record_ids: Iterable[str]) -> dict[str, Record]:
        return self._reader.get(collection, record_ids)

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
        return self._reader.search_text(collection, words, limit, where)

    def search_vector(
        self, collection: str, vector: Sequence[float], limit: int, where: Where = ()
    ) -> tuple[Near, ...]:
        return self._reader.search_vector(collection, vector, limit, where)

    def counters(self, names: Iterable[str]) -> dict[str, int]:
        return self._reader.counters(names)


def reading(reader_of: type[PassingReader]) -> type[MemoryRecords]:
    """Return stores whose readers are changed."""

    class Faulty(MemoryRecords):
        @contextmanager
        def snapshot(self) -> Generator[RecordReader]:
            with super().snapshot() as reader:
                yield reader_of(reader)

    Faulty.__name__ = reader_of.__name__
    return Faulty


class GetsByAnyCase(PassingReader):
    def get(self, collection: str, record_ids: Iterable[str]) -> dict[str, Record]:
        wanted = {each.lower() for each in record_ids}
        every = self._reader.list(collection).records
        return {each.record_id: each for each in every if each.record_id.lower() in wanted}


class CountsThePage(PassingReader):
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
        found = super().list(
            collection,
            where,
            limit=limit,
            order=order,
            after=after,
            counted=counted,
            enough=enough,
        )
        return replace(found, total=len(found.records))


class StopsAtTenThousand(PassingReader):
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
        limit = 10_000 if limit is None else limit
        return super().list(
            collection,
            where,
            limit=limit,
            order=order,
            after=after,
            counted=counted,
            enough=enough,
        )


class OrdersAsTexts(PassingReader):
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
        found = super().list(collection, where)
        by = order.field or ""
        records = sorted(found.records, key=lambda each: str(each.fields.get(by, each.record_id)))
        return replace(found, records=tuple(records[:limit]))


class FindsBeginnings(PassingReader):
    def search_text(
        self, collection: str, words: Sequence[str], limit: int, where: Where = ()
    ) -> tuple[Record, ...]:
        return tuple(
            each
            for each in self._reader.list(collection, where).records
            if any(has.startswith(word) for has in index_words(each.text or "") for word in words)
        )[:limit]


class FindsSpacedWordsAlone(PassingReader):
    def search_text(
        self, collection: str, words: Sequence[str], limit: int, where: Where = ()
    ) -> tuple[Record, ...]:
        spaced = [word for word in words if word.isascii()]
        return super().search_text(collection, spaced, limit, where)


class SearchesBeforeItFilters(PassingReader):
    def search_text(
        self, collection: str, words: Sequence[str], limit: int, where: Where = ()
    ) -> tuple[Record, ...]:
        allowed = {each.record_id for each in self._reader.list(collection, where).records}
        found = super().search_text(collection, words, min(limit, 256))
        return tuple(each for each in found if each.record_id in allowed)


class TiesAsTheyFall(PassingReader):
    def search_vector(
        self, collection: str, vector: Sequence[float], limit: int, where: Where = ()
    ) -> tuple[Near, ...]:
        found = super().search_vector(collection, vector, 10_000, where)
        kept = sorted(found, key=lambda near: near.record.record_id, reverse=True)
        return tuple(sorted(kept, key=lambda near: -near.similarity)[:limit])


class TakesAnyDimension(PassingReader):
    def search_vector(
        self, collection: str, vector: Sequence[float], limit: int, where: Where = ()
    ) -> tuple[Near, ...]:
        return super().search_vector(collection, (*vector, 0.0)[:2], limit, where)


class MarksByCount(MemoryRecords):
    def watermark(self, collection: str) -> str:
        with self.snapshot() as reader:
            return str(reader.list(collection).total)


class MarksTogether(MemoryRecords):
    def watermark(self, collection: str) -> str:
        return "-".join(super(MarksTogether, self).watermark(each) for each in ("notes", "other"))


class AppendsOnAnything(MemoryRecords):
    def append(self, append: Append, *, now: int) -> Appended:
        return super().append(replace(append, expected={}), now=now)


class AppendsOver(MemoryRecords):
    def append(self, append: Append, *, now: int) -> Appended:
        for record in append.records:
            self.delete(record.collection, [record.record_id])
        return super().append(append, now=now)


class StampsByTheClock(MemoryRecords):
    def append(self, append: Append, *, now: int) -> Appended:
        appended = super().append(append, now=now)
        return Appended(stamps=dict.fromkeys(appended.stamps, now))


class BumpsWhatConflicts(MemoryRecords):
    def append(self, append: Append, *, now: int) -> Appended:
        try:
            return super().append(append, now=now)
        except StoreConflict:
            super().append(Append(records=(), bump=append.bump), now=now)
            raise


class LosesTheRace(MemoryRecords):
    """Looks at the counters, and writes later."""

    def append(self, append: Append, *, now: int) -> Appended:
        with self.snapshot() as reader:
            found: Mapping[str, int] = reader.counters(append.expected)
        if found != append.expected:
            raise StoreConflict("not as expected")
        for _ in range(50):
            with self.snapshot() as reader:
                reader.list("notes")
        return super().append(replace(append, expected={}), now=now)


class PutsOneByOne(MemoryRecords):
    def put(self, records: Iterable[Record]) -> None:
        for record in records:
            super().put([record])


class GivesTheLeaseAway(MemoryRecords):
    def acquire(self, name: str, holder: str, *, ttl_ms: int) -> Lease:
        return replace(super().acquire(f"{name}{holder}", holder, ttl_ms=ttl_ms), name=name)


class ForgetsEpochs(MemoryRecords):
    def release(self, lease: Lease) -> None:
        super().release(lease)
        leases = dict(self._state.leases)
        leases.pop(lease.name, None)
        self._state = replace(self._state, leases=leases)


class NeverExpires(MemoryRecords):
    def __init__(self, uptime: FakeUptime) -> None:
        super().__init__(FakeUptime())


class WritesWithoutTheLease(MemoryRecords):
    def fenced_put(
        self, lease: Lease, records: Iterable[Record], *, unchanged: Record | None = None
    ) -> None:
        self.put(records)


class WritesWhateverChanged(MemoryRecords):
    def fenced_put(
        self, lease: Lease, records: Iterable[Record], *, unchanged: Record | None = None
    ) -> None:
        super().fenced_put(lease, records)


class LooksOnlyAtTheEpoch(MemoryRecords):
    def fenced_put(
        self, lease: Lease, records: Iterable[Record], *, unchanged: Record | None = None
    ) -> None:
        row = self._state.leases.get(lease.name)
        if row is not None and row.epoch == lease.epoch:
            self.put(records)
        else:
            super().fenced_put(lease, records, unchanged=unchanged)


class AnswersUndeclared(MemoryRecords):
    capabilities = MemoryRecords.capabilities - {"get"}


class KeepsOldFields(MemoryRecords):
    def put(self, records: Iterable[Record]) -> None:
        for record in records:
            old = self._state.records.get((record.collection, record.record_id))
            fields = {**old.fields, **record.fields} if old else record.fields
            super().put([replace(record, fields=fields)])


class RoundsIntegers(MemoryRecords):
    def put(self, records: Iterable[Record]) -> None:
        super().put(
            replace(
                each,
                fields={
                    name: float(value) if type(value) is int else value
                    for name, value in each.fields.items()
                },
            )
            for each in records
        )


class LeavesBytes(MemoryOpener):
    """Keeps a journal beside the store, and never empties it, or not when nothing is deleted."""

    def __init__(self, folder: Path, *, empties_it: bool = False) -> None:
        journal = folder / "journal"

        class Journalling(MemoryRecords):
            def put(self, records: Iterable[Record]) -> None:
                given = list(records)
                with journal.open("ab") as file:
                    file.writelines(record.body for record in given)
                super().put(given)

            def delete(self, collection: str, record_ids: Iterable[str]) -> int:
                removed = super().delete(collection, record_ids)
                if empties_it and removed:
                    journal.write_bytes(b"")
                return removed

        super().__init__(Journalling)
        self._journal: Final = journal

    def files(self, name: str) -> Iterable[Path]:
        return (self._journal,)
