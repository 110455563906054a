"""Forms of time phrases, in English and in Chinese: how each looks, and what it names.

Law: a form is surely a time. What may be something else has words that must stand before it, or
is not here. Patterns are for text of which ASCII letters are small and digits are ASCII.
"""

import re
from collections.abc import Callable, Mapping
from typing import Final, get_args

from recense.core.text.timespans import (
    DAY,
    Moment,
    Precision,
    Span,
    Unit,
    dated,
    latest_ended,
    latest_weekday,
    months,
    past,
    units_ago,
    weekday_of_week,
)
from recense.core.values import Value

_Fields = Mapping[str, str | None]
_Reader = Callable[[Moment, _Fields], Span]


class Form(Value, kw_only=True):
    """How a phrase looks, and what the groups of its pattern name at a moment.

    The reader raises ValueError or OverflowError where there is no such time. With ``needs`` the
    form is a time only after one of these words; with ``is_name`` so is a month that is another
    word too and is neither spelled as a name nor beside a year.
    """

    pattern: re.Pattern[str]
    reader: _Reader
    needs: frozenset[str] = frozenset()
    is_name: bool = False


LETTER: Final = r"[^\W\u3040-\u30ff\u4e00-\u9fff]"
"""A letter or digit beside which nothing is a phrase; Han and kana need no space beside them."""

BEGIN: Final = rf"(?<!{LETTER})(?<![-./\\@#$'])"
END: Final = rf"(?:'s)?(?!{LETTER})(?![-/\\@']|[.:]\w|,[0-9])"
SPACE: Final = r"\s{1,3}"

_WITHIN: Final = frozenset({"in", "during", "throughout", "since", "until", "till", "between"})
_BOUNDS: Final = frozenset({"before", "after", "by", "from", "as of"})
_CHINESE: Final = frozenset({"从", "自", "自从", "在", "于", "直到", "截至", "截止"})

AFTER_ON: Final = _WITHIN - {"in", "throughout"} | _BOUNDS | _CHINESE | {"on"}
AFTER_IN: Final = _WITHIN | _CHINESE
"""For months that are names of people or other words too: "by April" may be who wrote it."""

AFTER_ANY: Final = AFTER_ON | AFTER_IN | {"of"}
AFTER_YEAR: Final = AFTER_IN | {"before", "after", "from", "as of"}
"""Not "by" and "of": after them 2000 is a number."""

OTHER_WORDS: Final = frozenset({"may", "march", "mar", "jan", "dec", "oct", "sep", "sept"})
"""Months that are other words, other names or short for something else."""

# --- English --------------------------------------------------------------------------------------

_YEAR: Final = "(?P<year>(?:19|20)[0-9]{2})"
_ORDINAL: Final = "(?:st|nd|rd|th)?"
_DAY: Final = f"(?P<day>[0-3]?[0-9]){_ORDINAL}"
_TO: Final = rf"\s?(?:-|–|to\s)\s?"
_LONG: Final = "january|february|july|september|october|november|december|march"
_NAMES: Final = "april|may|june|august"
_MONTH: Final = (
    rf"(?P<month>{_LONG}|{_NAMES}|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b)\.?"
)
_WEEKDAY_NAMES: Final = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_WEEKDAY: Final = f"(?P<weekday>{_WEEKDAY_NAMES})"
_ON_WEEKDAY: Final = rf"(?:{_WEEKDAY},?{SPACE})?"
_PART: Final = rf"(?:{SPACE}(?:morning|afternoon|evening|night))?"
_UNIT: Final = "(?P<unit>hour|day|weekend|week|month|quarter|year)"
_COUNT: Final = (
    r"(?P<count>[0-9]{1,4}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|(?:a\s)?few|several|(?:a\s)?couple(?:\sof)?)"
)
_NOBODYS: Final = "".join(
    rf"(?<!\b{owner}\s)" for owner in "my his her its our your their".split()
)
"""Of "her last week" it is not known when it was."""

_LAST: Final = rf"{BEGIN}{_NOBODYS}(?<!\bthe\s)(?<!\ba\s)(?<!'s\s)(?P<which>last|this){SPACE}"
_WHOLE: Final = rf"(?!{SPACE}of\b)"
"""Of "the last week of May" it is: in May."""

_COUNTED: Final = (
    r"(?!\s?(?:%|(?:tokens?|words?|lines?|users?|people|bytes?|bits?|[kmg]i?b|ms|px|rows?|items?"
    r"|files?|messages?|steps?|times|points?|requests?|records?|characters?|pixels?|pieces?|miles?"
    r"|seconds?|minutes?|hours?|days?|years?|samples?|examples?|iterations?|tests?|errors?|commits?"
    r"|entries|documents?|questions?|dollars?|euros?|calories|feet|met(?:er|re)s?|code)\b))"
)
"""What follows a number that is no year."""

_MONTHS: Final = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_WEEKDAYS: Final = "mon tue wed thu fri sat sun".split()
_FIRST_MONTHS: Final = {
    **{"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12},
    **{"春": 3, "夏": 6, "秋": 9, "冬": 12},
}
_NUMBERS: Final = "one two three four five six seven eight nine ten eleven twelve".split()
_COUNTS: Final = {
    **{name: (number, number) for number, name in enumerate(_NUMBERS, start=1)},
    **{"a": (1, 1), "an": (1, 1), "couple": (1, 3), "few": (2, 5), "several": (2, 5)},
    **{"几": (2, 5), "数": (2, 5)},
}


def _date(at: Moment, of: _Fields) -> Span:
    year, month = of["year"], of["month"] or ""
    day, last = of.get("day"), of.get("last")
    if day is not None and not int(day):
        raise ValueError(day)
    number = int(month) if month.isdecimal() else _MONTHS.index(month[:3]) + 1
    return dated(at, int(year) if year else None, number, int(day or 0), int(last or 0))


def _numbers(at: Moment, of: _Fields) -> Span:
    """Read two numbers and a year: which of them is the month has to be sure."""
    one, two = int(of["one"] or 0), int(of["two"] or 0)
    if of["separator"] == "/" and max(one, two) <= len(_MONTHS) and one != two:
        raise ValueError(one, two)
    day, month = (two, one) if two > len(_MONTHS) else (one, two)
    return dated(at, int(of["year"] or 0), month, max(day, 1))


def _part_of_year(at: Moment, of: _Fields) -> Span:
    year = int(of["year"] or 0)
    if season := of.get("season"):
        return months(year, _FIRST_MONTHS[season], 3, "season")
    if quarter := of.get("quarter"):
        return months(year, int(quarter) * 3 - 2, 3, "quarter")
    return months(year, 1, 12, "year")


def _near(at: Moment, of: _Fields) -> Span:
    """Read "last" or "this" and a unit, a weekday, a season or a month."""
    ago = int(of["which"] == "last")
    if unit := of["unit"]:
        return units_ago(at, _unit(unit), ago)
    if weekday := of["weekday"]:
        number = _WEEKDAYS.index(weekday[:3])
        return latest_weekday(at, number) if ago else weekday_of_week(at, number, 0)
    count, precision = 1, _MONTH_PRECISION
    if season := of["season"]:
        first, count, precision = _FIRST_MONTHS[season], 3, _SEASON_PRECISION
    else:
        first = _MONTHS.index((of["month"] or "")[:3]) + 1
    if ago:
        return latest_ended(at, first, count, precision)
    return months(at.today.year, first, count, precision)


def _ago(at: Moment, of: _Fields) -> Span:
    fewest, most = _count(of["count"])
    unit = _unit(of["unit"])
    first, last = units_ago(at, unit, most), units_ago(at, unit, fewest)
    return Span(since=first.since, until=last.until, precision=first.precision)


def _past(at: Moment, of: _Fields) -> Span:
    return past(at, _unit(of["unit"]), _count(of["count"] or "one")[1])


def _whole(unit: Unit, ago: int) -> _Reader:
    return lambda at, _: units_ago(at, unit, ago)


def _last_night(at: Moment, _: _Fields) -> Span:
    """Read "last night" from noon to noon, which holds the night of nearly every zone."""
    noon = units_ago(at, "day", 0).since - DAY // 2
    return Span(since=noon, until=noon + DAY - 1, precision="day")


def _before_last(at: Moment, of: _Fields) -> Span:
    return units_ago(at, _unit(of["unit"]), 2)


def _weekday(at: Moment, of: _Fields) -> Span:
    return latest_weekday(at, _WEEKDAYS.index((of["weekday"] or "")[:3]))


def _unit(name: str | None) -> Unit:
    wanted = _CHINESE_UNITS.get(name or "", name)
    return next(unit for unit in _UNITS if unit == wanted)


def _count(text: str | None) -> tuple[int, int]:
    """Return the fewest and the most that a number, or a word for one, may mean."""
    known = [_COUNTS[word] for word in (text or "").split() if word in _COUNTS]
    return known[-1] if known else chinese_number(text or "")


_CHINESE_UNITS: Final = {
    **{"天": "day", "日": "day", "周": "week", "星期": "week", "礼拜": "week"},
    **{"月": "month", "年": "year", "小时": "hour"},
}
_UNITS: Final[tuple[Unit, ...]] = get_args(Unit)
_MONTH_PRECISION: Final[Precision] = "month"
_SEASON_PRECISION: Final[Precision] = "season"


def _form(
    pattern: str, reader: _Reader, needs: frozenset[str] = frozenset(), *, is_name: bool = False
) -> Form:
    return Form(pattern=re.compile(pattern), reader=reader, needs=needs, is_name=is_name)


_TIME_OF_DAY: Final = (
    r"(?:[t\s][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?(?:z|[+-][0-9]{2}:?[0-9]{2})?)?"
)
_BEFORE_LAST: Final = (
    rf"(?!{SPACE}(?:{_WEEKDAY_NAMES}|{_LONG}|{_NAMES}|spring|summer|autumn|fall|winter|week|month"
    r"|year|quarter|time|night|few|couple|[0-9]))"
)

ENGLISH: Final = (
    _form(
        rf"{BEGIN}{_ON_WEEKDAY}{_MONTH}{SPACE}{_DAY}(?:{_TO}(?P<last>[0-3]?[0-9]){_ORDINAL})?"
        rf"(?:,?{SPACE}{_YEAR})?{END}",
        _date,
        is_name=True,
    ),
    _form(
        rf"{BEGIN}{_ON_WEEKDAY}(?:the{SPACE})?(?:{_DAY}{_TO}(?P<last>[0-3]?[0-9])|"
        rf"(?P<only>[0-3]?[0-9])){_ORDINAL}{SPACE}(?:of{SPACE})?{_MONTH}(?:,?{SPACE}{_YEAR})?{END}",
        lambda at, of: _date(at, {**of, "day": of["day"] or of["only"]}),
        is_name=True,
    ),
    _form(rf"{BEGIN}{_MONTH}(?:,?{SPACE}|{SPACE}of{SPACE}){_YEAR}{END}", _date),
    _form(
        rf"{BEGIN}{_YEAR}(?P<separator>[-/.])(?P<month>[01]?[0-9])(?P=separator)"
        rf"(?P<day>[0-3]?[0-9]){_TIME_OF_DAY}{END}",
        _date,
    ),
    _form(
        rf"{BEGIN}(?P<one>[0-3]?[0-9])(?P<separator>[/.])(?P<two>[0-3]?[0-9])(?P=separator)"
        rf"{_YEAR}{END}",
        _numbers,
    ),
    _form(rf"{BEGIN}{_YEAR}-(?P<month>0[1-9]|1[0-2]){END}", _date, AFTER_YEAR),
    _form(rf"{BEGIN}(?:the{SPACE})?year{SPACE}{_YEAR}{END}", _part_of_year),
    _form(rf"{BEGIN}{_YEAR}{END}{_COUNTED}", _part_of_year, AFTER_YEAR),
    _form(
        rf"{BEGIN}(?:the{SPACE})?(?P<season>spring|summer|autumn|fall|winter){SPACE}"
        rf"(?:of{SPACE})?{_YEAR}{END}",
        _part_of_year,
    ),
    _form(rf"{BEGIN}q(?P<quarter>[1-4]){SPACE}(?:of{SPACE})?{_YEAR}{END}", _part_of_year),
    _form(rf"{BEGIN}{_YEAR}{SPACE}q(?P<quarter>[1-4]){END}", _part_of_year),
    _form(rf"{BEGIN}(?P<month>{_LONG}){END}(?P<year>)", _date, AFTER_ANY),
    _form(rf"{BEGIN}(?P<month>{_NAMES}){END}(?P<year>)", _date, AFTER_IN),
    _form(rf"{BEGIN}{_WEEKDAY}{_PART}{END}", _weekday, AFTER_ON),
    _form(rf"{BEGIN}(?:the{SPACE})?day{SPACE}before{SPACE}yesterday{END}", _whole("day", 2)),
    _form(rf"{BEGIN}yesterday{_PART}{END}", _whole("day", 1)),
    _form(
        rf"{BEGIN}(?:(?:earlier{SPACE})?today|tonight|this{SPACE}(?:morning|afternoon|evening)){END}",
        _whole("day", 0),
    ),
    _form(rf"{BEGIN}last{SPACE}night{END}", _last_night),
    _form(
        rf"{_LAST}(?:(?P<unit>weekend|week|month|quarter|year)|{_WEEKDAY}{_PART}"
        rf"|(?P<season>summer|autumn|winter|(?<=last\s)(?:spring|fall))|(?P<month>{_LONG}|{_NAMES}))"
        rf"{END}{_WHOLE}",
        _near,
        is_name=True,
    ),
    _form(rf"{BEGIN}(?:the{SPACE}){_UNIT}{SPACE}before{SPACE}last{END}{_BEFORE_LAST}", _before_last),
    _form(rf"{BEGIN}(?<!\bthan\s)(?<!\bhalf\s){_COUNT}{SPACE}{_UNIT}s?{SPACE}ago{END}", _ago),
    _form(
        rf"{BEGIN}{_NOBODYS}(?:(?:the{SPACE})?(?:last|past){SPACE}{_COUNT}{SPACE}{_UNIT}s?"
        rf"|(?:the{SPACE}past|(?:in|over|during|within|for){SPACE}the{SPACE}last){SPACE}"
        rf"(?P<one>hour|day|weekend|week|month|quarter|year)){END}{_WHOLE}",
        lambda at, of: _past(at, {"count": of["count"], "unit": of["unit"] or of["one"]}),
    ),
)

# --- Chinese --------------------------------------------------------------------------------------

_DIGITS: Final = "零一二三四五六七八九"
_HAN: Final = "零〇一二两三四五六七八九十百"
_ALONE: Final = f"(?<![0-9{_HAN}千万亿第几数多半.点])"
"""Before a number: what would make it a part of another."""

_NUMBER: Final = rf"(?:[0-9]{{1,3}}|[{_HAN}]{{1,5}})"
_GONE: Final = r"(?:之前|以前|前(?![端后台面缀提沿者往任途景言进锋卫几数0-9一二三四五六七八九十半]))"
_WEEK: Final = "(?:周|星期|礼拜)"
_OF_WEEK: Final = "(?P<weekday>[一二三四五六日天])(?!些|样|起|定|直|共|般|切|个|片|次|遍)"
_PART_OF_DAY: Final = "(?:早上|早晨|上午|中午|下午|晚上|夜里|凌晨)?"
_DAY_OF: Final = rf"\s?(?P<day>{_NUMBER})\s?[日号]"
_EDGE: Final = "(?:年初|年底|年末|年中|初|底|末)?"


def chinese_number(text: str) -> tuple[int, int]:
    """Return the fewest and the most that digits or Chinese numerals mean: 两三 is two to three.

    Raises ValueError for what is no number up to 999.
    """
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


def _chinese_year(at: Moment, text: str | None) -> int | None:
    if text is None:
        return None
    named = {"今年": 0, "本年": 0, "去年": 1, "前年": 2, "大前年": 3}
    if text in named:
        return at.today.year - named[text]
    digits = text.replace("〇", "零")
    return int("".join(d if d.isdecimal() else str(_DIGITS.index(d)) for d in digits))


def _chinese_date(at: Moment, of: _Fields) -> Span:
    year = _chinese_year(at, of.get("year"))
    month, day = of.get("month"), of.get("day")
    if month is not None:
        number = 0 if day is None else max(_exactly(day), 1)
        return dated(at, year, _exactly(month), number)
    quarter = of.get("quarter")
    fields = {"season": of.get("season"), "quarter": quarter and str(_exactly(quarter))}
    return _part_of_year(at, {"year": str(year), **fields})


def _chinese_weekday(at: Moment, of: _Fields) -> Span:
    return latest_weekday(at, min("一二三四五六日天".index(of["weekday"] or ""), 6))


def _chinese_week(at: Moment, of: _Fields) -> Span:
    ago = {"上上": 2, "上": 1}.get(of["which"] or "", 0)
    if weekday := of["weekday"]:
        return weekday_of_week(at, min("一二三四五六日天".index(weekday), 6), ago)
    return units_ago(at, "weekend" if of["end"] else "week", ago)


def _chinese_month(at: Moment, of: _Fields) -> Span:
    ago = {"上上": 2, "上": 1}.get(of["which"] or "", 0)
    if of["quarter"]:
        return units_ago(at, "quarter", ago)
    span = units_ago(at, "month", ago)
    if day := of["day"]:
        one = Span(since=span.since + (_exactly(day) - 1) * DAY, until=0, precision="day")
        if not span.since <= one.since <= span.until:
            raise ValueError(day)
        return Span(since=one.since, until=one.since + DAY - 1, precision="day")
    return span


def _exactly(text: str) -> int:
    fewest, most = chinese_number(text)
    if fewest != most:
        raise ValueError(text)
    return fewest


CHINESE: Final = (
    _form(rf"(?<![如当])大前天{_PART_OF_DAY}", _whole("day", 3)),
    _form(
        rf"(?:(?<![以之目当从提生年月日周期大])前[天晚](?![气空窗]){_PART_OF_DAY})", _whole("day", 2)
    ),
    _form(rf"昨[天日晚夜]{_PART_OF_DAY}", _whole("day", 1)),
    _form(rf"(?<![如当现])今(?:[天晚晨早]|日(?!头条)){_PART_OF_DAY}", _whole("day", 0)),
    _form(
        rf"(?<![以之])(?P<which>上上|上|这|本)(?:一?个|一)?{_WEEK}"
        rf"(?:(?P<end>末)|{_OF_WEEK}(?!周)|(?![期刊]|一?[圈遭])){_PART_OF_DAY}",
        _chinese_week,
    ),
    _form(
        rf"(?<![海以])(?P<which>上上|上|这|本)(?:一?个|一)?(?:月(?![球亮饼光经票薪租台子])(?:份)?"
        rf"(?:{_DAY_OF}|[初底末]|[上中下]旬)?|(?P<quarter>季度))",
        _chinese_month,
    ),
    _form(
        rf"(?:{_ALONE}(?<![近约超过达])(?P<year>(?:19|20)[0-9]{{2}}|[一二][零〇九]"
        rf"[零〇一二三四五六七八九]{{2}})\s?年|(?<![以之目从提生过失当如现])"
        rf"(?P<named>大前年|(?<!大)前年|去年|今年|本年)(?![轻龄纪代]))的?(?:\s?(?P<month>{_NUMBER})\s?月"
        rf"份?(?:{_DAY_OF}|[初底末]|[上中下]旬)?|(?P<season>[春夏秋冬])[天季]"
        rf"|第?(?P<quarter>[一二三四1-4])季度|{_EDGE})",
        lambda at, of: _chinese_date(at, {**of, "year": of["year"] or of["named"]}),
    ),
    _form(rf"{_ALONE}(?P<month>{_NUMBER})\s?月{_DAY_OF}", _chinese_date),
    _form(rf"{_ALONE}(?P<month>{_NUMBER})\s?月份", _chinese_date),
    _form(
        rf"{_ALONE}(?<![近约计时满])(?P<month>[0-9]{{1,2}})\s?月(?![内间龄子个]|以内|之内)",
        _chinese_date,
    ),
    _form(
        rf"{_ALONE}(?P<month>[{_HAN}]{{1,2}})月(?![天河怀间内])(?:[初底末]|[上中下]旬)?",
        _chinese_date,
        _CHINESE,
    ),
    _form(
        rf"(?<![每个各下双单隔整本上这几数半{_HAN}0-9四逢])(?:周|星期|礼拜){_OF_WEEK}{_PART_OF_DAY}",
        _chinese_weekday,
    ),
    _form(
        rf"{_ALONE}(?P<count>{_NUMBER}|[几数])\s?(?:个|(?=[天日周年星礼小]))"
        rf"(?P<unit>天|日|周|星期|礼拜|月|年|小时){_GONE}",
        _ago,
    ),
    _form(rf"(?<![一0-9])半年{_GONE}", _whole("month", 6)),
    _form(r"(?<![以之目])前(?:几|些)天", lambda at, _: _ago(at, {"count": "几", "unit": "天"})),
    _form(
        rf"(?:最近|过去|近)的?(?P<count>{_NUMBER}|[几数])\s?个?(?P<unit>天|日|周|星期|礼拜|月|年|小时)"
        r"(?![期轻龄])",
        _past,
    ),
)
