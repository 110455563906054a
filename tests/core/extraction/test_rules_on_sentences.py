"""The rules, held against sentences that were written before them and by another hand.

Each sentence is the text of one user message. A proposal is right where it matches an entry of
what is expected: one of its predicates, and its value but for case, white space around it, a
leading article and final punctuation.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec

from recense.core.extraction.proposals import Proposal
from recense.core.extraction.rules import rule_proposals
from recense.core.extraction.views import ExtractorView, ViewMessage, ViewPart

PRECISION_MIN: Final = 0.95
RECALL_MIN: Final = 0.9
SENTENCES: Final = Path(__file__).parent / "sentences.json"


class Expected(msgspec.Struct, frozen=True, kw_only=True):
    """What a careful reader may file from a sentence."""

    predicates: tuple[str, ...]
    value: str


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """A sentence and all that may be filed from it."""

    text: str
    language: str
    expected: tuple[Expected, ...]


class Sentences(msgspec.Struct, frozen=True, kw_only=True):
    """The whole file, as far as it is for judging."""

    sentences: tuple[Judged, ...]


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """What the rules made of the sentences; ``wrong`` are the proposals that match nothing."""

    proposals: int
    wrong: tuple[tuple[str, Proposal], ...]
    stated: int
    missed: tuple[str, ...]

    @property
    def precision(self) -> float:
        """Right proposals over all."""
        return 1 - len(self.wrong) / self.proposals

    @property
    def recall(self) -> float:
        """Sentences with statements of which at least one was found, over all such."""
        return 1 - len(self.missed) / self.stated


def _sentences() -> tuple[Judged, ...]:
    return msgspec.json.decode(SENTENCES.read_bytes(), type=Sentences).sentences


def _proposals(text: str) -> tuple[Proposal, ...]:
    part = ViewPart(author="user", text=text, event_id="v-1")
    return rule_proposals(ExtractorView(messages=(ViewMessage(parts=(part,)),)))


def _bare(value: str) -> str:
    return re.sub(r"^(?:an?|the)\s+", "", value.strip().casefold()).rstrip(" .!?,;:。！？，；：")


def _is_expected(proposal: Proposal, expected: Sequence[Expected]) -> bool:
    return any(
        proposal.predicate in each.predicates and _bare(str(proposal.value)) == _bare(each.value)
        for each in expected
    )


def judged(sentences: Sequence[Judged]) -> Figures:
    """Return what the rules make of sentences."""
    wrong: list[tuple[str, Proposal]] = []
    missed: list[str] = []
    proposals = 0
    for each in sentences:
        found = _proposals(each.text)
        proposals += len(found)
        fits = [_is_expected(proposal, each.expected) for proposal in found]
        wrong += [(each.text, one) for one, fit in zip(found, fits, strict=True) if not fit]
        if each.expected and not any(fits):
            missed.append(each.text)
    stated = sum(1 for each in sentences if each.expected)
    return Figures(proposals=proposals, wrong=tuple(wrong), stated=stated, missed=tuple(missed))


def _told(figures: Figures) -> Iterator[str]:
    yield f"precision {figures.precision:.3f} of {figures.proposals}, recall {figures.recall:.3f}"
    for text, proposal in figures.wrong:
        yield f"{proposal.predicate}: {proposal.value!r} from {text!r}"


def test_of_what_the_rules_file_at_least_95_in_100_is_right() -> None:
    figures = judged(_sentences())
    assert figures.precision >= PRECISION_MIN, "\n".join(_told(figures))


def test_in_90_of_100_sentences_that_state_something_the_rules_find_it() -> None:
    figures = judged(_sentences())
    assert figures.stated == 100
    assert figures.recall >= RECALL_MIN, "\n".join(_told(figures))
