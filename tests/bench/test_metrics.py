import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.bench.metrics import (
    METRICS,
    hit_at,
    mean,
    paired,
    recall_at,
    reciprocal_rank,
    standard_error,
)

RANKING = ["c", "a", "f", "b", "e", "d"]

_rankings = st.permutations(RANKING)
_rights = st.frozensets(st.sampled_from([*RANKING, "absent"]), min_size=1)


@pytest.mark.parametrize(
    ("count", "right", "expected"),
    [(1, {"c"}, 1), (1, {"a"}, 0), (2, {"a", "z"}, 1), (5, {"d"}, 0), (10, {"d"}, 1)],
)
def test_a_hit_is_something_right_among_the_first(
    count: int, right: set[str], expected: float
) -> None:
    assert hit_at(count)(RANKING, right) == expected


@pytest.mark.parametrize(
    ("right", "expected"),
    [({"c", "d"}, 1 / 2), ({"c", "a", "z"}, 2 / 3), ({"d"}, 0), (set("cafbed"), 5 / 6)],
)
def test_recall_is_the_share_of_what_is_right_that_is_among_the_first(
    right: set[str], expected: float
) -> None:
    assert recall_at(5)(RANKING, right) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("right", "expected"), [({"c"}, 1), ({"f"}, 1 / 3), ({"d", "b"}, 1 / 4), ({"z"}, 0)]
)
def test_the_reciprocal_rank_is_that_of_the_first_right_place(
    right: set[str], expected: float
) -> None:
    assert reciprocal_rank(RANKING, right) == pytest.approx(expected)


def test_an_empty_ranking_scores_nothing() -> None:
    assert [each.measure([], {"a"}) for each in METRICS.values()] == [0.0] * len(METRICS)


@given(_rankings, _rights)
def test_every_measure_lies_between_nothing_and_all(
    ranking: list[str], right: frozenset[str]
) -> None:
    for metric in METRICS.values():
        assert 0 <= metric.measure(ranking, right) <= 1


@given(_rankings, _rights)
def test_a_hit_at_one_is_a_reciprocal_rank_of_one(
    ranking: list[str], right: frozenset[str]
) -> None:
    assert (hit_at(1)(ranking, right) == 1) == (reciprocal_rank(ranking, right) == 1)


def test_the_standard_error_of_a_hit_rate_is_worked_out_by_hand() -> None:
    # Three of four: mean 3/4, squares 3 × 1/16 + 9/16 = 3/4, over n − 1 = 1/4, over n = 1/16.
    scores = [1.0, 1.0, 0.0, 1.0]
    assert mean(scores) == 0.75
    assert standard_error(scores) == pytest.approx(0.25)
    assert standard_error([1.0]) == 0.0


def test_a_paired_comparison_counts_questions_and_takes_the_error_of_their_differences() -> None:
    compared = paired([1, 1, 0, 1], [0, 1, 1, 0], factor=100)
    assert (compared.won, compared.lost, compared.equal) == (2, 1, 1)
    assert compared.difference == pytest.approx(25)
    # Differences 1, 0, −1, 1: mean 1/4, squares 9/16 + 1/16 + 25/16 + 9/16 = 44/16, over 3 and 4.
    assert compared.standard_error == pytest.approx(100 * math.sqrt(44 / 16 / 3 / 4))


def test_scores_of_other_questions_are_not_compared() -> None:
    with pytest.raises(ValueError, match="zip"):
        paired([1.0], [1.0, 0.0], factor=1)
