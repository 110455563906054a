"""Instants: microseconds in memory, RFC 3339 with six digits on the wire."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.core.instants import instant_from_text, text_from_instant


@given(st.datetimes(timezones=st.timezones()))
def test_every_instant_that_is_read_can_be_written_and_read_again(moment: object) -> None:
    instant = instant_from_text(str(moment))
    if instant is not None:
        assert instant_from_text(text_from_instant(instant)) == instant


@given(st.text(max_size=30))
def test_any_text_is_an_instant_that_can_be_written_or_none(text: str) -> None:
    instant = instant_from_text(text)
    assert instant is None or text_from_instant(instant)


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_an_instant_outside_the_years_of_the_wire_is_none(text: str) -> None:
    assert instant_from_text(text) is None


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("2026-03-01T10:00:00.123Z", "2026-03-01T10:00:00.123000Z"),
        ("2026-03-01T10:00:00+05:45", "2026-03-01T04:15:00.000000Z"),
        ("2026-03-01T10:00:00", "2026-03-01T10:00:00.000000Z"),
        ("2026-03-01", "2026-03-01T00:00:00.000000Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000000Z"),
    ],
)
def test_the_wire_form_is_utc_with_six_digits(text: str, written: str) -> None:
    instant = instant_from_text(text)
    assert instant is not None
    assert text_from_instant(instant) == written


def test_wire_forms_sort_as_their_instants() -> None:
    instants = [-62135596800000000, -1, 0, 1, 1_700_000_000_000_000]
    assert sorted(map(text_from_instant, instants)) == list(map(text_from_instant, instants))
