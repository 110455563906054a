"""Compressed rollouts: reading them as if they were plain, in bounded memory."""

from typing import BinaryIO, Final

import zstandard

from recense.limits import DECODED_BYTES_MAX

_MAGIC: Final = b"\x28\xb5\x2f\xfd"
MAGIC_BYTES: Final = len(_MAGIC)
"""How much of a file tells whether it is compressed."""

_PIECE_BYTES: Final = 1024
"""How much is decoded at a time: at worst it stands for 32 MB."""


def is_compressed(head: bytes) -> bool:
    """Whether a file that begins with these bytes is compressed."""
    return head.startswith(_MAGIC)


def decoded_head(head: bytes) -> bytes:
    """Return the head of a file decoded as far as it goes; a plain one is returned as it is."""
    if not is_compressed(head):
        return head
    decoder = zstandard.ZstdDecompressor().decompressobj()
    text = b""
    try:
        for at in range(0, len(head), _PIECE_BYTES):
            if decoder.eof or len(text) >= len(head):
                break
            text += decoder.decompress(head[at : at + _PIECE_BYTES])
    except zstandard.ZstdError:
        pass  # damaged: what was decoded before is what there is to recognise
    return text


class Decoded:
    """What a compressed file decodes to, from its start on.

    ``fault()`` says, once the end is reached, what was wrong with the file; "" when nothing was.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._decoder: zstandard.ZstdDecompressionObj | None = None
        self._undecoded = b""
        self._ready = b""
        self._taken = 0  # of what is ready
        self._decoded_bytes = 0
        self._fault = ""

    def fault(self) -> str:
        """Return what is wrong with the file as far as it was read."""
        return self._fault

    def seek(self, offset: int) -> int:
        """Go to an offset; only once, before the first read."""
        left = offset
        while left and (skipped := self.read(left)):
            left -= len(skipped)
        return offset - left

    def read(self, size: int) -> bytes:
        """Return the next bytes, at most ``size``; b"" at the end, or where decoding ends."""
        while self._taken == len(self._ready) and not self._fault and self._decode_piece():
            self._taken = 0
        piece = self._ready[self._taken : self._taken + size]
        self._taken += len(piece)
        return piece

    def _decode_piece(self) -> bool:
        """Decode a little more; return whether the file has more."""
        piece = self._undecoded or self._file.read(_PIECE_BYTES)
        self._undecoded = b""
        if not piece:
            if self._decoder is not None:
                self._fault = "the compressed data ends too early"
            return False
        if self._decoder is None:
            self._decoder = zstandard.ZstdDecompressor().decompressobj()
        try:
            self._ready = self._decoder.decompress(piece)
        except zstandard.ZstdError:
            self._fault = "the compressed data is damaged"
            return False
        if self._decoder.eof:
            self._undecoded = self._decoder.unused_data
            self._decoder = None
        left = DECODED_BYTES_MAX - self._decoded_bytes
        self._decoded_bytes += len(self._ready)
        if self._decoded_bytes > DECODED_BYTES_MAX:
            self._ready = self._ready[:left]
            self._fault = f"the compressed data decodes to more than {DECODED_BYTES_MAX} bytes"
        return True
