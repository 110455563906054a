"""Which dates a question names, and what is near to them."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.core.instants import EPOCH, MICROSECOND
from recense.core.recall.dates import day_of, named_dates, nearness


def named(question: str) -> list[tuple[int | None, int | None, int | None]]:
    return [(each.year, each.month, each.day) for each in named_dates(question)]


@pytest.mark.parametrize(
    ("question", "dates"),
    [
        ("what broke on 7 July, 2023?", [(2023, 7, 7)]),
        ("what broke on July 7th 2023?", [(2023, 7, 7)]),
        ("the 3rd of August", [(None, 8, 3)]),
        ("in JULY 2023 and in August", [(2023, 7, None), (None, 8, None)]),
        ("Sept. 2024", [(2024, 9, None)]),
        ("since 2023-07-07", [(2023, 7, 7)]),
        ("2023/7", [(2023, 7, None)]),
        ("2023年7月7日的会议", [(2023, 7, 7)]),
        ("２０２３年７月", [(2023, 7, None)]),
        ("7月7号", [(None, 7, 7)]),
        ("12月的计划", [(None, 12, None)]),
        ("what did we plan in 2022?", [(2022, None, None)]),
        ("may we march on?", []),
        ("did it happen in May?", [(None, 5, None)]),
        ("on 29 February", [(None, 2, 29)]),
        ("on 30 February 2023", [(2023, 2, None)]),
        ("3个月, port 12023, 2023.1.4, 99月", [(2023, None, None)]),
        ("", []),
    ],
)
def test_a_date_is_read_however_it_is_written(
    question: str, dates: list[tuple[int | None, int | None, int | None]]
) -> None:
    assert named(question) == dates


def test_a_date_is_shown_as_it_is_written() -> None:
    assert [each.spelled for each in named_dates("on July 7th, 2023, or in May")] == [
        "july 7th, 2023",
        "in may",
    ]


@pytest.mark.parametrize(
    ("question", "day", "near"),
    [
        ("7 July 2023", date(2023, 7, 7), 1.0),
        ("7 July 2023", date(2023, 7, 6), 1.0),
        ("7 July 2023", date(2023, 7, 8), 1.0),
        ("7 July 2023", date(2023, 7, 9), 0.5),
        ("7 July 2023", date(2023, 7, 5), 0.0),
        ("7 July 2023", date(2023, 7, 16), 0.0),
        ("July 2023", date(2023, 7, 31), 1.0),
        ("July 2023", date(2023, 8, 7), 0.5),
        ("July 2023", date(2022, 7, 7), 0.0),
        ("in July", date(2022, 7, 7), 1.0),
        ("in December", date(2023, 1, 3), 0.5),
        ("1 January", date(2022, 12, 31), 1.0),
        ("in 2023", date(2023, 12, 31), 1.0),
        ("in 2023", date(2024, 1, 5), 0.5),
        ("7 July 2023 or in 2021", date(2021, 2, 2), 1.0),
        ("", date(2021, 2, 2), 0.0),
    ],
)
def test_a_day_is_near_to_a_date_at_it_and_shortly_after_it(
    question: str, day: date, near: float
) -> None:
    assert nearness(named_dates(question), day.toordinal()) == near


@given(st.datetimes(timezones=st.just(UTC)))
def test_the_day_of_an_instant_is_its_day_in_utc(moment: datetime) -> None:
    assert day_of((moment - EPOCH) // MICROSECOND) == moment.toordinal()


@given(st.text(max_size=60), st.integers(-10, 4_000_000))
def test_any_question_and_any_day_have_a_nearness(question: str, day: int) -> None:
    assert 0.0 <= nearness(named_dates(question), day) <= 1.0


@given(st.dates(date(1900, 1, 1), date(2099, 12, 31)))
def test_every_day_of_the_calendar_is_near_to_itself(day: date) -> None:
    for question in (day.isoformat(), f"{day.year}年{day.month}月{day.day}日"):
        for each in named_dates(question):
            assert each.year == day.year
            if each.day is not None:
                assert nearness([each], day.toordinal()) == 1.0
