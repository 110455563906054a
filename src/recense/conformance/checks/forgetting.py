"""Forgetting: all of a session goes, nothing of others does, and what went does not come back."""

from msgspec.structs import replace

from recense.conformance.material import (
    append,
    archive,
    arrive,
    birth,
    blob_of,
    contents,
    event,
    findings_of,
    mark,
    next_page,
    owned_of,
    record,
    records_of,
    row,
    session_of,
)
from recense.conformance.vocabulary import Case, check, expect, expect_equal, expect_raises
from recense.core.transcript.records import SessionFacts
from recense.errors import NotFound, StoreConflict
from recense.limits import CHUNK_BYTES
from recense.ports.commits import Forgotten
from recense.ports.transcripts import TranscriptStore

NOBODY: dict[str, int] = {}


def _forgotten(store: TranscriptStore, session_id: str) -> bool:
    with store.snapshot() as reader:
        return reader.is_forgotten(session_id)


def _holders(store: TranscriptStore, *session_ids: str) -> dict[str, int]:
    with store.snapshot() as reader:
        return reader.holders(session_ids)


def _there(store: TranscriptStore) -> list[str]:
    with store.snapshot() as reader:
        return [each.session_id for each in reader.sessions()]


def _fill(store: TranscriptStore, session_id: str) -> None:
    """Give a session something of everything."""
    picture = blob_of(f"picture of {session_id}".encode() * CHUNK_BYTES)
    archive(
        store,
        [
            record(session_id, 0, blobs=[picture], findings=(("token", 1),)),
            record(session_id, 1, body=b"long " * CHUNK_BYTES),
        ],
        blobs=[picture],
        path=session_id,
    )
    page = replace(
        next_page(store, session_id),
        events=(event(f"{session_id} 0"), event(f"{session_id} 1")),
        opened=(row(0, name=f"{session_id} 0"), row(1)),
        facts=SessionFacts(title="Garden", title_rank=3),
        conversion=mark(1, "drop"),
    )
    append(store, page)
    aside = blob_of(f"aside of {session_id}".encode())
    append(
        store, replace(next_page(store, session_id), blobs=(aside,), findings=(("password", 2),))
    )
    arrive(store, session_id, "reply", "deploy ")


@check("forgetting leaves nothing of a session but its tombstone and the bookkeeping of its file")
def _(case: Case) -> None:
    store, untouched = case.subject(), case.reference()
    for each in (store, untouched):
        _fill(each, "beta")
    archive(untouched, [], births=[], path="alpha")
    _fill(store, "alpha")
    forgotten = store.forget(["alpha"])
    expected = Forgotten(
        sessions=1, records=2, events=2, messages=2, blobs=2, identities=2, bytes_gone=True
    )
    expect_equal("what it says", forgotten, expected)
    found, wanted = contents(store), contents(untouched)
    for part in wanted.keys() - {"files"}:
        expect_equal(part, found[part], wanted[part])
    with store.snapshot() as reader:
        expect_equal("session", reader.session("alpha"), None)
        expect_equal("records", reader.records("alpha", 0, 9, 9_999), [])
        expect_equal("events", list(reader.events("alpha")), [])
        expect_equal("rows", list(reader.message_rows("alpha")), [])
        expect_equal("streams", reader.streams("alpha"), [])
        expect("its file's bookkeeping stays", holds=reader.file("sample", "alpha") is not None)
    expect("a tombstone names it", holds=_forgotten(store, "alpha"))
    expect("none names the other", holds=not _forgotten(store, "beta"))
    expect_equal("faults", list(store.check()), [])


@check("a forgotten session is never taken again, from a file or by the API")
def _(case: Case) -> None:
    store = case.subject()
    given = [record("alpha", n) for n in range(2)]
    archive(store, given)
    store.forget(["alpha"])
    store = case.reopened(store)
    before = contents(store)["sessions"]
    more = [*given, record("alpha", 2), record("beta", 0)]
    fates = ("forgotten", "forgotten", "forgotten", "parsed")
    expect_equal("read again", archive(store, more, path="again"), fates)
    expect_equal("not introduced", _there(store), ["beta"])
    expect_raises(
        "open_session", StoreConflict, lambda: store.open_session(birth("alpha"), SessionFacts())
    )
    expect_equal("sessions before", before, [])
    expect_equal("once more", store.forget(["alpha"]).sessions, 0)


@check("a session that is not there leaves its tombstone all the same")
def _(case: Case) -> None:
    store = case.subject()
    nothing = Forgotten(
        sessions=0, records=0, events=0, messages=0, blobs=0, identities=0, bytes_gone=True
    )
    expect_equal("of none", store.forget([]), nothing)
    expect_equal("of nobody", store.forget(["alpha", "alpha"]), nothing)
    expect("a tombstone names it", holds=_forgotten(store, "alpha"))
    expect_equal("its records", archive(store, [record("alpha", 0)]), ("forgotten",))
    expect_equal("sessions", _there(store), [])


@check("records of a session whose parent was forgotten are forgotten with it")
def _(case: Case) -> None:
    store = case.subject()
    births = [birth("root"), birth("held", parent="root")]
    archive(store, [record("held", 0)], births=births)
    store.forget(["root"])
    late = [record("held", 1), record("late", 0), record("free", 0)]
    births = [birth("held"), birth("late", parent="root"), birth("free", parent="held")]
    fates = archive(store, late, births=births)
    expect_equal("fates", fates, ("forgotten", "forgotten", "parsed"))
    expect_equal("sessions", _there(store), ["free", "held"])
    expect_equal("what was there stays", len(records_of(store, "held")), 1)
    archive(store, [], births=[birth("empty", parent="root")])
    expect_equal("one without records", _there(store), ["free", "held"])


@check("a record whose last holder was forgotten is not taken in any session")
def _(case: Case) -> None:
    store = case.subject()
    archive(store, [record("alpha", 0, name="only"), record("alpha", 1, name="shared")])
    archive(store, [record("beta", 0, name="shared")], path="b")
    expect_equal("buried", store.forget(["alpha"]).identities, 1)
    fork = [record("fork", n, name=name) for n, name in enumerate(("only", "shared", "new"))]
    expect_equal("a fork", archive(store, fork, path="c"), ("forgotten", "parsed", "parsed"))
    expect_equal("its seqs", [each.seq for each in records_of(store, "fork")], [0, 1])
    copy = [record("copy", 0, name="only")]
    expect_equal("a copy", archive(store, copy, path="d"), ("forgotten",))
    expect_equal("is not introduced", _there(store), ["beta", "fork"])
    expect_equal("buried later", store.forget(["fork", "beta"]).identities, 2)


@check("a page of forgotten records brings no blobs and no findings, and its file is noted")
def _(case: Case) -> None:
    store = case.subject()
    store.forget(["alpha"])
    theirs, shared, loose = blob_of(b"theirs"), blob_of(b"shared"), blob_of(b"loose")
    records = [
        record("alpha", 0, blobs=[theirs, shared], findings=(("token", 3),)),
        record("beta", 0, blobs=[shared]),
    ]
    archive(store, records, blobs=[theirs, shared, loose], path="one")
    with store.snapshot() as reader:
        kept = set(reader.blob_ids())
        expect("the file is noted", holds=reader.file("sample", "one") is not None)
    expect_equal("blobs", kept, {shared.sha256, loose.sha256})
    expect_equal("findings", findings_of(store), [])


@check("who else holds records of a session is told by identity")
def _(case: Case) -> None:
    store = case.subject()
    archive(store, [record("alpha", n, name=f"n{n}") for n in range(3)])
    archive(store, [record("beta", n, name=f"n{n}") for n in (0, 1)], path="b")
    archive(store, [record("beta", 9, name="n0")], path="b")
    archive(store, [record("gamma", 5, name="n1"), record("delta", 0)], path="c")
    expect_equal("of alpha", _holders(store, "alpha"), {"beta": 2, "gamma": 1})
    expect_equal("of two", _holders(store, "alpha", "beta"), {"gamma": 1})
    expect_equal("of delta", _holders(store, "delta"), NOBODY)
    expect_equal("of nobody", _holders(store, "nobody"), NOBODY)
    store.forget(["beta"])
    expect_equal("after one went", _holders(store, "alpha", "alpha"), {"gamma": 1})


@check("a blob goes with the last session that refers to it")
def _(case: Case) -> None:
    store = case.subject()
    own, shared, said = blob_of(b"own"), blob_of(b"shared" * CHUNK_BYTES), blob_of(b"said")
    archive(store, [record("alpha", 0, blobs=[own, shared])], blobs=[own, shared])
    archive(store, [record("beta", 0, blobs=[shared])], path="b")
    archive(store, [record("gamma", 0, name="g")], path="c")
    archive(store, [record("gamma", 1, name="g", blobs=[shared])], path="c")
    append(store, replace(next_page(store, "beta"), blobs=(said,)))
    for session_id, left in [("alpha", [shared, said]), ("beta", [shared]), ("gamma", [])]:
        expect_equal(f"gone with {session_id}", store.forget([session_id]).blobs, 1)
        with store.snapshot() as reader:
            found = list(reader.blob_ids())
        expect_equal("left", found, sorted(each.sha256 for each in left))
    expect_equal("faults", list(store.check()), [])


@check("a message whose owner was forgotten is counted by the next that holds it")
def _(case: Case) -> None:
    store = case.subject()
    names = ("first", "second", "third")
    births = [birth(name, start) for start, name in enumerate(names)]
    archive(store, [], births=births)
    for name in names:
        twins = (row(0, name="same", length=3), row(1, name="same", length=4), row(2, name=name))
        append(store, replace(next_page(store, name), opened=twins))
    expect_equal("all", owned_of(store), {"first": (3, 17), "second": (1, 10), "third": (1, 10)})
    store.forget(["second"])
    expect_equal("no owner went", owned_of(store), {"first": (3, 17), "third": (1, 10)})
    store.forget(["first"])
    expect_equal("the owner went", owned_of(store), {"third": (3, 17)})
    expect_equal("faults", list(store.check()), [])


@check("sessions are forgotten together as one after the other")
def _(case: Case) -> None:
    store, other = case.subject(), case.subject()
    for each in (store, other):
        for start, name in enumerate(("alpha", "beta", "gamma", "delta")):
            archive(
                each,
                [record(name, 0, name="shared"), record(name, 1)],
                births=[birth(name, start)],
                path=name,
            )
            append(each, replace(next_page(each, name), opened=(row(0, name="shared"),)))
    together = store.forget(iter(["gamma", "alpha", "alpha", "nobody"]))
    single = [other.forget([name]) for name in ("gamma", "alpha", "nobody")]
    for field in ("sessions", "records", "events", "messages", "blobs", "identities"):
        found = getattr(together, field)
        expect_equal(field, found, sum(getattr(one, field) for one in single))
    expect_equal("contents", contents(store), contents(other))


@check("a session that was forgotten while it was read is not there to be appended to")
def _(case: Case) -> None:
    store = case.subject()
    archive(store, [record("alpha", 0)])
    page = next_page(store, "alpha")
    with store.snapshot() as reader:
        store.forget(["alpha"])
        expect_raises("append", NotFound, lambda: store.append(page))
        expect("the snapshot still has it", holds=reader.session("alpha") is not None)
        expect("and no tombstone", holds=not reader.is_forgotten("alpha"))
    again = store.forget(["alpha"])
    expect("forgetting again finishes it", holds=again.bytes_gone)


@check("what the gate hid is counted by session and kind, once for what is kept")
def _(case: Case) -> None:
    store = case.subject()
    given = [record("beta", 0, findings=(("token", 1), ("password", 2), ("token", 4)))]
    for _ in range(2):
        archive(store, given)
    archive(store, [record("alpha", 0, name="n", findings=(("token", 1),))])
    archive(store, [record("alpha", 1, name="n", findings=(("token", 1),))])
    append(store, replace(next_page(store, "beta"), findings=(("token", 10), ("数", 1))))
    arrive(store, "beta", "reply", "x", findings=(("one-time-code", 1),))
    refused = replace(next_page(store, "beta"), expected_events=9, findings=(("token", 99),))
    expect_raises("a refused page", StoreConflict, lambda: store.append(refused))
    beta = [("one-time-code", 1), ("password", 2), ("token", 15), ("数", 1)]
    expected = [("alpha", "token", 2), *(("beta", kind, count) for kind, count in beta)]
    expect_equal("findings", findings_of(store), expected)
    store.forget(["beta"])
    expect_equal("after forgetting", findings_of(store), expected[:1])


@check("a session is hidden and shown again, and nothing else of it changes")
def _(case: Case) -> None:
    store = case.subject()
    _fill(store, "alpha")
    before = session_of(store, "alpha")
    for private in (True, True, False):
        answer = store.set_private("alpha", private=private)
        expect_equal("answer", answer, replace(before, private=private))
        expect_equal("session", session_of(store, "alpha"), answer)
    store.set_private("alpha", private=True)
    append(store, replace(next_page(store, "alpha"), events=(event("e9"),)))
    expect_raises("nobody", NotFound, lambda: store.set_private("nobody", private=True))
    expect("it stays hidden", holds=session_of(case.reopened(store), "alpha").private)
