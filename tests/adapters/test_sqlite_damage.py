"""What is damaged is named, and the rest can be read."""

from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import pytest
from msgspec.structs import replace

from recense.adapters.sqlite.connections import connect
from recense.conformance.material import (
    append,
    archive,
    contents,
    event,
    mark,
    next_page,
    record,
    records_of,
    row,
)
from recense.core.transcript.records import Blob
from recense.errors import StoreCorrupt
from recense.limits import CHUNK_BYTES, STORE_PAGE_BYTES
from recense.testing import SeededChance
from tests.adapters.stores import opened

NOISE = SeededChance(7)
PICTURE = b"\x89PNG" + NOISE.token(3 * CHUNK_BYTES)
PICTURE_ID = sha256(PICTURE).hexdigest()
SHORT, COMPRESSIBLE, LONG = 0, 1, 2


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with a plain record, a compressed one, a chunked one, a blob, events and rows."""
    path = tmp_path / "store.sqlite"
    with opened(path) as store:
        archive(
            store,
            [
                record("alpha", SHORT, body=NOISE.token(100)),
                record("alpha", COMPRESSIBLE, body=b"good morning " * 100),
                record("alpha", LONG, body=b"good night " * CHUNK_BYTES),
            ],
            blobs=[Blob(sha256=PICTURE_ID, data=PICTURE)],
        )
        page = replace(
            next_page(store, "alpha"),
            events=(event("e0"), event("e1")),
            opened=(row(0, name="n0"), row(1)),
            conversion=mark(1),
        )
        append(store, page)
        assert store.check() == ()
    return path


def harm(path: Path, statement: str, *bindings: int | bytes | str) -> None:
    connection = connect(path, busy_wait_ms=0)
    connection.execute("PRAGMA ignore_check_constraints = ON")
    connection.execute(statement, bindings)
    connection.close()


def faults_of(path: Path) -> tuple[str, ...]:
    with opened(path) as store:
        return tuple(store.check())


def read_record(path: Path, position: int) -> None:
    with opened(path) as store, store.snapshot() as reader:
        reader.records("alpha", position, 1, 0)


IN_ROW = "UPDATE archive_records SET record = ? WHERE seq = ?"


@pytest.mark.parametrize(
    ("position", "statement", "bindings", "words"),
    [
        (SHORT, IN_ROW, (b"short", SHORT), ("record 0", "5 bytes", "100")),
        (COMPRESSIBLE, IN_ROW, (b"no frame", COMPRESSIBLE), ("record 1", "frame")),
        (
            LONG,
            "DELETE FROM archive_chunks WHERE chunk = ?",
            (3,),
            ("record 2", "chunk 3", "missing"),
        ),
        (
            LONG,
            "DELETE FROM archive_chunks WHERE chunk = ?",
            (10,),
            ("record 2", "655360 bytes", "720896"),
        ),
        (
            LONG,
            "UPDATE archive_chunks SET sha256 = zeroblob(32) WHERE chunk = ?",
            (1,),
            ("record 2", "chunk 1", "SHA-256"),
        ),
        (
            LONG,
            "UPDATE archive_chunks SET length = length - 1 WHERE chunk = ?",
            (1,),
            ("record 2", "chunk 1", "65536 bytes", "65535"),
        ),
        (
            LONG,
            "UPDATE archive_chunks SET bytes = zeroblob(10) WHERE chunk = ?",
            (0,),
            ("record 2", "chunk 0", "frame"),
        ),
    ],
)
def test_a_damaged_record_is_named_where_it_is_read_and_where_it_is_looked_for(
    path: Path, position: int, statement: str, bindings: tuple[int | bytes, ...], words: str
) -> None:
    harm(path, statement, *bindings)
    with pytest.raises(StoreCorrupt) as caught:
        read_record(path, position)
    (fault,) = faults_of(path)
    assert fault == caught.value.message
    assert [word for word in words if word not in fault] == []
    for other in {SHORT, COMPRESSIBLE, LONG} - {position}:
        read_record(path, other)


def test_a_frame_that_claims_a_huge_size_is_refused_before_it_is_believed(path: Path) -> None:
    huge = bytes.fromhex("28b52ffd") + b"\xe0" + (2**50).to_bytes(8, "little") + b"\x01\x00\x00"
    harm(path, IN_ROW, huge, COMPRESSIBLE)
    with pytest.raises(StoreCorrupt, match="claims to be longer"):
        read_record(path, COMPRESSIBLE)


def test_every_flipped_bit_of_a_compressed_record_is_noticed(path: Path) -> None:
    connection = connect(path, busy_wait_ms=0)
    ((frame,),) = connection.execute(
        "SELECT record FROM archive_records WHERE seq = ?", (COMPRESSIBLE,)
    )
    connection.close()
    with opened(path) as store:
        whole = records_of(store, "alpha")[COMPRESSIBLE]
        for bit in range(8 * len(frame)):
            flipped = bytearray(frame)
            flipped[bit // 8] ^= 1 << bit % 8
            harm(path, IN_ROW, bytes(flipped), COMPRESSIBLE)
            try:
                with store.snapshot() as reader:
                    (found,) = reader.records("alpha", COMPRESSIBLE, 1, 0)
            except StoreCorrupt:
                continue
            assert found == whole, f"bit {bit}"


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE blobs SET bytes = zeroblob(length(bytes)) WHERE chunk = 1",
        "DELETE FROM blobs WHERE chunk = 3",
        "DELETE FROM blobs WHERE chunk = 0",
    ],
)
def test_a_damaged_blob_is_named(path: Path, statement: str) -> None:
    harm(path, statement)
    with opened(path) as store, store.snapshot() as reader, pytest.raises(StoreCorrupt) as caught:
        reader.blob(PICTURE_ID)
    assert PICTURE_ID in caught.value.message
    assert faults_of(path) == (caught.value.message,)


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("DELETE FROM events WHERE ordinal = 0", "number of events"),
        ("UPDATE events SET ordinal = 7 WHERE ordinal = 1", "number of events"),
        ("DELETE FROM archive_records WHERE seq = 0", "number of archived records"),
        ("UPDATE sessions SET converted_through = 9", "converted further"),
        ("UPDATE messages SET length = 99 WHERE position = 1", "counts other messages"),
        ("DELETE FROM messages WHERE position = 0", "counts other messages"),
        ("UPDATE sessions SET owned_length = owned_length - 1", "owns other messages"),
        ("DELETE FROM session_states", "no resumption states"),
        ("DELETE FROM sessions", "which there is not"),
        ("UPDATE archive_chunks SET seq = 1", "belong to no chunked record"),
        ("UPDATE archive_records SET form = 'tar'", "CHECK"),
    ],
)
def test_tables_that_contradict_each_other_are_found(
    path: Path, statement: str, words: str
) -> None:
    harm(path, statement)
    assert any(words in fault for fault in faults_of(path)), faults_of(path)


@pytest.mark.parametrize("page", range(1, 8))
def test_a_page_of_noise_is_found_and_never_a_wrong_answer(path: Path, page: int) -> None:
    with opened(path) as store:
        before = contents(store)
    content = bytearray(path.read_bytes())
    content[page * STORE_PAGE_BYTES : (page + 1) * STORE_PAGE_BYTES] = NOISE.token(STORE_PAGE_BYTES)
    path.write_bytes(content)

    with suppress(StoreCorrupt), opened(path) as store:
        assert store.check() != ()
        assert contents(store) == before  # where that can be said, what was read lies elsewhere


def test_a_file_that_was_cut_is_found(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with suppress(StoreCorrupt), opened(path) as store:
        assert store.check() != ()
        pytest.fail(f"it was read: {contents(store)}")


def test_dropped_bytes_do_not_linger_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    bodies = [NOISE.token(size) for size in (3_000, 20_000, 5 * CHUNK_BYTES)]
    with opened(path) as store:
        archive(store, [record("alpha", n, body=body) for n, body in enumerate(bodies)])
    canaries = [body[at : at + 16] for body in bodies for at in range(0, len(body) - 16, 500)]
    assert any(canary in path.read_bytes() for canary in canaries)
    with opened(path) as store:
        append(store, replace(next_page(store, "alpha"), conversion=mark(3, "drop")))
    content = path.read_bytes()
    assert [canary for canary in canaries if canary in content] == []
    assert sorted(each.name for each in tmp_path.iterdir()) == ["store.sqlite"]
