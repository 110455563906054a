"""How extraction lies in a store of records, all of it in the collection ``_extraction``.

| id | what |
|---|---|
| ``c-D`` | that a piece of a session, or a window of one, was read, or failed to be |
| ``b-B`` | the batch B: what was proposed, where its words stand, and what became of it |
| ``d-DAY-N`` | the tokens and the money that the Nth call of a day was reserved, or took |
| ``s-E`` | when the extractor E was first let follow sessions by itself |

Law of order: a batch is recorded before its proposals are filed, and its coverage after; so whoever
is killed in between finds it *pending*, files it again under the same keys and asks nobody.
"""

from collections.abc import Iterable
from typing import Final, Literal, TypeVar

import msgspec

from recense.core.extraction.coverage import CoverageEntry
from recense.core.extraction.quotation import Quotation
from recense.core.values import Value
from recense.errors import StoreCorrupt
from recense.operations.extraction import FiledProposal
from recense.ports.records import ContainsAny, Record, RecordReader
from recense.services.extraction_collection import EXTRACTION, LISTS, digest_of, session_list

_Body = TypeVar("_Body", bound=msgspec.Struct)

_DAYS: Final = "days"
"""The list of what calls took, of all days."""

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


class KeptReservation(Value, kw_only=True):
    """Tokens of a day, and millionths of a currency's unit where prices were known; once it is
    settled they are what a call took.
    """

    tokens: int
    micros: int = 0
    is_settled: bool


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


def day_list(day: str) -> str:
    """Return the list of what a day's calls take."""
    return f"day:{day}"


def reservation_record(day: str, number: int, kept: KeptReservation) -> Record:
    """Return the record of a reservation."""
    return Record(
        collection=EXTRACTION,
        record_id=f"d-{day}-{number}",
        body=_ENCODER.encode(kept),
        fields={LISTS: (day_list(day), _DAYS)},
    )


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


def reservations_before(reader: RecordReader, day: str) -> list[str]:
    """Return the ids of what calls took, or were reserved, on days before this one."""
    return [each.record_id for each in listed(reader, _DAYS) if each.record_id < f"d-{day}"]


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
