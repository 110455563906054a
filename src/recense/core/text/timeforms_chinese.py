"""Forms of time phrases in Chinese: how each looks, and what it names.

Law: as for those in English, a form is surely a time. Numerals up to 999 are read as digits are;
what may be a part of a longer word (三天前端, 两周一次, 五月天) is none.
"""

from typing import Final

from recense.core.late_patterns import late_pattern
from recense.core.text.timeforms import AFTER_CHINESE, Fields, count_of, form, last_night, whole
from recense.core.text.timespans import (
    Moment,
    TimeSpan,
    Unit,
    dated,
    latest_weekday,
    months,
    past,
    units_ago,
    units_between,
    weekday_of_week,
)

_FIRST_MONTHS: Final = {"春": 3, "夏": 6, "秋": 9, "冬": 12}
_UNITS: Final[dict[str, Unit]] = {
    "天": "day",
    "日": "day",
    "周": "week",
    "星期": "week",
    "礼拜": "week",
    "月": "month",
    "年": "year",
    "小时": "hour",
}
_DIGITS: Final = "零一二三四五六七八九"
_HAN: Final = "零〇一二两三四五六七八九十百"
_ALONE: Final = f"(?<![0-9{_HAN}千万亿第几数多半.点])"
"""Before a number: what would make it a part of another."""

_NUMBER: Final = rf"(?:[0-9]{{1,3}}|[{_HAN}]{{1,5}})"
_NEAR: Final = "(?<![以之海晚早马网线路身桌地世加日基书样版根剧资成])"
"""Before 上 and 本: what would make them a part of another word, as in 晚上 and 日本."""

_GONE: Final = (
    r"(?:之前|以前|前(?![端后台面缀提沿者往任途景言进锋卫几数0-9一二三四五六七八九十半]))"
)
_WEEK: Final = "(?:周|星期|礼拜)"
_OF_WEEK: Final = "(?P<weekday>[一二三四五六日天])(?!些|样|起|定|直|共|般|切|个|片|次|遍)"
_PART_OF_DAY: Final = "(?:早上|早晨|上午|中午|下午|晚上|夜里|凌晨)?"
_DAY_OF: Final = (
    rf"\s?(?P<day>{_NUMBER})\s?[日号](?:\s?[到至-]\s?(?P<last>{_NUMBER})\s?[日号])?"
    r"(?:\s?[(（]?(?:周|星期|礼拜)[一二三四五六日天](?:[)）]|(?![一些样起定直共般切个片次遍])))?"
)
"""With the last of several days, or the weekday beside a date, which names no other day."""

_EDGE: Final = "(?:年初|年底|年末|年中|初|底|末)?"


def _number(text: str) -> tuple[int, int]:
    """Return the fewest and the most that digits or numerals mean: 两三 is two to three.

    Raises ValueError for what is no number up to 999.
    """
    if text in {"几", "数"}:
        return count_of("few")
    if text.isdecimal():
        return int(text), int(text)
    plain = text.replace("〇", "零").replace("两", "二")
    hundreds, has_hundred, rest = plain.rpartition("百")
    tens, has_ten, ones = rest.rpartition("十")
    if not has_hundred and not has_ten and len(ones) > 1:
        first, second = (_DIGITS.index(digit) for digit in ones)  # more than two are a ValueError
        if second != first + 1 or not first:
            raise ValueError(text)
        return first, second
    ones = ones.removeprefix("零") if has_hundred else ones
    number = _DIGITS.index(ones) if ones else 0
    number += 10 * (_DIGITS.index(tens) if tens.strip("零") else 1) if has_ten else 0
    number += 100 * (_DIGITS.index(hundreds) if hundreds else 1) if has_hundred else 0
    return number, number


def _year(at: Moment, text: str | None) -> int | None:
    if text is None:
        return None
    named = {"今年": 0, "本年": 0, "去年": 1, "前年": 2, "大前年": 3}
    if text in named:
        return at.today.year - named[text]
    digits = text.replace("〇", "零")
    return int("".join(d if d.isdecimal() else str(_DIGITS.index(d)) for d in digits))


def _date(at: Moment, of: Fields) -> TimeSpan:
    year, month = _year(at, of.get("year")), of.get("month")
    if month is not None:
        return _days(at, year, _exactly(month), of)
    if year is None:
        raise ValueError(of)
    if season := of.get("season"):
        return months(year, _FIRST_MONTHS[season], 3, "season")
    if quarter := of.get("quarter"):
        return months(year, _exactly(quarter) * 3 - 2, 3, "quarter")
    return months(year, 1, 12, "year")


def _days(at: Moment, year: int | None, month: int, of: Fields) -> TimeSpan:
    """Return the days of a month that are named, else the month."""
    day, last = of.get("day"), of.get("last")
    first = max(_exactly(day), 1) if day else 0
    return dated(at, year, month, first, _exactly(last) if last else 0)


def _weekday(at: Moment, of: Fields) -> TimeSpan:
    return latest_weekday(at, min("一二三四五六日天".index(of["weekday"] or ""), 6))


def _week(at: Moment, of: Fields) -> TimeSpan:
    ago = {"上上": 2, "上": 1}.get(of["which"] or "", 0)
    if weekday := of["weekday"]:
        return weekday_of_week(at, min("一二三四五六日天".index(weekday), 6), ago)
    return units_ago(at, "weekend" if of["end"] else "week", ago)


def _month(at: Moment, of: Fields) -> TimeSpan:
    ago = {"上上": 2, "上": 1}.get(of["which"] or "", 0)
    if of["quarter"]:
        return units_ago(at, "quarter", ago)
    year, month = divmod(at.today.year * 12 + at.today.month - 1 - ago, 12)
    return _days(at, year, month + 1, of)


def _ago(at: Moment, of: Fields) -> TimeSpan:
    return units_between(at, _UNITS[of["unit"] or ""], *_number(of["count"] or ""))


def _past(at: Moment, of: Fields) -> TimeSpan:
    return past(at, _UNITS[of["unit"] or ""], _number(of["count"] or "")[1])


def _exactly(text: str) -> int:
    fewest, most = _number(text)
    if fewest != most:
        raise ValueError(text)
    return fewest


CHINESE_HINT: Final = late_pattern("[天昨今周星礼月季年日小]|前晚")
"""Found in every text in which a form in Chinese is."""

CHINESE: Final = (
    form(rf"(?<![如当])大前天{_PART_OF_DAY}", whole("day", 3)),
    form(
        rf"(?:(?<![以之目当从提生年月日周期大])前[天晚](?![气空窗]){_PART_OF_DAY})",
        whole("day", 2),
    ),
    form(rf"昨[天日](?!晚上|夜里){_PART_OF_DAY}", whole("day", 1)),
    form(r"昨(?:晚|夜|天晚上|天夜里|日夜里)", last_night),
    form(rf"(?<![如当现])今(?:[天晚晨早]|日(?!头条)){_PART_OF_DAY}", whole("day", 0)),
    form(
        rf"{_NEAR}(?P<which>上上|上|这|本)(?:一?个|一)?{_WEEK}"
        rf"(?:(?P<end>末)|{_OF_WEEK}(?!周)|(?![期刊]|一?[圈遭])){_PART_OF_DAY}",
        _week,
    ),
    form(
        rf"{_NEAR}(?P<which>上上|上|这|本)(?:一?个|一)?(?:月(?![球亮饼光经票薪租台子])(?:份)?"
        rf"(?:{_DAY_OF}|[初底末]|[上中下]旬)?|(?P<quarter>季度))",
        _month,
    ),
    form(
        rf"(?:{_ALONE}(?<![近约超过达])(?P<year>(?:19|20)[0-9]{{2}}|[一二][零〇九][{_DIGITS}〇]{{2}})"
        rf"\s?年|(?P<named>大前年|(?<![以之目从提生大])前年|(?<![过失])去年|(?<![当如现])今年"
        rf"|(?<![日基])本年)(?![轻龄纪代]))(?:的?\s?(?P<month>{_NUMBER})\s?月份?"
        rf"(?:{_DAY_OF}|[初底末]|[上中下]旬)?|的?(?P<season>[春夏秋冬])[天季]"
        rf"|的?第?(?P<quarter>[一二三四1-4])季度|{_EDGE})",
        lambda at, of: _date(at, {**of, "year": of["year"] or of["named"]}),
    ),
    form(rf"{_ALONE}(?P<month>{_NUMBER})\s?月{_DAY_OF}", _date),
    form(rf"{_ALONE}(?P<month>{_NUMBER})\s?月份", _date),
    form(
        rf"{_ALONE}(?<![近约计时满])(?P<month>[0-9]{{1,2}})\s?月(?![内间龄子个]|以内|之内)",
        _date,
    ),
    form(
        rf"{_ALONE}(?P<month>[{_HAN}]{{1,2}})月(?![天河怀间内])(?:[初底末]|[上中下]旬)?",
        _date,
        AFTER_CHINESE,
    ),
    form(
        rf"(?<![每个各下双单隔整本上这几数半{_HAN}0-9四逢])(?:周|星期|礼拜){_OF_WEEK}{_PART_OF_DAY}",
        _weekday,
    ),
    form(
        rf"{_ALONE}(?P<count>{_NUMBER}|[几数])\s?(?:个|(?=[天日周年星礼小]))"
        rf"(?P<unit>天|日|周|星期|礼拜|月|年|小时){_GONE}",
        _ago,
    ),
    form(rf"(?<![一大前上下0-9])半年{_GONE}", whole("month", 6)),
    form(r"(?<![以之目])前(?:几|些)天", lambda at, _: _ago(at, {"count": "几", "unit": "天"})),
    form(
        rf"(?:最近|过去|(?<![接将附靠相邻最])近)的?(?P<count>{_NUMBER}|[几数])\s?个?(?P<unit>天|日|周|星期|礼拜|月|年|小时)"
        r"(?![期轻龄])",
        _past,
    ),
)
