"""A timeline is as wide as the terminal, and one scale holds for all its bars."""

import re

from hypothesis import given
from hypothesis import strategies as st

from recense.cli.columns import columns_of
from recense.cli.lines import plain_text
from recense.cli.render_timeline import timeline_lines
from recense.core.instants import text_from_instant
from recense.operations.facts import FactTimeline, ValueSpan
from tests.cli import fact_samples

INSTANTS = st.integers(0, 4 * 10**15)


@st.composite
def spans(draw: st.DrawFn) -> ValueSpan:
    since = draw(INSTANTS)
    until = draw(st.none() | st.integers(since, 4 * 10**15 + 1))
    return ValueSpan(
        predicate=draw(st.sampled_from(["lives_in", "likes", "note"])),
        value=draw(st.text(max_size=60) | st.integers() | st.booleans()),
        since=text_from_instant(since),
        until=None if until is None else text_from_instant(until),
        ended_by=draw(st.text(max_size=120)),
    )


def page(timeline: FactTimeline, columns: int) -> list[str]:
    return plain_text(timeline_lines(timeline, columns)).splitlines()


def bars(rows: list[str]) -> list[str]:
    return [found[1] for row in rows if (found := re.search(r"  \|([.=>]+)\|  \d", row))]


@given(st.lists(spans(), min_size=1, max_size=6), st.integers(48, 200))
def test_no_row_is_wider_than_the_terminal_and_all_bars_are_of_one_length(
    drawn: list[ValueSpan], columns: int
) -> None:
    rows = page(FactTimeline(subject="mira", spans=tuple(drawn)), columns)
    assert max(map(columns_of, rows)) <= columns
    lengths = {len(bar) for bar in bars(rows)}
    assert len(lengths) <= 1


@given(st.lists(spans(), min_size=1, max_size=6))
def test_every_stretch_has_a_bar_that_is_drawn_to_its_end(drawn: list[ValueSpan]) -> None:
    rows = page(FactTimeline(subject="mira", spans=tuple(drawn)), 200)
    found = bars(rows)
    assert len(found) == len(drawn)
    assert all("=" in bar for bar in found)
    assert sum(bar.endswith(">") for bar in found) == sum(each.until is None for each in drawn)


def test_what_was_so_at_the_same_time_stands_below_each_other() -> None:
    rows = page(fact_samples.TIMELINE, 80)
    first, second, third = bars([row for row in rows if "lives" not in row])[-3:]
    assert first.rindex("=") + 1 == second.index("=")
    assert second.rindex("=") + 1 == third.index("=")


def test_wide_characters_keep_the_columns() -> None:
    rows = page(fact_samples.TIMELINE, 80)
    begins = {columns_of(row[: row.index("|")]) for row in rows if "|" in row}
    assert len(begins) == 1


def test_a_narrow_terminal_gets_the_dates_without_bars() -> None:
    rows = page(fact_samples.TIMELINE, 40)
    assert bars(rows) == []
    assert any(row.endswith("2019-03-01 to 2024-02-01") for row in rows)


def test_instants_of_one_day_are_told_apart_by_minutes() -> None:
    stretch = ValueSpan(
        predicate="status",
        value="late",
        since="2026-03-30T06:12:00.000000Z",
        until="2026-03-30T07:40:00.000000Z",
        ended_by="",
    )
    rows = page(FactTimeline(subject="ferry", spans=(stretch,)), 80)
    assert rows[-1].endswith("2026-03-30 06:12 to 2026-03-30 07:40")
