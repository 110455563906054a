"""A transcript is what the changes of all its events leave, applied in order."""

from collections.abc import Iterable
from typing import assert_never

from msgspec.structs import replace

from recense.core.transcript.changes import Flagged, Grown, Opened, Thought
from recense.core.transcript.events import Event
from recense.core.transcript.messages import Message, Run, Transcript
from recense.core.transcript.projection import Projector


def project(events: Iterable[Event]) -> Transcript:
    """Return the transcript of a session's events, given from the first on, in order."""
    projector = Projector()
    messages: list[Message] = []
    thoughts: list[str] = []
    for event in events:
        for change in projector.feed(event):
            match change:
                case Opened(message=message):
                    if message.kind in ("assistant", "tool_call"):
                        message = replace(message, thinking=tuple(thoughts))
                    thoughts.clear()
                    messages.append(message)
                case Grown():
                    messages[change.position] = _grown(messages[change.position], change)
                case Flagged(first=first, last=last, flag=flag):
                    for position in range(first, last + 1):
                        message = messages[position]
                        messages[position] = replace(message, flags=message.flags | {flag})
                case Thought(text=text):
                    thoughts.append(text)
                case _:
                    assert_never(change)
    return Transcript(messages=tuple(messages), counts=projector.counts)


def _grown(message: Message, change: Grown) -> Message:
    """Return the message with the fragment added; own text that meets own text is one run."""
    runs, added = message.runs, change.runs
    if runs and added and not runs[-1].synthetic and not added[0].synthetic:
        joined = Run(text=runs[-1].text + added[0].text)
        runs, added = (*runs[:-1], joined), added[1:]
    return replace(message, runs=runs + added, materials=message.materials + change.materials)
