"""A reviewer takes away and links, and can add nothing: who tries is not believed at all."""

from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Final

import pytest

from recense.core.extraction.proposals import Proposal
from recense.core.extraction.quotation import Quotation
from recense.errors import ModelUnavailable
from recense.limits import REVIEW_BELIEFS_MAX, REVIEW_SUBJECTS_MAX
from recense.operations.facts import RememberFact
from recense.ports.extraction import Proposed
from recense.ports.review import ReviewContext, ReviewVerdict
from recense.services.reviewing import Unreviewed
from tests.services.extraction_fakes import ScriptedExtractor, proposing
from tests.services.extraction_world import (
    KINDS,
    ExtractionWorld,
    extraction_world,
    run_one,
    stands,
)

OSLO: Final = Proposal(subject="Mira", predicate="plans", value="Oslo", evidence="plans on Oslo")
REED: Final = Proposal(subject="Mira", predicate="likes", value="reed", evidence="likes reed")
TOLD: Final = "Mira plans on Oslo and likes reed"
READS: Final = proposing((TOLD, OSLO), (TOLD, REED))

Verdicts = Callable[[ReviewContext], Sequence[ReviewVerdict]]


class ScriptedReviewer:
    """Says what a function says, and keeps what it was shown."""

    def __init__(self, script: Verdicts) -> None:
        self._script: Final = script
        self.reviewer_id: Final = "scripted"
        self.proposals: Final[list[Quotation]] = []
        self.contexts: Final[list[ReviewContext]] = []

    def review(
        self, proposals: Sequence[Quotation], context: Callable[[], ReviewContext]
    ) -> Sequence[ReviewVerdict]:
        """Return what the script makes of a context."""
        self.proposals.extend(proposals)
        self.contexts.append(context())
        return self._script(self.contexts[-1])


@pytest.fixture(params=KINDS)
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[ExtractionWorld]:
    """A message over each pair of stores, and what is held of Mira."""
    with extraction_world(str(request.param), tmp_path) as world:
        _state(world, "Mira", "plans", "Bergen")
        _state(world, "Ada", "likes", "gorse")
        world.say(TOLD)
        yield world


def _state(world: ExtractionWorld, subject: str, predicate: str, value: str) -> None:
    world.memory.remember_fact(RememberFact(subject=subject, predicate=predicate, value=value))
    world.clock.advance(1_000)


def _verdict(position: int, **fields: object) -> ReviewVerdict:
    return ReviewVerdict(position=position, **{"verdict": "keep", **fields})  # pyright: ignore[reportArgumentType]


def _values(world: ExtractionWorld, subject: str = "mira") -> set[object]:
    return {value for name, _, value, _ in world.facts() if name == subject}


def test_a_reviewer_sees_proposals_words_beliefs_about_their_subjects_and_names(
    world: ExtractionWorld,
) -> None:
    world.memory.merge_subjects("M", "Mira")
    reviewer = ScriptedReviewer(lambda _: ())
    done = run_one(world.extraction(ScriptedExtractor(READS), reviewer=reviewer))
    assert [each.outcome for each in done.proposals] == ["filed", "filed"]
    assert [each.excerpt for each in reviewer.proposals] == ["plans on Oslo", "likes reed"]
    (context,) = reviewer.contexts
    assert [(each.subject, each.value) for each in context.beliefs] == [("mira", "Bergen")]
    assert [(each.subject, each.aliases) for each in context.subjects] == [
        ("ada", ()),
        ("mira", ("m",)),
    ]
    assert "plans" in {each.predicate for each in context.vocabulary}


def test_what_it_finds_unsupported_or_twice_is_not_filed_and_is_told(
    world: ExtractionWorld,
) -> None:
    reviewer = ScriptedReviewer(
        lambda _: (_verdict(0, verdict="unsupported"), _verdict(1, verdict="duplicate"))
    )
    done = run_one(world.extraction(ScriptedExtractor(READS), reviewer=reviewer))
    assert done.end == "complete"
    assert [each.outcome for each in done.proposals] == ["refused", "known"]
    assert "do not bear it out" in done.proposals[0].reason
    assert _values(world) == {"Bergen"}


def test_what_it_links_is_replaced_by_the_proposal(world: ExtractionWorld) -> None:
    def links(context: ReviewContext) -> Sequence[ReviewVerdict]:
        return (_verdict(0, replaces=(context.beliefs[0].event_id,)),)

    done = run_one(world.extraction(ScriptedExtractor(READS), reviewer=ScriptedReviewer(links)))
    assert done.proposals[0].ended == ("mira plans Bergen",)
    assert _values(world) == {"Oslo", "reed"}


def _of_another_pair(context: ReviewContext) -> Sequence[ReviewVerdict]:
    return (_verdict(1, replaces=(context.beliefs[0].event_id,)),)


ADDING: Final[dict[str, Verdicts]] = {
    "one more": lambda _: (_verdict(2),),
    "one before": lambda _: (_verdict(-1),),
    "one twice": lambda _: (_verdict(0), _verdict(0, verdict="unsupported")),
    "many more": lambda _: tuple(_verdict(each) for each in range(9)),
    "a belief": lambda _: (_verdict(0, replaces=("e-made-up",)),),
    "another pair": _of_another_pair,
}
"""What no reviewer may say."""


@pytest.mark.parametrize("name", ADDING)
def test_a_reviewer_that_adds_is_refused_whole_and_nothing_is_filed(
    world: ExtractionWorld, name: str
) -> None:
    extractor = ScriptedExtractor(
        lambda view: Proposed(proposals=READS(view).proposals, tokens_in=40), overhead_tokens=50
    )
    before = world.facts()
    extraction = world.extraction(extractor, reviewer=ScriptedReviewer(ADDING[name]))
    done = run_one(extraction)
    assert (done.end, done.failed, done.tokens_taken) == ("part", 1, 40)
    assert "not believed" in stands(extraction).failures[0].reason
    assert world.facts() == before
    assert run_one(world.extraction(ScriptedExtractor(READS))).end == "complete"
    assert _values(world) == {"Bergen", "Oslo", "reed"}


def test_a_reviewer_that_fails_leaves_all_unread(world: ExtractionWorld) -> None:
    def fails(_context: ReviewContext) -> Sequence[ReviewVerdict]:
        raise ModelUnavailable("the reviewer is out")

    extraction = world.extraction(ScriptedExtractor(READS), reviewer=ScriptedReviewer(fails))
    assert run_one(extraction).end == "unavailable"
    assert stands(extraction).strip == "f"
    assert _values(world) == {"Bergen"}


def test_what_it_is_shown_is_bounded(world: ExtractionWorld) -> None:
    for number in range(REVIEW_SUBJECTS_MAX + 5):
        _state(world, f"berth {number}", "likes", "tea")
    for number in range(REVIEW_BELIEFS_MAX + 5):
        _state(world, "Mira", "likes", f"tea {number}")
    reviewer = ScriptedReviewer(lambda _: ())
    run_one(world.extraction(ScriptedExtractor(READS), reviewer=reviewer))
    (context,) = reviewer.contexts
    assert len(context.beliefs) == REVIEW_BELIEFS_MAX
    assert len(context.subjects) == REVIEW_SUBJECTS_MAX
    assert context.subjects[0].subject == "mira"


def test_none_leaves_everything_as_it_is_and_reads_nothing() -> None:
    def never() -> ReviewContext:
        raise AssertionError("it is not asked for")

    assert (Unreviewed().reviewer_id, Unreviewed().review((), never)) == ("none", ())
