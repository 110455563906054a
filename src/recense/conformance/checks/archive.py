"""Archiving: what is kept, what is a duplicate, what is read back."""

from hashlib import sha256

from msgspec.structs import replace

from recense.conformance.material import (
    ALL_BYTES,
    ALL_RECORDS,
    archive,
    birth,
    contents,
    record,
    records_of,
    session_of,
)
from recense.conformance.vocabulary import Case, check, expect, expect_equal, expect_raises
from recense.core.transcript.records import Blob
from recense.errors import NotFound, StoreConflict
from recense.limits import CHUNK_BYTES
from recense.ports.commits import ArchivePage, ImportFile


@check("an archived record is read back as it was given, at the next seq of its session")
def _(case: Case) -> None:
    store = case.subject()
    given = [
        record("alpha", 0, name="first"),
        record("beta", 0, disposition="skipped"),
        record("alpha", 1, disposition="bad", body=b"\xff\xfe no JSON"),
    ]
    expect_equal("dispositions", archive(store, given), ("parsed", "skipped", "bad"))
    found = records_of(store, "alpha")
    expect_equal("seqs", [each.seq for each in found], [0, 1])
    for archived, new in zip(found, [given[0], given[2]], strict=True):
        for field in ("position", "uuid", "identity", "type", "at", "disposition", "record"):
            expect_equal(field, getattr(archived, field), getattr(new, field))
    expect_equal("records of alpha", session_of(store, "alpha").records, 2)
    expect_equal("records of beta", len(records_of(store, "beta")), 1)


@check("a record read again at its place is a duplicate and kept once")
def _(case: Case) -> None:
    store = case.subject()
    archive(store, [record("alpha", 0), record("alpha", 1)])
    again = [record("alpha", 0), record("alpha", 1), record("alpha", 2)]
    expect_equal("again", archive(store, again), ("duplicate", "duplicate", "parsed"))
    expect_equal("positions", [each.position for each in records_of(store, "alpha")], [0, 1, 2])


@check("a copy of a record at another place is a duplicate and kept, once at each place")
def _(case: Case) -> None:
    store = case.subject()
    archive(store, [record("alpha", 0, name="same")])
    copies = [record("alpha", 5, name="same"), record("alpha", 9, name="same")]
    for _ in range(2):
        expect_equal("copies", archive(store, copies), ("duplicate", "duplicate"))
    found = [(each.seq, each.position, each.disposition) for each in records_of(store, "alpha")]
    expect_equal("kept", found, [(0, 0, "parsed"), (1, 5, "duplicate"), (2, 9, "duplicate")])


@check("duplicates are found inside one page as well")
def _(case: Case) -> None:
    store = case.subject()
    page = [
        record("alpha", 0, name="same"),
        record("alpha", 0, name="same"),
        record("alpha", 1, name="same"),
        record("beta", 0, name="same"),
    ]
    found = archive(store, page)
    expect_equal("dispositions", found, ("parsed", "duplicate", "duplicate", "parsed"))
    expect_equal("records", session_of(store, "alpha").records, 2)


@check("another record at a place that is taken is kept beside it")
def _(case: Case) -> None:
    store = case.subject()
    archive(store, [record("alpha", 0, name="old", body=b"old")])
    expect_equal("new", archive(store, [record("alpha", 0, name="new", body=b"new")]), ("parsed",))
    expect_equal("both", [each.record for each in records_of(store, "alpha")], [b"old", b"new"])


@check("each session keeps its own copy of a record that several sessions hold")
def _(case: Case) -> None:
    store = case.subject()
    for session_id in ("alpha", "beta"):
        expect_equal("kept", archive(store, [record(session_id, 0, name="same")]), ("parsed",))
        expect_equal("read", len(records_of(store, session_id)), 1)


@check("a birth is kept as it was given and never changes")
def _(case: Case) -> None:
    store = case.subject()
    first = replace(birth("alpha", 7), parent_session_id="root", origin="subagent")
    archive(store, [], births=[first])
    later = replace(first, created_at=3, source_path="/elsewhere", origin="headless")
    archive(store, [record("alpha", 0)], births=[later])
    found = session_of(store, "alpha")
    for field in (
        "source",
        "source_session_id",
        "origin",
        "parent_session_id",
        "created_at",
        "source_path",
    ):
        expect_equal(field, getattr(found, field), getattr(first, field))


@check("a record of a session that was never introduced is refused, and its page with it")
def _(case: Case) -> None:
    store = case.subject()
    page = [record("alpha", 0), record("nobody", 0)]
    before = contents(store)
    expect_raises("archive", NotFound, lambda: archive(store, page, births=[birth("alpha")]))
    expect_equal("contents", contents(store), before)


@check("records are read in pages of a number of records")
def _(case: Case) -> None:
    store = case.subject()
    archive(store, [record("alpha", position) for position in range(10)])
    with store.snapshot() as reader:
        for after, count, expected in [
            (0, 3, [0, 1, 2]),
            (3, 3, [3, 4, 5]),
            (9, 3, [9]),
            (10, 3, []),
            (0, 1, [0]),
        ]:
            found = [each.seq for each in reader.records("alpha", after, count, ALL_BYTES)]
            expect_equal(f"after {after}, {count} records", found, expected)


@check("records are read in pages of a number of bytes, and never fewer than one record")
def _(case: Case) -> None:
    store = case.subject()
    archive(store, [record("alpha", position, body=b"x" * 100) for position in range(4)])
    with store.snapshot() as reader:
        for after, bytes_max, expected in [
            (0, 300, [0, 1, 2]),
            (0, 299, [0, 1]),
            (0, 1, [0]),
            (2, 0, [2]),
            (4, 0, []),
        ]:
            found = [each.seq for each in reader.records("alpha", after, ALL_RECORDS, bytes_max)]
            expect_equal(f"after {after}, {bytes_max} bytes", found, expected)


@check("a record longer than a chunk comes back byte for byte, also when cut inside a character")
def _(case: Case) -> None:
    store = case.subject()
    bodies = [
        b"x" * CHUNK_BYTES,
        b"x" * (CHUNK_BYTES + 1),
        b"x" + "数据库迁移𝔘".encode() * (CHUNK_BYTES // 8),
        sha256(b"noise").digest() * (3 * CHUNK_BYTES // 32),
        b"y" * (16 * CHUNK_BYTES),
    ]
    archive(store, [record("alpha", n, body=body) for n, body in enumerate(bodies)])
    found = records_of(store, "alpha")
    expect_equal("lengths", [len(each.record) for each in found], [len(body) for body in bodies])
    expect("every byte is the same", holds=[each.record for each in found] == bodies)


@check("NUL, characters beyond the first plane, no bytes and a megabyte survive")
def _(case: Case) -> None:
    store = case.subject()
    bodies = [b"", b"\x00", b"a\x00b", "😀𠮷".encode(), bytes(range(256)), b"z" * 1_048_576]
    archive(store, [record("alpha", n, body=body) for n, body in enumerate(bodies)])
    found = [each.record for each in records_of(store, "alpha")]
    expect("every byte is the same", holds=found == bodies)


@check("names of every script are told apart exactly")
def _(case: Case) -> None:
    store = case.subject()
    names = ["a", "A", "ä", "a\u0308", "数据", "😀", "a b", "a%", "a_", "a\x00b", "a" * 500]
    archive(store, [record(name, 0) for name in names])
    with store.snapshot() as reader:
        for name in names:
            found = reader.session(name)
            expect_equal("session id", found and found.session_id, name)
        expect_equal("a prefix", reader.session("a\x00"), None)
        found = {each.session_id for each in reader.sessions()}
    expect_equal("sessions", found, set(names))


@check("a blob is kept once and comes back byte for byte")
def _(case: Case) -> None:
    store = case.subject()
    pictures = [b"", b"\x89PNG" + bytes(range(256)) * 1_024, b"tiny"]
    blobs = [Blob(sha256=sha256(data).hexdigest(), data=data) for data in pictures]
    for _ in range(2):
        archive(store, [], blobs=[*blobs, blobs[0]])
    with store.snapshot() as reader:
        ids = list(reader.blob_ids())
        expect_equal("ids", ids, sorted(blob.sha256 for blob in blobs))
        for blob in blobs:
            expect("every byte is the same", holds=reader.blob(blob.sha256) == blob.data)
        for unknown in ("", "0" * 64, "no digest"):
            expect_equal("an unknown blob", reader.blob(unknown), None)


@check("a page on other bookkeeping than the file's is a conflict, and nothing of it is kept")
def _(case: Case) -> None:
    store = case.subject()
    archive(store, [record("alpha", 0)])
    before = contents(store)
    with store.snapshot() as reader:
        (file,) = reader.files()
    for expected in (None, replace(file, offset=file.offset + 1), replace(file, reason="?")):
        page = ArchivePage(
            births=(birth("beta"),),
            records=(record("alpha", 1), record("beta", 0)),
            blobs=(Blob(sha256=sha256(b"x").hexdigest(), data=b"x"),),
            expected=expected,
            file=replace(file, offset=99),
        )
        expect_raises("archive", StoreConflict, lambda page=page: store.archive(page))
    new = ImportFile(source=file.source, path="/home/ada/two.jsonl")
    page = ArchivePage(births=(), records=(), blobs=(), expected=new, file=new)
    expect_raises("a file without bookkeeping", StoreConflict, lambda: store.archive(page))
    expect_equal("contents", contents(store), before)


@check("a lost acknowledgement does no harm: the same page again is a conflict, then duplicates")
def _(case: Case) -> None:
    store = case.subject()
    file = ImportFile(source="sample", path="/home/ada/one.jsonl", offset=50)
    page = ArchivePage(
        births=(birth("alpha"),),
        records=(record("alpha", 0), record("alpha", 1)),
        blobs=(),
        expected=None,
        file=file,
    )
    store.archive(page)
    before = contents(store)
    expect_raises("the page again", StoreConflict, lambda: store.archive(page))
    outcome = store.archive(replace(page, expected=file))
    expect_equal("on its own base", outcome.dispositions, ("duplicate", "duplicate"))
    expect_equal("contents", contents(store), before)
