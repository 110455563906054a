"""The event: what was said of a subject, by whom, when, and what it withdraws.

Law: an event never changes. Its id is a digest of all its fields but the id itself and the instant
at which a store received it, so that the same statement has one id in every store.
"""

from hashlib import sha256
from typing import Final, Literal

import msgspec

from recense.core.facts.values import ANY_VALUE, FactValue
from recense.core.values import Value
from recense.errors import StoreCorrupt

Kind = Literal["fact", "preference"]
Source = Literal["user_stated", "agent_inferred", "tool_result", "imported"]

_ID_DIGITS: Final = 26
_ID_MARK: Final = "e-"


class Evidence(Value, kw_only=True, omit_defaults=True, gc=False):
    """Where a statement was read. ``excerpt`` is the reference of the words themselves, which lie
    beside the episodes so that they can be erased; equal excerpts of one namespace have equal
    references. ``episode`` is the id of the text they stand in, ``anchor`` that of a message.
    """

    excerpt: str
    episode: str | None = None
    anchor: str | None = None


class ReplacedBelief(Value, kw_only=True, omit_defaults=True, gc=False):
    """A belief that a statement withdraws; ``event_id`` is of the event that brought it, and is for
    people: the fold does not look at it.
    """

    subject: str
    predicate: str
    value_key: str
    event_id: str | None = None


class Touch(Value, kw_only=True, omit_defaults=True, gc=False):
    """A value of a pair that an event may change; ``*`` is every value."""

    subject: str
    predicate: str
    value_key: str


class FactEvent(Value, kw_only=True, omit_defaults=True, gc=False, forbid_unknown_fields=True):
    """One statement, or one retraction, of a subject and a predicate.

    ``value`` is None, and ``value_key`` ``*``, in a retraction of every value. ``touches`` names
    what the event itself states or retracts and every belief it replaces, under every name that the
    pair had when it was written. ``confidence`` is 0 to 1. ``observed_at`` is the instant at which
    it was said, ``recorded_at`` the stamp of the store, both in microseconds since 1970.
    """

    kind: Kind = "fact"
    subject: str
    predicate: str
    value: FactValue | None = None
    value_key: str = ANY_VALUE
    confidence: float = 1.0
    source: Source = "user_stated"
    writer: str = ""
    retraction: bool = False
    observed_at: int
    evidence: tuple[Evidence, ...] = ()
    replaces: tuple[ReplacedBelief, ...] = ()
    touches: tuple[Touch, ...] = ()
    event_id: str = ""
    recorded_at: int | None = None


_CANONICAL: Final = msgspec.json.Encoder(order="sorted")
_DECODER: Final = msgspec.json.Decoder(FactEvent)


def identified(event: FactEvent) -> FactEvent:
    """Return an event with the id that its fields give it."""
    return msgspec.structs.replace(event, event_id=_id_of(encoded(event)))


def encoded(event: FactEvent) -> bytes:
    """Return the canonical bytes of an event: JSON, keys in order, without id and stamp."""
    if event.event_id or event.recorded_at is not None:
        event = msgspec.structs.replace(event, event_id="", recorded_at=None)
    return _CANONICAL.encode(event)


def decoded(body: bytes, event_id: str, recorded_at: int | None) -> FactEvent:
    """Return the event that canonical bytes say.

    Raises StoreCorrupt, by the event's id, where they say none: its pair cannot be read then, since
    what is left of it may say what was long withdrawn.
    """
    try:
        event = _DECODER.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise StoreCorrupt(
            f"the event {event_id!r} cannot be read: {error}",
            hint="a later release may have written it; `recense doctor` lists all there are",
        ) from error
    # Nobody else has seen it yet: it is completed where it is, a copy would cost as much again.
    msgspec.structs.force_setattr(event, "event_id", event_id)
    msgspec.structs.force_setattr(event, "recorded_at", recorded_at)
    return event


def is_intact(body: bytes, event_id: str) -> bool:
    """Whether canonical bytes are those that gave an event its id."""
    return _id_of(body) == event_id


def _id_of(canonical: bytes) -> str:
    return _ID_MARK + sha256(canonical).hexdigest()[:_ID_DIGITS]
