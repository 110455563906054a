"""Pages of beliefs, most recently stated first.

Laws: a belief stands at the place of the event that stated it last. A page ends where it is full,
or where enough events were looked through that state nothing any more; it says then what the next
one comes after, so that what was withdrawn makes no page dearer and hides nothing.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from recense.core.facts.belief import Belief
from recense.core.facts.event import FactEvent
from recense.core.facts.fold import Folded
from recense.core.facts.values import FactValue, normal_subject, require_predicate, value_key
from recense.core.recall.filters import period_of
from recense.core.values import Value
from recense.errors import InvalidRequest
from recense.limits import FACT_PAGE_EVENTS, FACTS_LISTED_MAX, LOOKED_THROUGH_EVENTS_MAX
from recense.operations.facts import GetFacts
from recense.ports.records import RECORDED_AT, Between, Condition, Equals, OneOf
from recense.services.fact_collections import MEMORY
from recense.services.fact_reading import NEWEST_FIRST, FactMoment, Unit
from recense.services.fact_records import event_of


class Page(Value, kw_only=True):
    """Beliefs of a listing, their instant, and the event after which the next page begins."""

    beliefs: list[Belief]
    instant: int
    next_after: str | None


def listed_page(moment: FactMoment, request: GetFacts) -> Page:
    """Return a page of beliefs; a short one has a next page where ``next_after`` says so."""
    where = _where(moment, request)
    after, beliefs, last = request.after, list[Belief](), request.after
    instant, looked_through = moment.newest(), 0
    looking = _Looking(moment, instant)
    size = min(FACT_PAGE_EVENTS, 2 * request.limit)
    while True:
        listing = moment.reader.list(
            MEMORY, where, limit=size, order=NEWEST_FIRST, after=after, counted=False
        )
        events = [event_of(record) for record in listing.records]
        for event, belief in looking.stated_last(events):
            if not passes(moment, belief, request):
                continue
            if len(beliefs) == request.limit:
                return Page(beliefs=beliefs, instant=instant, next_after=last)
            beliefs.append(belief)
            last = event.event_id
        if len(events) < size:
            return Page(beliefs=beliefs, instant=instant, next_after=None)
        after = events[-1].event_id
        looked_through += len(events)
        if looked_through >= LOOKED_THROUGH_EVENTS_MAX:
            return Page(beliefs=beliefs, instant=instant, next_after=after)


def require_page(request: GetFacts) -> None:
    """Raise InvalidRequest for a request of beliefs that is outside its bounds."""
    if not 1 <= request.limit <= FACTS_LISTED_MAX:
        raise InvalidRequest(f"limit is {request.limit}; expected 1 to {FACTS_LISTED_MAX}")
    if not 0 <= request.min_confidence <= 1:
        raise InvalidRequest(f"min_confidence is {request.min_confidence}; expected 0 to 1")
    period_of(request.stated_since, request.stated_until)


def _where(moment: FactMoment, request: GetFacts) -> tuple[Condition, ...]:
    registry = moment.registry
    where: list[Condition] = [
        Equals(field="retraction", value=False),
        Equals(field="internal", value=False),
    ]
    if request.subject is not None:
        names = registry.subject_names(normal_subject(request.subject))
        where.append(OneOf(field="subject", values=tuple(sorted(names))))
    if request.predicate is not None:
        names = registry.names(require_predicate(request.predicate))
        where.append(OneOf(field="predicate", values=tuple(sorted(names))))
    if request.kind is not None:
        where.append(Equals(field="kind", value=request.kind))
    if request.refers_to is not None:
        keys = map(value_key, registry.subject_names(normal_subject(request.refers_to)))
        where.append(OneOf(field="value_key", values=tuple(sorted(keys))))
    if moment.as_of is not None:
        where.append(Between(field="observed_at", at_most=moment.as_of))
    if moment.known_by is not None:
        where.append(Between(field=RECORDED_AT, at_most=moment.known_by))
    return tuple(where)


class _Looking:
    """What was folded while one page is looked for: a unit that was stated again and again is read
    once.
    """

    def __init__(self, moment: FactMoment, instant: int) -> None:
        self._moment: Final = moment
        self._instant: Final = instant
        self._folded: Final[dict[Unit, Folded]] = {}

    def stated_last(self, events: Sequence[FactEvent]) -> Iterator[tuple[FactEvent, Belief]]:
        """Yield, in the events' order, those that are the last to state what holds, and what."""
        moment = self._moment
        units = {event.event_id: moment.unit(event) for event in events}
        new = [unit for unit in dict.fromkeys(units.values()) if unit not in self._folded]
        if new:
            self._folded.update(moment.folded(new, moment.history(new), self._instant))
        for event in events:
            for belief in self._folded[units[event.event_id]].beliefs:
                if belief.last_event_id == event.event_id:
                    yield event, belief


def referred(moment: FactMoment, belief: Belief) -> str | None:
    """Return the subject that a belief's value refers to, None for no reference: what an earlier
    definition allowed need not name a subject.
    """
    if not moment.registry.is_ref(belief.predicate) or not isinstance(belief.value, str):
        return None
    try:
        return moment.registry.canonical_subject(normal_subject(belief.value))
    except InvalidRequest:
        return None


def passes(moment: FactMoment, belief: Belief, request: GetFacts) -> bool:
    """Whether a belief passes the filters of a request."""
    stated = period_of(request.stated_since, request.stated_until)
    if request.refers_to is not None:
        wanted = moment.registry.canonical_subject(normal_subject(request.refers_to))
        if referred(moment, belief) != wanted:
            return False
    return (
        request.kind in {None, belief.kind}
        and belief.confidence >= request.min_confidence
        and stated.holds(belief.last_stated)
        and _is_within(belief.value, request.value_at_least, request.value_at_most)
    )


def _is_within(value: FactValue, at_least: str | float | None, at_most: str | float | None) -> bool:
    """Whether a value is of the bounds' type and between them; without bounds every value is."""
    for bound, is_lower in ((at_least, True), (at_most, False)):
        if bound is None:
            continue
        if isinstance(value, str) and isinstance(bound, str):
            within = value >= bound if is_lower else value <= bound
        elif isinstance(value, str | bool) or isinstance(bound, str):
            return False
        else:
            within = value >= bound if is_lower else value <= bound
        if not within:
            return False
    return True
