"""Exports as they are downloaded: the conversations inside a ZIP archive, read as if they lay bare.

Law: what an archive holds is decoded piece by piece, and no more of it than DECODED_BYTES_MAX; its
directory is read only when it is small. Offsets count decoded bytes, part after part.
"""

import os
import re
import zipfile
import zlib
from collections.abc import Iterator
from typing import BinaryIO, Final

from recense.importers.json_list import Element, ElementReader
from recense.limits import ARCHIVE_DIRECTORY_BYTES_MAX, DECODED_BYTES_MAX

FILE_NAME: Final = re.compile(r"conversations(?:-[0-9]{1,6})?\.json")
"""How the files of an export with conversations are named."""

_MAGIC: Final = b"PK\x03\x04"
MAGIC_BYTES: Final = len(_MAGIC)
"""How much of a file tells whether it is an archive."""

_LOCAL_HEADER_BYTES: Final = 30
_END_MAGIC: Final = b"PK\x05\x06"
_END_BYTES_MAX: Final = 22 + 65_535
_STORED, _DEFLATED = 0, 8
_PIECE_BYTES: Final = 256 * 1024

_FAULTS: Final = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,  # a method of compression that Python does not know
    RuntimeError,  # a password is asked for
    ValueError,
    OverflowError,
)


def is_zipped(head: bytes) -> bool:
    """Whether a file that begins with these bytes is a ZIP archive."""
    return head.startswith(_MAGIC)


def head_of_conversations(head: bytes) -> bytes | None:
    """Return how the first file of conversations begins that a head of an archive shows; None where
    it shows none.
    """
    at = 0
    while (at := head.find(_MAGIC, at)) >= 0:
        header = head[at : at + _LOCAL_HEADER_BYTES]
        at += _LOCAL_HEADER_BYTES
        if len(header) < _LOCAL_HEADER_BYTES:
            return None
        method = int.from_bytes(header[8:10], "little")
        name_end = at + int.from_bytes(header[26:28], "little")
        name = head[at:name_end].decode("utf-8", "replace").rpartition("/")[2]
        if FILE_NAME.fullmatch(name):
            start = name_end + int.from_bytes(header[28:30], "little")
            return _decoded(head[start:], method, len(head))
    return None


def _decoded(data: bytes, method: int, bytes_max: int) -> bytes | None:
    if method == _STORED:
        return data
    if method != _DEFLATED:
        return None
    try:
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(data, bytes_max)
    except zlib.error:
        return None


class ZippedElements:
    """The objects of the conversations in an archive, as an `ElementReader` gives them."""

    def __init__(self, file: BinaryIO, offset: int) -> None:
        self._source = _Decoded(file)
        self._reader = ElementReader(self._source, offset)
        self.waiting = 0
        self.fault = ""

    def __iter__(self) -> Iterator[Element]:
        """Yield the objects in order."""
        yield from self._reader
        self.waiting = self._reader.waiting
        self.fault = self._source.fault or self._reader.fault


class _Decoded:
    """What the files of conversations in an archive decode to, one after the other.

    ``fault`` says what was wrong with the archive as far as it was read.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._archive: zipfile.ZipFile | None = None
        self._names: list[str] = []
        self._part: zipfile.ZipExtFile | None = None
        self._left = DECODED_BYTES_MAX
        self.fault = ""

    def seek(self, offset: int) -> int:
        """Go to an offset, from the start on."""
        self._part, self._left = None, DECODED_BYTES_MAX
        try:
            if self._archive is None:
                self._archive = _opened(self._file)
            names = self._archive.namelist()
            own = (name for name in names if FILE_NAME.fullmatch(name.rpartition("/")[2]))
            self._names = sorted(own, reverse=True)
        except _FAULTS as error:
            self.fault = _words_of(error)
        left = offset
        while left and (skipped := self.read(left)):
            left -= len(skipped)
        return offset - left

    def read(self, size: int) -> bytes:
        """Return the next bytes, at most ``size``; b"" at the end, or where decoding ends."""
        piece = b""
        while not piece and not self.fault and (self._part or self._names):
            try:
                if self._part is None and self._archive is not None:
                    opened = self._archive.open(self._names.pop())
                    self._part = opened if isinstance(opened, zipfile.ZipExtFile) else None
                piece = self._part.read(min(size, _PIECE_BYTES)) if self._part else b""
            except _FAULTS as error:
                self.fault = _words_of(error)
            if not piece:
                self._part = None
        if len(piece) > self._left:
            piece = piece[: self._left]
            self.fault = f"the archive decodes to more than {DECODED_BYTES_MAX} bytes"
        self._left -= len(piece)
        return piece


def _opened(file: BinaryIO) -> zipfile.ZipFile:
    """Return the archive; raises BadZipFile where its directory is missing or too large."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _END_BYTES_MAX))
    end = file.read(_END_BYTES_MAX)
    at = end.rfind(_END_MAGIC)
    if at < 0:
        raise zipfile.BadZipFile("it ends before its directory")
    if int.from_bytes(end[at + 12 : at + 16], "little") > ARCHIVE_DIRECTORY_BYTES_MAX:
        raise zipfile.BadZipFile(
            f"its directory is larger than {ARCHIVE_DIRECTORY_BYTES_MAX} bytes"
        )
    return zipfile.ZipFile(file)


def _words_of(error: Exception) -> str:
    return f"the archive cannot be read: {error}"
