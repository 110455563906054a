"""How events and what goes with them lie in a store of records.

Counters, by which a write knows that what it read has not changed: one for the registry, one for
each pair under its canonical name, one for each value of it, and one for what reaches every value.
"""

import hmac
from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Final

from recense.core.facts.belief import sentence
from recense.core.facts.changes import NOTE
from recense.core.facts.event import FactEvent, decoded, encoded
from recense.core.facts.values import RESERVED, normal_subject
from recense.core.values import Value
from recense.errors import StoreCorrupt
from recense.limits import PAIR_KEYS_KEPT_MAX
from recense.ports.records import Field, Listing, Record
from recense.services.fact_collections import MEMORY

REGISTRY_COUNTER: Final = "registry"

_KEY_DIGITS: Final = 32
_EXCERPT_MARK: Final = "x-"
_REQUEST_MARK: Final = "k-"
_SEPARATOR: Final = b"\x00"


@lru_cache(maxsize=PAIR_KEYS_KEPT_MAX)
def pair_key(subject: str, predicate: str) -> str:
    """Return what stands for a pair in fields and counters: 32 hexadecimal digits."""
    return sha256(subject.encode() + _SEPARATOR + predicate.encode()).hexdigest()[:_KEY_DIGITS]


def touch_key(pair: str, value_key: str) -> str:
    """Return what stands for a value of a pair, or for every value."""
    return f"{pair}:{value_key[:_KEY_DIGITS]}"


def subject_key(subject: str) -> str:
    """Return what stands for all that predicates say of a subject, beside the pairs of each
    assertion but of notes: there may be any number of them.
    """
    return pair_key(subject, "")


def said_key(subject: str, value_key: str) -> str:
    """Return what stands for a value of a subject under any predicate, beside the touches of what
    asserts it.
    """
    return touch_key(subject_key(subject), value_key)


def pair_counter(subject: str, predicate: str) -> str:
    """Return the name of the counter of a canonical pair; every write to it raises it."""
    return f"pair:{pair_key(subject, predicate)}"


def value_counter(subject: str, predicate: str, value_key: str) -> str:
    """Return the name of the counter of one value of a canonical pair, or of every value."""
    return f"value:{touch_key(pair_key(subject, predicate), value_key)}"


def touched_keys(event: FactEvent) -> tuple[dict[str, None], dict[str, None]]:
    """Return what stands for the pairs that an event touches, and for the values, each once."""
    touched = [(pair_key(each.subject, each.predicate), each.value_key) for each in event.touches]
    pairs = dict.fromkeys([pair for pair, _ in touched])
    return pairs, dict.fromkeys([touch_key(pair, key) for pair, key in touched])


def event_record(event: FactEvent, excerpts: Sequence[str], *, is_ref: bool = False) -> Record:
    """Return the record of an event; a text search finds it by its sentence and excerpts.

    Beside the pairs and values that it touches, an assertion has the keys of what it says of its
    subject (`subject_key`, `said_key`). The registry's own events are found by no text: they say
    nothing about the world.
    """
    is_internal = event.subject.startswith(RESERVED)
    pairs, touches = touched_keys(event)
    if not event.retraction and not is_internal:
        touches[said_key(event.subject, event.value_key)] = None
        if event.predicate != NOTE.predicate:
            pairs[subject_key(event.subject)] = None
    fields: dict[str, Field] = {
        "subject": event.subject,
        "predicate": event.predicate,
        "kind": event.kind,
        "source": event.source,
        "writer": event.writer,
        "observed_at": event.observed_at,
        "confidence": event.confidence,
        "retraction": event.retraction,
        "internal": is_internal,
        "value_key": event.value_key,
        "pairs": tuple(pairs),
        "touches": tuple(touches),
    }
    if isinstance(event.value, int | float) and not isinstance(event.value, bool):
        fields["number"] = event.value
    if is_ref and isinstance(event.value, str):
        fields["refers_to"] = normal_subject(event.value)
    return Record(
        collection=MEMORY,
        record_id=event.event_id,
        body=encoded(event),
        fields=fields,
        text=None if is_internal else _text(event, excerpts),
    )


def event_of(record: Record) -> FactEvent:
    """Return the event that a record of the memory collection holds.

    Raises StoreCorrupt, by its id, where it holds none that this release can read.
    """
    return decoded(record.body, record.record_id, record.recorded_at)


def require_whole(listing: Listing) -> None:
    """Raise StoreCorrupt where a store lists another number of records than it says there are."""
    if not listing.records and listing.total == 0:
        return
    listed = len({record.record_id for record in listing.records})
    if listed != listing.total:
        raise StoreCorrupt(
            f"the store gave {listed} events of a history and says there are {listing.total}",
            hint="run `recense doctor`; nothing is answered from a part of a history",
        )


class KeptExcerpt(Value, kw_only=True):
    """Words that evidence refers to. ``salt`` is kept here alone, so that without this record
    nobody can test a guess at them.
    """

    salt: str
    text: str


def excerpt_reference(store_key: bytes, text: str) -> tuple[str, KeptExcerpt]:
    """Return the reference of an excerpt and what is kept of it; equal texts of one store have
    equal references.
    """
    salt = hmac.new(store_key, text.encode(), sha256).hexdigest()[:_KEY_DIGITS]
    digest = sha256(salt.encode() + _SEPARATOR + text.encode()).hexdigest()
    return f"{_EXCERPT_MARK}{digest[:_KEY_DIGITS]}", KeptExcerpt(salt=salt, text=text)


def request_id(key: str) -> str:
    """Return the id under which the outcome of a request with a key of its own is kept."""
    return f"{_REQUEST_MARK}{sha256(key.encode()).hexdigest()[:_KEY_DIGITS]}"


def request_counter(key: str) -> str:
    """Return the name of the counter that lets a key be used once."""
    return f"request:{request_id(key)}"


def _text(event: FactEvent, excerpts: Sequence[str]) -> str:
    said = sentence(event.subject, event.predicate, event.value, withdrawn=event.retraction)
    return "\n".join((said, *excerpts))
