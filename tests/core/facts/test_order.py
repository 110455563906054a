"""The total order, and what was known by an instant."""

from random import Random

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from recense.core.facts.event import FactEvent
from recense.core.facts.order import in_order, known
from tests.core.facts import naive
from tests.core.facts.histories import focus_of, history, shuffled


def event(event_id: str, observed_at: int, *, retraction: bool = False) -> FactEvent:
    """Return an event of which nothing but its place counts."""
    return FactEvent(
        subject="a",
        predicate="b",
        observed_at=observed_at,
        retraction=retraction,
        event_id=event_id,
        recorded_at=observed_at,
    )


def test_the_instant_comes_first_then_assertions_then_the_id() -> None:
    ordered = [
        event("z", 1),
        event("b", 2),
        event("c", 2),
        event("a", 2, retraction=True),
        event("a2", 3),
    ]
    assert in_order(reversed(ordered)) == ordered


@given(st.integers(0, 2**32).map(Random), st.integers(0, 20))
def test_the_order_is_one_whatever_arrived_first_and_each_event_stands_once(
    random: Random, size: int
) -> None:
    events = history(random, focus_of(random), size)
    ordered = in_order(events)
    assert in_order(shuffled(random, events)) == ordered
    assert ordered == naive.known(events, None)
    assert sorted({one.event_id for one in events}) == sorted(one.event_id for one in ordered)


def test_what_was_known_was_recorded_by_then() -> None:
    events = [event("a", 1), event("b", 2), event("c", 3)]
    assert known(events, 2) == events[:2]
    assert known(events, 0) == []
    assert known(events, None) == events


def test_what_has_no_stamp_was_not_known_by_any_instant() -> None:
    unstamped = msgspec.structs.replace(event("a", 1), recorded_at=None)
    assert known([unstamped], 2**63) == []
    assert known([unstamped], None) == [unstamped]
