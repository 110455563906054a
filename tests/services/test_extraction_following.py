"""Sessions are read while they grow: what is new, when a turn has ended or nobody speaks."""

from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from recense.core.extraction.proposals import Proposal
from recense.errors import Cancelled, RecenseError, StoreBusy, StoreCorrupt
from recense.limits import EXTRACTION_IDLE_SECONDS
from recense.operations.extraction import SessionRun
from recense.services.session_extraction import SessionReading
from tests.services.extraction_fakes import ScriptedExtractor, proposing
from tests.services.extraction_world import (
    KINDS,
    ExtractionWorld,
    answers,
    calls,
    extraction_world,
    model_says,
)

LONG = "the quay needs a new ladder before the winter, and the old one goes to the museum. " * 60
SECOND = 1_000  # milliseconds


@pytest.fixture(params=KINDS)
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[ExtractionWorld]:
    """Sessions over one pair of stores."""
    with extraction_world(str(request.param), tmp_path) as world:
        yield world


class Looks:
    """What reads sessions as they grow, look after look, and what it told."""

    def __init__(self, world: ExtractionWorld, extractor: ScriptedExtractor) -> None:
        self.told: list[SessionRun | RecenseError] = []
        self._wait = world.extraction(extractor).followed(self._waited, self.told.append)
        self.is_stopped = False

    def _waited(self, seconds: float) -> bool:
        assert seconds == 2
        return self.is_stopped

    def look(self) -> list[SessionRun | RecenseError]:
        """Look once, and return what was told."""
        self.told.clear()
        assert self._wait(2) is self.is_stopped
        return list(self.told)


def test_what_was_said_before_it_was_switched_on_waits_for_a_person(
    world: ExtractionWorld,
) -> None:
    world.say(LONG, model_says("noted"))
    world.clock.advance(SECOND)
    extractor = ScriptedExtractor()
    looks = Looks(world, extractor)
    world.clock.advance(SECOND)
    assert looks.look() == []
    world.say(f"later: {LONG}", model_says("noted too"))
    (run,) = looks.look()
    assert isinstance(run, SessionRun)
    assert run.end == "complete"
    assert extractor.texts[0].startswith("later")
    assert "".join(extractor.texts) == f"later: {LONG}noted too"


def test_a_turn_is_read_when_it_has_ended_and_enough_is_left(world: ExtractionWorld) -> None:
    extractor = ScriptedExtractor()
    looks = Looks(world, extractor)
    world.clock.advance(SECOND)
    world.say("only a word", model_says("yes"))
    assert looks.look() == []
    world.say(LONG)
    assert looks.look() == []
    world.say(calls("c"))
    assert looks.look() == []
    world.say(answers("c", "done"))
    assert len(looks.look()) == 1
    assert looks.look() == []


def test_what_is_left_is_read_after_hours_of_silence(world: ExtractionWorld) -> None:
    town = Proposal(subject="user", predicate="lives_in", value="Oslo", evidence="I live in Oslo")
    looks = Looks(world, ScriptedExtractor(proposing(("I live in Oslo", town))))
    world.clock.advance(SECOND)
    world.say("I live in Oslo")
    assert looks.look() == []
    world.clock.advance(EXTRACTION_IDLE_SECONDS * SECOND - SECOND)
    assert looks.look() == []
    world.clock.advance(SECOND)
    assert len(looks.look()) == 1
    assert [(subject, value) for subject, _, value, _ in world.facts()] == [("user", "Oslo")]


def test_whoever_follows_later_goes_on_from_when_it_was_first_switched_on(
    world: ExtractionWorld,
) -> None:
    Looks(world, ScriptedExtractor())
    world.clock.advance(SECOND)
    world.say(LONG, model_says("noted"))
    world.clock.advance(SECOND)
    assert len(Looks(world, ScriptedExtractor()).look()) == 1


@pytest.mark.parametrize("error", [StoreBusy("later"), StoreCorrupt("never")])
def test_an_error_that_may_pass_is_told_and_any_other_is_raised(
    world: ExtractionWorld, monkeypatch: pytest.MonkeyPatch, error: RecenseError
) -> None:
    looks = Looks(world, ScriptedExtractor())

    def failing(*_: object) -> Callable[..., object]:
        raise error

    monkeypatch.setattr(type(world.stores.transcripts), "snapshot", failing)
    if error.retryable:
        assert looks.look() == [error]
    else:
        with pytest.raises(StoreCorrupt, match="never"):
            looks.look()


def test_what_an_error_kept_from_being_read_is_due_at_the_next_look(
    world: ExtractionWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = Looks(world, ScriptedExtractor())
    world.clock.advance(SECOND)
    for session in ("one", "two"):
        world.say(LONG, model_says("noted"), session=session)
    read, busy = SessionReading.read, StoreBusy("later")

    def failing(*_of: object, **_how: object) -> SessionRun:
        raise busy

    monkeypatch.setattr(SessionReading, "read", failing)
    assert looks.look() == [busy]
    monkeypatch.setattr(SessionReading, "read", read)
    assert len(looks.look()) == 2
    assert looks.look() == []


def test_who_is_told_may_end_the_look_before_the_next_session_is_read(
    world: ExtractionWorld,
) -> None:
    extractor = ScriptedExtractor()
    told: list[object] = []

    def tell(run: object) -> None:
        told.append(run)
        raise Cancelled("enough")

    wait = world.extraction(extractor).followed(lambda _seconds: True, tell)
    world.clock.advance(SECOND)
    for session in ("one", "two"):
        world.say(f"{session}: {LONG}", model_says("noted"), session=session)
    with pytest.raises(Cancelled):
        wait(2)
    assert len(told) == 1
    assert len({text.partition(":")[0] for text in extractor.texts if ":" in text}) == 1
