"""The changes of a registry, and the events that make them.

A change is an event like any other, under a subject of its own; what it does to the registry is the
matter of `recense.core.facts.registry`.
"""

from typing import Final, Literal

import msgspec

from recense.core.facts.event import FactEvent, identified
from recense.core.facts.values import RESERVED, ValueType, value_key
from recense.core.values import Value
from recense.errors import StoreCorrupt

REGISTRY_SUBJECT: Final = f"{RESERVED}registry"
"""The subject of the registry's own events."""

FIRST_INSTANT: Final = 0
"""The instant of the definitions that a registry begins with: nobody stated them."""

Cardinality = Literal["single", "multi"]


class Definition(Value, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The rules of a predicate. ``allowed`` are the values of an enum; ``excludes`` names the
    predicates under which an assertion of the same value is withdrawn; what is ``historical`` has
    happened and stays so. ``template`` is a sentence with ``{subject}`` and ``{value}``.
    """

    predicate: str
    cardinality: Cardinality = "multi"
    value_type: ValueType = "string"
    description: str = ""
    allowed: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()
    historical: bool = False
    template: str | None = None


class Define(Value, kw_only=True, tag="define", tag_field="change"):
    """A predicate is there from now on, and from ever on."""

    definition: Definition


class Redefine(Value, kw_only=True, tag="redefine", tag_field="change"):
    """A predicate has other rules: from its first definition on, or from this instant on."""

    definition: Definition
    retroactive: bool = True


class Merge(Value, kw_only=True, tag="merge", tag_field="change"):
    """A predicate means the same as another, whose rules hold for both."""

    predicate: str
    into: str


class Split(Value, kw_only=True, tag="split", tag_field="change"):
    """A predicate that was merged is one of its own again."""

    predicate: str


class MergeSubject(Value, kw_only=True, tag="merge_subject", tag_field="change"):
    """A subject is the same as another."""

    subject: str
    into: str


class SplitSubject(Value, kw_only=True, tag="split_subject", tag_field="change"):
    """A subject that was merged is one of its own again."""

    subject: str


Change = Define | Redefine | Merge | Split | MergeSubject | SplitSubject

NOTE: Final = Definition(
    predicate="note",
    description="What no predicate says; it withdraws nothing and comes last.",
    template="{value}",
)
"""The predicate that is always there."""

_CHANGE_ENCODER: Final = msgspec.json.Encoder(order="sorted")
_CHANGE_DECODER: Final = msgspec.json.Decoder(Change)


def change_text(change: Change) -> str:
    """Return a change as the value of its event."""
    return _CHANGE_ENCODER.encode(change).decode()


def change_of(event: FactEvent) -> Change:
    """Return the change that an event of the registry's log makes.

    Raises StoreCorrupt, by the event's id, where it makes none that this release knows.
    """
    try:
        return _CHANGE_DECODER.decode(event.value if isinstance(event.value, str) else "")
    except msgspec.DecodeError as error:
        raise StoreCorrupt(
            f"the registry's event {event.event_id!r} cannot be read: {error}",
            hint="a later release may have written it; `recense doctor` lists all there are",
        ) from error


def registry_event(change: Change, observed_at: int) -> FactEvent:
    """Return the event that makes a change of the registry; it has no writer, so that whoever makes
    the same change at one instant makes the same event.
    """
    text = change_text(change)
    tag = type(change).__struct_config__.tag
    return identified(
        FactEvent(
            subject=REGISTRY_SUBJECT,
            predicate=str(tag),
            value=text,
            value_key=value_key(text),
            observed_at=observed_at,
        )
    )
