"""Leases: who holds one, for how long, and what the holder before can still do."""

from functools import partial

from recense.conformance.record_vocabulary import (
    RecordCase,
    boot,
    ids,
    listing,
    note,
    pass_time,
    record_check,
)
from recense.conformance.vocabulary import expect, expect_equal, expect_raises, fail
from recense.errors import InvalidRequest, LeaseHeld, LeaseLost, StoreConflict
from recense.ports.records import Lease, RecordStore

SHORT_MS = 300
LONG_MS = 600_000


@record_check("a lease is one holder's, until it is released", "lease")
def _(case: RecordCase) -> None:
    store = case.subject()
    first = store.acquire("index", "ada", ttl_ms=LONG_MS)
    expect_equal("given", first, Lease(name="index", holder="ada", epoch=1, ttl_ms=LONG_MS))
    for holder in ("bob", "ada"):
        expect_raises(
            holder, LeaseHeld, lambda holder=holder: store.acquire("index", holder, ttl_ms=1)
        )
    try:
        store.acquire("index", "bob", ttl_ms=1)
    except LeaseHeld as held:
        expect("the holder is named", holds="ada" in held.message)
    else:
        fail("a held lease was given")
    expect_equal("another name", store.acquire("index\x00", "bob", ttl_ms=LONG_MS).epoch, 1)
    store.renew(first)
    store.release(first)
    second = case.reopened(store).acquire("index", "bob", ttl_ms=LONG_MS)
    expect_equal("the next epoch", second.epoch, 2)


@record_check("a lease whose time is over is another's, and a renewed one is not", "lease")
def _(case: RecordCase) -> None:
    store = case.subject()
    lease = store.acquire("index", "ada", ttl_ms=SHORT_MS)
    kept = store.acquire("other", "ada", ttl_ms=LONG_MS)
    pass_time(case, SHORT_MS + 1)
    expect_raises("renewed too late", LeaseLost, lambda: store.renew(lease))
    store.renew(kept)
    expect_raises("held", LeaseHeld, lambda: store.acquire("other", "bob", ttl_ms=1))
    expect_equal("given on", store.acquire("index", "bob", ttl_ms=LONG_MS).epoch, 2)
    expect_raises("another's", LeaseLost, lambda: store.renew(lease))
    store.release(lease)
    expect_raises("not released by it", LeaseHeld, lambda: store.acquire("index", "c", ttl_ms=1))


@record_check("epochs only grow, and a lost lease stays lost", "lease")
def _(case: RecordCase) -> None:
    store = case.subject()
    epochs: list[int] = []
    for _ in range(3):
        lease = store.acquire("index", "ada", ttl_ms=LONG_MS)
        epochs.append(lease.epoch)
        store.release(lease)
        store.release(lease)
        expect_raises("after its release", LeaseLost, partial(store.renew, lease))
        store = case.reopened(store)
    expect_equal("epochs", epochs, [1, 2, 3])
    never = Lease(name="never", holder="ada", epoch=1, ttl_ms=LONG_MS)
    expect_raises("never given", LeaseLost, lambda: store.renew(never))
    store.release(never)
    for ttl_ms in (0, -1):
        expect_raises(
            f"{ttl_ms} ms",
            InvalidRequest,
            lambda ttl_ms=ttl_ms: store.acquire("index", "ada", ttl_ms=ttl_ms),
        )


@record_check("the newest lease of a name is told, with how long it holds", "lease")
def _(case: RecordCase) -> None:
    store = case.subject()
    expect_equal("never given", store.newest_lease("index"), None)
    first = store.acquire("index", "ada", ttl_ms=SHORT_MS)
    store = case.reopened(store)
    _expect_newest(store, first, holds=True)
    pass_time(case, SHORT_MS + 1)
    _expect_newest(store, first, holds=False)
    second = store.acquire("index", "bob", ttl_ms=LONG_MS)
    store.release(first)
    _expect_newest(store, second, holds=True)
    store.renew(second)
    _expect_newest(store, second, holds=True)
    store.release(second)
    _expect_newest(store, second, holds=False)
    expect_equal("another name", store.newest_lease("index\x00"), None)


def _expect_newest(store: RecordStore, lease: Lease, *, holds: bool) -> None:
    newest = store.newest_lease(lease.name)
    if newest is None:
        fail("a lease that was given is not told")
    expect_equal("the newest", newest.lease, lease)
    expect("it holds as it should", holds=(0 < newest.left_ms <= lease.ttl_ms) == holds)
    expect("nothing is left of what is over", holds=holds or newest.left_ms == 0)


@record_check("with another boot every lease is over", "lease")
def _(case: RecordCase) -> None:
    store = case.subject()
    lease = store.acquire("index", "ada", ttl_ms=LONG_MS)
    pass_time(case, 1)
    boot(case)
    expect_raises("the lease of before", LeaseLost, lambda: store.renew(lease))
    expect_equal("the next", store.acquire("index", "bob", ttl_ms=LONG_MS).epoch, 2)


def _stalled(case: RecordCase, store: RecordStore) -> Lease:
    lease = store.acquire("index", "ada", ttl_ms=SHORT_MS)
    store.fenced_put(lease, [note("a", b"1")])
    pass_time(case, SHORT_MS + 1)
    return lease


@record_check("who holds a lease no longer writes nothing under it", "fenced_put")
def _(case: RecordCase) -> None:
    store = case.subject()
    stalled = _stalled(case, store)
    expect_raises("late", LeaseLost, lambda: store.fenced_put(stalled, [note("a", b"late")]))
    newer = store.acquire("index", "bob", ttl_ms=LONG_MS)
    store.fenced_put(newer, [note("a", b"2"), note("b")])
    expect_raises("stalled", LeaseLost, lambda: store.fenced_put(stalled, [note("a", b"late")]))
    forged = Lease(name="index", holder="ada", epoch=newer.epoch, ttl_ms=LONG_MS)
    expect_raises("forged", LeaseLost, lambda: store.fenced_put(forged, [note("a", b"late")]))
    store.release(newer)
    expect_raises("released", LeaseLost, lambda: store.fenced_put(newer, [note("c")]))
    expect_equal("kept", ids(store), ["a", "b"])
    expect_equal("of the newest", listing(store).records[0].body, b"2")


@record_check("what changed since it was read keeps a write under a lease away", "fenced_put")
def _(case: RecordCase) -> None:
    store = case.subject()
    lease = store.acquire("index", "ada", ttl_ms=LONG_MS)
    absent = note("head", b"1")
    for name, unchanged in (("absent", absent), ("another's", note("a", b"1", collection="c"))):
        expect_raises(
            name,
            StoreConflict,
            lambda it=unchanged: store.fenced_put(lease, [note("b")], unchanged=it),
        )
    store.fenced_put(lease, [note("head", b"1")])
    store.fenced_put(lease, [note("head", b"2"), note("c")], unchanged=note("head", b"1"))
    refused = [note("head", b"late"), note("late")]
    expect_raises(
        "changed",
        StoreConflict,
        lambda: store.fenced_put(lease, refused, unchanged=note("head", b"1")),
    )
    store.release(lease)
    expect_raises(
        "released",
        LeaseLost,
        lambda: store.fenced_put(lease, refused, unchanged=note("head", b"2")),
    )
    store = case.reopened(store)
    expect_equal("kept", ids(store), ["c", "head"])
    expect_equal("of the last", listing(store).records[1].body, b"2")
