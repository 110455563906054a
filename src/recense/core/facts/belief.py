"""Beliefs: what the fold says holds; and how a statement is said in words."""

from typing import assert_never

from recense.core.facts.event import Evidence, Kind, Source
from recense.core.facts.values import FactValue
from recense.core.values import Value


class Replaced(Value, kw_only=True):
    """A value that a belief's own assertion displaced or withdrew in its pair."""

    value: FactValue
    since: int
    event_id: str


class Contested(Value, kw_only=True):
    """A value that another writer had stated so short a time before that neither knew of the other.

    ``writer`` is who stated it.
    """

    value: FactValue
    writer: str
    event_id: str


class Belief(Value, kw_only=True):
    """What holds of a pair at an instant.

    ``predicate`` is the canonical name. ``since`` is the instant of the event that began the run in
    which the value is held (``event_id``), ``last_stated`` and ``last_event_id`` are of the newest
    that stated it; kind, value as written, confidence, source and writer are its. ``evidence`` is
    at most EVIDENCE_MAX pieces, newest first. ``replaced`` is what the newest assertion that
    displaced or withdrew anything here displaced or withdrew.
    """

    kind: Kind
    subject: str
    predicate: str
    value: FactValue
    value_key: str
    since: int
    last_stated: int
    confidence: float
    source: Source
    writer: str
    event_id: str
    last_event_id: str
    evidence: tuple[Evidence, ...] = ()
    replaced: tuple[Replaced, ...] = ()
    contested: Contested | None = None


def sentence(subject: str, predicate: str, value: FactValue | None, *, withdrawn: bool) -> str:
    """Return an event in words: subject, predicate with spaces, value; ``not: `` before what it
    withdraws.
    """
    said = "anything" if value is None else value_words(value)
    words = f"{subject} {predicate.replace('_', ' ')} {said}"
    return f"not: {words}" if withdrawn else words


def value_words(value: FactValue) -> str:
    """Return a value as a person writes it."""
    match value:
        case bool():
            return "yes" if value else "no"
        case int() | str():
            return str(value)
        case float():
            return repr(value)
        case _:
            assert_never(value)
