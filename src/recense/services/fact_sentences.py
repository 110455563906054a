"""Facts in sentences: what the text surface and recall show of beliefs.

Law: no predicate is named, only said in words.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from recense.core.facts.belief import Belief
from recense.core.instants import text_from_instant
from recense.operations.texts import HistoryThread, TextFact, ThreadStep
from recense.services.fact_collections import MEMORY
from recense.services.fact_elsewhere import held_elsewhere
from recense.services.fact_explaining import value_spans
from recense.services.fact_reading import FactMoment, Unit
from recense.services.fact_records import event_of
from recense.services.fact_views import said

DAY: Final = 24 * 60 * 60 * 1_000_000


def text_facts(moment: FactMoment, beliefs: Sequence[Belief]) -> tuple[TextFact, ...]:
    """Return beliefs in words, in their order."""
    elsewhere = held_elsewhere(moment, beliefs).held
    return tuple(
        TextFact(
            fact=each.event_id,
            text=said(moment.registry, each.subject, each.predicate, each.value),
            since=text_from_instant(each.since),
            days_ago=max(0, (moment.now - each.since) // DAY),
            before=tuple(
                said(moment.registry, each.subject, each.predicate, replaced.value)
                for replaced in each.replaced
            ),
            elsewhere=tuple(
                said(moment.registry, each.subject, other.predicate, each.value)
                for other in elsewhere.get(each.event_id, ())
            ),
            anchors=tuple(
                dict.fromkeys(piece.anchor for piece in each.evidence if piece.anchor is not None)
            ),
        )
        for each in beliefs
    )


def current_facts(moment: FactMoment, event_ids: Iterable[str | None]) -> tuple[TextFact, ...]:
    """Return the facts of these ids, in words, as far as they hold now; each once, in their order
    but for those that are held of one pair.
    """
    wanted = [each for each in dict.fromkeys(event_ids) if each is not None]
    records = moment.reader.get(MEMORY, wanted)
    units = dict.fromkeys(moment.unit(event_of(records[each])) for each in wanted)
    history = moment.history(units)
    folded = moment.folded(units, history, moment.instant(history))
    beliefs = [
        belief for each in folded.values() for belief in each.beliefs if belief.event_id in wanted
    ]
    return text_facts(moment, beliefs)


def thread_of(moment: FactMoment, unit: Unit) -> HistoryThread:
    """Return how the values of a unit came and went; without steps where none ever held."""
    steps = tuple(
        ThreadStep(
            text=said(moment.registry, unit.subject, span.predicate, span.value),
            since=text_from_instant(span.since),
            until=None if span.until is None else text_from_instant(span.until),
            ended_by=span.ended_by,
        )
        for span in value_spans(moment, unit)
    )
    return HistoryThread(now=tuple(step.text for step in steps if step.until is None), steps=steps)
