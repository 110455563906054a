"""The total order of events, and which of them an answer knows."""

from collections.abc import Iterable

from recense.core.facts.event import FactEvent


def in_order(events: Iterable[FactEvent]) -> list[FactEvent]:
    """Return events in their total order, each id once: by the instant observed, assertions before
    retractions, then by id.
    """
    distinct = {event.event_id: event for event in events}
    return sorted(distinct.values(), key=_place)


def known(events: Iterable[FactEvent], known_by: int | None) -> list[FactEvent]:
    """Return the events that the store had received by an instant; None is now."""
    if known_by is None:
        return list(events)
    return [
        event for event in events if event.recorded_at is not None and event.recorded_at <= known_by
    ]


def _place(event: FactEvent) -> tuple[int, bool, str]:
    return event.observed_at, event.retraction, event.event_id
