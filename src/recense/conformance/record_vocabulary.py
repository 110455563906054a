"""The words that checks of a store of records are written in.

An opener may have three things beside being called, each optional:

- it can be pickled: then writers are processes of their own, which open the same store by its name;
  else they are threads, and the outcome says so;
- ``uptime``, a clock that the stores it opens go by and that the checks move
  (`recense.testing.FakeUptime`): else a check of a lease waits, and what only another boot shows is
  untested;
- ``files(name)``, the files in which a store lies: else that a deletion is physical is untested.

Law: a check of a capability that a store does not declare asks instead that its call is refused as
Unsupported. So what is declared is tested, and what is not is refused.
"""

import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final

from recense.conformance.vocabulary import (
    Attempt,
    CaseOf,
    CheckOf,
    OpenerOf,
    StoreT,
    Suite,
    Untested,
    expect_raises,
)
from recense.errors import Unsupported
from recense.ports.records import (
    BY_ID,
    Append,
    Capability,
    Field,
    Lease,
    Listing,
    Order,
    Record,
    RecordReader,
    RecordStore,
    Where,
)
from recense.testing import FakeUptime

RecordOpener = OpenerOf[RecordStore]
RecordCase = CaseOf[RecordStore]
RecordCheck = CheckOf[RecordStore]

RECORDS: Final = Suite[RecordStore]()

NOTES: Final = "notes"
"""The collection that most checks write to."""

_LEASE: Final = Lease(name="l", holder="h", epoch=1, ttl_ms=1)
_MS_PER_SECOND: Final = 1_000


def record_check(
    sentence: str, needs: Capability | None = None
) -> Callable[[Attempt[RecordStore]], Attempt[RecordStore]]:
    """Register a function as the check of a sentence, of stores that declare what it needs."""

    def register(attempt: Attempt[RecordStore]) -> Attempt[RecordStore]:
        def guarded(case: RecordCase) -> None:
            if needs is None or needs in case.subject().capabilities:
                attempt(case)
                return
            for what, call in _calls(needs).items():
                expect_raises(what, Unsupported, lambda call=call: call(case.subject()))
            case.note(f"{needs} is not declared, and what calls it is refused")

        RECORDS.check(sentence)(guarded)
        return attempt

    return register


def _calls(needs: Capability) -> Mapping[str, Callable[[RecordStore], object]]:
    """Return the calls that a store refuses which has not declared a capability."""
    calls: Mapping[Capability, Mapping[str, Callable[[RecordStore], object]]] = {
        "get": {"get": lambda store: read(store, lambda reader: reader.get(NOTES, ["a"]))},
        "search_text": {
            "search_text": lambda store: read(
                store, lambda reader: reader.search_text(NOTES, ["a"], 1)
            )
        },
        "search_vector": {
            "search_vector": lambda store: read(
                store, lambda reader: reader.search_vector(NOTES, (1.0,), 1)
            )
        },
        "watermark": {"watermark": lambda store: store.watermark(NOTES)},
        "compare_and_append": {
            "append": lambda store: store.append(Append(records=()), now=0),
            "counters": lambda store: read(store, lambda reader: reader.counters(["a"])),
        },
        "lease": {
            "acquire": lambda store: store.acquire("l", "h", ttl_ms=1),
            "renew": lambda store: store.renew(_LEASE),
            "release": lambda store: store.release(_LEASE),
            "newest_lease": lambda store: store.newest_lease("l"),
        },
        "fenced_put": {"fenced_put": lambda store: store.fenced_put(_LEASE, [])},
        "atomic_batch": {},
        "physical_delete": {},
    }
    return calls[needs]


def read(store: RecordStore, question: Callable[[RecordReader], object]) -> object:
    """Return what a reader of this moment answers."""
    with store.snapshot() as reader:
        return question(reader)


def listing(
    store: RecordStore,
    where: Where = (),
    *,
    collection: str = NOTES,
    limit: int | None = None,
    order: Order = BY_ID,
    after: str | None = None,
    enough: int | None = None,
) -> Listing:
    """Return a listing of this moment."""
    with store.snapshot() as reader:
        return reader.list(collection, where, limit=limit, order=order, after=after, enough=enough)


def ids(store: RecordStore, where: Where = (), *, order: Order = BY_ID) -> list[str]:
    """Return the ids of the notes that match, in order."""
    return [each.record_id for each in listing(store, where, order=order).records]


def note(record_id: str, body: bytes = b"", *, collection: str = NOTES, **fields: Field) -> Record:
    """Return a record with fields."""
    return Record(collection=collection, record_id=record_id, body=body, fields=fields)


def with_field(record_id: str, field: str, value: Field) -> Record:
    """Return a record with one field, whatever its name."""
    return Record(collection=NOTES, record_id=record_id, body=b"", fields={field: value})


def append(
    store: RecordStore,
    *records: Record,
    now: int = 0,
    expected: Mapping[str, int] | None = None,
    bump: Iterable[str] = (),
) -> list[int]:
    """Append records and return the stamps of the new ones, in the order given."""
    given = Append(records=records, expected=expected or {}, bump=frozenset(bump))
    return list(store.append(given, now=now).stamps.values())


def pass_time(case: CaseOf[StoreT], ms: int) -> None:
    """Let time pass on the clock of the stores: by moving it, or by waiting."""
    uptime = getattr(case.opener(), "uptime", None)
    if isinstance(uptime, FakeUptime):
        uptime.advance(ms)
    else:
        case.note(f"by waiting {ms} ms")
        threading.Event().wait(ms / _MS_PER_SECOND)


def boot(case: CaseOf[StoreT]) -> None:
    """Begin another boot of the machine that the stores run on."""
    uptime = getattr(case.opener(), "uptime", None)
    if not isinstance(uptime, FakeUptime):
        raise Untested("the opener has no `uptime` that could begin anew")
    uptime.reboot()


def stored_bytes(case: RecordCase, store: RecordStore) -> bytes:
    """Return every byte of the files in which a store lies."""
    files: Callable[[str], Iterable[Path]] | None = getattr(case.opener(), "files", None)
    if files is None:
        raise Untested("the opener does not say in which `files` a store lies")
    return b"".join(file.read_bytes() for file in files(case.name_of(store)) if file.exists())
