"""Beliefs and events as they leave: instants as text, excerpts beside their references, redacted.

Redaction comes last, on every text, whatever was done when it was stored.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from recense.core.facts.belief import Belief, sentence, value_words
from recense.core.facts.event import Evidence, FactEvent
from recense.core.facts.registry import Registry
from recense.core.facts.values import FactValue
from recense.core.instants import text_from_instant
from recense.core.text.redact import redact
from recense.errors import StoreCorrupt
from recense.operations.facts import (
    BeliefView,
    ContestedView,
    ElsewhereView,
    EventView,
    EvidenceView,
    ReplacedView,
)
from recense.ports.records import Record, RecordReader
from recense.services.fact_collections import EPISODES
from recense.services.fact_records import KeptExcerpt

_PLACES: Final = re.compile(r"\{(?:subject|value)\}")
"""What a template has filled in, in one pass: a subject may itself be called ``{value}``."""

_EXCERPTS: Final = msgspec.json.Decoder(KeptExcerpt)


def shown(value: FactValue) -> FactValue:
    """Return a value as it may leave."""
    return redact(value).text if isinstance(value, str) else value


def kept_excerpts(reader: RecordReader, evidence: Iterable[Evidence]) -> dict[str, str]:
    """Return the words of pieces of evidence as they are kept, by their references; erased ones are
    left out. Raises StoreCorrupt for words that cannot be read.
    """
    wanted = {piece.excerpt for piece in evidence}
    if not wanted:
        return {}
    found = reader.get(EPISODES, wanted)
    return {key: excerpt_of(record) for key, record in found.items()}


def excerpt_of(record: Record) -> str:
    """Return the words that a record keeps for evidence. Raises StoreCorrupt, by its id."""
    try:
        return _EXCERPTS.decode(record.body).text
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise StoreCorrupt(
            f"the words {record.record_id!r} that evidence refers to cannot be read: {error}",
            hint="a later release may have written them",
        ) from error


def belief_views(
    reader: RecordReader,
    registry: Registry,
    beliefs: Sequence[Belief],
    *,
    elsewhere: Mapping[str, tuple[ElsewhereView, ...]] | None = None,
    excerpts: Mapping[str, str] | None = None,
    via: str | None = None,
) -> tuple[BeliefView, ...]:
    """Return beliefs as they leave, in their order; ``elsewhere`` by the belief's event id.

    ``excerpts`` are words, by their references, that the store may not hold yet.
    """
    if not beliefs:
        return ()
    kept = kept_excerpts(reader, [piece for each in beliefs for piece in each.evidence])
    words = {**kept, **(excerpts or {})}
    found = elsewhere or {}
    return tuple(
        [_belief_view(each, registry, words, found.get(each.event_id, ()), via) for each in beliefs]
    )


def said(registry: Registry, subject: str, predicate: str, value: FactValue) -> str:
    """Return a statement in words: by the template of its predicate where this has one.

    The value is redacted by itself, then the whole: each can be told for a secret where the other
    cannot.
    """
    definition = registry.definition(predicate)
    value = shown(value)
    if definition is None or definition.template is None:
        words = sentence(subject, predicate, value, withdrawn=False)
    else:
        said_by = {"{subject}": subject, "{value}": value_words(value)}
        words = _PLACES.sub(lambda place: said_by[place.group()], definition.template)
    return redact(words).text


def event_words(event: FactEvent) -> str:
    """Return an event in words, as they may leave."""
    value = None if event.value is None else shown(event.value)
    words = sentence(event.subject, event.predicate, value, withdrawn=event.retraction)
    return redact(words).text


def event_views(reader: RecordReader, events: Sequence[FactEvent]) -> tuple[EventView, ...]:
    """Return events as they leave, in their order."""
    excerpts = kept_excerpts(reader, (piece for each in events for piece in each.evidence))
    return tuple(_event_view(event, excerpts) for event in events)


def _belief_view(
    belief: Belief,
    registry: Registry,
    excerpts: Mapping[str, str],
    elsewhere: tuple[ElsewhereView, ...],
    via: str | None,
) -> BeliefView:
    contested, since = belief.contested, text_from_instant(belief.since)
    is_restated = belief.last_stated != belief.since
    return BeliefView(
        kind=belief.kind,
        subject=redact(belief.subject).text,
        predicate=belief.predicate,
        value=shown(belief.value),
        sentence=said(registry, belief.subject, belief.predicate, belief.value),
        since=since,
        last_stated=text_from_instant(belief.last_stated) if is_restated else since,
        confidence=belief.confidence,
        source=belief.source,
        writer=belief.writer,
        event_id=belief.event_id,
        last_event_id=belief.last_event_id,
        evidence=_evidence_views(belief.evidence, excerpts),
        replaced=tuple(
            [
                ReplacedView(
                    value=shown(each.value),
                    since=text_from_instant(each.since),
                    event_id=each.event_id,
                )
                for each in belief.replaced
            ]
        ),
        elsewhere=elsewhere,
        contested=None
        if contested is None
        else ContestedView(
            value=shown(contested.value), writer=contested.writer, event_id=contested.event_id
        ),
        via=via,
    )


def _event_view(event: FactEvent, excerpts: Mapping[str, str]) -> EventView:
    return EventView(
        event_id=event.event_id,
        sentence=event_words(event),
        kind=event.kind,
        subject=redact(event.subject).text,
        predicate=event.predicate,
        value=None if event.value is None else shown(event.value),
        retraction=event.retraction,
        confidence=event.confidence,
        source=event.source,
        writer=event.writer,
        observed_at=text_from_instant(event.observed_at),
        recorded_at=None if event.recorded_at is None else text_from_instant(event.recorded_at),
        evidence=_evidence_views(event.evidence, excerpts),
        replaces=tuple(each.event_id or each.value_key for each in event.replaces),
    )


def _evidence_views(
    evidence: Iterable[Evidence], excerpts: Mapping[str, str]
) -> tuple[EvidenceView, ...]:
    return tuple(
        [
            EvidenceView(
                excerpt=redact(excerpts[piece.excerpt]).text if piece.excerpt in excerpts else None,
                episode=piece.episode,
                anchor=piece.anchor,
            )
            for piece in evidence
        ]
    )
