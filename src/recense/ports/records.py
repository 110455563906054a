"""Where records live: facts, episodes, agents and all else that is not a transcript.

Law: a backend stores records and keeps its word; every rule is ours. Exact reads are the same on
every backend; a text search gives candidates, which we rank ourselves. What a backend cannot do it
declares by leaving it out of ``capabilities``, and the call raises `recense.errors.Unsupported`:
never a different answer.

A write method keeps everything it was given or nothing, and returns only when that is durable as
far as the store's setting promises. What was written is read by the next snapshot. Every error is
one of `recense.errors.StoreFault`; a driver's own error never passes.

Collections need no making: one that nothing was written to is empty. Names of collections, fields
and counters are given by us; values are anybody's, and always literal: equal means equal code
points, and nothing in them is a pattern.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Final, Literal, Protocol

from recense.core.values import Value

Scalar = str | int | float | bool
"""A value that can be filtered by. An integer is of 64 bits; a double is finite; an instant is an
integer, in microseconds. Numbers compare by value, whatever their type; a boolean is no number, and
True equals nothing but True. Texts hold no lone surrogates."""

Field = Scalar | tuple[str, ...]

Capability = Literal[
    "get",
    "search_text",
    "search_vector",
    "watermark",
    "compare_and_append",
    "atomic_batch",
    "lease",
    "fenced_put",
    "physical_delete",
]

EVERYTHING: Final[frozenset[Capability]] = frozenset(
    {
        "get",
        "search_text",
        "search_vector",
        "watermark",
        "compare_and_append",
        "atomic_batch",
        "lease",
        "fenced_put",
        "physical_delete",
    }
)

RECORDED_AT: Final = "recorded_at"
"""The name under which the stamp of a record is filtered and ordered by; no field has it."""


class Record(Value, kw_only=True):
    """What a store keeps under (``collection``, ``record_id``).

    ``text`` is what a text search finds it by, ``vector`` what a vector search does; all vectors of
    a collection have one length. ``recorded_at`` is the stamp that `append` gave it or `put` was
    given; None for a record that was put without one.
    """

    collection: str
    record_id: str
    body: bytes
    fields: Mapping[str, Field] = {}
    text: str | None = None
    vector: tuple[float, ...] | None = None
    recorded_at: int | None = None


class Equals(Value, kw_only=True, tag="equals"):
    """The field is this value."""

    field: str
    value: Scalar


class OneOf(Value, kw_only=True, tag="one_of"):
    """The field is one of these values; of none it is never."""

    field: str
    values: tuple[Scalar, ...]


class Between(Value, kw_only=True, tag="between"):
    """The field is of the type of the bounds and between them, both included; None is no bound.

    Numbers compare as numbers and texts by code points.
    """

    field: str
    at_least: str | int | float | None = None
    at_most: str | int | float | None = None


class ContainsAny(Value, kw_only=True, tag="contains_any"):
    """The field is a list and holds one of these texts."""

    field: str
    values: tuple[str, ...]


Condition = Equals | OneOf | Between | ContainsAny
Where = tuple[Condition, ...]
"""All of these hold. A record that has not the field never matches."""


class Order(Value, kw_only=True):
    """How a listing is ordered: by a field, equal ones by record id; without a field by id.

    Numbers come before texts; records that have neither in the field come last. ``descending``
    turns all of that around, the ids included, but those come last all the same.
    """

    field: str | None = None
    descending: bool = False


BY_ID: Final = Order()


class Listing(Value, kw_only=True):
    """The first records of all that match, and how many match in all, of one moment; None where
    that was not asked for.
    """

    records: tuple[Record, ...]
    total: int | None


class Near(Value, kw_only=True):
    """A record and the cosine of its vector with the one that was searched for."""

    record: Record
    similarity: float


class RecordReader(Protocol):
    """One moment of the store; what it returns does not change while others write."""

    def get(self, collection: str, record_ids: Iterable[str]) -> dict[str, Record]:
        """Return the records with these ids that there are, by id. Capability ``get``."""
        ...

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
        """Return the records that match, in order, at most ``limit`` of them.

        ``total`` counts all that match; where ``counted`` is false it may be left out, and where it
        is ``enough`` or more, counting may have stopped there: so many match, or more. A larger
        limit extends the same listing. ``after`` is the id of the last record of an earlier page,
        which begins the listing behind it; one that matches no longer raises NotFound.
        """
        ...

    def search_text(
        self, collection: str, words: Sequence[str], limit: int, where: Where = ()
    ) -> tuple[Record, ...]:
        """Return records of whose text `recense.core.recall.index_words` gives at least one of
        these words, at most ``limit``, those first that the engine takes for the best. If no more
        than ``limit`` match, all are returned. Capability ``search_text``.
        """
        ...

    def search_vector(
        self, collection: str, vector: Sequence[float], limit: int, where: Where = ()
    ) -> tuple[Near, ...]:
        """Return the records with the nearest vectors by cosine, nearest first, equal ones by id.
        Records without a vector are not found. Capability ``search_vector``.

        Raises StoreFault by name (`recense.errors.DimensionMismatch`) for another length.
        """
        ...

    def counters(self, names: Iterable[str]) -> dict[str, int]:
        """Return the counters of these names; one that was never raised is 0. Capability
        ``compare_and_append``.
        """
        ...


class Append(Value, kw_only=True):
    """Records to add, on condition that counters are as they were read.

    Records with equal (collection, id) of one append are one. Every counter of ``bump`` is raised
    by one.
    """

    records: tuple[Record, ...]
    expected: Mapping[str, int] = {}
    bump: frozenset[str] = frozenset()


class Appended(Value, kw_only=True):
    """What became of an append: the stamps of the records that are new, by (collection, id)."""

    stamps: Mapping[tuple[str, str], int]


class Lease(Value, kw_only=True):
    """The right to write as ``name``, until the store gives it to another: ``epoch`` only grows.

    ``ttl_ms`` is how long it holds from the moment at which it was asked for or renewed.
    """

    name: str
    holder: str
    epoch: int
    ttl_ms: int


class GrantedLease(Value, kw_only=True):
    """The newest lease of a name, and for how long it holds: 0 when it was given back or its time
    is over.
    """

    lease: Lease
    left_ms: int


class RecordStore(Protocol):
    """A store of records; see the law at the top of this file."""

    @property
    def capabilities(self) -> frozenset[Capability]:
        """What the store keeps its word about; the rest raises Unsupported."""
        ...

    def put(self, records: Iterable[Record]) -> None:
        """Keep records; one whose (collection, id) is there is replaced, with fields, text and
        vector. Together in one commit where ``atomic_batch`` is declared. ``recorded_at`` is kept
        as it is given.
        """
        ...

    def delete(self, collection: str, record_ids: Iterable[str]) -> int:
        """Remove records and return how many there were; of no ids that is none, and nothing is
        changed for any reader.

        With ``physical_delete`` no file of the store holds, when it returns, what no record says
        any more: neither the bytes of what was removed nor those that `put` replaced, in any
        collection and of no ids too, as far as other readers let it.
        """
        ...

    def append(self, append: Append, *, now: int) -> Appended:
        """Add records, all in one commit; one whose (collection, id) is there stays as it is.
        Capability ``compare_and_append``.

        Each new record is stamped with an instant of its own: `now`, or one microsecond after the
        last stamp of the store if that is later, in the order given; so stamps grow in the order of
        commits. Raises StoreConflict, and keeps nothing, when a counter is not as expected.
        """
        ...

    def acquire(self, name: str, holder: str, *, ttl_ms: int) -> Lease:
        """Take a lease that nobody holds, or whose time is over, with a new epoch. Capability
        ``lease``. Time is the backend's, and no wall clock that may jump.

        Raises LeaseHeld with holder and what is left while another, or the same holder elsewhere,
        has it.
        """
        ...

    def renew(self, lease: Lease) -> None:
        """Let a lease hold for its time from now. Raises LeaseLost when its epoch is not the newest
        or it was released; also when its time is over.
        """
        ...

    def release(self, lease: Lease) -> None:
        """Give a lease back, so that the next `acquire` need not wait; one that is lost already
        stays so, and nothing is raised.
        """
        ...

    def newest_lease(self, name: str) -> GrantedLease | None:
        """Return the newest lease of a name, whether or not it holds; None where nobody ever had
        one. Capability ``lease``. Changes nothing.
        """
        ...

    def fenced_put(
        self, lease: Lease, records: Iterable[Record], *, unchanged: Record | None = None
    ) -> None:
        """Keep records as `put` does, if the lease holds: this is looked at in the same commit.
        Capability ``fenced_put``. Raises LeaseLost, and keeps nothing.

        Where ``unchanged`` is given, the record of its place has to have its body: the caller read
        it, and decided by it. Raises StoreConflict, and keeps nothing, when it has another or is
        not there.
        """
        ...

    def watermark(self, collection: str) -> str:
        """Return a text that changes with every mutation of the collection and is never used again.
        Capability ``watermark``.

        What is read between two calls that return the same is of one state of the collection. It is
        asked before each answer that is served again, so it costs less than a snapshot.
        """
        ...

    def snapshot(self) -> AbstractContextManager[RecordReader]:
        """Return a reader of this moment; leave the context soon, it holds back clean-up."""
        ...

    def close(self) -> None:
        """Let go of the store. Later calls on it are a fault of the caller."""
        ...
