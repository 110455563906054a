"""What waits for the person is what would end their words now, and is never crossed off."""

from collections.abc import Callable, Generator
from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import replace

from recense.core.extraction.proposals import Proposal
from recense.operations.facts import EvidenceRequest, ForgetFact, GetFacts, RememberFact
from recense.services.memory import Memory
from tests.services.extraction_fakes import ScriptedExtractor, proposing
from tests.services.extraction_world import (
    KINDS,
    SESSION,
    ExtractionWorld,
    answers,
    calls,
    extraction_world,
    model_says,
    run_one,
    stands,
)

SAID: Final = "I live in Oslo"
OSLO: Final = Proposal(subject="user", predicate="lives_in", value="Oslo", evidence=SAID)
THOUGHT: Final = "the user lives in Bergen"
BERGEN: Final = replace(OSLO, value="Bergen", evidence=THOUGHT)
NOW_THERE: Final = "the user lives in Bodø"
BODO: Final = replace(OSLO, value="Bodø", evidence=NOW_THERE)

LIKED: Final = "I like ferns"
FERNS: Final = Proposal(subject="user", predicate="likes", value="ferns", evidence=LIKED)
TURNED: Final = "the user has gone off ferns, and likes moss"
MOSS: Final = replace(FERNS, value="moss", evidence=TURNED, replaces=("ferns",))
DISLIKED: Final = "the user dislikes ferns"
NO_FERNS: Final = replace(FERNS, predicate="dislikes", evidence=DISLIKED)

SCRIPT: Final = proposing(
    (SAID, OSLO),
    (THOUGHT, BERGEN),
    (NOW_THERE, BODO),
    (LIKED, FERNS),
    (TURNED, MOSS),
    (DISLIKED, NO_FERNS),
)


@pytest.fixture(params=KINDS)
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[ExtractionWorld]:
    """Sessions over one pair of stores."""
    with extraction_world(str(request.param), tmp_path) as world:
        yield world


def _states(predicate: str, value: str, *words: str) -> Callable[[Memory], object]:
    evidence = tuple(EvidenceRequest(excerpt=each) for each in words)
    fact = RememberFact(subject="user", predicate=predicate, value=value, evidence=evidence)
    return lambda memory: memory.remember_fact(fact)


def _forgets(predicate: str, value: str) -> Callable[[Memory], object]:
    fact = ForgetFact(subject="user", predicate=predicate, value=value)
    return lambda memory: memory.forget_fact(fact)


def _waiting(world: ExtractionWorld) -> list[object]:
    extraction = world.extraction(ScriptedExtractor(SCRIPT))
    return [each.proposal.value for each in stands(extraction).to_confirm]


@pytest.mark.parametrize(
    ("said", "thought", "answer"),
    [
        (SAID, THOUGHT, _states("lives_in", "Bergen")),
        (SAID, THOUGHT, _states("lives_in", "Trondheim")),
        (SAID, THOUGHT, _states("lives_in", "Oslo", "I am still there")),
        (SAID, THOUGHT, _forgets("lives_in", "Oslo")),
        (LIKED, TURNED, _states("likes", "moss")),
        (LIKED, TURNED, _states("likes", "ferns", "I am still fond of them")),
        (LIKED, TURNED, _forgets("likes", "ferns")),
        (LIKED, DISLIKED, _states("dislikes", "ferns")),
        (LIKED, DISLIKED, _forgets("likes", "ferns")),
    ],
)
def test_what_the_person_answered_waits_no_longer(
    world: ExtractionWorld, said: str, thought: str, answer: Callable[[Memory], object]
) -> None:
    world.say(said)
    world.say(model_says(thought))
    run_one(world.extraction(ScriptedExtractor(SCRIPT)))
    assert len(_waiting(world)) == 1
    kept = world.extraction_records()
    world.clock.advance(1_000)
    answer(world.memory)
    assert _waiting(world) == []
    assert world.extraction_records() == kept


def test_a_statement_of_something_else_answers_nothing(world: ExtractionWorld) -> None:
    world.say(SAID, LIKED)
    world.say(model_says(THOUGHT), model_says(TURNED))
    run_one(world.extraction(ScriptedExtractor(SCRIPT)))
    assert _waiting(world) == ["Bergen", "moss"]
    world.clock.advance(1_000)
    _states("likes", "tea")(world.memory)
    assert _waiting(world) == ["Bergen", "moss"]
    _states("lives_in", "Bergen")(world.memory)
    assert _waiting(world) == ["moss"]


def test_looking_at_what_waits_states_nothing(world: ExtractionWorld) -> None:
    world.say(SAID)
    world.say(model_says(THOUGHT))
    run_one(world.extraction(ScriptedExtractor(SCRIPT)))
    held = world.facts()
    for _ in range(3):
        assert _waiting(world) == ["Bergen"]
    _forgets("lives_in", "Oslo")(world.memory)
    assert _waiting(world) == []
    assert held == [("user", "lives_in", "Oslo", "user_stated")]
    assert world.facts() == []


@pytest.mark.parametrize("by", ["agent", "tool"])
@pytest.mark.parametrize(
    ("said", "inferred", "held"),
    [
        (SAID, (THOUGHT,), ("lives_in", "Oslo")),
        (SAID, (THOUGHT, NOW_THERE), ("lives_in", "Oslo")),
        (LIKED, (DISLIKED,), ("likes", "ferns")),
    ],
)
def test_what_the_person_said_holds_against_a_later_inference_that_was_read_before(
    world: ExtractionWorld, by: str, said: str, inferred: tuple[str, ...], held: tuple[str, str]
) -> None:
    world.say(said, session="earlier")
    for text in inferred:
        if by == "agent":
            world.say(model_says(text))
        else:
            world.say(calls(text), answers(text, text))
    extraction = world.extraction(ScriptedExtractor(SCRIPT))
    run_one(extraction, session=SESSION)
    assert {source for *_, source in world.facts()} <= {"agent_inferred", "tool_result"}
    done = run_one(extraction, session="api:earlier")
    assert [each.outcome for each in done.proposals] == ["filed"]
    assert world.facts() == [("user", *held, "user_stated")]
    (belief,) = world.memory.facts(GetFacts()).beliefs
    assert [each.excerpt for each in belief.evidence] == [said]


def test_what_the_person_said_later_holds_whatever_else_is_read_after(
    world: ExtractionWorld,
) -> None:
    world.say(SAID, session="earlier")
    world.say(model_says(THOUGHT))
    extraction = world.extraction(ScriptedExtractor(SCRIPT))
    run_one(extraction)
    world.clock.advance(1_000)
    _states("lives_in", "Trondheim")(world.memory)
    run_one(extraction, session="api:earlier")
    assert world.facts() == [("user", "lives_in", "Trondheim", "user_stated")]


def test_an_agent_that_ended_the_person_s_words_knowingly_is_not_overruled_by_older_ones(
    world: ExtractionWorld,
) -> None:
    world.say(SAID, session="earlier")
    world.clock.advance(1_000)
    _states("lives_in", "Tromsø")(world.memory)
    world.clock.advance(1_000)
    moved = RememberFact(
        subject="user", predicate="lives_in", value="Bergen", source="agent_inferred", writer="a"
    )
    world.memory.remember_fact(moved)
    run_one(world.extraction(ScriptedExtractor(SCRIPT)), session="api:earlier")
    assert world.facts() == [("user", "lives_in", "Bergen", "agent_inferred")]
