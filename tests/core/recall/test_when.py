"""What the time phrases of a question change in the order of hits."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.core.recall.filters import Period
from recense.core.recall.hits import Hit, ScoredHit, in_order
from recense.core.recall.when import TIME_BONUS, favour, is_when, periods_of
from recense.core.text.timephrase import time_phrases

INSIDE = 150
OUTSIDE = 50
PERIOD = Period(since=100, until=200)


def scored(
    number: int, score: float, at: int | None = OUTSIDE, *, echo: bool = False, support: float = 0.0
) -> ScoredHit:
    hit = Hit(
        start=(False, 0, "s"),
        session_id="s",
        ordinal=number,
        position=number,
        turn=f"t{number}",
        kind="user",
        at=at,
        identity=None,
        frequencies=(1,),
        length=10,
        echo=echo,
    )
    return ScoredHit(hit=hit, score=score, support=support)


def numbers(hits: list[ScoredHit]) -> list[int]:
    return [each.hit.ordinal for each in hits]


def test_of_hits_of_like_score_those_in_the_period_come_first() -> None:
    ranked = [scored(0, 1.0), scored(1, 0.9, INSIDE), scored(2, 0.85), scored(3, 0.82, INSIDE)]
    assert numbers(favour(ranked, [PERIOD])) == [1, 3, 0, 2]


def test_a_hit_in_the_period_does_not_overtake_a_much_better_one() -> None:
    ranked = [scored(0, 1.0), scored(1, 0.66, INSIDE)]
    assert numbers(favour(ranked, [PERIOD])) == [0, 1]


def test_a_hit_without_evidence_gains_nothing() -> None:
    assert [each.score for each in favour([scored(0, 0.0, INSIDE)], [PERIOD])] == [0.0]


def test_a_hit_without_an_instant_gains_nothing_not_even_from_an_open_period() -> None:
    ranked = [scored(0, 1.0, None)]
    assert favour(ranked, [PERIOD, Period()]) == ranked
    assert not is_when(None, [Period()])


def test_both_ends_are_in_and_a_near_miss_is_a_miss() -> None:
    instants = [99, 100, 200, 201]
    assert [is_when(at, [PERIOD]) for at in instants] == [False, True, True, False]
    ranked = [scored(at, 1.0, at) for at in instants]
    gained = {each.hit.ordinal: each.score for each in favour(ranked, [PERIOD])}
    assert gained == {99: 1.0, 100: 1 + TIME_BONUS, 200: 1 + TIME_BONUS, 201: 1.0}


def test_several_periods_that_hold_a_hit_give_what_one_gives() -> None:
    ranked = [scored(0, 1.0, INSIDE)]
    both = [PERIOD, Period(since=120)]
    assert favour(ranked, both) == favour(ranked, [PERIOD])


def test_without_periods_the_hits_come_back_as_they_are() -> None:
    ranked = [scored(0, 0.5), scored(1, 1.0)]
    assert favour(ranked, []) == ranked


def test_echoes_stay_last_and_support_stays_what_it_was() -> None:
    ranked = [scored(0, 1.0, support=0.2), scored(1, 5.0, INSIDE, echo=True, support=0.3)]
    done = favour(ranked, [PERIOD])
    assert numbers(done) == [0, 1]
    assert [each.support for each in done] == [0.2, 0.3]


def test_the_periods_of_phrases_are_distinct_and_in_their_order() -> None:
    question = "since May 2023, yesterday, and 昨天"
    phrases = time_phrases(question, 1_800_000_000_000_000)
    assert len(phrases) == 3
    first, second = periods_of(phrases)
    assert (first.since, first.until) == (phrases[0].since, None)
    assert (second.since, second.until) == (phrases[1].since, phrases[1].until)


@pytest.mark.parametrize("score", [1.7976931348623157e308, math.inf, 5e-324])
def test_a_score_at_the_edge_of_numbers_does_not_fall(score: float) -> None:
    assert favour([scored(0, score, INSIDE)], [PERIOD])[0].score >= score


# --- laws -----------------------------------------------------------------------------------------

INSTANTS = st.none() | st.integers(0, 300)
HITS = st.lists(
    st.tuples(st.floats(0, allow_nan=False, allow_infinity=False), INSTANTS, st.booleans()),
    max_size=12,
).map(
    lambda rows: in_order(
        scored(number, score, at, echo=echo) for number, (score, at, echo) in enumerate(rows)
    )
)
ENDS = st.none() | st.integers(0, 300)
PERIODS = st.lists(st.builds(Period, since=ENDS, until=ENDS), max_size=3)


@given(ranked=HITS, periods=PERIODS)
def test_every_hit_comes_back_and_no_score_falls_or_stops_being_a_number(
    ranked: list[ScoredHit], periods: list[Period]
) -> None:
    before = {each.hit.ordinal: each for each in ranked}
    done = favour(ranked, periods)
    assert sorted(numbers(done)) == sorted(before)
    for each in done:
        was = before[each.hit.ordinal]
        assert each.hit == was.hit
        assert was.score <= each.score <= max(was.score, was.score * (1 + TIME_BONUS))
        assert math.isfinite(each.score)


@given(ranked=HITS, periods=PERIODS)
def test_the_answer_is_in_the_order_of_answers_whatever_the_order_given(
    ranked: list[ScoredHit], periods: list[Period]
) -> None:
    done = favour(ranked, periods)
    assert done == in_order(done)
    assert periods == [] or favour(ranked[::-1], periods) == done


@given(ranked=HITS, periods=PERIODS)
def test_no_hit_overtakes_one_with_more_than_the_bonus_over_it(
    ranked: list[ScoredHit], periods: list[Period]
) -> None:
    places = {each.hit.ordinal: place for place, each in enumerate(favour(ranked, periods))}
    for better in ranked:
        for worse in ranked:
            if better.hit.echo == worse.hit.echo and (
                better.score > worse.score * (1 + TIME_BONUS)
            ):
                assert places[better.hit.ordinal] < places[worse.hit.ordinal]


@given(scores=st.lists(st.integers(0, 9), max_size=12), at=st.integers(0, 300))
def test_a_period_that_holds_all_or_none_changes_no_order(scores: list[int], at: int) -> None:
    ranked = in_order(scored(number, score, at) for number, score in enumerate(scores))
    assert numbers(favour(ranked, [Period(since=0)])) == numbers(ranked)
    assert favour(ranked, [Period(since=301)]) == ranked
