"""Pieces: how bytes of any length are kept in rows of bounded length, and read back whole.

Laws: what is read is what was given, or StoreCorrupt says what is damaged. A record of at most
CHUNK_BYTES is one piece, in its row; a longer one is cut into chunks of CHUNK_BYTES, wherever that
falls, each with the SHA-256 of its bytes. A piece is plain or a zstd frame, whichever is shorter;
a length or digest always speaks of the plain bytes.

A record is compressed when it is archived, not once it is converted: writing it again, shorter,
cost twice what writing it had cost (measured on real records), and reading is faster than the disk
either way.
"""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Final, Literal

import zstandard

from recense.adapters.sqlite.driver import Connection
from recense.core.transcript.records import Blob
from recense.errors import StoreCorrupt
from recense.limits import CHUNK_BYTES

Form = Literal["plain", "zstd", "chunked"]
"""How the bytes of a record are kept: in its row, plain or as a zstd frame; or in chunks."""

_LEVEL: Final = 1
"""Of zstd. On real records level 3 took a third more time and saved 2 % more."""


def cut(data: bytes) -> Iterator[bytes]:
    """Yield ``data`` in runs of CHUNK_BYTES, the last one shorter; at least one run."""
    yield data[:CHUNK_BYTES]
    for start in range(CHUNK_BYTES, len(data), CHUNK_BYTES):
        yield data[start : start + CHUNK_BYTES]


class RecordWriter:
    """Writes the bytes of records on one connection; for one thread at a time."""

    def __init__(self, connection: Connection) -> None:
        self._connection: Final = connection
        self._compressor: Final = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True)

    def write(self, key: int, seq: int, record: bytes) -> tuple[Form, bytes | None]:
        """Return what the row of a record keeps of it; a long record's chunks are kept here."""
        if len(record) <= CHUNK_BYTES:
            return self._packed(record)
        self._connection.executemany(
            "INSERT INTO archive_chunks VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                (key, seq, chunk, *self._packed(data), len(data), sha256(data).digest())
                for chunk, data in enumerate(cut(record))
            ),
        )
        return "chunked", None

    def _packed(self, data: bytes) -> tuple[Form, bytes]:
        """Return the shorter form of a piece; its frame carries a checksum."""
        frame = self._compressor.compress(data)
        return ("zstd", frame) if len(frame) < len(data) else ("plain", data)


class ArchiveReader:
    """Reads the bytes of records on one connection; for one thread at a time."""

    def __init__(self, connection: Connection) -> None:
        self._connection: Final = connection
        self._decompressor: Final = zstandard.ZstdDecompressor()

    def read(self, key: int, seq: int, form: Form, length: int, stored: bytes | None) -> bytes:
        """Return the bytes of a record as they were archived.

        ``form``, ``length`` and ``stored`` are of its row. Raises StoreCorrupt, which names the
        record, when it cannot be read whole.
        """
        name = f"archive record {seq} of session key {key}"
        if stored is not None:
            return self._plain(form, length, stored, name)
        whole = bytearray()
        rows = self._connection.execute(
            "SELECT chunk, form, bytes, length, sha256 FROM archive_chunks"
            " WHERE session_key = ? AND seq = ? ORDER BY chunk",
            (key, seq),
        )
        for place, (chunk, chunk_form, chunk_stored, chunk_length, digest) in enumerate(rows):
            if chunk != place:
                raise damaged(name, f"its chunk {place} is missing")
            data = self._plain(chunk_form, chunk_length, chunk_stored, f"{name}, chunk {chunk}")
            if sha256(data).digest() != digest:
                raise damaged(name, f"its chunk {chunk} does not have the SHA-256 it was kept by")
            whole += data
        if len(whole) != length:
            raise damaged(name, f"its chunks have {len(whole)} bytes, not the {length} it had")
        return bytes(whole)

    def _plain(self, form: Form, length: int, stored: bytes, name: str) -> bytes:
        data = self._inflated(stored, name) if form == "zstd" else stored
        if len(data) != length:
            raise damaged(name, f"it has {len(data)} bytes, not the {length} it had")
        return data

    def _inflated(self, frame: bytes, name: str) -> bytes:
        try:
            # The frame says its own size: a damaged one must not make us reserve it.
            if zstandard.frame_content_size(frame) > CHUNK_BYTES:
                raise damaged(name, "its compressed frame claims to be longer than a piece")
            return self._decompressor.decompress(frame)
        except zstandard.ZstdError as error:
            raise damaged(name, f"its compressed frame cannot be read ({error})") from error


def write_blob(connection: Connection, blob: Blob) -> None:
    """Keep a blob, unless it is kept already."""
    held = connection.execute(
        "SELECT 1 FROM blobs WHERE sha256 = ? AND chunk = 0", (blob.sha256,)
    ).fetchall()
    if not held:
        connection.executemany(
            "INSERT INTO blobs VALUES (?, ?, ?)",
            ((blob.sha256, chunk, data) for chunk, data in enumerate(cut(blob.data))),
        )


def hold_blobs(connection: Connection, key: int, digests: Iterable[str]) -> None:
    """Remember that a session refers to blobs."""
    connection.executemany(
        "INSERT OR IGNORE INTO blob_holders VALUES (?, ?)", ((digest, key) for digest in digests)
    )


def read_blob(connection: Connection, digest: str) -> bytes | None:
    """Return a blob, or None. Raises StoreCorrupt when its bytes do not have its name."""
    whole = bytearray()
    rows = connection.execute("SELECT bytes FROM blobs WHERE sha256 = ? ORDER BY chunk", (digest,))
    found = False
    for (data,) in rows:
        found = True
        whole += data
    if not found:
        return None
    data = bytes(whole)
    if sha256(data).hexdigest() != digest:
        raise damaged(f"blob {digest}", "its bytes do not have the SHA-256 it is named by")
    return data


def damaged(name: str, what: str) -> StoreCorrupt:
    """Return the error for bytes that are not what was kept."""
    return StoreCorrupt(
        f"{name} is damaged: {what}",
        hint="run `recense doctor`; the rest of the store can be read",
    )
