"""The extractor that needs no model: what it is to whoever asks extractors."""

from recense.core.extraction.rules import RULES_VERSION
from recense.core.extraction.views import ExtractorView, ViewMessage, ViewPart
from recense.ports.extraction import Extractor
from recense.services.rule_extraction import RuleExtractor


def _view(text: str) -> ExtractorView:
    part = ViewPart(author="user", text=text, event_id="v-1")
    return ExtractorView(messages=(ViewMessage(parts=(part,)),))


def test_it_costs_nothing_and_says_by_which_rules_it_read() -> None:
    extractor: Extractor = RuleExtractor()
    assert extractor.extractor_id == "rules"
    assert extractor.version == str(RULES_VERSION)
    assert (extractor.overhead_tokens(9, ()), extractor.readings_max) == (0, 0)


def test_it_proposes_what_a_person_says_explicitly() -> None:
    found = RuleExtractor().propose(_view("I live in Oslo. Is it far?"), (), None, "UTC")
    (proposal,) = found.proposals
    assert (proposal.predicate, proposal.value) == ("lives_in", "Oslo")
    assert proposal.evidence == "I live in Oslo."
    assert (found.dropped, found.tokens_in, found.tokens_out) == ((), 0, 0)
