"""What cannot be read fails alone: it is shown with its reason, tried again, and never covered."""

from collections.abc import Generator
from pathlib import Path
from typing import Final

import pytest

from recense.core.extraction.proposals import Proposal
from recense.core.extraction.views import ExtractorView
from recense.errors import (
    MaterialRejected,
    ModelAnswerUnusable,
    ModelFault,
    ModelRejected,
    ModelTimedOut,
    ModelUnavailable,
)
from recense.limits import (
    EXTRACTION_ATTEMPTS_MAX,
    EXTRACTION_LEASE_TTL_MS,
    EXTRACTION_SESSIONS_AT_ONCE,
)
from recense.ports.extraction import Proposed
from tests.services.extraction_fakes import Script, ScriptedExtractor
from tests.services.extraction_world import (
    KINDS,
    ExtractionWorld,
    extraction_world,
    run,
    run_one,
    stands,
    status,
)

LONG: Final = "y" * 300
"""A chunk of its own, where a chunk has 100 tokens."""


@pytest.fixture(params=KINDS)
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[ExtractionWorld]:
    """Sessions over one pair of stores."""
    with extraction_world(str(request.param), tmp_path) as world:
        yield world


def shown_in(view: ExtractorView) -> str:
    """Return all texts of a view."""
    return "\n".join(part.text for each in view.messages for part in each.parts)


def noting(view: ExtractorView) -> Proposed:
    """Propose the first word of each message."""
    words = [part.text.split()[0] for each in view.messages for part in each.parts]
    return Proposed(
        proposals=tuple(
            Proposal(subject="user", predicate="likes", value=each, evidence=each) for each in words
        ),
        tokens_in=10,
        tokens_out=5,
    )


def failing_at(word: str, error: ModelFault, other: Script = noting) -> Script:
    """Return a script that fails where a word is shown."""

    def script(view: ExtractorView) -> Proposed:
        if word in shown_in(view):
            raise error
        return other(view)

    return script


@pytest.mark.parametrize(
    "error",
    [
        ModelAnswerUnusable("no use"),
        ModelTimedOut("too slow"),
        MaterialRejected("the prompt is too long"),
    ],
)
def test_a_batch_that_fails_takes_no_other_along_and_is_read_at_the_next_run(
    world: ExtractionWorld, error: ModelFault
) -> None:
    world.say(*(f"{place} {LONG}" for place in ("moss", "fern", "reed")))
    failing = world.extraction(ScriptedExtractor(failing_at("fern", error)), chunk_tokens=100)
    for attempt in (1, 2):
        done = run_one(failing)
        assert (done.end, done.failed) == ("part", 1)
        view = stands(failing)
        assert view.strip == "cfc"
        (failure,) = view.failures
        assert (failure.attempts, failure.reason) == (attempt, error.message)
        assert {value for _, _, value, _ in world.facts()} == {"moss", "reed"}
    sound = world.extraction(ScriptedExtractor(noting), chunk_tokens=100)
    done = run_one(sound)
    assert (done.end, done.batches) == ("complete", 1)
    view = stands(sound)
    assert (view.strip, view.failures, view.failed) == ("ccc", (), 0)
    assert {value for _, _, value, _ in world.facts()} == {"moss", "fern", "reed"}


def test_messages_that_failed_together_are_read_alone_so_that_one_keeps_no_other_back(
    world: ExtractionWorld,
) -> None:
    world.say("moss", "fern", "reed")
    extraction = world.extraction(
        ScriptedExtractor(failing_at("fern", ModelAnswerUnusable("no use")))
    )
    assert run_one(extraction).batches == 0
    assert stands(extraction).strip == "fff"
    assert run_one(extraction).batches == 2
    assert stands(extraction).strip == "cfc"


@pytest.mark.parametrize("error", [ModelUnavailable("it is gone"), ModelRejected("no access")])
def test_a_model_that_is_gone_ends_the_run_of_all_sessions(
    world: ExtractionWorld, error: ModelFault
) -> None:
    for number in range(20):
        world.say(f"moss {LONG}", f"fern {LONG}", session=f"walk-{number}")
    gone = ScriptedExtractor(failing_at("", error))
    report = run(world.extraction(gone, chunk_tokens=100))
    assert {(each.end, each.reason) for each in report.sessions} == {("unavailable", error.message)}
    assert len(gone.views) <= EXTRACTION_SESSIONS_AT_ONCE
    there = world.extraction(ScriptedExtractor(noting), chunk_tokens=100)
    assert {each.end for each in run(there).sessions} == {"complete"}
    assert status(there).total.uncovered == 0


def test_what_was_sent_to_nobody_did_not_fail_however_often_nobody_answers(
    world: ExtractionWorld,
) -> None:
    world.say("moss", "fern")
    error = ModelUnavailable("nobody is there")
    error.was_sent = False
    extraction = world.extraction(ScriptedExtractor(failing_at("", error)))
    for _ in range(EXTRACTION_ATTEMPTS_MAX + 1):
        done = run(extraction).sessions[0]
        assert (done.end, done.reason, done.failed) == ("unavailable", error.message, 0)
        assert (stands(extraction).strip, stands(extraction).failures) == ("uu", ())


def test_a_message_at_which_the_run_ends_each_time_keeps_no_other_from_being_read(
    world: ExtractionWorld,
) -> None:
    world.say(*(f"{place} {LONG}" for place in ("moss", "fern", "reed", "sedge")))
    extractor = ScriptedExtractor(failing_at("moss", ModelRejected("it holds a forbidden word")))
    extraction = world.extraction(extractor, chunk_tokens=100)
    assert (run_one(extraction).end, stands(extraction).strip) == ("unavailable", "fuuu")
    assert (run_one(extraction).end, stands(extraction).strip) == ("unavailable", "fccc")
    assert stands(extraction).failures[0].attempts == 2


def test_an_error_of_a_program_loses_the_batch_in_flight_and_nothing_else(
    world: ExtractionWorld,
) -> None:
    world.say(*(f"{place} {LONG}" for place in ("moss", "fern", "reed")))

    def broken(view: ExtractorView) -> Proposed:
        if "fern" in shown_in(view):
            raise ZeroDivisionError
        return noting(view)

    with pytest.raises(ZeroDivisionError):
        run_one(world.extraction(ScriptedExtractor(broken), chunk_tokens=100))
    sound = ScriptedExtractor(noting)
    assert run_one(world.extraction(sound, chunk_tokens=100)).end == "complete"
    assert [text.split()[0] for text in sound.texts] == ["fern", "reed"]


def test_a_lease_that_is_lost_while_a_model_thinks_ends_that_session_alone(
    world: ExtractionWorld,
) -> None:
    world.say("moss")
    world.say("fern", session="other")

    def slow(view: ExtractorView) -> Proposed:
        if "moss" in shown_in(view):
            world.uptime.advance(EXTRACTION_LEASE_TTL_MS + 1)
            world.clock.advance(EXTRACTION_LEASE_TTL_MS + 1)
        return noting(view)

    first = {
        each.session: each.end for each in run(world.extraction(ScriptedExtractor(slow))).sessions
    }
    assert first["api:walk"] == "held"
    again = run(world.extraction(ScriptedExtractor(noting)))
    assert {each.end for each in again.sessions} == {"complete"}
    assert {value for _, _, value, _ in world.facts()} == {"moss", "fern"}


def test_who_reads_a_session_already_is_named(world: ExtractionWorld) -> None:
    world.say("moss")
    inner: list[str] = []

    def script(view: ExtractorView) -> Proposed:
        done = run_one(world.extraction(ScriptedExtractor(noting), holder="process 2"))
        inner.append(done.reason)
        assert (done.end, done.batches) == ("held", 0)
        return noting(view)

    assert (
        run_one(world.extraction(ScriptedExtractor(script), holder="process 1")).end == "complete"
    )
    (reason,) = inner
    assert "'api:walk' is taken" in reason
    assert "process 1" in reason


@pytest.mark.parametrize(("spans", "overhead"), [(1_000, 0), (40, 10)])
def test_failing_spans_are_bounded_in_the_store_however_often_they_are_tried(
    world: ExtractionWorld, spans: int, overhead: int
) -> None:
    world.say(*(f"span {number}" for number in range(spans)))
    extractor = ScriptedExtractor(
        failing_at("", ModelAnswerUnusable("no use")),
        overhead_tokens=overhead,
        readings_max=min(1, overhead),
    )
    extraction = world.extraction(extractor)
    run_one(extraction)
    sizes: list[int] = []
    for _ in range(3):
        world.clock.advance(24 * 3_600_000)
        assert run_one(extraction).failed == spans
        sizes.append(len(world.extraction_records()))
    view = stands(extraction)
    assert (view.failed, view.covered, view.failures[0].attempts) == (spans, 0, 4)
    assert sizes[-1] == sizes[-2] <= 5 * spans  # how two days stood after each change, and spans


def test_a_message_that_fails_each_time_is_tried_so_often_and_then_where_it_is_named_alone(
    world: ExtractionWorld,
) -> None:
    world.say(f"moss {LONG}", f"fern {LONG}")
    extractor = ScriptedExtractor(failing_at("fern", ModelAnswerUnusable("no use")))
    extraction = world.extraction(extractor, chunk_tokens=100)
    for _ in range(EXTRACTION_ATTEMPTS_MAX + 3):
        (done,) = run(extraction).sessions
        assert done.end == "part"
    assert len(extractor.views) == 1 + EXTRACTION_ATTEMPTS_MAX
    view = stands(extraction)
    assert (view.strip, view.failures[0].attempts) == ("cf", EXTRACTION_ATTEMPTS_MAX)
    world.say(f"reed {LONG}")
    (done,) = run(extraction).sessions
    assert (done.batches, len(extractor.views)) == (1, 2 + EXTRACTION_ATTEMPTS_MAX)
    assert run_one(extraction).failed == 1
    assert stands(extraction).failures[0].attempts == EXTRACTION_ATTEMPTS_MAX + 1


def test_what_failed_together_is_tried_singly_before_anybody_gives_it_up(
    world: ExtractionWorld,
) -> None:
    world.say("moss", "fern", "reed")
    extraction = world.extraction(
        ScriptedExtractor(failing_at("fern", ModelAnswerUnusable("no use")))
    )
    for _ in range(EXTRACTION_ATTEMPTS_MAX):
        run(extraction)
    assert stands(extraction).strip == "cfc"
    assert {value for _, _, value, _ in world.facts()} == {"moss", "reed"}
