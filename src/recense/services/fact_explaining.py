"""Why something holds, in words: the rules that decide, what each event did, what is left.

Law: an explanation is the same walk as the answer, with its steps written down.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from recense.core.facts.belief import Belief, value_words
from recense.core.facts.event import FactEvent
from recense.core.facts.fold import Step
from recense.core.facts.registry import Registry
from recense.core.facts.values import FactValue, normal_subject, require_predicate, value_key
from recense.core.instants import text_from_instant
from recense.core.recall.filters import period_of
from recense.core.text.quoting import quoted
from recense.core.text.redact import redact
from recense.core.values import Value
from recense.errors import InvalidRequest
from recense.limits import FACT_PAGE_EVENTS, PAIRS_EXPLAINED_MAX
from recense.operations.facts import (
    ExplainedPair,
    ExplainedStep,
    FactDifference,
    FactExplanation,
    FactTimeline,
    ValueSpan,
)
from recense.ports.clock import Clock
from recense.ports.records import (
    RECORDED_AT,
    Between,
    Condition,
    Equals,
    OneOf,
    RecordReader,
    RecordStore,
)
from recense.services.fact_admission import asked_instant
from recense.services.fact_collections import MEMORY
from recense.services.fact_reading import (
    NEWEST_FIRST,
    FactMoment,
    Registries,
    Unit,
    open_moment,
)
from recense.services.fact_records import event_of
from recense.services.fact_rules import rules_of
from recense.services.fact_views import belief_views, event_views, event_words, shown

WITHDRAWAL: Final = "a withdrawal"
"""What ended a value that nothing took the place of."""


class FactExplaining:
    """Explains the facts of one store."""

    def __init__(self, store: RecordStore, clock: Clock, registries: Registries) -> None:
        self._store: Final = store
        self._clock: Final = clock
        self._registries: Final = registries

    def explain(
        self,
        subject: str,
        predicate: str | None = None,
        *,
        as_of: str | None = None,
        known_by: str | None = None,
    ) -> FactExplanation:
        """Return why it holds what holds of a pair; of every pair of a subject, by name, where none
        is given. Raises InvalidRequest.
        """
        with self._store.snapshot() as reader:
            moment = self._moment(reader, as_of, known_by)
            units = _pairs(moment, normal_subject(subject), predicate)
            return FactExplanation(
                pairs=tuple(_explained(moment, unit) for unit in units),
                as_of=text_from_instant(moment.newest()),
                known_by=None if moment.known_by is None else text_from_instant(moment.known_by),
            )

    def timeline(self, subject: str, predicate: str | None = None) -> FactTimeline:
        """Return which values a subject had when, by the instant at which each began to be held.

        Raises InvalidRequest.
        """
        with self._store.snapshot() as reader:
            moment = self._moment(reader, None, None)
            units = _pairs(moment, normal_subject(subject), predicate)
            spans = [span for unit in units for span in value_spans(moment, unit)]
            spans.sort(key=lambda span: (span.since, span.predicate))
            return FactTimeline(
                subject=redact(moment.registry.canonical_subject(normal_subject(subject))).text,
                spans=tuple(_span_view(span) for span in spans),
            )

    def difference(self, since: str, until: str, subject: str | None = None) -> FactDifference:
        """Return what holds at ``until`` and did not at ``since``, and what held and does not, of
        all that was written about in between.

        What a change of the registry alone did is not in it: both instants are read by the names
        and rules of the later one, and the log says what changed. Raises InvalidRequest.
        """
        period = period_of(since, until)
        first, last = period.since, period.until
        if first is None or last is None:
            raise InvalidRequest("a difference needs two instants")
        with self._store.snapshot() as reader:
            moment = self._moment(reader, until, None)
            units, registry = _units_between(moment, first, last, subject), moment.registry
            history = moment.history(units)
            old, new = (_beliefs(moment, units, history, instant) for instant in (first, last))
            return FactDifference(
                since=text_from_instant(first),
                until=text_from_instant(last),
                added=belief_views(reader, registry, _without(registry, new, old)),
                removed=belief_views(reader, registry, _without(registry, old, new)),
            )

    def _moment(self, reader: RecordReader, as_of: str | None, known_by: str | None) -> FactMoment:
        return open_moment(
            reader,
            self._registries,
            self._clock.now(),
            as_of=asked_instant("as_of", as_of),
            known_by=asked_instant("known_by", known_by),
        )


class HeldSpan(Value, kw_only=True):
    """A stretch in which a value was held; ``until`` is None while it is."""

    predicate: str
    value: FactValue
    since: int
    until: int | None
    ended_by: str = ""


def value_spans(moment: FactMoment, unit: Unit) -> list[HeldSpan]:
    """Return the stretches in which values of a unit were held, in the order of their beginning."""
    _, folded, _ = moment.pair_history(unit)
    registry = moment.registry
    open_spans: dict[str, HeldSpan] = {}
    closed: list[HeldSpan] = []
    for step in folded.steps:
        at = step.event.observed_at
        gone = (*step.displaced, *step.retracted, *step.replaced, *step.excluded)
        for value in gone:
            span = open_spans.pop(registry.held_key(unit.predicate, value_key(value)), None)
            if span is not None:
                closed.append(
                    HeldSpan(
                        predicate=span.predicate,
                        value=span.value,
                        since=span.since,
                        until=at,
                        ended_by=_ending_words(step.event),
                    )
                )
        if step.stated is not None and not step.was_held:
            key = registry.held_key(unit.predicate, value_key(step.stated))
            open_spans[key] = HeldSpan(
                predicate=unit.predicate, value=step.stated, since=at, until=None
            )
    spans = [*closed, *open_spans.values()]
    if unit.value_key is not None:
        spans = [
            span
            for span in spans
            if registry.held_key(unit.predicate, value_key(span.value)) == unit.value_key
        ]
    return sorted(spans, key=lambda span: span.since)


def _ending_words(event: FactEvent) -> str:
    return WITHDRAWAL if event.retraction else event_words(event)


def _explained(moment: FactMoment, unit: Unit) -> ExplainedPair:
    _, folded, instant = moment.pair_history(unit)
    registry = moment.registry
    events = event_views(moment.reader, [step.event for step in folded.steps])
    names = sorted(registry.names(unit.predicate))
    return ExplainedPair(
        subject=unit.subject,
        predicate=unit.predicate,
        names=tuple(name for name in names if name != unit.predicate),
        rules=rules_of(moment, unit, instant),
        steps=tuple(
            ExplainedStep(
                event=event,
                effect=redact(_effect(step, registry, unit)).text,
                stated=None if step.stated is None else shown(step.stated),
                was_held=step.was_held,
                displaced=tuple(map(shown, step.displaced)),
                retracted=tuple(map(shown, step.retracted)),
                replaced=tuple(map(shown, step.replaced)),
                excluded=tuple(map(shown, step.excluded)),
            )
            for step, event in zip(folded.steps, events, strict=True)
        ),
        beliefs=belief_views(moment.reader, registry, folded.beliefs),
    )


def _pairs(moment: FactMoment, subject: str, predicate: str | None) -> list[Unit]:
    """Return the pair that is asked for, or all pairs of a subject, by name."""
    if predicate is not None:
        return [moment.unit_of(subject, require_predicate(predicate), None)]
    names = tuple(sorted(moment.registry.subject_names(subject)))
    where: list[Condition] = [OneOf(field="subject", values=names)]
    if moment.as_of is not None:
        where.append(Between(field="observed_at", at_most=moment.as_of))
    if moment.known_by is not None:
        where.append(Between(field=RECORDED_AT, at_most=moment.known_by))
    units = {moment.unit_of(e.subject, e.predicate, None) for e in _paged(moment, where)}
    if len(units) > PAIRS_EXPLAINED_MAX:
        raise InvalidRequest(
            f"there are {len(units)} predicates about {quoted(subject)}; at most "
            f"{PAIRS_EXPLAINED_MAX} are explained at once",
            hint="name one of them",
        )
    return sorted(units, key=lambda unit: unit.predicate)


def _units_between(moment: FactMoment, first: int, last: int, subject: str | None) -> list[Unit]:
    """Return the units of all values that were written about between two instants."""
    where: list[Condition] = [
        Between(field="observed_at", at_least=first + 1, at_most=last),
        Equals(field="internal", value=False),
    ]
    names: frozenset[str] | None = None
    if subject is not None:
        names = moment.registry.subject_names(normal_subject(subject))
    units: dict[Unit, None] = {}
    for event in _paged(moment, tuple(where)):
        for touched_subject, predicate, key in _written_about(event, moment.registry):
            if names is None or touched_subject in names:
                whole = key == "*"
                units[moment.unit_of(touched_subject, predicate, None if whole else key)] = None
    return list(units)


def _written_about(event: FactEvent, registry: Registry) -> Iterator[tuple[str, str, str]]:
    for touch in event.touches:
        yield touch.subject, touch.predicate, touch.value_key
    if not event.retraction:
        for predicate in registry.rules(event.predicate).excluded:
            yield event.subject, predicate, event.value_key


def _paged(moment: FactMoment, where: Sequence[Condition]) -> Iterator[FactEvent]:
    """Yield every event that matches, newest first, a page at a time."""
    after: str | None = None
    while True:
        listing = moment.reader.list(
            MEMORY,
            tuple(where),
            limit=FACT_PAGE_EVENTS,
            order=NEWEST_FIRST,
            after=after,
            counted=False,
        )
        for record in listing.records:
            yield event_of(record)
        if len(listing.records) < FACT_PAGE_EVENTS:
            return
        after = listing.records[-1].record_id


def _beliefs(
    moment: FactMoment, units: Sequence[Unit], history: Sequence[FactEvent], instant: int
) -> list[Belief]:
    folded = moment.folded(units, history, instant)
    return [belief for each in folded.values() for belief in each.beliefs]


def _without(
    registry: Registry, beliefs: Sequence[Belief], others: Sequence[Belief]
) -> list[Belief]:
    """Return the beliefs of which the value is not among the others', since when ever it holds."""
    known = {_place(registry, each) for each in others}
    return [each for each in beliefs if _place(registry, each) not in known]


def _place(registry: Registry, belief: Belief) -> tuple[str, str, str]:
    key = registry.held_key(belief.predicate, belief.value_key)
    return belief.subject, belief.predicate, key


def _span_view(span: HeldSpan) -> ValueSpan:
    return ValueSpan(
        predicate=span.predicate,
        value=shown(span.value),
        since=text_from_instant(span.since),
        until=None if span.until is None else text_from_instant(span.until),
        ended_by=redact(span.ended_by).text,
    )


def _effect(step: Step, registry: Registry, unit: Unit) -> str:
    """Return what an event did to a pair, in words."""
    is_single = registry.is_single_at(unit.predicate, step.event.observed_at)
    parts: list[str] = []
    if step.stated is not None:
        words = value_words(step.stated)
        if step.was_held:
            parts.append(f"says again what is held: {words}")
        elif is_single:
            parts.append(f"holds from here on: {words}")
        else:
            parts.append(f"also holds from here on: {words}")
    for values, verb, why in (
        (step.displaced, "takes the place of", ""),
        (step.replaced, "withdraws", ", which it names"),
        (step.retracted, "withdraws", ", and nothing comes back" if is_single else ""),
        (step.excluded, "ends", f", since {step.event.predicate} excludes {unit.predicate}"),
    ):
        if values:
            parts.append(f"{verb} {', '.join(map(value_words, values))}{why}")
    return "; ".join(parts) or _no_effect(step.event, registry, unit)


def _no_effect(event: FactEvent, registry: Registry, unit: Unit) -> str:
    """Return why an event about a pair changed nothing of it."""
    definition = registry.definition(unit.predicate)
    if not event.retraction and definition is not None and definition.historical:
        return f"changes nothing here: what {unit.predicate} says has happened, and stays so"
    what = "withdraws" if event.retraction else "would end"
    return f"changes nothing here: what it {what} does not hold here"
