"""The total order of events, and which of them an answer knows."""

from collections.abc import Iterable
from operator import attrgetter
from typing import Final

from recense.core.facts.event import FactEvent

_INSTANT: Final = attrgetter("observed_at")

place: Final = attrgetter("observed_at", "retraction", "event_id")
"""What events are ordered by."""


def in_order(events: Iterable[FactEvent]) -> list[FactEvent]:
    """Return events in their total order, each id once: by the instant observed, assertions before
    retractions, then by id.
    """
    ordered = list({event.event_id: event for event in events}.values())
    if len(ordered) > 1:
        ordered.sort(key=_INSTANT)  # numbers compare fast; then few are astray
        ordered.sort(key=place)
    return ordered


def known(events: Iterable[FactEvent], known_by: int | None) -> list[FactEvent]:
    """Return the events that the store had received by an instant; None is now."""
    if known_by is None:
        return list(events)
    return [
        event for event in events if event.recorded_at is not None and event.recorded_at <= known_by
    ]
