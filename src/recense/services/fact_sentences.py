"""Facts in sentences: what the text surface and recall show of beliefs.

Law: no predicate is named, only said in words.
"""

from collections.abc import Sequence
from typing import Final

from recense.core.facts.belief import Belief
from recense.core.instants import text_from_instant
from recense.operations.texts import TextFact
from recense.services.fact_elsewhere import held_elsewhere
from recense.services.fact_reading import FactMoment
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
