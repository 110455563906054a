"""Extraction knows what it has not read: each message is sent once, whatever grows or fails."""

from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Final

import pytest

from recense.core.extraction.proposals import Proposal
from recense.core.extraction.views import ExtractorView
from recense.errors import InvalidRequest, ModelAnswerUnusable, NotFound
from recense.operations.extraction import ExtractRequest
from recense.operations.facts import GetFacts
from recense.operations.recall import MoreRequest
from recense.ports.extraction import Proposed
from recense.services.importing import Machine
from recense.wiring import Stores, join, load_importers
from tests.importers.builders import claude_user, lines
from tests.services.extraction_fakes import Script, ScriptedExtractor, proposing
from tests.services.extraction_world import (
    KINDS,
    SESSION,
    ExtractionWorld,
    answers,
    calls,
    extraction_world,
    model_says,
    run,
    run_one,
    silent,
    stands,
    status,
)

OSLO: Final = Proposal(
    subject="user", predicate="lives_in", value="Oslo", evidence="I live in Oslo"
)


@pytest.fixture(params=KINDS)
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[ExtractionWorld]:
    """Sessions over one pair of stores."""
    with extraction_world(str(request.param), tmp_path) as world:
        yield world


def test_each_message_is_sent_once_over_all_growth(world: ExtractionWorld) -> None:
    extractor = ScriptedExtractor()
    extraction = world.extraction(extractor)
    for day in range(4):
        world.say(f"question {day}", model_says(f"answer {day}"))
        assert run_one(extraction).end == "complete"
    assert Counter(extractor.texts) == {
        f"{what} {day}": 1 for day in range(4) for what in ("question", "answer")
    }
    assert [len(view.messages) for view in extractor.views] == [2, 2, 2, 2]
    assert run_one(extraction).batches == 0


def test_what_was_seen_and_said_nothing_is_recorded_and_not_asked_again(
    world: ExtractionWorld,
) -> None:
    world.say("nothing of note")
    extractor = ScriptedExtractor()
    assert run_one(world.extraction(extractor)).batches == 1
    again = world.extraction(extractor)
    assert (stands(again).covered, stands(again).uncovered, stands(again).strip) == (1, 0, "c")
    assert run_one(again).batches == 0
    assert len(extractor.views) == 1


def test_equal_messages_are_two_units(world: ExtractionWorld) -> None:
    extractor = ScriptedExtractor()
    extraction = world.extraction(extractor)
    world.say("yes", model_says("shall I?"), "yes")
    run_one(extraction)
    assert Counter(extractor.texts)["yes"] == 2
    world.say("yes")
    assert (stands(extraction).messages, stands(extraction).covered) == (4, 3)
    run_one(extraction)
    assert Counter(extractor.texts) == {"yes": 3, "shall I?": 1}


def test_a_result_that_comes_late_reopens_its_message_and_nothing_else(
    world: ExtractionWorld,
) -> None:
    extractor = ScriptedExtractor()
    extraction = world.extraction(extractor)
    world.say("first", model_says("I look"), calls("slow"), "second")
    run_one(extraction)
    world.say(answers("slow", "what was found"))
    assert stands(extraction).strip == "cuc"
    assert run_one(extraction).batches == 1
    (message,) = extractor.views[-1].messages
    assert [part.author for part in message.parts] == ["agent", "agent", "tool"]
    assert "what was found" in message.parts[2].text


def test_an_oversized_message_is_read_to_its_end_in_windows(world: ExtractionWorld) -> None:
    text = "".join(f"line {number} of the herbarium\n" for number in range(200))
    world.say(text)
    extractor = ScriptedExtractor()
    extraction = world.extraction(extractor, chunk_tokens=100)
    done = run_one(extraction)
    assert done.end == "complete"
    assert done.batches == len(extractor.views) > 10
    assert "".join(extractor.texts) == text
    assert stands(extraction).covered == 1


def test_past_the_ceiling_a_message_is_omitted_and_status_says_how_much(
    world: ExtractionWorld,
) -> None:
    world.say("0123456789" * 400)
    extractor = ScriptedExtractor()
    extraction = world.extraction(extractor, chunk_tokens=100, ceiling_tokens=250)
    assert run_one(extraction).tokens_read == 250
    view = stands(extraction)
    assert (view.covered, view.tokens_uncovered, view.tokens_omitted) == (1, 0, 750)
    assert status(extraction).total.tokens_omitted == 750
    assert run_one(extraction).batches == 0


def test_a_window_that_failed_is_read_again_from_there_and_no_window_before(
    world: ExtractionWorld,
) -> None:
    world.say("".join(f"{number:09}\n" for number in range(120)))
    failing = ScriptedExtractor(_unusable_at("000000050"))
    extraction = world.extraction(failing, chunk_tokens=100)
    done = run_one(extraction)
    assert (done.end, done.batches, done.failed, len(failing.views)) == ("part", 1, 1, 2)
    (failure,) = stands(extraction).failures
    assert (failure.attempts, failure.reason, failure.tokens) == (1, "no use", 200)
    sound = ScriptedExtractor()
    assert run_one(world.extraction(sound, chunk_tokens=100)).end == "complete"
    assert sound.texts[0].startswith("000000040")


def _unusable_at(text: str) -> Script:
    def script(view: ExtractorView) -> Proposed:
        if any(text in part.text for each in view.messages for part in each.parts):
            raise ModelAnswerUnusable("no use")
        return Proposed()

    return script


def test_a_new_version_has_read_nothing_and_old_facts_stay(world: ExtractionWorld) -> None:
    world.say("I live in Oslo", "and I walk")
    script = proposing(("I live in Oslo", OSLO))
    run_one(world.extraction(ScriptedExtractor(script)))
    facts = world.facts()
    newer = ScriptedExtractor(script, version="2")
    extraction = world.extraction(newer)
    assert (stands(extraction).covered, stands(extraction).messages) == (0, 2)
    assert world.facts() == facts
    done = run_one(extraction)
    assert [each.outcome for each in done.proposals] == ["known"]
    assert world.facts() == facts
    older = world.extraction(ScriptedExtractor(script))
    assert stands(older).covered == 2


def test_two_names_of_one_session_read_it_once(world: ExtractionWorld) -> None:
    world.say("a walk")
    extractor = ScriptedExtractor()
    request = ExtractRequest(sessions=("walk", SESSION))
    (done,) = world.extraction(extractor).run(request, silent).sessions
    assert done.end == "complete"
    assert len(extractor.views) == 1


def test_a_fact_leads_to_the_message_that_says_it(world: ExtractionWorld) -> None:
    session = world.say("hello", "I live in Oslo", model_says("noted"))
    run_one(world.extraction(ScriptedExtractor(proposing(("I live in Oslo", OSLO)))))
    (belief,) = world.memory.facts(GetFacts(subject="user")).beliefs
    (evidence,) = belief.evidence
    assert evidence.anchor is not None
    passage = world.memory.recall_more(MoreRequest(anchor=evidence.anchor))
    assert passage.session == session
    assert any("I live in Oslo" in each.text for each in passage.messages)


def test_a_hidden_session_is_never_shown_to_anybody(world: ExtractionWorld) -> None:
    world.say("a private walk")
    world.say("a public walk", session="open")
    world.memory.hide_session(SESSION)
    extractor = ScriptedExtractor()
    extraction = world.extraction(extractor)
    run(extraction)
    assert extractor.texts == ["a public walk"]
    assert [each.session for each in status(extraction).sessions] == ["api:open"]
    with pytest.raises(NotFound):
        run_one(extraction)
    world.memory.unhide_session(SESSION)
    assert run_one(extraction).batches == 1


def test_a_session_that_cannot_be_read_whole_is_shown_to_nobody(
    world: ExtractionWorld, tmp_path: Path
) -> None:
    source = tmp_path / "capture.jsonl"
    source.write_bytes(lines([claude_user(1, "sort the mosses")]))
    importing = join(
        Stores(world.stores.transcripts, world.stores.records),
        importers=load_importers(),
        clock=world.clock,
        machine=Machine(environment={}, home=str(tmp_path)),
    )
    importing.import_sessions("claude_code", [str(source)])
    source.write_bytes(lines([claude_user(1, "sort the mosses"), claude_user(2, "and reeds")]))
    importing.import_sessions("claude_code", [str(source)], archive_only=True)
    extractor = ScriptedExtractor()
    (done,) = run(world.extraction(extractor)).sessions  # by a process without that importer
    assert (done.batches, extractor.views) == (0, [])
    importing.import_sessions("claude_code", [str(source)])
    run(world.extraction(extractor))
    assert extractor.texts == ["sort the mosses", "and reeds"]


@pytest.mark.parametrize("act", ["hide", "forget"])
def test_a_session_that_is_hidden_or_forgotten_while_it_is_read_is_shown_no_further(
    world: ExtractionWorld, act: str
) -> None:
    world.say(*(f"I live in Oslo {number} " + "x" * 400 for number in range(5)))

    def script(view: ExtractorView) -> Proposed:
        if len(extractor.views) == 2:
            if act == "hide":
                world.memory.hide_session(SESSION)
            else:
                world.memory.forget_session(SESSION)
        return Proposed(proposals=(OSLO,))

    extractor = ScriptedExtractor(script)
    done = run_one(world.extraction(extractor, chunk_tokens=110))
    assert len(extractor.views) == 2
    assert done.batches == 1
    assert len(world.facts()) == (1 if act == "hide" else 0)  # a fact goes with its session
    if act == "forget":
        assert not {each for each in world.extraction_records() if each[0] in "bc"}


def test_forgetting_a_session_removes_every_record_of_reading_it(
    world: ExtractionWorld, tmp_path: Path
) -> None:
    words = "the shed beside the quarry"
    refused = Proposal(subject="user", predicate="hides_in", value=words, evidence="never said")
    failing = ScriptedExtractor(_unusable_at("quarry"), version="2")
    world.say(f"I sleep in {words}", "more " * 300)
    world.say("another day", session="other")
    run(world.extraction(ScriptedExtractor(proposing(("quarry", refused)))))
    run(world.extraction(failing))
    kept = {each for each in world.extraction_records() if each[0] in "bc"}
    assert any(words.encode() in body for body in world.extraction_records().values())
    world.memory.forget_session(SESSION)
    left = {each for each in world.extraction_records() if each[0] in "bc"}
    assert left < kept
    assert len(left) == 4  # what was read of the other session, twice
    assert not any(words.encode() in body for body in world.extraction_records().values())
    for file in tmp_path.iterdir():
        assert words.encode() not in file.read_bytes()


def test_all_sessions_are_sent_to_a_model_within_a_budget_alone(world: ExtractionWorld) -> None:
    extraction = world.extraction(ScriptedExtractor())
    with pytest.raises(InvalidRequest, match="budget"):
        extraction.run(ExtractRequest(every=True), silent)
    for request in (ExtractRequest(), ExtractRequest(every=True, sessions=(SESSION,))):
        with pytest.raises(InvalidRequest, match="not both"):
            extraction.run(request, silent)
    by_rules = world.extraction(ScriptedExtractor(readings_max=0))
    assert by_rules.run(ExtractRequest(every=True), silent).sessions == ()


def test_status_says_what_the_rest_costs_and_reading_takes_no_more(world: ExtractionWorld) -> None:
    for number in range(6):
        world.say(f"walk {number} " + "y" * 300)

    def spends_all(view: ExtractorView) -> Proposed:
        size = sum(len(part.text.encode()) for each in view.messages for part in each.parts)
        return Proposed(tokens_in=2 * (size // 4), tokens_out=100)

    extractor = ScriptedExtractor(spends_all, overhead_tokens=100, readings_max=2)
    extraction = world.extraction(extractor, chunk_tokens=200)
    cost = status(extraction).cost
    done = run_one(extraction)
    assert cost.calls == done.batches == len(extractor.views)
    assert 0 < done.tokens_taken <= cost.tokens
    after = status(extraction)
    assert (after.cost.calls, after.cost.tokens) == (0, 0)
    assert (after.budget.spent, after.budget.reserved) == (done.tokens_taken, 0)
