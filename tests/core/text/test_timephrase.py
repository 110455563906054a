"""Time phrases: what they name at one instant, what is no time, and laws for every string."""

import re
from datetime import date

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from recense.core.instants import instant_from_text
from recense.core.text.timephrase import time_code_points, time_phrases
from recense.limits import QUESTION_CODE_POINTS_MAX
from tests.rows import each_row


def at(text: str) -> int:
    instant = instant_from_text(text)
    assert instant is not None
    return instant


HOUR = 60 * 60 * 1_000_000
DAY = 24 * HOUR
WEEK = 7 * DAY
NOW = at("2026-08-12T14:30:45Z")
"""A Wednesday."""

NAMED = [
    tuple(row.strip().split(" | "))
    for row in """
    What did we decide [yesterday]? | 2026-08-11 | 2026-08-11 | day
    [yesterday's] meeting | 2026-08-11 | 2026-08-11 | day
    [the day before yesterday], in the evening | 2026-08-10 | 2026-08-10 | day
    What have I done [today]? | 2026-08-12 | 2026-08-12 | day
    notes [from this morning] | 2026-08-12 | 2026-08-12 | day
    What did Ada say [last night]? | 2026-08-11T12:00:00 | 2026-08-12T11:59:59 | day
    the plan [of this week] | 2026-08-10 | 2026-08-16 | week
    what broke [last week] | 2026-08-03 | 2026-08-09 | week
    [LAST WEEK] | 2026-08-03 | 2026-08-09 | week
    the incident [last month] | 2026-07-01 | 2026-07-31 | month
    [this month] | 2026-08-01 | 2026-08-31 | month
    revenue [last year] | 2025-01-01 | 2025-12-31 | year
    [this year's] goals | 2026-01-01 | 2026-12-31 | year
    [last weekend] | 2026-08-08 | 2026-08-09 | weekend
    [last quarter] | 2026-04-01 | 2026-06-30 | quarter
    [the week before last] | 2026-07-27 | 2026-08-02 | week
    [3 days ago] | 2026-08-09 | 2026-08-09 | day
    [two weeks ago] | 2026-07-27 | 2026-08-02 | week
    [a month ago] | 2026-07-01 | 2026-07-31 | month
    [four years ago] | 2022-01-01 | 2022-12-31 | year
    [an hour ago] | 2026-08-12T13:00:00 | 2026-08-12T13:59:59 | hour
    [a few days ago] | 2026-08-07 | 2026-08-10 | day
    [a couple of weeks ago] | 2026-07-20 | 2026-08-09 | week
    over [the past week] | 2026-08-05 | 2026-08-12 | week
    [in the last 3 months] | 2026-05-12 | 2026-08-12 | month
    [the last two years] | 2024-08-12 | 2026-08-12 | year
    [the last few days] | 2026-08-07 | 2026-08-12 | day
    [in May 2023] | 2023-05-01 | 2023-05-31 | month
    [in may 2023] | 2023-05-01 | 2023-05-31 | month
    [early March 2024] | 2024-03-01 | 2024-03-31 | month
    [in mid-August 2023] | 2023-08-01 | 2023-08-31 | month
    [May 7, 2023] | 2023-05-07 | 2023-05-07 | day
    [on May 7th 2023] | 2023-05-07 | 2023-05-07 | day
    [7 May 2023] | 2023-05-07 | 2023-05-07 | day
    [25 February, 2022] | 2022-02-25 | 2022-02-25 | day
    [the 1st of September 2023] | 2023-09-01 | 2023-09-01 | day
    [on Tuesday, 9 May 2023] | 2023-05-09 | 2023-05-09 | day
    [Jan. 5, 2021] | 2021-01-05 | 2021-01-05 | day
    [2023-05-07] | 2023-05-07 | 2023-05-07 | day
    [2023/5/7] | 2023-05-07 | 2023-05-07 | day
    [2023-05-07T10:20:30.5Z] | 2023-05-07 | 2023-05-07 | day
    [15.01.2024] | 2024-01-15 | 2024-01-15 | day
    [01/15/2024] | 2024-01-15 | 2024-01-15 | day
    [in 2023-05] | 2023-05-01 | 2023-05-31 | month
    [May 5-7, 2023] | 2023-05-05 | 2023-05-07 | day
    [5 to 7 May 2023] | 2023-05-05 | 2023-05-07 | day
    [in 2023] | 2023-01-01 | 2023-12-31 | year
    back [in 1999] | 1999-01-01 | 1999-12-31 | year
    [the year 2023] | 2023-01-01 | 2023-12-31 | year
    at [the end of 2023] | 2023-01-01 | 2023-12-31 | year
    [summer 2023] | 2023-06-01 | 2023-08-31 | season
    [in the fall of 2023] | 2023-09-01 | 2023-11-30 | season
    [winter 2024] | 2024-12-01 | 2025-02-28 | season
    [Q3 2025] | 2025-07-01 | 2025-09-30 | quarter
    [2025 Q1] | 2025-01-01 | 2025-03-31 | quarter
    [in May] | 2026-05-01 | 2026-05-31 | month
    [in March] | 2026-03-01 | 2026-03-31 | month
    [in October] | 2025-10-01 | 2025-10-31 | month
    [on May 7] | 2026-05-07 | 2026-05-07 | day
    the deploy [of Oct 17] | 2025-10-17 | 2025-10-17 | day
    [29 February] | 2024-02-29 | 2024-02-29 | day
    [on Tuesday] | 2026-08-11 | 2026-08-11 | day
    [on Wednesday] | 2026-08-05 | 2026-08-05 | day
    [on Friday morning] | 2026-08-07 | 2026-08-07 | day
    [last Friday] | 2026-08-07 | 2026-08-07 | day
    [this Monday] | 2026-08-10 | 2026-08-10 | day
    [last summer] | 2025-06-01 | 2025-08-31 | season
    [last winter] | 2025-12-01 | 2026-02-28 | season
    [last fall] | 2025-09-01 | 2025-11-30 | season
    [this summer] | 2026-06-01 | 2026-08-31 | season
    [last May] | 2026-05-01 | 2026-05-31 | month
    [last October] | 2025-10-01 | 2025-10-31 | month
    [since March] | 2026-03-01 | open | month
    [since 2023] | 2023-01-01 | open | year
    ever [since yesterday] | 2026-08-11 | open | day
    [from last week onwards] | 2026-08-03 | open | week
    [before May 2023] | open | 2023-04-30 | month
    [before 7 May 2023] | open | 2023-05-06 | day
    [prior to last week] | open | 2026-08-02 | week
    [after 2023-05-07] | 2023-05-08 | open | day
    [until June 2024] | open | 2024-06-30 | month
    [by 7 November, 2022] | open | 2022-11-07 | day
    [as of December 2023] | open | 2023-12-31 | month
    [between 2020-01-01 and 2020-12-31] | 2020-01-01 | 2020-12-31 | day
    [between August 11 and August 15 2023] | 2023-08-11 | 2023-08-15 | day
    [between December 20 and January 5, 2024] | 2023-12-20 | 2024-01-05 | day
    [from May 2023 to July] | 2023-05-01 | 2023-07-31 | month
    [from 2021 to 2023] | 2021-01-01 | 2023-12-31 | year
    [from Monday to Wednesday] | 2026-08-03 | 2026-08-05 | day
    [from Friday to Monday] | 2026-08-07 | 2026-08-10 | day
    [the week before 16 November 2023] | 2023-11-09 | 2023-11-15 | week
    [two weeks before August 11, 2023] | 2023-07-28 | 2023-08-03 | week
    [two days after 2023-05-07] | 2023-05-09 | 2023-05-09 | day
    [the Sunday before October 25, 2022] | 2022-10-23 | 2022-10-23 | day
    on [the Saturday after October 28, 2023] | 2023-11-04 | 2023-11-04 | day
    [the weekend before 4th October, 2023] | 2023-09-30 | 2023-10-01 | weekend
    [昨天]做了什么 | 2026-08-11 | 2026-08-11 | day
    [昨晚]聊了什么 | 2026-08-11T12:00:00 | 2026-08-12T11:59:59 | day
    [前天]我们说了什么 | 2026-08-10 | 2026-08-10 | day
    [大前天]的会议 | 2026-08-09 | 2026-08-09 | day
    [今天下午]的讨论 | 2026-08-12 | 2026-08-12 | day
    [上周]的方案 | 2026-08-03 | 2026-08-09 | week
    [上上周] | 2026-07-27 | 2026-08-02 | week
    [上周五]的会议 | 2026-08-07 | 2026-08-07 | day
    [上个星期天] | 2026-08-09 | 2026-08-09 | day
    [上周末] | 2026-08-08 | 2026-08-09 | weekend
    [本周三] | 2026-08-12 | 2026-08-12 | day
    [这个星期] | 2026-08-10 | 2026-08-16 | week
    [上个月] | 2026-07-01 | 2026-07-31 | month
    [上个月5号] | 2026-07-05 | 2026-07-05 | day
    [上上个月] | 2026-06-01 | 2026-06-30 | month
    [这个月] | 2026-08-01 | 2026-08-31 | month
    [本季度] | 2026-07-01 | 2026-09-30 | quarter
    [去年] | 2025-01-01 | 2025-12-31 | year
    [前年] | 2024-01-01 | 2024-12-31 | year
    [今年] | 2026-01-01 | 2026-12-31 | year
    [去年夏天] | 2025-06-01 | 2025-08-31 | season
    [今年3月7日] | 2026-03-07 | 2026-03-07 | day
    [2023年5月] | 2023-05-01 | 2023-05-31 | month
    [2023年5月7日] | 2023-05-07 | 2023-05-07 | day
    [二〇二三年五月七日] | 2023-05-07 | 2023-05-07 | day
    [2023年] | 2023-01-01 | 2023-12-31 | year
    [2023年第二季度] | 2023-04-01 | 2023-06-30 | quarter
    [2023年秋天] | 2023-09-01 | 2023-11-30 | season
    [２０２４年３月] | 2024-03-01 | 2024-03-31 | month
    [mid 2023] | 2023-01-01 | 2023-12-31 | year
    来自[2023年]的信 | 2023-01-01 | 2023-12-31 | year
    [5月3日到7日]的会议 | 2026-05-03 | 2026-05-07 | day
    [上个月5号到7号] | 2026-07-05 | 2026-07-07 | day
    [上周一到周五] | 2026-08-03 | 2026-08-07 | day
    [since the summer of 2023] | 2023-06-01 | open | season
    [before March] | open | 2026-02-28 | month
    the first week [of November] | 2025-11-01 | 2025-11-30 | month
    [2023年5月7日（周日）]的会议 | 2023-05-07 | 2023-05-07 | day
    [5月7日] | 2026-05-07 | 2026-05-07 | day
    [十二月二十五日] | 2025-12-25 | 2025-12-25 | day
    [5月份] | 2026-05-01 | 2026-05-31 | month
    我[5月]去了哪里 | 2026-05-01 | 2026-05-31 | month
    [在五月] | 2026-05-01 | 2026-05-31 | month
    [星期二] | 2026-08-11 | 2026-08-11 | day
    [周日]去了哪里 | 2026-08-09 | 2026-08-09 | day
    [礼拜一下午] | 2026-08-10 | 2026-08-10 | day
    [三天前] | 2026-08-09 | 2026-08-09 | day
    [两周前] | 2026-07-27 | 2026-08-02 | week
    [十二个月前] | 2025-08-01 | 2025-08-31 | month
    [半年前] | 2026-02-01 | 2026-02-28 | month
    [两三天前] | 2026-08-09 | 2026-08-10 | day
    [几天前] | 2026-08-07 | 2026-08-10 | day
    [前几天] | 2026-08-07 | 2026-08-10 | day
    [二十年前] | 2006-01-01 | 2006-12-31 | year
    [最近三天] | 2026-08-09 | 2026-08-12 | day
    [过去一周] | 2026-08-05 | 2026-08-12 | week
    [近两个月] | 2026-06-12 | 2026-08-12 | month
    [自从三月] | 2026-03-01 | open | month
    [去年以来] | 2025-01-01 | open | year
    [从去年夏天] | 2025-06-01 | open | season
    [2023年之前] | open | 2022-12-31 | year
    [昨天之后] | 2026-08-12 | open | day
    [截至2023年5月] | open | 2023-05-31 | month
    [从5月到7月] | 2026-05-01 | 2026-07-31 | month
    [2021年到2023年之间] | 2021-01-01 | 2023-12-31 | year
    [2023年5月3日至7月1日] | 2023-05-03 | 2023-07-01 | day
    """.strip().split("\n")
]
"""A question with its phrase in brackets, the first and the last day or second, the precision."""

NO_TIME = [
    "May I ask a question?",
    "it may be wrong",
    "this may be a problem",
    "they march on Rome",
    "the length of march routes",
    "ready to march",
    "it was written by May",
    "the tool that fell on April",
    "the march of progress",
    "may 7 people join",
    "of the 7 may be wrong",
    "she may have been right",
    "wait a second",
    "the second attempt",
    "the fall of the wall",
    "why did this fall through",
    "does this spring to mind",
    "the Spring Boot service",
    "What did April say?",
    "the code by June",
    "ask August about it",
    "sat on the mat",
    "the sun was out",
    "the last word",
    "last but not least",
    "at long last",
    "her last week at the company",
    "the last year of school",
    "the last version",
    "Maria's last month of pregnancy",
    "every Monday",
    "on Mondays",
    "each week",
    "once a week",
    "years ago",
    "How long ago was it?",
    "half a year ago",
    "more than two years ago",
    "a limit of 2000",
    "in 2000 tokens",
    "in 2048 bits",
    "from 2000 users",
    "Cyberpunk 2077",
    "port 2024",
    "10.0.2024.1",
    "version 2.1.2024-beta",
    "backup-2023-05-07.tar.gz",
    "logs/2023-05-07/app.log",
    "today.md",
    "src/today/main.py",
    "the function `last_week`",
    'who wrote "last week" into the file',
    "31 February 2020",
    "2020-13-45",
    "0000-00-00",
    "May 32, 2023",
    "05/07/2023",
    "tomorrow",
    "next week",
    "in 2031",
    "my birthday is on May 7",
    "he was born in May",
    "one-year-old child",
    "last-minute change",
    "3+ years ago",
    "2.5 years ago",
    "3:30pm",
    "recently",
    "now",
    "两周一次",
    "每周一",
    "每个星期三",
    "下周五",
    "四周一片安静",
    "三天前端开发",
    "上周期的数据",
    "第三周",
    "第三天前",
    "五月天的歌",
    "十月怀胎",
    "三个月",
    "超过一周的活动",
    "持续时间是五个周",
    "五十岁以上",
    "以前天气很好",
    "目前年龄",
    "如今天气好",
    "当今天下",
    "日本周末",
    "晚上周围很暗",
    "上海的天气",
    "接近三天",
    "2000多年的历史",
    "一百万年前",
    "有几个人的生日是在5月呢？",
    "那个生日是09月04日的人",
    "他出生在5月7日",
    "以“周”为单位",
    "「昨天」这首歌",
    "2023年13月",
    "2月30日",
    "明天",
    "明年",
    "刚才",
    "最近",
]


def last_of(text: str) -> int:
    return at(text) + (DAY if len(text) == len("2026-01-01") else 1_000_000) - 1


def periods(question: str, now: int = NOW) -> list[tuple[int | None, int | None]]:
    return [(phrase.since, phrase.until) for phrase in time_phrases(question, now)]


@each_row(("marked", "since", "until", "precision"), NAMED)
def test_a_time_phrase_names_its_period(
    marked: str, since: str, until: str, precision: str
) -> None:
    before, words, after = re.split(r"[\[\]]", marked)
    (phrase,) = time_phrases(before + words + after, NOW)
    assert (phrase.start, phrase.end) == (len(before), len(before + words))
    assert phrase.since == (None if since == "open" else at(since))
    assert phrase.until == (None if until == "open" else last_of(until))
    assert phrase.precision == precision


@each_row("question", NO_TIME)
def test_what_is_not_surely_a_time_is_left_alone(question: str) -> None:
    assert time_phrases(question, NOW) == ()


def test_the_table_and_the_traps_are_long_enough_to_mean_something() -> None:
    assert len({marked for marked, *_ in NAMED}) >= 80
    assert len(set(NO_TIME)) >= 40


def test_a_year_keeps_the_precision_of_a_year_and_is_no_first_of_january() -> None:
    for question in ("in 2023", "2023年"):
        (phrase,) = time_phrases(question, NOW)
        assert phrase.precision == "year"
        assert (phrase.since, phrase.until) == (at("2023-01-01"), at("2024-01-01") - 1)


def test_what_begins_after_now_is_no_period() -> None:
    assert periods("in October 2026") == []
    assert periods("since yesterday, until tomorrow") == [(at("2026-08-11"), None)]
    assert periods("after today") == []
    assert periods("this Friday") == []


def test_a_day_begins_at_midnight_utc_and_a_week_on_monday() -> None:
    sunday = at("2026-08-16T23:59:59.999999Z")
    assert periods("today", sunday) == [(at("2026-08-16"), at("2026-08-17") - 1)]
    assert periods("today", sunday + 1) == [(at("2026-08-17"), at("2026-08-18") - 1)]
    assert periods("this week", sunday) == [(at("2026-08-10"), at("2026-08-17") - 1)]
    assert periods("上周", sunday + 1) == [(at("2026-08-10"), at("2026-08-17") - 1)]


def test_a_weekday_is_the_latest_before_today_and_never_today() -> None:
    assert periods("on Wednesday") == [(at("2026-08-05"), at("2026-08-06") - 1)]
    assert periods("星期三") == periods("last Wednesday") == periods("on Wednesday")
    assert periods("本周三") == periods("today")


def test_seasons_and_months_that_are_not_over_are_not_the_last() -> None:
    assert periods("last summer") == periods("summer 2025")
    assert periods("last summer", at("2026-09-01")) == periods("summer 2026", at("2026-09-01"))
    assert periods("last August") == periods("August 2025")


def test_a_month_ago_from_the_31st_is_the_month_before() -> None:
    assert periods("a month ago", at("2026-03-31")) == periods("February 2026")
    assert periods("in the last month", at("2026-03-31"))[0][0] == at("2026-02-28")


def test_the_last_hour_ends_now() -> None:
    assert periods("in the last hour") == [(NOW - HOUR, NOW)]


def test_what_stands_in_quotes_is_searched_and_no_time() -> None:
    assert periods('the song "last week" of yesterday') == periods("yesterday")
    assert periods("“昨天”这首歌是上周听的") == periods("上周")


def test_the_end_of_a_period_that_lacks_its_year_has_it_from_the_other() -> None:
    assert periods("from December 30 to January 2, 2024") == [
        (at("2023-12-30"), at("2024-01-03") - 1)
    ]
    assert periods("from 30 December 2023 to 2 January") == periods(
        "between 30 December 2023 and 2 January 2024"
    )
    assert periods("between 10 May 2023 and 1 May 2023") == [
        *periods("10 May 2023"),
        *periods("1 May 2023"),
    ]


def test_two_phrases_in_two_languages_are_two() -> None:
    assert periods("last week, 或者上个月") == [*periods("last week"), *periods("last month")]


def test_a_word_of_one_phrase_governs_no_other() -> None:
    for question in ("the last 7 days before May 7", "去了2023年5月前年底的会议"):
        first, second = time_phrases(question, NOW)
        assert first.end <= second.start


def test_two_times_that_are_no_ends_of_a_period_are_two() -> None:
    assert periods("in May 2023 and June 2023") == [*periods("May 2023"), *periods("June 2023")]


def test_the_code_points_of_phrases_are_those_of_their_words() -> None:
    question = "What broke last week, 还有昨天?"
    phrases = time_phrases(question, NOW)
    kept = time_code_points(phrases)
    assert "".join(letter for at, letter in enumerate(question) if at in kept) == "last week昨天"
    assert time_code_points(()) == frozenset()


def test_only_the_code_points_of_a_legal_question_are_read() -> None:
    padding = "x " * (QUESTION_CODE_POINTS_MAX // 2)
    assert time_phrases(padding + "yesterday", NOW) == ()
    assert len(time_phrases(padding[: -len(" yesterday")] + "yesterday", NOW)) == 1


@pytest.mark.parametrize("now", [at("0001-01-01"), at("9999-12-31T23:59:59Z"), -(10**30), 10**30])
def test_the_ends_of_time_raise_nothing(now: int) -> None:
    for question in [re.sub(r"[\[\]]", "", row[0]) for row in NAMED] + NO_TIME:
        time_phrases(question, now)


# --- laws -----------------------------------------------------------------------------------------

PIECES = st.sampled_from(
    """
    since before after until between from and to the in on of last this past week weeks
    month year years days ago may March Monday Friday 7 2023 2023-05-07 5/7/2023 31 February
    0 9999 few a couple two yesterday today summer fall Q3 上 这 个 周 星期 月 年 日 号 天
    前 去年 今年 昨天 三 两 十 百 零 2023年 5月 7日 之前 以来 从 到 之间 半 几 最近 过去 春
    季度 " ` “ - / . , 's
    """.split()
)
QUESTIONS = st.one_of(
    st.text(max_size=80),
    st.lists(PIECES, max_size=12).map(" ".join),
    st.lists(PIECES, max_size=12).map("".join),
    st.text(alphabet=st.characters(), max_size=40),  # lone surrogates too
)
INSTANTS = st.integers(at("0001-01-01"), at("9999-12-31"))
USUAL = st.integers(at("1990-01-01"), at("2090-01-01"))


@given(question=QUESTIONS, now=INSTANTS)
def test_every_string_has_phrases_inside_it_in_order_with_ends_in_order(
    question: str, now: int
) -> None:
    found = time_phrases(question, now)
    end = 0
    for phrase in found:
        assert end <= phrase.start < phrase.end <= len(question)
        end = phrase.end
        assert phrase.since is not None or phrase.until is not None
        assert phrase.since is None or phrase.since <= now
        if phrase.since is not None and phrase.until is not None:
            assert phrase.since <= phrase.until
    assert time_phrases(question, now) == found
    assert all(place < len(question) for place in time_code_points(found))


RELATIVE_DAYS = [
    "yesterday",
    "on Tuesday",
    "last week",
    "3 days ago",
    "上周五",
    "周日",
    "前天",
    "last weekend",
]


@given(now=USUAL, question=st.sampled_from(RELATIVE_DAYS), weeks=st.integers(-60, 60))
def test_a_whole_week_later_relative_days_are_a_week_later(
    now: int, question: str, weeks: int
) -> None:
    (one,), (later,) = time_phrases(question, now), time_phrases(question, now + weeks * WEEK)
    assert one.since is not None
    assert one.until is not None
    assert (later.since, later.until) == (one.since + weeks * WEEK, one.until + weeks * WEEK)


@given(now=USUAL, weekday=st.integers(0, 6))
def test_a_weekday_lies_in_the_seven_days_before_today_and_alike_in_both_languages(
    now: int, weekday: int
) -> None:
    name = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()[weekday]
    found = [
        periods(words, now)
        for words in (f"on {name}", f"last {name}", "周" + "一二三四五六日"[weekday])
    ]
    ((since, until),) = found[0]
    assert found == [found[0]] * 3
    assert since is not None
    assert until == since + DAY - 1
    today = now // DAY * DAY
    assert today - WEEK <= since < today
    assert (since // DAY + 3) % 7 == weekday


@given(day=st.dates(min_value=date(1990, 1, 1), max_value=date(2025, 12, 31)))
def test_every_spelling_of_a_date_names_its_day(day: date) -> None:
    month = day.strftime("%B")
    spellings = [
        day.isoformat(),
        f"{month} {day.day}, {day.year}",
        f"{day.day} {month} {day.year}",
        f"{day.day} {month[:3].lower()} {day.year}",
        f"{day.year}年{day.month}月{day.day}日",
    ]
    since = at(day.isoformat())
    assert [periods(spelled) for spelled in spellings] == [[(since, since + DAY - 1)]] * 5


@given(now=USUAL, count=st.integers(1, 60), unit=st.sampled_from(["day", "week", "month", "year"]))
def test_units_ago_are_whole_and_side_by_side(now: int, count: int, unit: str) -> None:
    (nearer,), (further,) = (periods(f"{each} {unit}s ago", now) for each in (count, count + 1))
    assert nearer[0] is not None
    assert further[1] == nearer[0] - 1


@given(question=QUESTIONS, now=USUAL)
def test_capitals_change_no_period_of_a_question_without_ambiguous_months(
    question: str, now: int
) -> None:
    lowered = question.lower()
    assume(len(lowered) == len(question) and "ma" not in lowered)
    assert periods(lowered, now) == periods(question, now)
