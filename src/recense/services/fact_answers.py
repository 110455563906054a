"""What is answered to a statement: what holds now, what ended, what could not be withdrawn."""

from recense.core.facts.writing import Decision
from recense.limits import RELATED_MAX
from recense.operations.facts import RememberedFact, Unreplaced
from recense.services.fact_planning import Plan, StatedWords
from recense.services.fact_search import related_beliefs
from recense.services.fact_views import belief_views, event_views


def remembered_answer(plan: Plan, words: StatedWords, *, with_related: bool) -> RememberedFact:
    """Return what a statement is answered; ``with_related`` looks for what is related too."""
    moment, decision, new = plan.moment, plan.decision, plan.new_predicate
    reader, registry = moment.reader, moment.registry
    belief, event = decision.belief, decision.event
    ended = {each.event_id for each in decision.ended}
    related = (
        related_beliefs(moment, belief, RELATED_MAX, ended)
        if with_related and belief is not None
        else ()
    )
    views = belief_views(
        reader, registry, () if belief is None else (belief,), excerpts=words.by_reference
    )
    return RememberedFact(
        event_id=_event_id(decision),
        stored=event is not None,
        already_known=event is None,
        current=belief is not None,
        belief=views[0] if views else None,
        outranked_by=() if belief else belief_views(reader, registry, decision.rest),
        ended_by=None if decision.ended_by is None else event_views(reader, [decision.ended_by])[0],
        superseded=belief_views(reader, registry, decision.ended),
        unreplaced=tuple(
            Unreplaced(position=each.position, reason=each.reason) for each in decision.refused
        ),
        related=belief_views(reader, registry, related),
        defined=None if event is None or new is None else new.definition,
    )


def _event_id(decision: Decision) -> str | None:
    """Return the id of the event that says the value, the new one or the newest there is."""
    if decision.event is not None:
        return decision.event.event_id
    return None if decision.belief is None else decision.belief.last_event_id
