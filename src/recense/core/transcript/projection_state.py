"""The state of projection: all it must know of the events before, small enough to store each time.

Bounded by OPEN_MESSAGES_MAX, PROMPTS_REMEMBERED_MAX and QUEUED_REMEMBERED_MAX; texts stand in it as
digests of fixed size.
"""

from collections.abc import Mapping
from typing import Final, TypeVar

import msgspec

from recense.core.transcript.records import Counts
from recense.core.transcript.remembering import stand_in
from recense.core.values import Value


class OpenMessage(Value, kw_only=True, array_like=True):
    """A message that fragments with this key may still join; ``owns`` says that it has own text,
    ``ends_own`` that its last run is own text, with which the next own run becomes one.
    """

    key: str
    position: int
    counted: bool
    owns: bool
    ends_own: bool


class Prompt(Value, kw_only=True, array_like=True):
    """A typed prompt: where it is, and the counts as they were before it."""

    parent: str
    position: int
    messages: int
    length: int
    branch_messages: int


class Queued(Value, kw_only=True, array_like=True):
    """A queued prompt that has not been typed yet."""

    digest: str
    position: int
    length: int


class ProjectionState(Value, kw_only=True):
    """All that projection must know of the events before; bounded by the limits it names."""

    ordinal: int = 0
    position: int = 0
    turn: str = ""
    counts: Counts = Counts()
    open_messages: tuple[OpenMessage, ...] = ()
    prompts: tuple[Prompt, ...] = ()
    queued: tuple[Queued, ...] = ()


_encoder: Final = msgspec.msgpack.Encoder()
_decoder: Final = msgspec.msgpack.Decoder(ProjectionState)


_STAND_IN_BYTES: Final = 12

_Remembered = TypeVar("_Remembered", Prompt, Queued)


def fragment_key(role: str, message: str | None) -> str | None:
    """Return the key under which fragments of one message find each other; None has none."""
    return None if message is None else f"{role}:{short_key(message)}"


def call_key(call_id: str) -> str:
    """Return the key under which what belongs to a tool's result finds it."""
    return f"call:{short_key(call_id)}"


def short_key(text: str) -> str:
    """Return a digest of fixed size that stands for a text."""
    return stand_in(text, _STAND_IN_BYTES).hex()


def before_position(entries: Mapping[str, _Remembered], position: int) -> dict[str, _Remembered]:
    """Return what is remembered of the messages before a position."""
    return {key: entry for key, entry in entries.items() if entry.position < position}


def encode_state(state: ProjectionState) -> bytes:
    """Return the stored form of a projection state."""
    return _encoder.encode(state)


def decode_state(state: bytes) -> ProjectionState:
    """Return the projection state of its stored form; b"" is the state before the first event."""
    return _decoder.decode(state) if state else ProjectionState()
