"""The same value under another predicate: shown beside a belief, never acted on."""

from collections.abc import Sequence

from recense.core.facts.belief import Belief
from recense.core.instants import text_from_instant
from recense.core.values import Value
from recense.limits import ELSEWHERE_MAX
from recense.operations.facts import BeliefView, ElsewhereView
from recense.ports.records import ContainsAny
from recense.services.fact_collections import MEMORY
from recense.services.fact_reading import FactMoment
from recense.services.fact_records import event_of, said_key
from recense.services.fact_views import belief_views


class Elsewhere(Value, kw_only=True):
    """Under which other predicates values are held, by the event id of the belief, newest first;
    and the one instant as at which that is.
    """

    held: dict[str, tuple[ElsewhereView, ...]]
    instant: int


def shown_beliefs(moment: FactMoment, beliefs: Sequence[Belief]) -> tuple[BeliefView, ...]:
    """Return beliefs as they leave, each with where else its value is held."""
    elsewhere = held_elsewhere(moment, beliefs).held
    return belief_views(moment.reader, moment.registry, beliefs, elsewhere=elsewhere)


def held_elsewhere(moment: FactMoment, beliefs: Sequence[Belief]) -> Elsewhere:
    """Return under which other predicates the values of beliefs are held about their subjects."""
    nothing = Elsewhere(held={}, instant=moment.instant(()))
    if not beliefs:
        return nothing
    registry = moment.registry
    keys = {
        said_key(name, each.value_key)
        for each in beliefs
        for name in registry.subject_names(each.subject)
    }
    where = (ContainsAny(field="touches", values=tuple(sorted(keys))),)
    listing = moment.reader.list(MEMORY, where)
    said: dict[tuple[str, str], set[str]] = {}
    events = [event_of(record) for record in listing.records]
    for event in events:
        place = registry.canonical_subject(event.subject), event.value_key
        said.setdefault(place, set()).add(registry.canonical(event.predicate))
    others = [
        event
        for event in events
        if len(said[registry.canonical_subject(event.subject), event.value_key]) > 1
    ]
    if not others:
        return nothing
    units = dict.fromkeys(map(moment.unit, others))
    history = moment.history(units)
    instant = moment.instant(history)
    folded = moment.folded(units, history, instant)
    held = [belief for each in folded.values() for belief in each.beliefs]
    held.sort(key=lambda each: (-each.since, each.event_id))
    by_event = {
        each.event_id: tuple(
            ElsewhereView(
                predicate=other.predicate,
                since=text_from_instant(other.since),
                event_id=other.event_id,
            )
            for other in held
            if other.subject == each.subject
            and other.value_key == each.value_key
            and other.predicate != each.predicate
        )[:ELSEWHERE_MAX]
        for each in beliefs
    }
    return Elsewhere(held=by_event, instant=instant)
