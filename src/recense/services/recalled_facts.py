"""The facts of an answer of recall: found once, within their bytes, or why there are none."""

from collections.abc import Callable

from recense.core.values import Value
from recense.errors import StoreFault
from recense.limits import RECALLED_FACTS_BYTES_MAX
from recense.operations.texts import TextFact
from recense.services.presenting import json_size

FindFacts = Callable[[str | None], tuple[TextFact, ...]]
"""Returns the facts that a text asks for, the best first; without a text, those of a profile."""


class FactsFound(Value, kw_only=True):
    """The facts of an answer, or why there are none."""

    facts: tuple[TextFact, ...] = ()
    unavailable: str = ""

    def supported_by(self, anchors: frozenset[str]) -> tuple[str, ...]:
        """Return the ids of the facts that were read in one of these messages."""
        return tuple(each.fact for each in self.facts if not anchors.isdisjoint(each.anchors))


def facts_found(find_facts: FindFacts, text: str | None) -> FactsFound:
    """Return the facts that a text asks for, or without one a profile, as many as fit.

    Where they cannot be read, passages are all there is, and the answer says so.
    """
    try:
        facts = find_facts(text)
    except StoreFault as fault:
        return FactsFound(unavailable=fault.message)
    room, kept = RECALLED_FACTS_BYTES_MAX, list[TextFact]()
    for fact in facts:
        room -= json_size(fact) + 1
        if room < 0:
            break
        kept.append(fact)
    return FactsFound(facts=tuple(kept))
