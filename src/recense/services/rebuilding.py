"""Rebuilding: a message from its own events, without the rest of its session.

Law: what an event gives a message is the same whatever else its session holds: fragments find each
other by the key that they bring along. Only its place (position, turn, flags) is a matter of the
session, and that is for the caller to know.
"""

from collections.abc import Sequence

from recense.core.transcript.events import Event
from recense.core.transcript.messages import Message
from recense.core.transcript.transcript import project
from recense.errors import StoreCorrupt


def rebuilt(events: Sequence[Event]) -> Message:
    """Return the message that these events make, in order, the first of which opened it.

    Its place is that of a session which holds nothing else, and it has no thinking. Raises
    StoreCorrupt where they make another number of messages than one, as damaged ones do.
    """
    transcript = project(events)
    if len(transcript.messages) != 1 or transcript.counts.unreadable_events:
        raise StoreCorrupt(
            f"{len(events)} events that made one message make {len(transcript.messages)}, and "
            f"{transcript.counts.unreadable_events} of them cannot be read",
            hint="run `recense doctor`; the rest of the store can be read",
        )
    return transcript.messages[0]
