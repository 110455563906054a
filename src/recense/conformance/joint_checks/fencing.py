"""Events and records that are written under a lease: in one commit, or not at all."""

from typing import Final

from msgspec.structs import replace

from recense.conformance.joint_vocabulary import JointCase, JointStores, joint_check
from recense.conformance.material import append, archive, birth, event, next_page, session_of
from recense.conformance.record_vocabulary import boot, ids, listing, note, pass_time
from recense.conformance.vocabulary import expect_equal, expect_raises
from recense.errors import LeaseLost, NotFound, StoreConflict
from recense.ports.commits import FencedRecords, LedgerPage
from recense.ports.records import Lease, Record

SHORT_MS: Final = 300
LONG_MS: Final = 600_000


def _with_session(case: JointCase) -> JointStores:
    stores = case.subject()
    archive(stores.transcripts, [], births=[birth("alpha")])
    return stores


def _page(stores: JointStores, name: str, lease: Lease, *records: Record) -> LedgerPage:
    page = replace(next_page(stores.transcripts, "alpha"), events=(event(name),))
    return replace(page, fenced=FencedRecords(lease=lease, records=records))


def _events(stores: JointStores) -> list[str]:
    with stores.transcripts.snapshot() as reader:
        return [each.event_id for each in reader.events("alpha")]


@joint_check("events and records that are written under a lease are kept together")
def _(case: JointCase) -> None:
    stores = _with_session(case)
    lease = stores.records.acquire("index", "ada", ttl_ms=LONG_MS)
    append(stores.transcripts, _page(stores, "e1", lease, note("a", b"1"), note("b")))
    append(stores.transcripts, _page(stores, "e2", lease, note("a", b"2")))
    append(stores.transcripts, _page(stores, "e3", lease))
    stores = case.reopened(stores)
    expect_equal("events", _events(stores), ["e1", "e2", "e3"])
    expect_equal("head", session_of(stores.transcripts, "alpha").events, 3)
    expect_equal("records", ids(stores.records), ["a", "b"])
    expect_equal("the newest", listing(stores.records).records[0].body, b"2")


@joint_check("who holds a lease no longer appends nothing under it")
def _(case: JointCase) -> None:
    stores = _with_session(case)
    stalled = stores.records.acquire("index", "ada", ttl_ms=SHORT_MS)
    append(stores.transcripts, _page(stores, "e1", stalled, note("a", b"1")))
    pass_time(case, SHORT_MS + 1)
    late = _page(stores, "late", stalled, note("a", b"late"), note("late"))
    expect_raises("over", LeaseLost, lambda: append(stores.transcripts, late))
    newer = stores.records.acquire("index", "bob", ttl_ms=LONG_MS)
    expect_raises("another's", LeaseLost, lambda: append(stores.transcripts, late))
    forged = replace(stalled, epoch=newer.epoch)
    refused = _page(stores, "forged", forged, note("forged"))
    expect_raises("forged", LeaseLost, lambda: append(stores.transcripts, refused))
    append(stores.transcripts, _page(stores, "e2", newer, note("b")))
    stores.records.release(newer)
    refused = _page(stores, "released", newer, note("released"))
    expect_raises("released", LeaseLost, lambda: append(stores.transcripts, refused))
    stores = case.reopened(stores)
    expect_equal("events", _events(stores), ["e1", "e2"])
    expect_equal("records", ids(stores.records), ["a", "b"])
    expect_equal("as it was", listing(stores.records).records[0].body, b"1")


@joint_check("with another boot nothing is appended under a lease of before")
def _(case: JointCase) -> None:
    stores = _with_session(case)
    lease = stores.records.acquire("index", "ada", ttl_ms=LONG_MS)
    boot(case)
    late = _page(stores, "late", lease, note("late"))
    expect_raises("of before", LeaseLost, lambda: append(stores.transcripts, late))
    expect_equal("events", _events(stores), [])
    expect_equal("records", ids(stores.records), [])


@joint_check("a page that is refused keeps none of its records, and a record none of its page")
def _(case: JointCase) -> None:
    stores = _with_session(case)
    lease = stores.records.acquire("index", "ada", ttl_ms=LONG_MS)
    page = _page(stores, "e1", lease, note("a"))
    moved = replace(page, expected_events=7)
    expect_raises("moved", StoreConflict, lambda: append(stores.transcripts, moved))
    nowhere = replace(page, session_id="nowhere")
    expect_raises("nowhere", NotFound, lambda: append(stores.transcripts, nowhere))
    expect_equal("records", ids(stores.records), [])
    expect_equal("events", _events(stores), [])
    append(stores.transcripts, page)
    expect_equal("then both", (_events(stores), ids(stores.records)), (["e1"], ["a"]))


@joint_check("what is written without a lease needs none")
def _(case: JointCase) -> None:
    stores = _with_session(case)
    stores.records.acquire("index", "ada", ttl_ms=LONG_MS)
    append(
        stores.transcripts, replace(next_page(stores.transcripts, "alpha"), events=(event("e"),))
    )
    expect_equal("events", _events(stores), ["e"])


@joint_check("a page whose record changed since it was read is not appended")
def _(case: JointCase) -> None:
    stores = _with_session(case)
    lease = stores.records.acquire("index", "ada", ttl_ms=LONG_MS)
    append(stores.transcripts, _page(stores, "e1", lease, note("head", b"1")))
    late = _page(stores, "late", lease, note("head", b"late"))
    fenced = FencedRecords(lease=lease, records=(note("late"),), unchanged=note("head", b"0"))
    refused = replace(late, fenced=fenced)
    expect_raises("changed", StoreConflict, lambda: append(stores.transcripts, refused))
    fenced = FencedRecords(lease=lease, records=(note("head", b"2"),), unchanged=note("head", b"1"))
    append(stores.transcripts, replace(_page(stores, "e2", lease), fenced=fenced))
    expect_equal("events", _events(stores), ["e1", "e2"])
    expect_equal("records", ids(stores.records), ["head"])
    expect_equal("of the last", listing(stores.records).records[0].body, b"2")
