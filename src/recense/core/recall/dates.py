"""Dates that a question names, and how near to them an instant lies.

A question about July, about 7 July 2023 or about 2023年7月 names the time of what it is after, and
a message knows when it was said. Days are days in UTC; since nobody asks in UTC, a named day takes
its neighbours along. What is said shortly after a time is often about it, so it is half as near.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Final

from recense.core.instants import EPOCH
from recense.core.late_patterns import late_pattern
from recense.core.text.fold import fold
from recense.core.values import Value

AFTERWARDS_DAYS: Final = 7
"""How long after a time it is still talked about."""

_AFTERWARDS: Final = 0.5
_DAY: Final = 24 * 60 * 60 * 1_000_000
_LAST_DAY: Final = date.max.toordinal()

_MONTHS: Final = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
_NUMBER_OF_MONTH: Final = {
    **{name: number for number, name in enumerate(_MONTHS, start=1)},
    **{name[:3]: number for number, name in enumerate(_MONTHS, start=1)},
    "sept": 9,
}
_NAME: Final = "|".join(sorted(_NUMBER_OF_MONTH, key=len, reverse=True))
_SURE_NAME: Final = "|".join(name for name in _MONTHS if name not in {"march", "may"})
_YEAR: Final = r"(?P<year>(?:19|20)\d\d)"
_DAY_NUMBER: Final = r"(?P<day>\d\d?)(?:st|nd|rd|th)?"
_BEFORE_TIME: Final = "in|during|since|until|till|before|after|by|last|this|next|early|mid|late|of"

_FORMS: Final = tuple(
    late_pattern(form)
    for form in (
        rf"(?<!\d){_YEAR}[-/](?P<month>\d\d?)(?:[-/](?P<day>\d\d?))?(?![\d.])",
        rf"(?<!\d){_YEAR}\s*年\s*(?:(?P<month>\d\d?)\s*月(?:\s*(?P<day>\d\d?)\s*[日号])?)?",
        r"(?<!\d)(?P<month>\d\d?)\s*月\s*(?P<day>\d\d?)\s*[日号]",
        r"(?<!\d)(?P<month>\d\d?)\s*月(?!\d)",
        rf"\b{_DAY_NUMBER}(?:\s+of)?\s+(?P<name>{_NAME})\b\.?,?(?:\s+{_YEAR}\b)?",
        rf"\b(?P<name>{_NAME})\b\.?\s+{_DAY_NUMBER}\b(?:,?\s+{_YEAR}\b)?",
        rf"\b(?P<name>{_NAME})\b\.?,?\s+(?:of\s+)?{_YEAR}\b",
        rf"\b(?:{_BEFORE_TIME})\s+(?P<name>{'|'.join(_MONTHS)})\b",
        rf"\b(?P<name>{_SURE_NAME})\b",
        rf"\b{_YEAR}\b",
    )
)
"""Ways to write a date, those that say more before those that are a part of them. ``march`` and
``may`` are months only where a preposition or a number says so."""


class NamedDate(Value, kw_only=True):
    """A day, a month or a year as a question names it, folded; what it does not say is None."""

    spelled: str
    year: int | None = None
    month: int | None = None
    day: int | None = None


def named_dates(question: str) -> tuple[NamedDate, ...]:
    """Return the dates that a question names, in its order; what no calendar has is none."""
    text = fold(question)
    taken: list[tuple[int, int]] = []
    found: list[tuple[int, NamedDate]] = []
    for form in _FORMS:
        for match in form.finditer(text):
            if any(start < match.end() and match.start() < end for start, end in taken):
                continue
            named = _named(match)
            if next(_periods(named, named.year or 0), None) is not None:
                taken.append(match.span())
                found.append((match.start(), named))
    return tuple(named for _, named in sorted(found, key=lambda each: each[0]))


def day_of(at: int) -> int:
    """Return the day of an instant, as an ordinal."""
    return EPOCH.toordinal() + at // _DAY


def nearness(named: Sequence[NamedDate], day: int) -> float:
    """Return how near a day lies to the nearest of some dates: 1 at it, 0.5 in the days after it,
    else 0. A day that no calendar has is near to none.
    """
    if not 1 <= day <= _LAST_DAY:
        return 0.0
    year = date.fromordinal(day).year
    return max(
        (_nearness(day, first, last) for each in named for first, last in _periods(each, year)),
        default=0.0,
    )


def _nearness(day: int, first: int, last: int) -> float:
    if first <= day <= last:
        return 1.0
    return _AFTERWARDS if last < day <= last + AFTERWARDS_DAYS else 0.0


def _periods(named: NamedDate, year: int) -> Iterator[tuple[int, int]]:
    """Yield the first and last day of a date; one without a year is each of those about
    ``year``. Days are ordinals.
    """
    years = (year - 1, year, year + 1) if named.year is None else (named.year,)
    if named.year is None and year == 0:
        years = (2000,)  # a leap year: it has every day there is
    for each in years:
        try:
            if named.month is None:
                yield date(each, 1, 1).toordinal(), date(each, 12, 31).toordinal()
            elif named.day is None:
                following = date(each + named.month // 12, named.month % 12 + 1, 1)
                yield date(each, named.month, 1).toordinal(), following.toordinal() - 1
            else:
                day = date(each, named.month, named.day).toordinal()
                yield day - 1, day + 1
        except ValueError:
            continue


def _named(match: re.Match[str]) -> NamedDate:
    groups = match.groupdict()
    year, month, day = (groups.get(name) for name in ("year", "month", "day"))
    name = groups.get("name")
    return NamedDate(
        spelled=match.group().strip(" ,."),
        year=None if year is None else int(year),
        month=_NUMBER_OF_MONTH[name] if name else None if month is None else int(month),
        day=None if day is None else int(day),
    )
