"""The bookkeeping of source files."""

from msgspec.structs import replace

from recense.conformance.vocabulary import Case, check, expect_equal, expect_raises
from recense.errors import StoreConflict
from recense.ports.commits import ImportFile

FILE = ImportFile(
    source="sample",
    path="/home/ada/Übung 数据/one.jsonl",
    size=2**40,
    mtime_ns=1_800_000_000_000_000_001,
    offset=2**40 - 1,
    state=b"\x00state",
    tail_sha256="ab" * 32,
    importer_version=4,
    reason="half of it is missing",
)


@check("a file's bookkeeping comes back as it was noted")
def _(case: Case) -> None:
    store = case.subject()
    store.note_file(None, FILE)
    with store.snapshot() as reader:
        expect_equal("file", reader.file(FILE.source, FILE.path), FILE)
        expect_equal("another path", reader.file(FILE.source, FILE.path + " "), None)
        expect_equal("another source", reader.file("other", FILE.path), None)


@check("bookkeeping is replaced only by who has read it")
def _(case: Case) -> None:
    store = case.subject()
    store.note_file(None, FILE)
    later = replace(FILE, offset=FILE.size, reason="")
    for expected in (None, later, replace(FILE, state=b"")):
        expect_raises(
            "note", StoreConflict, lambda expected=expected: store.note_file(expected, later)
        )
    store.note_file(FILE, later)
    other = replace(FILE, path="/home/ada/none.jsonl")
    expect_raises("a file without any", StoreConflict, lambda: store.note_file(other, other))
    with store.snapshot() as reader:
        expect_equal("files", list(reader.files()), [later])


@check("files are listed by source and path, in the order of their characters")
def _(case: Case) -> None:
    store = case.subject()
    paths = ["/b", "/a", "/a/b", "/B", "/é", "/数", "/😀", "/a b", ""]
    files = [ImportFile(source=source, path=path) for path in paths for source in ("s", "S", "r")]
    for file in files:
        store.note_file(None, file)
    with store.snapshot() as reader:
        found = list(reader.files())
    expect_equal("files", found, sorted(files, key=lambda file: (file.source, file.path)))
