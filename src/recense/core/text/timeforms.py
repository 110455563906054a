"""Forms of time phrases in English, and what all forms share: how each looks, and what it names.

Law: a form is surely a time. What may be something else has words that must stand before it, or
is not here. Patterns are for text of which ASCII letters are small and digits are ASCII.
"""

import re
from collections.abc import Callable, Mapping
from typing import Final, get_args

from recense.core.late_patterns import late_pattern
from recense.core.text.timespans import (
    DAY,
    Moment,
    Precision,
    TimeSpan,
    Unit,
    dated,
    latest_ended,
    latest_weekday,
    months,
    past,
    units_ago,
    units_between,
    weekday_of_week,
)
from recense.core.values import Value

Fields = Mapping[str, str | None]
Reader = Callable[[Moment, Fields], TimeSpan]


class Form(Value, kw_only=True):
    """How a phrase looks, and what the groups of its pattern name at a moment.

    The reader raises ValueError or OverflowError where there is no such time. With ``needs`` the
    form is a time only after one of these words; with ``is_name`` so is a month that is another
    word too and is neither spelled as a name nor beside a year.
    """

    pattern: re.Pattern[str]
    reader: Reader
    needs: frozenset[str] = frozenset()
    is_name: bool = False


LETTER: Final = r"[^\W\u3040-\u30ff\u4e00-\u9fff]"
"""A letter or digit beside which nothing is a phrase; Han and kana need no space beside them."""

BEGIN: Final = rf"(?<!{LETTER})(?<![-./\\@#$'])"
END: Final = rf"(?:'s)?(?!{LETTER})(?![-/\\@']|[.:]\w|,[0-9])"
SPACE: Final = r"\s{1,3}"

_WITHIN: Final = frozenset({"in", "during", "throughout", "since", "until", "till", "between"})
_BOUNDS: Final = frozenset({"before", "after", "by", "from", "as of"})
AFTER_CHINESE: Final = frozenset({"从", "自", "自从", "在", "于", "直到", "截至", "截止"})

AFTER_ON: Final = _WITHIN - {"in", "throughout"} | _BOUNDS | AFTER_CHINESE | {"on"}
AFTER_IN: Final = _WITHIN | AFTER_CHINESE
"""For months that are names of people or other words too: "by April" may be who wrote it."""

AFTER_ANY: Final = AFTER_ON | AFTER_IN | {"of"}
AFTER_YEAR: Final = AFTER_IN | {"before", "after", "from", "as of"}
"""Not "by" and "of": after them 2000 is a number, and "march" no month."""

OTHER_WORDS: Final = frozenset({"may", "march", "mar", "jan", "dec", "oct", "sep", "sept"})
"""Months that are other words, other names or short for something else."""

# --- English --------------------------------------------------------------------------------------

_YEAR: Final = "(?P<year>(?:19|20)[0-9]{2})"
_ORDINAL: Final = "(?:st|nd|rd|th)?"
_DAY: Final = f"(?P<day>[0-3]?[0-9]){_ORDINAL}"
_TO: Final = r"\s?(?:-|–|to\s)\s?"
_LONG: Final = "january|february|july|september|october|november|december"
_NAMES: Final = "april|may|june|august"
_ALL_LONG: Final = f"{_LONG}|{_NAMES}|march"
_MONTH: Final = rf"(?P<month>{_ALL_LONG}|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b)\.?"
_WEEKDAY_NAMES: Final = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
WEEKDAY: Final = f"(?P<weekday>{_WEEKDAY_NAMES})"
_ON_WEEKDAY: Final = rf"(?:{WEEKDAY},?{SPACE})?"
_EARLY: Final = r"(?:(?:early|mid|late)[-\s])?"
_PART: Final = rf"(?:{SPACE}(?:morning|afternoon|evening|night))?"
UNIT: Final = "(?P<unit>hour|day|weekend|week|month|quarter|year)"
COUNT: Final = (
    r"(?P<count>[0-9]{1,4}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|(?:a\s)?few|several|(?:a\s)?couple(?:\sof)?)"
)
_NOBODYS: Final = "".join(rf"(?<!\b{owner}\s)" for owner in "my his her its our your their".split())
"""Of "her last week" it is not known when it was."""

_LAST: Final = (
    rf"{BEGIN}(?P<which>{_NOBODYS}(?<!\bthe\s)(?<!\ba\s)(?<![a-su-z]'s\s)last|this){SPACE}"
)
"""Of "Maria's last week" neither; "what's last week's" plan is no owner's."""

_WHOLE: Final = rf"(?!{SPACE}of\b)"
"""Of "the last week of May" it is: in May."""

_COUNTED: Final = (
    r"(?!\s?(?:%|(?:tokens?|words?|lines?|users?|people|bytes?|bits?|[kmg]i?b|ms|px|rows?|items?"
    r"|files?|messages?|steps?|times|points?|requests?|records?|characters?|pixels?|pieces?|miles?"
    r"|seconds?|minutes?|hours?|days?|years?|samples?|examples?|iterations?|tests?|errors?|commits?"
    r"|entries|documents?|questions?|dollars?|euros?|calories|feet|met(?:er|re)s?|code)\b))"
)
"""What follows a number that is no year."""

_MONTHS: Final = {
    name: at
    for at, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), start=1)
}
_WEEKDAY_NUMBERS: Final = {
    name: at for at, name in enumerate("mon tue wed thu fri sat sun".split())
}
_FIRST_MONTHS: Final = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_NUMBERS: Final = "one two three four five six seven eight nine ten eleven twelve".split()
_VAGUE: Final = {"a": (1, 1), "an": (1, 1), "couple": (1, 3), "few": (2, 5), "several": (2, 5)}
_COUNTS: Final = _VAGUE | {name: (at, at) for at, name in enumerate(_NUMBERS, start=1)}


def _date(at: Moment, of: Fields) -> TimeSpan:
    year, month = of["year"], of["month"] or ""
    day, last = of.get("day"), of.get("last")
    if day is not None and not int(day):
        raise ValueError(day)
    number = int(month) if month.isdecimal() else _MONTHS[month[:3]]
    return dated(at, int(year) if year else None, number, int(day or 0), int(last or 0))


def _numbers(at: Moment, of: Fields) -> TimeSpan:
    """Read two numbers and a year: which of them is the month has to be sure."""
    one, two = int(of["one"] or 0), int(of["two"] or 0)
    if of["separator"] == "/" and max(one, two) <= len(_MONTHS) and one != two:
        raise ValueError(one, two)
    day, month = (two, one) if two > len(_MONTHS) else (one, two)
    return dated(at, int(of["year"] or 0), month, max(day, 1))


def _part_of_year(_: Moment, of: Fields) -> TimeSpan:
    year = int(of["year"] or 0)
    if season := of.get("season"):
        return months(year, _FIRST_MONTHS[season], 3, "season")
    if quarter := of.get("quarter"):
        return months(year, int(quarter) * 3 - 2, 3, "quarter")
    return months(year, 1, 12, "year")


def _near(at: Moment, of: Fields) -> TimeSpan:
    """Read "last" or "this" and a unit, a weekday, a season or a month."""
    ago = int(of["which"] == "last")
    if unit := of["unit"]:
        return units_ago(at, unit_of(unit), ago)
    if weekday := of["weekday"]:
        number = weekday_number(weekday)
        return latest_weekday(at, number) if ago else weekday_of_week(at, number, 0)
    count, precision = 1, _MONTH_PRECISION
    if season := of["season"]:
        first, count, precision = _FIRST_MONTHS[season], 3, _SEASON_PRECISION
    else:
        first = _MONTHS[(of["month"] or "")[:3]]
    if ago:
        return latest_ended(at, first, count, precision)
    return months(at.today.year, first, count, precision)


def _ago(at: Moment, of: Fields) -> TimeSpan:
    return units_between(at, unit_of(of["unit"]), *count_of(of["count"]))


def _past(at: Moment, of: Fields) -> TimeSpan:
    return past(at, unit_of(of["unit"]), count_of(of["count"] or "one")[1])


def whole(unit: Unit, ago: int) -> Reader:
    """Return a reader of the whole unit so many units ago."""
    return lambda at, _: units_ago(at, unit, ago)


def last_night(at: Moment, _: Fields) -> TimeSpan:
    """Read "last night" from noon to noon, which holds the night of nearly every zone."""
    noon = units_ago(at, "day", 0).since - DAY // 2
    return TimeSpan(since=noon, until=noon + DAY - 1, precision="day")


def _before_last(at: Moment, of: Fields) -> TimeSpan:
    return units_ago(at, unit_of(of["unit"]), 2)


def _weekday(at: Moment, of: Fields) -> TimeSpan:
    return latest_weekday(at, weekday_number(of["weekday"] or ""))


def unit_of(name: str | None) -> Unit:
    """Return the unit of a name in the singular."""
    return next(unit for unit in _UNITS if unit == name)


def weekday_number(name: str) -> int:
    """Return the number of a weekday: Monday is 0."""
    return _WEEKDAY_NUMBERS[name[:3]]


def count_of(text: str | None) -> tuple[int, int]:
    """Return the fewest and the most that digits or words for a number may mean."""
    known = [_COUNTS[word] for word in (text or "").split() if word in _COUNTS]
    return known[-1] if known else (int(text or ""), int(text or ""))


_UNITS: Final[tuple[Unit, ...]] = get_args(Unit)
_MONTH_PRECISION: Final[Precision] = "month"
_SEASON_PRECISION: Final[Precision] = "season"


def form(
    pattern: str, reader: Reader, needs: frozenset[str] = frozenset(), *, is_name: bool = False
) -> Form:
    """Return the form of a pattern that is written as text."""
    return Form(pattern=late_pattern(pattern), reader=reader, needs=needs, is_name=is_name)


_TIME_OF_DAY: Final = (
    r"(?:[t\s][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?(?:z|[+-][0-9]{2}:?[0-9]{2})?)?"
)
_BEFORE_LAST: Final = (
    rf"(?!{SPACE}(?:{_WEEKDAY_NAMES}|{_ALL_LONG}|spring|summer|autumn|fall|winter|week|month"
    r"|year|quarter|time|night|few|couple|[0-9]))"
)

ENGLISH_HINT: Final = late_pattern(
    r"(?:19|20)[0-9]{2}|day|night"
    r"|(?<![a-z])(?:last|this|past|ago|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
)
"""Found in every text in which a form in English is: to look for it needs no form's pattern."""

ENGLISH: Final = (
    form(
        rf"{BEGIN}{_ON_WEEKDAY}{_MONTH}{SPACE}{_DAY}(?:{_TO}(?P<last>[0-3]?[0-9]){_ORDINAL})?"
        rf"(?:,?{SPACE}{_YEAR})?{END}",
        _date,
        is_name=True,
    ),
    form(
        rf"{BEGIN}{_ON_WEEKDAY}(?:the{SPACE})?(?:{_DAY}{_TO}(?P<last>[0-3]?[0-9])|"
        rf"(?P<only>[0-3]?[0-9])){_ORDINAL}{SPACE}(?:of{SPACE})?{_MONTH}(?:,?{SPACE}{_YEAR})?{END}",
        lambda at, of: _date(at, {**of, "day": of["day"] or of["only"]}),
        is_name=True,
    ),
    form(rf"{BEGIN}{_EARLY}{_MONTH}(?:,?{SPACE}|{SPACE}of{SPACE}){_YEAR}{END}", _date),
    form(
        rf"{BEGIN}{_YEAR}(?P<separator>[-/.])(?P<month>[01]?[0-9])(?P=separator)"
        rf"(?P<day>[0-3]?[0-9]){_TIME_OF_DAY}{END}",
        _date,
    ),
    form(
        rf"{BEGIN}(?P<one>[0-3]?[0-9])(?P<separator>[/.])(?P<two>[0-3]?[0-9])(?P=separator)"
        rf"{_YEAR}{END}",
        _numbers,
    ),
    form(rf"{BEGIN}{_YEAR}-(?P<month>0[1-9]|1[0-2]){END}", _date, AFTER_YEAR),
    form(rf"{BEGIN}(?:the{SPACE})?year{SPACE}{_YEAR}{END}", _part_of_year),
    form(rf"{BEGIN}(?:early|mid|late)[-\s]{_YEAR}{END}{_COUNTED}", _part_of_year),
    form(rf"{BEGIN}{_YEAR}{END}{_COUNTED}", _part_of_year, AFTER_YEAR),
    form(
        rf"{BEGIN}(?:the{SPACE})?(?P<season>spring|summer|autumn|fall|winter){SPACE}"
        rf"(?:of{SPACE})?{_YEAR}{END}",
        _part_of_year,
    ),
    form(rf"{BEGIN}q(?P<quarter>[1-4]){SPACE}(?:of{SPACE})?{_YEAR}{END}", _part_of_year),
    form(rf"{BEGIN}{_YEAR}{SPACE}q(?P<quarter>[1-4]){END}", _part_of_year),
    form(rf"{BEGIN}(?P<month>{_LONG}){END}(?P<year>)", _date, AFTER_ANY),
    form(rf"{BEGIN}(?P<month>march){END}(?P<year>)", _date, AFTER_YEAR),
    form(rf"{BEGIN}(?P<month>{_NAMES}){END}(?P<year>)", _date, AFTER_IN),
    form(rf"{BEGIN}{WEEKDAY}{_PART}{END}", _weekday, AFTER_ON),
    form(rf"{BEGIN}(?:the{SPACE})?day{SPACE}before{SPACE}yesterday{END}", whole("day", 2)),
    form(rf"{BEGIN}yesterday{_PART}{END}", whole("day", 1)),
    form(
        rf"{BEGIN}(?:(?:earlier{SPACE})?today|tonight|this{SPACE}(?:morning|afternoon|evening)){END}",
        whole("day", 0),
    ),
    form(rf"{BEGIN}last{SPACE}night{END}", last_night),
    form(
        rf"{_LAST}(?:(?P<unit>weekend|week|month|quarter|year)|{WEEKDAY}{_PART}"
        rf"|(?P<season>summer|autumn|winter|(?<=last\s)(?:spring|fall))|(?P<month>{_ALL_LONG}))"
        rf"{END}{_WHOLE}",
        _near,
        is_name=True,
    ),
    form(rf"{BEGIN}(?:the{SPACE}){UNIT}{SPACE}before{SPACE}last{END}{_BEFORE_LAST}", _before_last),
    form(rf"{BEGIN}(?<!\bthan\s)(?<!\bhalf\s){COUNT}{SPACE}{UNIT}s?{SPACE}ago{END}", _ago),
    form(
        rf"{BEGIN}{_NOBODYS}(?:(?:the{SPACE})?(?:last|past){SPACE}{COUNT}{SPACE}{UNIT}s?"
        rf"|(?:the{SPACE}past|(?:in|over|during|within|for){SPACE}the{SPACE}last){SPACE}"
        rf"(?P<one>hour|day|weekend|week|month|quarter|year)){END}{_WHOLE}",
        lambda at, of: _past(at, {"count": of["count"], "unit": of["unit"] or of["one"]}),
    ),
)
