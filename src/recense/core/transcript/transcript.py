"""A transcript is what the changes of all its events leave, applied in order."""

from collections import defaultdict
from collections.abc import Iterable
from typing import assert_never

from msgspec.structs import replace

from recense.core.transcript.changes import Flagged, Grown, Opened, Thought, Unflagged
from recense.core.transcript.events import Event
from recense.core.transcript.messages import Message, Run, Transcript
from recense.core.transcript.projection import Projector


def project(events: Iterable[Event]) -> Transcript:
    """Return the transcript of a session's events, given from the first on, in order."""
    applied = _Applied()
    projector = Projector(None, applied.messages)
    for event in events:
        for change in projector.feed(event):
            match change:
                case Opened(message=message):
                    applied.open(message)
                case Grown():
                    applied.grow(change)
                case Flagged(first=first, last=last, flag=flag):
                    for position in range(first, last + 1):
                        message = applied.opened[position]
                        applied.opened[position] = replace(message, flags=message.flags | {flag})
                case Unflagged(first=first, last=last, flag=flag):
                    for position in range(first, last + 1):
                        message = applied.opened[position]
                        applied.opened[position] = replace(message, flags=message.flags - {flag})
                case Thought(text=text):
                    applied.thoughts.append(text)
                case _:
                    assert_never(change)
    return Transcript(messages=tuple(applied.messages()), counts=projector.counts)


class _Applied:
    """Messages as changes leave them; what joins one is collected, and joined when asked for.

    A reply may come in thousands of fragments, and joining each to all before it would copy the
    reply as often.
    """

    def __init__(self) -> None:
        self.opened: list[Message] = []
        self.thoughts: list[str] = []
        self._growths: defaultdict[int, list[Grown]] = defaultdict(list)

    def open(self, message: Message) -> None:
        if message.kind in ("assistant", "tool_call"):
            message = replace(message, thinking=tuple(self.thoughts))
        self.thoughts.clear()
        self.opened.append(message)

    def grow(self, change: Grown) -> None:
        self._growths[change.position].append(change)

    def messages(self) -> list[Message]:
        """Return the messages so far, by position."""
        for position, growths in self._growths.items():
            self.opened[position] = _grown(self.opened[position], growths)
        self._growths.clear()
        return self.opened


def _grown(message: Message, growths: Iterable[Grown]) -> Message:
    """Return the message with its fragments added; own text that meets own text is one run."""
    materials = list(message.materials)
    runs: list[Run] = []
    own: list[str] = []
    pieces = [message.runs]
    for growth in growths:
        pieces.append(growth.runs)
        materials += growth.materials
    for run in (run for piece in pieces for run in piece):
        if not run.synthetic:
            own.append(run.text)
            continue
        if own:
            runs.append(Run(text="".join(own)))
            own.clear()
        runs.append(run)
    if own:
        runs.append(Run(text="".join(own)))
    return replace(message, runs=tuple(runs), materials=tuple(materials))
