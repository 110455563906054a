"""Time phrases: the periods that a question names, in English and in Chinese.

Laws:

- Only what is surely a time is read: "may", "march", "second", "fall" and 五月天 are words unless
  what stands around them makes them a time. What is inside quotes or backticks, or a part of a path
  or a name (``backup-2023-05-07``), is what is looked for, and no time.
- Any string is legal, and no phrase raises: a day that does not exist (31 February) and what lies
  outside the years 1 to 9999 is no date. Time is linear in the question, of which the first
  QUESTION_CODE_POINTS_MAX code points are read.
- A year is a year: "in 2023" is all of it, never its first of January.
- Days are days of UTC, whatever zone the asker is in; weeks begin on Monday; seasons are the
  meteorological ones of the north, a winter that of the year in which it begins.
- "N units ago" and "last unit" are whole units of the calendar; "the past unit" and "the last N
  units" go from that long ago to the end of today. "A couple" is one to three, "a few" two to five.
- A weekday is the latest before today (上周五 and "this Friday" name their week), a month or a day
  without its year the latest that has begun. Beside a birthday it is no period, since it comes back
  every year.
- What begins after the instant of asking is left alone: nothing has been said there.
"""

import re
from collections.abc import Iterable, Sequence
from string import ascii_lowercase, ascii_uppercase
from typing import Final

from recense.core.late_patterns import late_pattern
from recense.core.text.timeforms import (
    AFTER_ON,
    BEGIN,
    COUNT,
    END,
    ENGLISH,
    ENGLISH_HINT,
    OTHER_WORDS,
    SPACE,
    UNIT,
    WEEKDAY,
    count_of,
    unit_of,
    weekday_number,
)
from recense.core.text.timeforms_chinese import CHINESE, CHINESE_HINT
from recense.core.text.timespans import (
    DAY,
    Moment,
    Precision,
    TimeSpan,
    beside,
    coarser,
    dated,
    moment_of,
    weekday_beside,
    year_of,
)
from recense.core.values import Value
from recense.limits import QUESTION_CODE_POINTS_MAX


class TimePhrase(Value, kw_only=True):
    """A phrase at ``question[start:end]`` and the instants that it names, from ``since`` to
    ``until``, both inclusive; None leaves one end open, never both.

    ``precision`` is how finely the ends are named; of two ends, the coarser.
    """

    start: int
    end: int
    since: int | None
    until: int | None
    precision: Precision


class _Found(Value, kw_only=True):
    """A form in the text; without a span it names no time, and nothing inside it does."""

    start: int
    end: int
    span: TimeSpan | None
    needs: frozenset[str]


class _Before(Value, kw_only=True):
    """The words before a form that say how it is meant: since, the week before, in."""

    start: int
    word: str
    has_article: bool
    count: str | None
    unit: str | None
    weekday: str | None


def time_phrases(question: str, now: int) -> tuple[TimePhrase, ...]:
    """Return the phrases of a question that name a period, in its order; none overlaps another.

    ``now`` is the instant at which the question is asked; where it lies outside the years 1 to 9999
    nothing is relative to it, and there are none.
    """
    try:
        at = moment_of(now)
    except OverflowError:
        return ()
    spelled = question[:QUESTION_CODE_POINTS_MAX]
    text = _QUOTED.sub(lambda quoted: "\0" * len(quoted.group()), spelled.translate(_PLAIN))
    phrases = _phrases(text, _without_overlaps(_found(text, spelled, at)), at)
    return tuple(each for each in phrases if each.since is None or each.since <= now)


def time_code_points(phrases: Iterable[TimePhrase]) -> frozenset[int]:
    """Return which code points of the question belong to its phrases, counted from 0."""
    return frozenset(place for phrase in phrases for place in range(phrase.start, phrase.end))


_PLAIN: Final = str.maketrans(
    ascii_uppercase + "０１２３４５６７８９’", ascii_lowercase + "0123456789'"
)
"""One code point for one, so that places stay."""

_QUOTED: Final = late_pattern(
    r'"[^"\n]*"|`[^`\n]*`|“[^“”\n]*”|「[^「」\n]*」|『[^『』\n]*』|«[^«»\n]*»'
)
_COMES_BACK: Final = late_pattern(
    r"\bbirthdays?\b|\banniversar|\bborn\b|\bevery year\b|生日|出生|每年|诞辰"
)
_AROUND: Final = 48
"""How far words that govern a form are looked for; the longest are shorter."""

_BEFORE: Final = late_pattern(
    rf"""
    (?:{BEGIN}(?:(?:the|{COUNT}){SPACE}(?:{UNIT}s?|{WEEKDAY}){SPACE})?
        (?P<word>in|during|throughout|since|until|till|up{SPACE}to|before|prior{SPACE}to|after|by
            |from|on|of|between|as{SPACE}of
            |(?:the{SPACE})?(?:beginning|start|middle|end|rest|course){SPACE}of)
        (?:{SPACE}(?P<article>the)|(?:{SPACE}the)?{SPACE}(?:early|mid|late
            |beginning{SPACE}of|start{SPACE}of|middle{SPACE}of|end{SPACE}of))?{SPACE}
    |(?<!来)(?P<chinese>自从|自|从|在|于|直到|截至|截止到?)\s?)$
    """,
    re.VERBOSE,
)
_AFTER: Final = late_pattern(
    rf"""
    \s?(?:(?P<before>之前|以前|前(?![端后台面缀提沿者往任途景言进锋卫几数0-9一二三四五六七八九十半]))
    |(?P<after>之后|以后|后(?![端面台缀果续来悔半期勤备门]))|(?P<since>以来|至今)|(?P<until>为止))
    |{SPACE}(?P<onwards>onwards?){END}
    """,
    re.VERBOSE,
)
_JOINT: Final = late_pattern(
    r"\s{0,3}(?:(?P<and>and|和|与|跟)|(?:to|until|till|through|–|—|-|~|～|到|至))\s{0,3}"
)
_BETWEEN: Final = late_pattern(r"\s?之间")
_SAME: Final = {
    "up to": "until",
    "till": "until",
    "by": "until",
    "as of": "until",
    "直到": "until",
    "截至": "until",
    "截止": "until",
    "截止到": "until",
    "prior to": "before",
    "从": "since",
    "自": "since",
    "自从": "since",
}


# --- what is found --------------------------------------------------------------------------------


def _found(text: str, spelled: str, at: Moment) -> list[_Found]:
    comes_back = _COMES_BACK.search(text) is not None
    found: list[_Found] = []
    english = ENGLISH if ENGLISH_HINT.search(text) else ()
    chinese = CHINESE if CHINESE_HINT.search(text) else ()
    for form in (*english, *chinese):
        for match in form.pattern.finditer(text):
            try:
                span = form.reader(at, match.groupdict())
            except (ValueError, OverflowError):
                span = None
            if comes_back and span is not None and span.yearless is not None:
                span = None
            needs = form.needs
            if form.is_name and not _is_sure(match, spelled):
                needs = AFTER_ON
            found.append(_Found(start=match.start(), end=match.end(), span=span, needs=needs))
    return found


def _is_sure(match: re.Match[str], spelled: str) -> bool:
    """Whether a month beside a day is no other word: it has a year, or is spelled as a name."""
    fields = match.groupdict()
    month = fields["month"]
    if month not in OTHER_WORDS or fields.get("year"):
        return True
    first = match.start("month")
    return spelled[first].isupper() and spelled[first + 1].islower()


def _without_overlaps(found: Iterable[_Found]) -> list[_Found]:
    """Return what is found in order: of what overlaps the first, and of two there the longer."""
    kept: list[_Found] = []
    for each in sorted(found, key=lambda each: (each.start, -each.end, len(each.needs))):
        if each.end > each.start and (not kept or each.start >= kept[-1].end):
            kept.append(each)
    return kept


# --- what it means --------------------------------------------------------------------------------


def _phrases(text: str, found: Sequence[_Found], at: Moment) -> list[TimePhrase]:
    phrases: list[TimePhrase] = []
    position = 0
    while position < len(found):
        pair = found[position : position + 2]
        before = _before(text, phrases[-1].end if phrases else 0, pair[0].start)
        phrase = _range(text, pair[0], pair[1], before, at) if len(pair) > 1 else None
        position += 1 if phrase is None else 2
        if phrase is None:
            after = _AFTER.match(text, pair[0].end, pair[1].start if len(pair) > 1 else len(text))
            phrase = _one(pair[0], before, after)
        if phrase is not None:
            phrases.append(phrase)
    return phrases


def _before(text: str, floor: int, start: int) -> _Before | None:
    """Return the words that govern what starts at a place; none lies before the floor."""
    match = _BEFORE.search(text, max(floor, start - _AROUND), start)
    if match is None:
        return None
    word = " ".join((match["word"] or match["chinese"]).split())
    return _Before(
        start=match.start(),
        word="in" if " of" in word and word != "as of" else word,
        has_article=match["article"] is not None,
        count=match["count"],
        unit=match["unit"],
        weekday=match["weekday"],
    )


def _one(found: _Found, before: _Before | None, after: re.Match[str] | None) -> TimePhrase | None:
    """Return the phrase of a form and the words that govern it, or None where it is no time."""
    span = found.span
    if span is None or (found.needs and after is None and not _is_governed(found, before)):
        return None
    start = found.start if before is None else before.start
    end = found.end if after is None else after.end()
    if after is not None:
        relation = after.lastgroup or ""
    elif before is not None:
        relation = _SAME.get(before.word, before.word)
        if relation in {"before", "after"} and (before.unit or before.weekday):
            span, relation = _beside(span, before, is_after=relation == "after"), "in"
    else:
        relation = "in"
    since, until = _ends(span, relation)
    return TimePhrase(start=start, end=end, since=since, until=until, precision=span.precision)


def _beside(span: TimeSpan, before: _Before, *, is_after: bool) -> TimeSpan:
    if before.weekday:
        return weekday_beside(span, weekday_number(before.weekday), is_after=is_after)
    count = 1 if before.count is None else count_of(before.count)[1]
    if before.unit == "weekend":
        first = weekday_beside(span, 5, is_after=is_after)
        return TimeSpan(since=first.since, until=first.until + DAY, precision="weekend")
    return beside(span, unit_of(before.unit), count, is_after=is_after)


def _ends(span: TimeSpan, relation: str) -> tuple[int | None, int | None]:
    match relation:
        case "since" | "onwards":
            return span.since, None
        case "until":
            return None, span.until
        case "before":
            return None, span.since - 1
        case "after":
            return span.until + 1, None
        case _:
            return span.since, span.until


def _is_governed(found: _Found, before: _Before | None) -> bool:
    return before is not None and before.word in found.needs and not before.has_article


def _range(
    text: str, first: _Found, second: _Found, before: _Before | None, at: Moment
) -> TimePhrase | None:
    """Return the phrase of two forms that are the ends of one period, or None."""
    joint = _JOINT.fullmatch(text, first.end, second.start)
    if joint is None or first.span is None or second.span is None:
        return None
    closing = _BETWEEN.match(text, second.end)
    opens = before is not None and before.word in {"between", "from", "从", "自", "在"}
    is_between = closing is not None or (before is not None and before.word == "between")
    if joint["and"] and not is_between:
        return None
    if (first.needs or second.needs) and not opens:
        return None
    earlier, later = _side_by_side(first.span, second.span, at)
    if earlier.since > later.until:
        return None
    return TimePhrase(
        start=before.start if opens and before is not None else first.start,
        end=second.end if closing is None else closing.end(),
        since=earlier.since,
        until=later.until,
        precision=coarser(earlier.precision, later.precision),
    )


def _side_by_side(first: TimeSpan, second: TimeSpan, at: Moment) -> tuple[TimeSpan, TimeSpan]:
    """Return the ends of a period: what lacks its year, or its week, has it from the other end."""
    try:
        if first.yearless is not None:
            year = year_of(second)
            placed = dated(at, year, *first.yearless)
            is_late = placed.since > second.since
            return (dated(at, year - 1, *first.yearless) if is_late else placed), second
        if second.yearless is not None:
            year = year_of(first)
            placed = dated(at, year, *second.yearless)
            is_early = placed.since < first.since
            return first, (dated(at, year + 1, *second.yearless) if is_early else placed)
    except (ValueError, OverflowError):
        return first, second
    if first.is_weekday and first.since > second.since:
        week = 7 * DAY
        return TimeSpan(since=first.since - week, until=first.until - week, precision="day"), second
    return first, second
