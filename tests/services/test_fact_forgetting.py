"""With a session goes what it alone supports, and nothing that it had ended comes back."""

from collections.abc import Generator
from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import replace

from recense.core.extraction.proposals import Proposal
from recense.core.facts.changes import Definition
from recense.core.ids import anchor
from recense.errors import StoreUnavailable
from recense.operations.facts import EvidenceRequest, GetFacts, RememberFact, SearchFacts
from recense.ports.records import Append, Appended
from recense.services.fact_collections import CONTROL, EPISODES, MEMORY
from recense.testing import Boundary, Fault, FaultyRecords
from recense.testing.boundaries import Moment, RecordWriteMethod
from recense.wiring import Stores
from tests.services.extraction_fakes import ScriptedExtractor, proposing
from tests.services.extraction_world import (
    KINDS,
    ExtractionWorld,
    extraction_world,
    model_says,
    run,
)

CANARY: Final = "quetzalcoatlus"
SAID: Final = f"I like the {CANARY}"
LIKES: Final = Proposal(subject="user", predicate="likes", value=CANARY, evidence=SAID)
OSLO: Final = Proposal(
    subject="user", predicate="lives_in", value="Oslo", evidence="I live in Oslo"
)
BERGEN: Final = replace(OSLO, value="Bergen", evidence="I live in Bergen")
NO_FERNS: Final = Proposal(
    subject="user", predicate="dislikes", value="ferns", evidence="I dislike ferns"
)
FERNS: Final = replace(NO_FERNS, predicate="likes", evidence="I like ferns")
MADE_UP: Final = replace(LIKES, predicate="rides", evidence="I ride")

SCRIPT: Final = proposing(
    *((each.evidence, each) for each in (LIKES, OSLO, BERGEN, NO_FERNS, FERNS, MADE_UP))
)


@pytest.fixture(params=KINDS)
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[ExtractionWorld]:
    """Sessions over one pair of stores."""
    with extraction_world(str(request.param), tmp_path) as world:
        yield world


def _read(world: ExtractionWorld) -> None:
    run(world.extraction(ScriptedExtractor(SCRIPT)))


def _values(world: ExtractionWorld) -> list[object]:
    return [value for _, _, value, _ in world.facts()]


def test_what_a_session_alone_supports_is_named_before_and_goes_with_it(
    world: ExtractionWorld, tmp_path: Path
) -> None:
    world.say(SAID, "I ride")
    world.say("I live in Oslo", session="other")
    _read(world)
    plan = world.memory.plan_forgetting("api:walk")
    assert sorted(each.sentence for each in plan.facts) == [
        f"user likes {CANARY}",
        f"user note user rides {CANARY}",
    ]
    assert len(world.facts()) == 3
    report = world.memory.forget_session("api:walk")
    assert (report.facts, report.bytes_gone) == (2, True)
    assert _values(world) == ["Oslo"]
    assert world.memory.search_facts(SearchFacts(text=CANARY)).beliefs == ()
    with world.stores.records.snapshot() as reader:
        kept = [
            record
            for collection in (MEMORY, EPISODES, CONTROL, "_extraction")
            for record in reader.list(collection).records
        ]
    assert not any(CANARY in f"{record.body!r} {record.text}" for record in kept)
    for file in tmp_path.iterdir():
        data = file.read_bytes()
        assert CANARY.encode() not in data
        assert CANARY[:7].encode() not in data
    assert world.memory.forget_session("api:walk").facts == 0


def test_what_is_supported_elsewhere_too_stays_without_what_was_forgotten(
    world: ExtractionWorld,
) -> None:
    again = f"truly, {CANARY} it is"
    world.say(SAID)
    world.say(again, session="other")
    extraction = world.extraction(
        ScriptedExtractor(proposing((again, replace(LIKES, evidence=again)), (SAID, LIKES)))
    )
    run(extraction)
    world.memory.forget_session("api:walk")
    (belief,) = world.memory.facts(GetFacts()).beliefs
    assert [each.excerpt for each in belief.evidence] == [again]
    world.memory.forget_session("api:other")
    assert world.facts() == []


@pytest.mark.parametrize("is_anchored", [False, True])
def test_what_a_person_stated_stays_unless_all_its_evidence_goes(
    world: ExtractionWorld, is_anchored: bool
) -> None:
    opened = world.say("a walk")
    there = EvidenceRequest(excerpt="a walk", anchor=anchor(opened, "event-1"))
    elsewhere = EvidenceRequest(excerpt="they told me")
    fact = RememberFact(subject="user", predicate="likes", value="walks")
    world.memory.remember_fact(fact)
    world.memory.remember_fact(replace(fact, value="boats", evidence=(there, elsewhere)))
    world.memory.remember_fact(
        replace(fact, value="trains", evidence=(there,) if is_anchored else (elsewhere,))
    )
    world.memory.forget_session(opened)
    held = ["boats", "walks"] if is_anchored else ["boats", "trains", "walks"]
    assert sorted(map(str, _values(world))) == held


@pytest.mark.parametrize(
    ("before", "after", "gone"),
    [
        ("I live in Oslo", "I live in Bergen", "lives_in"),
        ("I like ferns", "I dislike ferns", "likes"),
    ],
)
def test_what_a_forgotten_statement_had_ended_does_not_come_back(
    world: ExtractionWorld, before: str, after: str, gone: str
) -> None:
    world.say(before, session="earlier")
    world.say(after)
    _read(world)
    world.memory.forget_session("api:walk")
    assert world.facts() == []
    world.memory.forget_session("api:earlier")
    world.memory.remember_fact(RememberFact(subject="user", predicate=gone, value="Tromsø"))
    assert _values(world) == ["Tromsø"]


def test_what_would_come_back_is_withdrawn_by_the_registry_as_it_is_then(
    world: ExtractionWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.say("I live in Oslo", session="earlier")
    world.say("I live in Bergen")
    _read(world)
    append, appends = world.stores.records.append, list[Append]()

    def overtaken(given: Append, *, now: int) -> Appended:
        appends.append(given)
        if len(appends) == 1:
            world.memory.define_predicate(Definition(predicate="hums"))
        return append(given, now=now)

    monkeypatch.setattr(world.stores.records, "append", overtaken)
    world.memory.forget_session("api:walk")
    first, _definition, again = appends
    assert first.records == again.records != ()
    assert _values(world) == []


def test_other_sessions_keep_theirs_and_sub_agents_words_go_with_their_own(
    world: ExtractionWorld,
) -> None:
    world.say("I live in Oslo", session="other")
    world.say(model_says("nothing of note"))
    _read(world)
    assert world.memory.plan_forgetting("api:walk").facts == ()
    assert world.memory.forget_session("api:walk").facts == 0
    assert _values(world) == ["Oslo"]


def test_whoever_is_killed_in_between_finishes_when_the_session_is_named_again(
    world: ExtractionWorld,
) -> None:
    world.say("I live in Oslo", session="earlier")
    world.say("I live in Bergen", SAID)
    _read(world)
    writes: list[tuple[RecordWriteMethod, int]] = [
        ("append", 1),
        *(("delete", call) for call in range(1, 4)),
    ]
    moments: tuple[Moment, ...] = ("before", "after")
    for method, call in writes:
        for moment in moments:
            at = Boundary(method=method, call=call, moment=moment)
            faulty = FaultyRecords(
                world.stores.records, [Fault.raising(at, StoreUnavailable("killed"))]
            )
            memory = world.memory_over(Stores(world.stores.transcripts, faulty))
            with pytest.raises(StoreUnavailable):
                memory.forget_session("api:walk")
    world.memory.forget_session("api:walk")
    assert world.facts() == []
    with world.stores.records.snapshot() as reader:
        left = [record.body for record in reader.list(EPISODES).records]
    assert len(left) == 1
    assert not any(CANARY.encode() in body for body in left)
