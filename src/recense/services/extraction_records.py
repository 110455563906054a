"""How extraction lies in a store of records, all of it in the collection ``_extraction``.

| id | what |
|---|---|
| ``c-D`` | that a piece of a session, or a window of one, was read, or failed to be |
| ``b-B`` | the batch B: what was proposed, where its words stand, and what became of it |
| ``t-DAY-N`` | the tokens and the money that a day has taken and reserved, after its Nth change |
| ``s-E`` | when the extractor E was first let follow sessions by itself |

Law of order: a batch is recorded before its proposals are filed, and its coverage after; so whoever
is killed in between finds it *pending*, files it again under the same keys and asks nobody.
"""

from collections.abc import Iterable
from typing import Final, Literal, Self, TypeVar

import msgspec
from msgspec.structs import replace

from recense.core.extraction.coverage import CoverageEntry
from recense.core.extraction.quotation import Quotation
from recense.core.values import Value
from recense.errors import StoreCorrupt
from recense.operations.extraction import FiledProposal
from recense.ports.records import ContainsAny, Record, RecordReader
from recense.services.extraction_collection import EXTRACTION, LISTS, digest_of, session_list

_Body = TypeVar("_Body", bound=msgspec.Struct)

_DAYS: Final = "days"
"""The list of how days stood, of all days."""

_ENCODER: Final = msgspec.json.Encoder(order="sorted")


class ReadBy(Value, kw_only=True):
    """A session and who reads it."""

    session: str
    extractor: str
    version: str

    @property
    def text(self) -> str:
        """All of it in one text."""
        return f"{self.session}\n{self.extractor}\n{self.version}"


class KeptBatch(Value, kw_only=True):
    """A batch that was read. ``quotations`` are to be filed, and once it is done those that waited
    for a person; ``refused`` never were; ``entries`` are its coverage. ``filed`` is what became of
    all, once it is no longer pending.
    """

    batch: str
    read_by: ReadBy
    state: Literal["pending", "done"]
    at: int
    registry: str
    tokens_read: int
    tokens_taken: int
    quotations: tuple[Quotation, ...]
    refused: tuple[FiledProposal, ...]
    entries: tuple[CoverageEntry, ...]
    filed: tuple[FiledProposal, ...] = ()


class Taken(Value, kw_only=True):
    """Tokens, and millionths of a currency's unit where prices were known."""

    tokens: int = 0
    micros: int = 0

    def __add__(self, other: Self) -> Self:
        """Return both together."""
        return replace(self, tokens=self.tokens + other.tokens, micros=self.micros + other.micros)

    def __sub__(self, other: Self) -> Self:
        """Return what is left without the other."""
        return replace(self, tokens=self.tokens - other.tokens, micros=self.micros - other.micros)


class KeptDay(Value, kw_only=True):
    """What calls of a day took, and what is held for those that are not settled, after so many
    changes.
    """

    changes: int = 0
    spent: Taken = Taken()
    reserved: Taken = Taken()


def coverage_records(read_by: ReadBy, entries: Iterable[CoverageEntry]) -> list[Record]:
    """Return the records of entries; a later attempt at the same place has the same id."""
    return [
        Record(
            collection=EXTRACTION,
            record_id=f"c-{digest_of(read_by.text, each.fingerprint, each.occurrence, each.start)}",
            body=_ENCODER.encode(each),
            fields={LISTS: (_covered_list(read_by), session_list(read_by.session))},
        )
        for each in entries
    ]


def batch_record(batch: KeptBatch) -> Record:
    """Return the record of a batch."""
    lists = [session_list(batch.read_by.session)]
    if batch.state == "pending":
        lists.append(_pending_list(batch.read_by))
    if batch.state == "done" and batch.quotations:
        lists.append(_confirmation_list(batch.read_by))
    return Record(
        collection=EXTRACTION,
        record_id=f"b-{batch.batch}",
        body=_ENCODER.encode(batch),
        fields={LISTS: tuple(lists)},
    )


def read_coverage(reader: RecordReader, read_by: ReadBy) -> list[CoverageEntry]:
    """Return what was read of a session, in no particular order."""
    return [decoded(record, CoverageEntry) for record in listed(reader, _covered_list(read_by))]


def pending_batches(reader: RecordReader, read_by: ReadBy) -> list[KeptBatch]:
    """Return the batches that were read and are not filed whole."""
    return [decoded(record, KeptBatch) for record in listed(reader, _pending_list(read_by))]


def batches_of_session(reader: RecordReader, read_by: ReadBy) -> list[KeptBatch]:
    """Return every batch that was read of a session by a reader, filed or not, the oldest first."""
    records = listed(reader, session_list(read_by.session))
    batches = [decoded(each, KeptBatch) for each in records if each.record_id.startswith("b-")]
    mine = [each for each in batches if each.read_by == read_by]
    return sorted(mine, key=lambda each: (each.at, each.batch))


def batches_to_confirm(reader: RecordReader, read_by: ReadBy) -> list[KeptBatch]:
    """Return the batches of which a proposal waited for a person when it was filed."""
    return [decoded(record, KeptBatch) for record in listed(reader, _confirmation_list(read_by))]


def day_counter(day: str) -> str:
    """Return the counter of the changes of a day."""
    return f"extraction-day:{day}"


def kept_day(reader: RecordReader, day: str) -> KeptDay:
    """Return how a day stands; of one that is forgotten only how often it changed."""
    counter = day_counter(day)
    changes = reader.counters([counter])[counter]
    kept = reader.get(EXTRACTION, [_day_id(day, changes)]).get(_day_id(day, changes))
    return KeptDay(changes=changes) if kept is None else decoded(kept, KeptDay)


def day_record(day: str, kept: KeptDay) -> Record:
    """Return the record of a day after a change."""
    return Record(
        collection=EXTRACTION,
        record_id=_day_id(day, kept.changes),
        body=_ENCODER.encode(kept),
        fields={LISTS: (_DAYS,)},
    )


def _day_id(day: str, changes: int) -> str:
    return f"t-{day}-{changes}"


class SwitchedOn(Value, kw_only=True):
    """When an extractor was first let follow sessions by itself."""

    at: int


def switched_on_id(extractor: str) -> str:
    """Return the id of the record that says when an extractor was let follow sessions."""
    return f"s-{digest_of(extractor)}"


def switched_on_record(extractor: str, at: int) -> Record:
    """Return that record."""
    body = _ENCODER.encode(SwitchedOn(at=at))
    return Record(collection=EXTRACTION, record_id=switched_on_id(extractor), body=body)


def days_before(reader: RecordReader, day: str) -> list[str]:
    """Return the ids of how days before this one stood."""
    return [each.record_id for each in listed(reader, _DAYS) if each.record_id < f"t-{day}"]


def listed(reader: RecordReader, name: str) -> list[Record]:
    """Return the records of a list."""
    where = (ContainsAny(field=LISTS, values=(name,)),)
    return list(reader.list(EXTRACTION, where, counted=False).records)


def decoded(record: Record, kind: type[_Body]) -> _Body:
    """Return what a record says. Raises StoreCorrupt, by its id."""
    try:
        return msgspec.json.decode(record.body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise StoreCorrupt(
            f"the record {record.record_id!r} of extraction cannot be read: {error}",
            hint="a later release may have written it",
        ) from error


def _covered_list(read_by: ReadBy) -> str:
    return f"covered:{digest_of(read_by.text)}"


def _pending_list(read_by: ReadBy) -> str:
    return f"pending:{digest_of(read_by.text)}"


def _confirmation_list(read_by: ReadBy) -> str:
    return f"confirm:{digest_of(read_by.text)}"
