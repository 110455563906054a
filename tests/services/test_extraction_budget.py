"""The tokens and the money of a day are never exceeded by one, however many ask at once."""

from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from threading import Barrier

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.core.extraction.spending import CallTokens, Prices
from recense.core.extraction.views import ExtractorView
from recense.errors import (
    BudgetExhausted,
    ModelAnswerUnusable,
    ModelTimedOut,
    ModelUnavailable,
)
from recense.operations.extraction import DayMoney
from recense.ports.extraction import Proposed
from recense.services.extraction_budget import DailyBudget, RunBudget
from tests.services.extraction_fakes import ScriptedExtractor
from tests.services.extraction_world import (
    KINDS,
    ExtractionWorld,
    extraction_world,
    run,
    run_one,
    sent,
    stands,
    status,
)

DAY_MS = 24 * 3_600_000
PRICES = Prices(input_micros=1_500_000, output_micros=4_200_000)


@pytest.fixture(params=KINDS)
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[ExtractionWorld]:
    """Sessions over one pair of stores."""
    with extraction_world(str(request.param), tmp_path) as world:
        yield world


def priced(world: ExtractionWorld, *, daily_micros: int | None) -> DailyBudget:
    """Return a budget of money, without a bound of tokens."""
    return DailyBudget(
        world.stores.records,
        world.clock,
        daily_tokens=None,
        prices=PRICES,
        daily_micros=daily_micros,
    )


def test_eight_at_once_reserve_all_that_the_day_has_and_not_a_token_more(
    world: ExtractionWorld,
) -> None:
    limit, each = 1_000, 70
    together = Barrier(8)

    def reserve_until_refused(_number: int) -> int:
        budget = DailyBudget(world.stores.records, world.clock, daily_tokens=limit)
        together.wait(30)
        reserved = 0
        while True:
            try:
                budget.reserve(sent(each))
            except BudgetExhausted:
                return reserved
            reserved += 1
            stands_now = budget.today()
            assert stands_now.reserved + stands_now.spent <= limit

    with ThreadPoolExecutor(8) as pool:
        made = sum(pool.map(reserve_until_refused, range(8)))
    today = DailyBudget(world.stores.records, world.clock, daily_tokens=limit).today()
    assert (made, today.reserved, today.spent) == (limit // each, made * each, 0)


def test_eight_at_once_reserve_all_the_money_of_a_day_and_not_a_millionth_more(
    world: ExtractionWorld,
) -> None:
    limit, call = 10_000, CallTokens(tokens_in=70, tokens_out=7)
    costs = PRICES.micros(call)
    together = Barrier(8)

    def reserve_until_refused(_number: int) -> int:
        budget = priced(world, daily_micros=limit)
        together.wait(30)
        reserved = 0
        while True:
            try:
                budget.reserve(call)
            except BudgetExhausted:
                return reserved
            reserved += 1
            money = budget.today().money
            assert money is not None
            assert money.reserved + money.spent <= limit

    with ThreadPoolExecutor(8) as pool:
        made = sum(pool.map(reserve_until_refused, range(8)))
    today = priced(world, daily_micros=limit).today()
    assert made == limit // costs
    assert today.money == DayMoney(limit=limit, spent=0, reserved=made * costs)
    assert today.reserved == made * call.total


def test_money_is_rounded_up_for_each_call_and_settled_to_what_the_call_took(
    world: ExtractionWorld,
) -> None:
    budget = priced(world, daily_micros=10)
    reservation = budget.reserve(CallTokens(tokens_out=1))
    with pytest.raises(BudgetExhausted, match="5 of 10 are left"):
        budget.reserve(CallTokens(tokens_in=2, tokens_out=1))
    budget.settle(reservation, CallTokens(tokens_in=1))
    assert budget.today().money == DayMoney(limit=10, spent=2, reserved=0)
    assert priced(world, daily_micros=None).today().money == DayMoney(
        limit=None, spent=2, reserved=0
    )


def test_without_prices_no_money_is_counted_and_none_is_shown(world: ExtractionWorld) -> None:
    budget = DailyBudget(world.stores.records, world.clock, daily_tokens=None, daily_micros=1)
    budget.reserve(sent(1_000_000))
    assert budget.today().money is None
    assert budget.micros([sent(5)]) is None


@given(st.lists(st.tuples(st.integers(0, 10**9), st.integers(0, 10**9)), max_size=8))
def test_what_calls_cost_is_never_less_than_their_exact_price_nor_a_millionth_a_call_more(
    counts: list[tuple[int, int]],
) -> None:
    calls = [CallTokens(tokens_in=each, tokens_out=other) for each, other in counts]
    exact = sum(Fraction(each * 1_500_000 + other * 4_200_000, 10**6) for each, other in counts)
    paid = sum(map(PRICES.micros, calls))
    assert exact <= paid <= exact + len(calls)


def test_a_reservation_that_is_settled_gives_back_what_was_not_taken(
    world: ExtractionWorld,
) -> None:
    budget = DailyBudget(world.stores.records, world.clock, daily_tokens=100)
    reservation = budget.reserve(sent(80))
    with pytest.raises(BudgetExhausted, match="20 of 100 are left"):
        budget.reserve(sent(21))
    budget.settle(reservation, sent(30))
    assert (budget.today().spent, budget.today().reserved) == (30, 0)
    budget.reserve(sent(70))
    with pytest.raises(BudgetExhausted, match="0 of 100"):
        budget.reserve(sent(1))


def test_a_new_day_has_all_its_tokens_and_a_call_is_paid_on_the_day_of_its_reservation(
    world: ExtractionWorld,
) -> None:
    budget = DailyBudget(world.stores.records, world.clock, daily_tokens=100)
    late = budget.reserve(sent(100))
    world.clock.advance(DAY_MS)
    assert budget.today().reserved == 0
    budget.reserve(sent(100))
    budget.settle(late, sent(60))
    assert (budget.today().spent, budget.today().reserved) == (0, 100)
    world.clock.advance(-DAY_MS)
    assert (budget.today().spent, budget.today().reserved) == (60, 0)


def test_what_days_long_past_took_is_forgotten(world: ExtractionWorld) -> None:
    budget = DailyBudget(world.stores.records, world.clock, daily_tokens=100)
    for _ in range(6):
        for _ in range(3):
            budget.reserve(sent(10))
        world.clock.advance(DAY_MS)
        assert len(world.extraction_records()) <= 6


def test_a_run_takes_no_more_than_its_own_budget(world: ExtractionWorld) -> None:
    days = DailyBudget(world.stores.records, world.clock, daily_tokens=None)
    mine = RunBudget(days, 100)
    with mine.call(sent(80)) as settle:
        settle(sent(10))
    with pytest.raises(BudgetExhausted, match="90 are left for this run"), mine.call(sent(91)):
        pass
    with mine.call(sent(90)):
        pass  # it was cut off, and keeps what was reserved
    with pytest.raises(BudgetExhausted, match="0 are left"), mine.call(sent(1)):
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


def test_money_that_is_exhausted_stops_a_run_visibly_and_the_status_says_what_the_rest_costs(
    world: ExtractionWorld,
) -> None:
    world.say(*(f"{place} {'y' * 300}" for place in ("moss", "fern", "reed")))
    extractor = ScriptedExtractor(
        lambda _: Proposed(tokens_in=80, tokens_out=10), overhead_tokens=40, answer_tokens=20
    )
    extraction = world.extraction(extractor, chunk_tokens=100, prices=PRICES, daily_micros=500)
    each = PRICES.micros(CallTokens(tokens_in=97, tokens_out=20))
    assert status(extraction).cost.micros == 3 * each
    done = run_one(extraction)
    assert (done.end, done.batches) == ("budget", 2)
    assert "of 500 are left" in done.reason
    money = status(extraction).budget.money
    assert money == DayMoney(limit=500, spent=2 * (120 + 42), reserved=0)
    world.clock.advance(DAY_MS)
    assert run_one(extraction).end == "complete"


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
