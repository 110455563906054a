"""Spans of the calendar: what "last week" or "May 2023" mean at an instant.

Days are days of UTC, weeks begin on Monday, seasons are the meteorological ones of the north and a
winter is that of the year in which it begins. What does not exist or lies outside the years 1 to
9999 raises ValueError or OverflowError.
"""

from calendar import monthrange
from datetime import date, timedelta
from typing import Final, Literal, get_args

import msgspec

from recense.core.instants import EPOCH, MICROSECOND
from recense.core.values import Value

HOUR: Final = 60 * 60 * 1_000_000
DAY: Final = 24 * HOUR

Precision = Literal["hour", "day", "weekend", "week", "month", "quarter", "season", "year"]
"""How finely a span is named, from fine to coarse."""

Unit = Literal["hour", "day", "weekend", "week", "month", "quarter", "year"]

_FIRST_MONDAY: Final = 4
"""Days from the first of January 1970, a Thursday, to a Monday."""

_LENGTHS: Final[dict[Unit, int]] = {
    "hour": HOUR,
    "day": DAY,
    "weekend": 2 * DAY,
    "week": 7 * DAY,
    "month": 30 * DAY,
    "quarter": 91 * DAY,
    "year": 365 * DAY,
}


class Moment(Value, kw_only=True):
    """The instant from which relative words count, and its day."""

    instant: int
    today: date


class TimeSpan(Value, kw_only=True):
    """The instants from ``since`` to ``until``, both inclusive.

    ``yearless`` is the month and the day (or 0) of a date that stood without its year.
    """

    since: int
    until: int
    precision: Precision
    yearless: tuple[int, int] | None = None
    is_weekday: bool = False


def moment_of(instant: int) -> Moment:
    """Return the moment of an instant."""
    return Moment(instant=instant, today=(EPOCH + instant * MICROSECOND).date())


def days(first: date, count: int, precision: Precision = "day") -> TimeSpan:
    """Return so many days from the first on."""
    since = (first.toordinal() - EPOCH.toordinal()) * DAY
    return TimeSpan(since=since, until=since + count * DAY - 1, precision=precision)


def months(year: int, month: int, count: int, precision: Precision) -> TimeSpan:
    """Return so many months from one on; month 0 is the December before, 13 the January after."""
    first, last = (divmod(year * 12 + month - 1 + more, 12) for more in (0, count - 1))
    begin = date(first[0], first[1] + 1, 1)
    end = date(last[0], last[1] + 1, monthrange(last[0], last[1] + 1)[1])
    return days(begin, (end - begin).days + 1, precision)


def units_ago(at: Moment, unit: Unit, ago: int) -> TimeSpan:
    """Return the whole unit of the calendar so many units before the one that holds the moment."""
    year, month = at.today.year, at.today.month
    match unit:
        case "hour":
            since = (at.instant // HOUR - ago) * HOUR
            return TimeSpan(since=since, until=since + HOUR - 1, precision="hour")
        case "day":
            return days(at.today - timedelta(days=ago), 1)
        case "week":
            return days(_monday(at) - timedelta(weeks=ago), 7, "week")
        case "weekend":
            return days(_monday(at) + timedelta(days=5 - 7 * ago), 2, "weekend")
        case "month":
            return months(year, month - ago, 1, "month")
        case "quarter":
            return months(year, (month - 1) // 3 * 3 + 1 - 3 * ago, 3, "quarter")
        case "year":
            return months(year - ago, 1, 12, "year")


def units_between(at: Moment, unit: Unit, fewest: int, most: int) -> TimeSpan:
    """Return the whole units from the most to the fewest units ago."""
    first, last = units_ago(at, unit, most), units_ago(at, unit, fewest)
    return TimeSpan(since=first.since, until=last.until, precision=first.precision)


def past(at: Moment, unit: Unit, count: int) -> TimeSpan:
    """Return the time from so many units ago to the end of today; of hours, to the moment."""
    match unit:
        case "hour":
            return TimeSpan(since=at.instant - count * HOUR, until=at.instant, precision="hour")
        case "day" | "week" | "weekend":
            first = at.today - timedelta(days=count * (1 if unit == "day" else 7))
        case "month" | "quarter" | "year":
            back = count * {"month": 1, "quarter": 3, "year": 12}[unit]
            year, month = divmod(at.today.year * 12 + at.today.month - 1 - back, 12)
            first = date(year, month + 1, min(at.today.day, monthrange(year, month + 1)[1]))
    return days(first, (at.today - first).days + 1, unit)


def dated(at: Moment, year: int | None, month: int, day: int = 0, last: int = 0) -> TimeSpan:
    """Return a month, a day of it, or the days to a last one; without its year the latest that has
    begun.
    """
    yearless = None
    if year is None:
        yearless = (month, day)
        year = _latest_year(at, month, day or 1)
    first = date(year, month, day or 1)
    span = months(year, month, 1, "month")
    if day:
        end = date(year, month, last or day)
        if end < first:
            raise ValueError(day, last)
        span = days(first, (end - first).days + 1)
    return msgspec.structs.replace(span, yearless=yearless)


def latest_weekday(at: Moment, weekday: int) -> TimeSpan:
    """Return the latest weekday before today; Monday is 0."""
    back = (at.today.weekday() - weekday - 1) % 7 + 1
    return msgspec.structs.replace(days(at.today - timedelta(days=back), 1), is_weekday=True)


def weekday_of_week(at: Moment, weekday: int, ago: int) -> TimeSpan:
    """Return a weekday of the week so many weeks ago; Monday is 0."""
    return days(_monday(at) + timedelta(days=weekday - 7 * ago), 1)


def latest_ended(at: Moment, month: int, count: int, precision: Precision) -> TimeSpan:
    """Return the latest months, from one of the year on, that ended before the moment."""
    span = months(at.today.year, month, count, precision)
    back = 1
    while span.until >= at.instant:
        span = months(at.today.year - back, month, count, precision)
        back += 1
    return span


def beside(span: TimeSpan, unit: Unit, count: int, *, is_after: bool) -> TimeSpan:
    """Return the day, the 7, 30 or 365 days that begin, or end, so many units from a span.

    One unit touches it: the week before a day is the seven days before it.
    """
    length = _LENGTHS[unit]
    since = span.until + 1 + (count - 1) * length if is_after else span.since - count * length
    return TimeSpan(since=since, until=since + length - 1, precision=unit)


def weekday_beside(span: TimeSpan, weekday: int, *, is_after: bool) -> TimeSpan:
    """Return the nearest weekday before or after a span; Monday is 0."""
    if is_after:
        until = span.until // DAY
        day = until + 1 + (weekday + _FIRST_MONDAY - until - 1) % 7
    else:
        since = span.since // DAY
        day = since - 1 - (since - _FIRST_MONDAY - weekday - 1) % 7
    return TimeSpan(since=day * DAY, until=(day + 1) * DAY - 1, precision="day")


def coarser(one: Precision, other: Precision) -> Precision:
    """Return the coarser of two precisions."""
    order = get_args(Precision)
    return one if order.index(one) >= order.index(other) else other


def year_of(span: TimeSpan) -> int:
    """Return the year in which a span begins."""
    return date.fromordinal(span.since // DAY + EPOCH.toordinal()).year


def _monday(at: Moment) -> date:
    return at.today - timedelta(days=at.today.weekday())


def _latest_year(at: Moment, month: int, day: int) -> int:
    """Return the latest year in which a day was or is; 29 February may be eight years back."""
    for year in range(at.today.year, at.today.year - 9, -1):
        if 1 <= day <= monthrange(year, month)[1] and date(year, month, day) <= at.today:
            return year
    raise ValueError(month, day)
