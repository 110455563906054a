"""The tokens of a day are never exceeded by one, however many ask at once."""

from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from recense.core.extraction.views import ExtractorView
from recense.errors import (
    BudgetExhausted,
    ModelAnswerUnusable,
    ModelTimedOut,
    ModelUnavailable,
)
from recense.ports.extraction import Proposed
from recense.services.extraction_budget import RunBudget, TokenBudget
from tests.services.extraction_fakes import ScriptedExtractor
from tests.services.extraction_world import (
    KINDS,
    ExtractionWorld,
    extraction_world,
    run,
    run_one,
    stands,
    status,
)

DAY_MS = 24 * 3_600_000


@pytest.fixture(params=KINDS)
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[ExtractionWorld]:
    """Sessions over one pair of stores."""
    with extraction_world(str(request.param), tmp_path) as world:
        yield world


def test_eight_at_once_reserve_all_that_the_day_has_and_not_a_token_more(
    world: ExtractionWorld,
) -> None:
    limit, each = 1_000, 70
    together = Barrier(8)

    def reserve_until_refused(_number: int) -> int:
        budget = TokenBudget(world.stores.records, world.clock, daily_tokens=limit)
        together.wait(30)
        reserved = 0
        while True:
            try:
                budget.reserve(each)
            except BudgetExhausted:
                return reserved
            reserved += 1
            stands_now = budget.today()
            assert stands_now.reserved + stands_now.spent <= limit

    with ThreadPoolExecutor(8) as pool:
        made = sum(pool.map(reserve_until_refused, range(8)))
    today = TokenBudget(world.stores.records, world.clock, daily_tokens=limit).today()
    assert (made, today.reserved, today.spent) == (limit // each, made * each, 0)


def test_a_reservation_that_is_settled_gives_back_what_was_not_taken(
    world: ExtractionWorld,
) -> None:
    budget = TokenBudget(world.stores.records, world.clock, daily_tokens=100)
    reservation = budget.reserve(80)
    with pytest.raises(BudgetExhausted, match="20 of 100 are left"):
        budget.reserve(21)
    budget.settle(reservation, 30)
    assert (budget.today().spent, budget.today().reserved) == (30, 0)
    budget.reserve(70)
    with pytest.raises(BudgetExhausted, match="0 of 100"):
        budget.reserve(1)


def test_a_new_day_has_all_its_tokens_and_a_call_is_paid_on_the_day_of_its_reservation(
    world: ExtractionWorld,
) -> None:
    budget = TokenBudget(world.stores.records, world.clock, daily_tokens=100)
    late = budget.reserve(100)
    world.clock.advance(DAY_MS)
    assert budget.today().reserved == 0
    budget.reserve(100)
    budget.settle(late, 60)
    assert (budget.today().spent, budget.today().reserved) == (0, 100)
    world.clock.advance(-DAY_MS)
    assert (budget.today().spent, budget.today().reserved) == (60, 0)


def test_what_days_long_past_took_is_forgotten(world: ExtractionWorld) -> None:
    budget = TokenBudget(world.stores.records, world.clock, daily_tokens=100)
    for _ in range(6):
        for _ in range(3):
            budget.reserve(10)
        world.clock.advance(DAY_MS)
        assert len(world.extraction_records()) <= 6


def test_a_run_takes_no_more_than_its_own_budget(world: ExtractionWorld) -> None:
    days = TokenBudget(world.stores.records, world.clock, daily_tokens=None)
    mine = RunBudget(days, 100)
    with mine.call(80) as settle:
        settle(10)
    with pytest.raises(BudgetExhausted, match="90 are left for this run"), mine.call(91):
        pass
    with mine.call(90):
        pass  # it was cut off, and keeps what was reserved
    with pytest.raises(BudgetExhausted, match="0 are left"), mine.call(1):
        pass
    assert (days.today().spent, days.today().reserved) == (10, 90)


def test_a_budget_that_is_exhausted_stops_visibly_and_the_next_day_goes_on(
    world: ExtractionWorld,
) -> None:
    world.say(*(f"{place} {'y' * 300}" for place in ("moss", "fern", "reed")))
    extractor = ScriptedExtractor(lambda _: Proposed(tokens_in=100), overhead_tokens=20)
    extraction = world.extraction(extractor, chunk_tokens=100, daily_tokens=200)
    done = run_one(extraction)
    assert (done.end, done.batches) == ("budget", 2)
    assert "of 200 are left" in done.reason
    assert stands(extraction).strip == "ccu"
    assert len(extractor.views) == 2
    world.clock.advance(DAY_MS)
    assert run_one(extraction).end == "complete"
    assert len(extractor.views) == 3


def test_eight_sessions_at_once_stay_within_the_budgets_of_the_run_and_of_the_day(
    world: ExtractionWorld,
) -> None:
    for number in range(8):
        world.say(*(f"{place} {'y' * 300}" for place in ("moss", "fern")), session=f"s{number}")

    def looking(_view: ExtractorView) -> Proposed:
        budget = status(extraction).budget
        assert budget.spent + budget.reserved <= 700
        return Proposed(tokens_in=70, tokens_out=25)

    extraction = world.extraction(
        ScriptedExtractor(looking, overhead_tokens=20), chunk_tokens=100, daily_tokens=700
    )
    report = run(extraction, budget=500)
    assert {each.end for each in report.sessions} <= {"complete", "budget"}
    assert 0 < sum(each.tokens_taken for each in report.sessions) <= 500
    report = run(extraction)
    assert 500 < report.budget.spent <= 700
    assert report.budget.reserved == 0


def test_what_failed_attempts_took_is_counted_as_far_as_it_is_known(
    world: ExtractionWorld,
) -> None:
    world.say("moss")
    spent = ModelAnswerUnusable("no use")
    spent.tokens_in, spent.tokens_out = 30, 5

    def wasteful(_view: ExtractorView) -> Proposed:
        raise spent

    def vanishing(_view: ExtractorView) -> Proposed:
        raise ModelTimedOut("too slow")

    wasted = world.extraction(ScriptedExtractor(wasteful, overhead_tokens=100))
    assert run_one(wasted).tokens_taken == 35
    assert (status(wasted).budget.spent, status(wasted).budget.reserved) == (35, 0)
    unknown = world.extraction(ScriptedExtractor(vanishing, overhead_tokens=100))
    run_one(unknown)
    assert (status(unknown).budget.spent, status(unknown).budget.reserved) == (35, 101)


def test_a_call_of_which_nothing_was_sent_takes_nothing_of_the_day(
    world: ExtractionWorld,
) -> None:
    world.say("moss")

    def away(_view: ExtractorView) -> Proposed:
        error = ModelUnavailable("nobody is there")
        error.is_cost_known = True
        raise error

    extraction = world.extraction(ScriptedExtractor(away, overhead_tokens=100))
    for _ in range(3):
        assert run_one(extraction).end == "unavailable"
    assert (status(extraction).budget.spent, status(extraction).budget.reserved) == (0, 0)
