"""Which values a subject had when, as bars that any terminal shows.

Pure: structs in, lines out, for a width in columns. A bar is of ASCII, and all bars of a subject
have one scale, so that what was so at the same time stands below each other. Where there is no room
for bars there are dates alone.
"""

from collections.abc import Sequence
from itertools import groupby
from typing import Final

from recense.cli.columns import columns_of, padded, shortened
from recense.cli.lines import BLANK, Line, line, span
from recense.cli.render_facts import cut_words, value_words
from recense.cli.render_recall import instant_words
from recense.core.instants import instant_from_text
from recense.core.values import Value
from recense.operations.facts import FactTimeline, ValueSpan

LABEL_COLUMNS_MIN: Final = 8
LABEL_COLUMNS_MAX: Final = 28
BAR_COLUMNS_MIN: Final = 12
BAR_COLUMNS_MAX: Final = 60

_STILL: Final = "now"
_OPEN_END: Final = "=>"
_INDENT: Final = 2
_GAP: Final = "  "
_DAY: Final = len("2026-03-01")


class _Row(Value, kw_only=True):
    """A stretch, and what is written beside its bar."""

    stretch: ValueSpan
    label: str
    dates: str


class _Scale:
    """Where an instant stands among the columns of a bar.

    The last columns are for all that lies after the last instant that is known: there ends what
    holds still, and nothing else.
    """

    def __init__(self, spans: Sequence[ValueSpan], columns: int) -> None:
        starts = [_instant(each.since) for each in spans]
        ends = [_instant(each.until) for each in spans if each.until is not None]
        self._first = min(starts, default=0)
        self._length = max(max([*starts, *ends], default=0) - self._first, 1)
        self._columns = columns

    def bar(self, stretch: ValueSpan) -> str:
        """Return the bar of a stretch: one column at least."""
        known = self._columns - len(_OPEN_END)
        start = (_instant(stretch.since) - self._first) * known // self._length
        if stretch.until is None:
            drawn = "=" * (known - start) + _OPEN_END
        else:
            end = (_instant(stretch.until) - self._first) * known // self._length
            drawn = "=" * max(end - start, 1)
        return "." * start + drawn + "." * (self._columns - start - len(drawn))


def _instant(text: str) -> int:
    return instant_from_text(text) or 0


def timeline_lines(timeline: FactTimeline, columns: int) -> list[Line]:
    """Return a timeline for a terminal of so many columns, predicate by predicate."""
    if not timeline.spans:
        return [line(f"Nothing was ever said about {timeline.subject}.")]
    rows = _rows(timeline.spans)
    beside = columns - _INDENT - len(_GAP) - max(len(row.dates) for row in rows)
    label_columns = min(max(columns_of(row.label) for row in rows), max(beside, LABEL_COLUMNS_MIN))
    bar_columns = min(beside - label_columns - len(_GAP) - len("||"), BAR_COLUMNS_MAX)
    scale = _Scale(timeline.spans, bar_columns) if bar_columns >= BAR_COLUMNS_MIN else None
    lines = [line(span(timeline.subject, "title"))]
    for predicate, stretches in groupby(rows, key=lambda row: row.stretch.predicate):
        lines += [BLANK, line(predicate)]
        for row in stretches:
            bar = [] if scale is None else [span(f"|{scale.bar(row.stretch)}|{_GAP}", "good")]
            label = padded(shortened(row.label, label_columns), label_columns) + _GAP
            lines.append(line(label, *bar, span(row.dates, "faint"), indent=_INDENT))
            lines += _ended(row.stretch, columns)
    return lines


def _rows(spans: Sequence[ValueSpan]) -> list[_Row]:
    """Return the stretches by predicate and start, with what is written beside each. Their dates
    are days where these tell all instants apart, else they are to the minute.
    """
    instants = {at for each in spans for at in (each.since, each.until) if at is not None}
    by_day = len({at[:_DAY] for at in instants}) == len(instants)
    return [
        _Row(
            stretch=each,
            label=shortened(value_words(each.value), LABEL_COLUMNS_MAX),
            dates=f"{_at(each.since, by_day)} to {_at(each.until, by_day)}",
        )
        for each in sorted(spans, key=lambda each: (each.predicate, each.since))
    ]


def _at(instant: str | None, by_day: bool) -> str:
    if instant is None:
        return _STILL
    return instant[:_DAY] if by_day else instant_words(instant)


def _ended(stretch: ValueSpan, columns: int) -> list[Line]:
    """Return why a stretch ended."""
    if not stretch.ended_by:
        return []
    words = shortened(f"ended by: {cut_words(stretch.ended_by)}", max(columns - 2 * _INDENT, 1))
    return [line(span(words, "faint"), indent=2 * _INDENT)]
