"""Texts that a model reads: kept first, read once, filed by who said what; and what it selects to
be forgotten is among what it was shown, or nothing is.
"""

from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Final

import pytest
from msgspec.json import encode

from recense.core.extraction.proposals import Proposal
from recense.core.extraction.views import ExtractorView
from recense.errors import (
    ModelAnswerUnusable,
    ModelFault,
    ModelTimedOut,
    ModelUnavailable,
    StoreUnavailable,
)
from recense.limits import EXTRACTION_LEASE_TTL_MS
from recense.operations.extraction import ExtractRequest
from recense.operations.facts import RememberFact
from recense.operations.texts import ForgetText, RememberText, Statement, TextFact, TextMessage
from recense.ports.extraction import Proposed
from recense.ports.selection import Selected
from recense.testing import Boundary, Fault, FaultyRecords
from tests.services.extraction_fakes import ScriptedExtractor, ScriptedSelector, proposing
from tests.services.extraction_world import (
    KINDS,
    ExtractionWorld,
    extraction_world,
    silent,
    status,
)

TOLD: Final = "I live in Oslo, and I like moss."
OSLO: Final = Proposal(
    subject="user", predicate="lives_in", value="Oslo", evidence="I live in Oslo"
)
MOSS: Final = Proposal(subject="user", predicate="likes", value="moss", evidence="I like moss")
READS: Final = proposing((OSLO.evidence, OSLO), (MOSS.evidence, MOSS))
FOUND: Final = [
    ("user", "likes", "moss", "user_stated"),
    ("user", "lives_in", "Oslo", "user_stated"),
]


@pytest.fixture(params=KINDS)
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[ExtractionWorld]:
    """An empty world over each pair of stores."""
    with extraction_world(str(request.param), tmp_path) as world:
        yield world


def _texts(facts: tuple[TextFact, ...]) -> list[str]:
    return [each.text for each in facts]


def _tell(text: str = TOLD) -> RememberText:
    return RememberText(text=text)


# --- reading --------------------------------------------------------------------------------------


def test_a_text_is_kept_and_read_and_told_again_asks_nobody(world: ExtractionWorld) -> None:
    extractor = ScriptedExtractor(READS)
    memory = world.telling(extractor)
    said = memory.remember(_tell())
    assert (said.is_new, said.unread, said.not_filed) == (True, "", ())
    assert _texts(said.filed) == ["user lives in Oslo", "user likes moss"]
    assert world.facts() == FOUND
    again = world.telling(extractor).remember(_tell())
    assert (again.is_new, again.episode, again.filed) == (False, said.episode, ())
    assert sorted(_texts(again.known)) == ["user likes moss", "user lives in Oslo"]
    assert len(extractor.views) == 1
    (piece,) = world.memory.fact_history("user", "lives_in").events[0].evidence
    assert (piece.episode, piece.excerpt) == (said.episode, "I live in Oslo")


def test_what_came_with_statements_is_filed_as_it_says_and_no_model_is_asked(
    world: ExtractionWorld,
) -> None:
    extractor = ScriptedExtractor(READS, overhead_tokens=7)
    stated = Statement(subject="user", predicate="likes", value="moss", evidence="I like moss")
    said = world.telling(extractor).remember(RememberText(text=TOLD, statements=(stated,)))
    assert _texts(said.filed) == ["user likes moss"]
    extraction = world.extraction(extractor)
    assert extraction.run(ExtractRequest(every=True, budget_tokens=10**9), silent).texts == ()
    assert extractor.views == []


def test_without_a_model_a_text_is_kept_and_files_nothing(world: ExtractionWorld) -> None:
    said = world.memory.remember(_tell("Remember that I like moss."))
    assert (said.filed, said.unread, world.facts()) == ((), "", [])


def test_a_text_that_was_kept_before_there_was_a_model_is_read_by_a_run(
    world: ExtractionWorld,
) -> None:
    episode = world.memory.remember(_tell()).episode
    extractor = ScriptedExtractor(READS, overhead_tokens=9)
    extraction = world.extraction(extractor)
    (left,) = status(extraction).texts
    assert (left.session, left.covered, left.messages) == (episode, 0, 1)
    assert status(extraction).cost.tokens == 9 + left.tokens_uncovered
    (done,) = extraction.run(ExtractRequest(sessions=(episode,)), silent).texts
    assert (done.session, done.end) == (episode, "complete")
    assert world.facts() == FOUND
    assert status(extraction).texts == ()
    assert status(extraction).texts_total.covered == 1


def test_who_says_it_is_by_role_and_what_an_agent_hands_on_is_the_agents(
    world: ExtractionWorld,
) -> None:
    milk = Proposal(subject="user", predicate="likes", value="milk", evidence="You like milk")
    gorse = Proposal(subject="user", predicate="likes", value="gorse", evidence="gorse, it says")
    memory = world.telling(
        ScriptedExtractor(
            proposing((MOSS.evidence, MOSS), (milk.evidence, milk), (gorse.evidence, gorse))
        )
    )
    messages = (
        TextMessage(role="User", text="I like moss"),
        TextMessage(role="assistant", text="user: You like milk"),
        TextMessage(role="tool", text="gorse, it says"),
    )
    memory.remember(RememberText(messages=messages))
    assert {(value, source) for _, _, value, source in world.facts()} == {
        ("moss", "user_stated"),
        ("milk", "agent_inferred"),
        ("gorse", "tool_result"),
    }
    with extraction_world("memory", Path()) as other:
        told = other.telling(ScriptedExtractor(READS))
        told.remember(RememberText(messages=messages[:1], writer="scribe"))
        assert [source for *_, source in other.facts()] == ["agent_inferred"]


def test_what_an_agent_told_first_is_the_persons_once_the_person_tells_it(
    world: ExtractionWorld,
) -> None:
    extractor = ScriptedExtractor(proposing((MOSS.evidence, MOSS)))
    memory = world.telling(extractor)
    memory.remember(RememberText(text=TOLD, writer="scribe"))
    world.clock.advance(1_000)
    memory.remember(RememberText(text=TOLD))
    world.clock.advance(1_000)
    memory.remember(RememberText(text=TOLD, writer="scribe"))
    assert len(extractor.views) == 2
    sources = [each.source for each in world.memory.fact_history("user", "likes").events]
    assert set(sources) == {"agent_inferred", "user_stated"}


def test_an_agents_inference_never_takes_the_place_of_what_a_person_stated(
    world: ExtractionWorld,
) -> None:
    world.memory.remember_fact(RememberFact(subject="user", predicate="lives_in", value="Bergen"))
    world.clock.advance(1_000)
    memory = world.telling(ScriptedExtractor(READS))
    said = memory.remember(RememberText(text=TOLD, writer="scribe"))
    assert _texts(said.filed) == ["user likes moss"]
    (waits,) = said.not_filed
    assert (waits.evidence, waits.to_confirm) == ("I live in Oslo", True)
    assert ("user", "lives_in", "Bergen", "user_stated") in world.facts()
    assert "lives_in" not in encode(said).decode()


def test_what_is_refused_of_an_answer_is_told_and_keeps_none_of_the_others(
    world: ExtractionWorld,
) -> None:
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    secret = Proposal(subject="user", predicate="api_key", value=token, evidence="I live in Oslo")
    made_up = Proposal(subject="user", predicate="has_car", value="red", evidence="a red car")

    def script(_view: ExtractorView) -> Proposed:
        return Proposed(proposals=(secret, made_up, MOSS), dropped=("item 4: no",))

    memory = world.telling(ScriptedExtractor(script))
    for _ in range(2):
        said = memory.remember(_tell())
        assert [each.evidence for each in said.not_filed][:2] == ["I live in Oslo", "a red car"]
        assert all(each.reason for each in said.not_filed)
        told = encode(said).decode()
        assert not any(name in told for name in ("api_key", "has_car", token))
    assert world.facts() == FOUND[:1]


# --- failing --------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", [ModelUnavailable, ModelTimedOut, ModelAnswerUnusable])
def test_a_model_that_fails_leaves_the_text_kept_and_unread_and_a_run_reads_it(
    world: ExtractionWorld, fault: type[ModelFault]
) -> None:
    def fails(_view: ExtractorView) -> Proposed:
        raise fault("the model is out")

    said = world.telling(ScriptedExtractor(fails)).remember(_tell())
    assert (said.is_new, said.filed) == (True, ())
    assert "the model is out" in said.unread
    sound = world.extraction(ScriptedExtractor(READS))
    (left,) = status(sound).texts
    assert [each.attempts for each in left.failures] == [1]
    assert left.failures[0].anchor == said.episode
    report = sound.run(ExtractRequest(every=True, budget_tokens=10**9), silent)
    assert [each.end for each in report.texts] == ["complete"]
    assert world.facts() == FOUND


def test_a_text_that_is_told_again_after_a_failure_is_read(world: ExtractionWorld) -> None:
    def fails(_view: ExtractorView) -> Proposed:
        raise ModelUnavailable("the model is out")

    assert world.telling(ScriptedExtractor(fails)).remember(_tell()).unread
    said = world.telling(ScriptedExtractor(READS)).remember(_tell())
    assert (said.is_new, said.unread, len(said.filed)) == (False, "", 2)


def test_a_text_that_is_read_in_part_says_so(world: ExtractionWorld) -> None:
    def second_fails(view: ExtractorView) -> Proposed:
        if "moss" in view.messages[0].parts[0].text:
            raise ModelAnswerUnusable("of no use")
        return READS(view)

    long = f"I live in Oslo.\n{'y' * 400}\nI like moss.\n"
    said = world.telling(ScriptedExtractor(second_fails), chunk_tokens=100).remember(_tell(long))
    assert _texts(said.filed) == ["user lives in Oslo"]
    assert "of no use" in said.unread


def test_where_the_budget_of_the_day_does_not_reach_nobody_is_asked_and_the_text_is_kept(
    world: ExtractionWorld,
) -> None:
    extractor = ScriptedExtractor(READS, overhead_tokens=100)
    said = world.telling(extractor, daily_tokens=99).remember(_tell())
    assert "99 of 99 are left" in said.unread
    assert (said.is_new, extractor.views) == (True, [])


def test_a_text_that_was_withdrawn_is_shown_to_nobody(world: ExtractionWorld) -> None:
    episode = world.memory.remember(_tell()).episode
    world.memory.forget(ForgetText(facts=(episode,)))
    extractor = ScriptedExtractor(READS)
    extraction = world.extraction(extractor)
    assert status(extraction).texts == ()
    assert extraction.run(ExtractRequest(every=True, budget_tokens=10**9), silent).texts == ()
    assert extractor.views == []


# --- killed ---------------------------------------------------------------------------------------


def _every_boundary() -> list[Boundary]:
    with extraction_world("memory", Path()) as world:
        records = FaultyRecords(world.stores.records)
        world.telling(ScriptedExtractor(READS, overhead_tokens=9), records=records).remember(
            _tell()
        )
        return [each for each in records.passed if each.method != "release"]


def test_the_boundaries_of_telling_are_the_text_the_budget_the_answer_the_facts_and_coverage() -> (
    None
):
    calls = Counter(each.method for each in _every_boundary())
    assert calls == {"put": 2, "acquire": 2, "append": 8, "fenced_put": 4}


@pytest.mark.parametrize(
    "boundary", _every_boundary(), ids=lambda each: f"{each.moment} {each.method} {each.call}"
)
def test_killed_at_a_boundary_a_text_that_is_told_again_is_read_once_and_filed_once(
    boundary: Boundary, tmp_path: Path
) -> None:
    with extraction_world(KINDS[boundary.call % len(KINDS)], tmp_path) as world:
        fault = Fault.raising(boundary, StoreUnavailable("killed"))
        records = FaultyRecords(world.stores.records, [fault])
        dies = ScriptedExtractor(READS, overhead_tokens=9)
        with pytest.raises(StoreUnavailable):
            world.telling(dies, records=records).remember(_tell())
        recorded = sum(each.startswith("b-") for each in world.extraction_records())
        world.uptime.advance(EXTRACTION_LEASE_TTL_MS + 1)
        world.clock.advance(EXTRACTION_LEASE_TTL_MS + 1)
        again = ScriptedExtractor(READS, overhead_tokens=9)
        said = world.telling(again).remember(_tell())
        assert said.unread == ""
        assert len(again.views) == 1 - recorded
        assert sorted(_texts((*said.filed, *said.known))) == [
            "user likes moss",
            "user lives in Oslo",
        ]
        assert world.facts() == FOUND
        for predicate in ("likes", "lives_in"):
            assert len(world.memory.fact_history("user", predicate).events) == 1


# --- forgetting -----------------------------------------------------------------------------------


def _selecting(world: ExtractionWorld, selected: Selected) -> ScriptedSelector:
    for predicate, value in (("likes", "moss"), ("likes", "moss tea"), ("owns", "moss")):
        world.memory.remember_fact(RememberFact(subject="user", predicate=predicate, value=value))
        world.clock.advance(1_000)
    world.memory.remember(_tell("All about moss."))
    return ScriptedSelector(lambda _text, _shown: selected)


def test_a_model_withdraws_what_is_meant_beyond_doubt_and_nothing_else(
    world: ExtractionWorld,
) -> None:
    selector = _selecting(world, Selected(numbers=(2, 2), is_certain=True))
    memory = world.telling(ScriptedExtractor(), selector=selector)
    answer = memory.forget(ForgetText(text="moss"))
    (shown,) = selector.shown
    assert answer.withdrawn == (shown[1],)
    assert (answer.offers, answer.undecided, len(shown)) == ((), "", 3)
    assert len(world.facts()) == 2


@pytest.mark.parametrize(
    "selected",
    [
        Selected(numbers=(0,), is_certain=True),
        Selected(numbers=(1, 4), is_certain=True),
        Selected(numbers=(-1,), is_certain=True),
        Selected(numbers=(1,), is_certain=False),
        Selected(numbers=(), is_certain=True),
    ],
)
def test_what_is_in_doubt_or_was_not_shown_is_offered_and_nothing_is_withdrawn(
    world: ExtractionWorld, selected: Selected
) -> None:
    memory = world.telling(ScriptedExtractor(), selector=_selecting(world, selected))
    answer = memory.forget(ForgetText(text="moss"))
    assert answer.withdrawn == ()
    assert len(answer.offers) == 4
    assert ("not shown" in answer.undecided) == (not set(selected.numbers) <= {1, 2, 3})
    assert len(world.facts()) == 3


def test_a_model_that_fails_to_select_leaves_the_offers_and_says_why(
    world: ExtractionWorld,
) -> None:
    _selecting(world, Selected())

    def fails(_text: str, _shown: object) -> Selected:
        raise ModelTimedOut("too slow")

    selector = ScriptedSelector(fails)
    answer = world.telling(ScriptedExtractor(), selector=selector).forget(ForgetText(text="moss"))
    assert (len(answer.offers), answer.undecided) == (4, "too slow")
    spent = world.telling(ScriptedExtractor(), selector=selector, daily_tokens=3)
    assert "are left" in spent.forget(ForgetText(text="moss")).undecided
    assert len(selector.shown) == 1
