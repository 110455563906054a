"""What periods a question names from where the asker stands."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.core.recall.when import asked_periods

NOW = 1_773_230_400_000_000
"""Noon of Wednesday, 11 March 2026."""
DAY = 24 * 60 * 60 * 1_000_000


@pytest.mark.parametrize(
    ("question", "spelled", "inside"),
    [
        ("what did we deploy last week?", "last week", NOW - 7 * DAY),
        ("what broke yesterday", "yesterday", NOW - DAY),
        ("上周我们部署了什么", "上周", NOW - 7 * DAY),
        ("三天前的错误", "三天前", NOW - 3 * DAY),
    ],
)
def test_a_period_counts_back_from_the_present(question: str, spelled: str, inside: int) -> None:
    (asked,) = asked_periods(question, NOW)
    assert asked.spelled == spelled
    assert asked.holds(inside)
    assert not asked.holds(NOW - 400 * DAY)


@pytest.mark.parametrize(
    "question", ["deploy in July 2023", "2023年5月7日的会议", "in 2023", "may it march on", "C++"]
)
def test_what_names_a_date_by_itself_or_no_time_is_no_such_period(question: str) -> None:
    assert asked_periods(question, NOW) == ()


def test_a_period_that_is_named_twice_is_one() -> None:
    assert len(asked_periods("yesterday, I mean yesterday", NOW)) == 1


@given(st.text(max_size=200))
def test_any_question_names_periods_of_its_own_words(question: str) -> None:
    assert all(each.spelled in question for each in asked_periods(question, NOW))
