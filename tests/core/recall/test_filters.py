"""Workspaces by segment, periods with both ends."""

import pytest

from recense.core.instants import instant_from_text
from recense.core.recall.filters import Period, is_at_or_below, period_of
from recense.errors import InvalidRequest


@pytest.mark.parametrize(
    ("path", "workspace", "inside"),
    [
        ("/work/app", "/work/app", True),
        ("/work/app/", "/work/app", True),
        ("/work/app", "/work/app/", True),
        ("/work/app/src", "/work/app", True),
        ("/work/app2", "/work/app", False),
        ("/work", "/work/app", False),
        ("/work/app", "/", True),
        ("work/app", "/", False),
        (r"C:\work\app\src", r"C:\work\app", True),
        (r"C:\work\app", "C:/work/app", True),
        (r"C:\work\app2", r"C:\work\app", False),
        ("/work/App", "/work/app", False),
        ("/work/cafe\u0301/x", "/work/café", True),
    ],
)
def test_a_workspace_is_compared_segment_by_segment(
    path: str, workspace: str, inside: bool
) -> None:
    assert is_at_or_below(path, workspace) is inside


def at(text: str) -> int:
    instant = instant_from_text(text)
    assert instant is not None
    return instant


def test_both_ends_are_inclusive() -> None:
    period = period_of("2026-03-01T10:00:00Z", "2026-03-01T11:00:00+00:00")
    assert period.holds(at("2026-03-01T10:00:00Z"))
    assert period.holds(at("2026-03-01T11:00:00Z"))
    assert not period.holds(at("2026-03-01T11:00:00.000001Z"))
    assert not period.holds(at("2026-03-01T09:59:59.999999Z"))


def test_a_date_is_its_whole_day() -> None:
    period = period_of("2026-03-01", "2026-03-01")
    assert period.holds(at("2026-03-01T00:00:00Z"))
    assert period.holds(at("2026-03-01T23:59:59.999999Z"))
    assert not period.holds(at("2026-03-02T00:00:00Z"))


@pytest.mark.parametrize(
    ("period", "passes"),
    [
        (Period(), True),
        (Period(since=0), False),
        (Period(until=9), False),
    ],
)
def test_an_unknown_instant_passes_only_where_nothing_is_asked(
    period: Period, passes: bool
) -> None:
    assert period.holds(None) is passes


@pytest.mark.parametrize(
    ("since", "until"),
    [("yesterday", None), (None, ""), ("2026-13-01", None), ("2026-03-02", "2026-03-01")],
)
def test_what_names_no_period_is_refused(since: str | None, until: str | None) -> None:
    with pytest.raises(InvalidRequest):
        period_of(since, until)
