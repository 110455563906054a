from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.cli.arguments import ORIGINS, origin_named, since_text, until_text
from recense.core.instants import instant_from_text
from recense.core.transcript.records import Origin
from recense.errors import InvalidRequest


def test_every_origin_can_be_named_and_nothing_else() -> None:
    assert set(ORIGINS) == {*get_args(Origin), "all"}
    assert [origin_named(origin) for origin in ORIGINS] == list(ORIGINS)
    with pytest.raises(InvalidRequest, match="'human' is none of interactive"):
        origin_named("human")


@given(st.dates())
def test_a_date_spans_from_its_first_to_its_last_microsecond(date: object) -> None:
    first = instant_from_text(since_text("--since", str(date)))
    last = instant_from_text(until_text("--until", str(date)))
    assert first is not None
    assert last is not None
    assert last - first == 24 * 60 * 60 * 1_000_000 - 1
    assert until_text("--until", str(date)).startswith(str(date))


@pytest.mark.parametrize("read", [since_text, until_text])
def test_an_instant_is_itself(read: object) -> None:
    for text in ("2026-03-01T09:30:00Z", " 2026-03-01T10:30+01:00 ", "2026-03-01T09:30"):
        assert callable(read)
        assert read("--since", text) == "2026-03-01T09:30:00.000000Z"


@given(st.text(max_size=30))
def test_any_other_text_is_refused_with_the_option_named(text: str) -> None:
    if instant_from_text(text) is None:
        with pytest.raises(InvalidRequest, match="--since"):
            since_text("--since", text)


def test_an_instant_that_a_zone_takes_out_of_the_calendar_is_refused() -> None:
    with pytest.raises(InvalidRequest):
        since_text("--since", "0001-01-01T00:00:00+14:00")
