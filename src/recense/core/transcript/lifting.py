"""Lifting long base64 payloads out of a line while it is read, so that no line is lost to an image.

Laws:

- A payload is a string literal of base64 over LIFTED_PAYLOAD_BYTES_MIN that the gate would move to
  a blob too: under a key for payloads, behind a data URL's head, or beginning as an image or a
  document does. It becomes a reference as the gate writes it, and its bytes a blob.
- What is lifted depends on the line alone, never on the pieces in which it came: so copies of a
  record stay copies, and reading on gives what reading whole gave.
- Of one line at most LIFTED_LINE_BYTES_MAX decoded bytes are held; of a payload beyond them digest
  and length are left (`recense.core.transcript.gate.bare_reference`).
"""

import re
from binascii import a2b_base64, b2a_base64
from hashlib import sha256
from typing import Final

from recense.core.transcript.gate import (
    PAYLOAD_KEYS,
    bare_reference,
    reference_to_blob,
)
from recense.core.transcript.payload_texts import PAYLOAD_MAGIC
from recense.core.transcript.records import Blob
from recense.core.values import Value
from recense.limits import LIFTED_LINE_BYTES_MAX, LIFTED_PAYLOAD_BYTES_MIN

_CONTEXT_BYTES: Final = 400
_QUANTUM: Final = 4
"""Characters of base64 that stand for three bytes."""

_START: Final = re.compile(rb'(?:"|;base64,)(?=[A-Za-z0-9+/]{%d})' % LIFTED_PAYLOAD_BYTES_MIN)
_OVERLAP: Final = LIFTED_PAYLOAD_BYTES_MIN + len(b";base64,")
_DIGITS: Final = re.compile(rb"[A-Za-z0-9+/]*")
_END: Final = re.compile(rb'(={0,2})"')
_END_BYTES: Final = 3
_NAMED: Final = re.compile(
    rb'(?:"(?:%s)"\s{0,8}:\s{0,8}"|(?<!\\)"data:[^"\\]{0,256};base64,)\Z'
    % "|".join(sorted(PAYLOAD_KEYS)).encode()
)
_MAGIC_DIGITS: Final = 16


class Lift(Value, kw_only=True):
    """A reference at byte ``at`` of what remains of a line, how many bytes longer the payload was
    that stood there, and its blob where it is held.
    """

    at: int
    longer_by: int
    blob: Blob | None


class LiftedLine(Value, kw_only=True):
    """What remains of a line of ``size`` bytes (None: more than may), and what was lifted out of
    it, in order.
    """

    rest: bytes | None
    size: int
    lifts: tuple[Lift, ...] = ()


class PayloadLifter:
    """Takes one line in pieces; ``remaining_max`` bounds what may remain of it."""

    def __init__(self, remaining_max: int) -> None:
        self._remaining_max = remaining_max
        self._remaining: list[bytes] | None = []  # None: more remains than may
        self._size = 0  # of what remains
        self._taken = 0
        self._before = b""  # the last of what was settled, for what a payload begins behind
        self._buffer = b""
        self._unread: list[
            bytes
        ] = []  # gathered, so that small pieces cost no more than large ones
        self._unread_bytes = 0
        self._payload: _Payload | None = None
        self._lifts: list[Lift] = []
        self._held: dict[str, Blob] = {}
        self._held_bytes = 0

    def feed(self, piece: bytes) -> None:
        """Take the next bytes of the line."""
        self._taken += len(piece)
        if self._remaining is None:
            return
        self._unread.append(piece)
        self._unread_bytes += len(piece)
        if self._unread_bytes >= LIFTED_PAYLOAD_BYTES_MIN:
            self._read()
            self._scan(is_whole=False)

    def _read(self) -> None:
        self._buffer = b"".join((self._buffer, *self._unread))
        self._unread.clear()
        self._unread_bytes = 0

    def finish(self, *, unseen: int = 0) -> LiftedLine:
        """Return the line at its end; ``unseen`` is what its size counts beside what was fed."""
        self._read()
        self._scan(is_whole=True)
        rest = None if self._remaining is None else b"".join(self._remaining)
        return LiftedLine(rest=rest, size=self._taken + unseen, lifts=tuple(self._lifts))

    def _scan(self, *, is_whole: bool) -> None:
        while self._remaining is not None:
            goes_on = (
                self._search(is_whole=is_whole)
                if self._payload is None
                else self._go_through(self._payload, is_whole=is_whole)
            )
            if not goes_on:
                return

    def _search(self, *, is_whole: bool) -> bool:
        """Settle the buffer up to the next payload; return whether one begins."""
        at = 0
        while (found := _START.search(self._buffer, at)) is not None:
            at = found.end()
            if self._begins_payload(at):
                self._settle(self._buffer[:at])
                self._buffer = self._buffer[at:]
                self._payload = _Payload(LIFTED_LINE_BYTES_MAX - self._held_bytes)
                return True
        ends = len(self._buffer) if is_whole else max(0, len(self._buffer) - _OVERLAP)
        self._settle(self._buffer[:ends])
        self._buffer = self._buffer[ends:]
        return False

    def _begins_payload(self, at: int) -> bool:
        """Whether base64 that begins there in the buffer is a payload and no mere long word."""
        context = self._buffer[max(0, at - _CONTEXT_BYTES) : at]
        if at < _CONTEXT_BYTES:
            context = self._before + context
        if _NAMED.search(context) is not None:
            return True
        head = a2b_base64(self._buffer[at : at + _MAGIC_DIGITS])
        return head.startswith(PAYLOAD_MAGIC) and not context.endswith(b'\\"')

    def _go_through(self, payload: "_Payload", *, is_whole: bool) -> bool:
        """Take what the buffer has of a payload; return whether it ended there."""
        digits = _DIGITS.match(self._buffer)
        ends = digits.end() if digits is not None else 0
        payload.take(self._buffer[:ends])
        self._buffer = self._buffer[ends:]
        if len(self._buffer) < _END_BYTES and not is_whole:
            return False
        self._payload = None
        end = _END.match(self._buffer)
        if end is None or not payload.is_sound():
            self._settle(payload.restored(self._remaining_max))
            return True
        padding = end.end(1)
        self._buffer = self._buffer[padding:]
        self._lift(payload, payload.length + padding)
        return True

    def _lift(self, payload: "_Payload", length: int) -> None:
        digest, data = payload.ended()
        blob = self._held.get(digest)
        if blob is None and data is not None:
            blob = self._held[digest] = Blob(sha256=digest, data=data)
            self._held_bytes += len(data)
        write = bare_reference if blob is None else reference_to_blob
        reference = write(digest, payload.decoded_bytes).encode()
        self._lifts.append(Lift(at=self._size, longer_by=length - len(reference), blob=blob))
        self._settle(reference)

    def _settle(self, settled: bytes | None) -> None:
        """Take bytes of what remains; None: more than may remain."""
        if self._remaining is None or settled == b"":
            return
        self._size += 0 if settled is None else len(settled)
        if settled is None or self._size > self._remaining_max:
            self._remaining = None
            self._buffer = b""
            self._lifts.clear()
            self._held.clear()
            return
        self._remaining.append(settled)
        self._before = (self._before + settled[-_CONTEXT_BYTES:])[-_CONTEXT_BYTES:]


class _Payload:
    """Base64 that is decoded as it comes, and held while it takes no more than ``room`` bytes."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._pieces: list[bytes] | None = []  # None: too many bytes to hold
        self._hash = sha256()
        self._rest = b""
        self.length = 0
        self.decoded_bytes = 0

    def take(self, digits: bytes) -> None:
        """Take the next characters of base64."""
        self.length += len(digits)
        digits = self._rest + digits
        whole = len(digits) - len(digits) % _QUANTUM
        self._rest = digits[whole:]
        self._decode(digits[:whole])

    def _decode(self, digits: bytes) -> None:
        data = a2b_base64(digits)
        self._hash.update(data)
        self.decoded_bytes += len(data)
        if self.decoded_bytes > self._room:
            self._pieces = None
        elif self._pieces is not None and data:
            self._pieces.append(data)

    def is_sound(self) -> bool:
        """Whether what was taken may end here: one character stands for no byte."""
        return len(self._rest) != 1

    def ended(self) -> tuple[str, bytes | None]:
        """Return the digest of the decoded bytes, and these where they are held."""
        self._decode(self._rest + b"=" * (-len(self._rest) % _QUANTUM))
        return self._hash.hexdigest(), None if self._pieces is None else b"".join(self._pieces)

    def restored(self, bytes_max: int) -> bytes | None:
        """Return the characters that were taken; None for more than so many, or than are held."""
        if self._pieces is None or self.length > bytes_max:
            return None
        return b"".join(b2a_base64(piece, newline=False) for piece in self._pieces) + self._rest
