"""Messages and pieces of sessions, drawn and by hand."""

from collections.abc import Sequence
from typing import Final

from hypothesis import strategies as st

from recense.core.extraction.exchanges import Exchange, exchanges_of
from recense.core.transcript.messages import Flag, Message, MessageKind, Run

KINDS: Final[tuple[MessageKind, ...]] = (
    "user",
    "assistant",
    "tool_call",
    "tool_result",
    "summary",
    "note",
)
CHARACTERS: Final = "a\n é木🌲"
"""One of each length in UTF-8, and the blanks."""


def message(
    position: int,
    kind: MessageKind,
    text: str,
    *,
    call_id: str | None = None,
    flags: frozenset[Flag] = frozenset(),
    by_person: bool | None = None,
) -> Message:
    """Return a message at a position; its event is named after that."""
    return Message(
        position=position,
        event_id=f"e{position}",
        ordinal=position,
        turn="e0",
        kind=kind,
        at=1_000 + position,
        runs=(Run(text=text),),
        by_person=kind == "user" if by_person is None else by_person,
        flags=flags,
        call_id=call_id,
    )


def users(*texts: str) -> list[Exchange]:
    """Return pieces of the person's, one for each text."""
    return exchanges_of([message(place, "user", text) for place, text in enumerate(texts)])


def texts(exchange: Exchange) -> str:
    """Return all that a piece shows."""
    return "".join(part.text for part in exchange.parts)


@st.composite
def sessions(draw: st.DrawFn) -> list[Message]:
    """Draw a session; calls have ids of their own, and a result names one of any call before it,
    or none that there is.
    """
    drawn: list[Message] = []
    calls: list[str] = []
    kinds: Sequence[MessageKind] = draw(st.lists(st.sampled_from(KINDS), max_size=14))
    for position, kind in enumerate(kinds):
        call_id = None
        if kind == "tool_call":
            call_id = f"call {position}"
            calls.append(call_id)
        elif kind == "tool_result":
            call_id = draw(st.sampled_from([*calls, "of nobody"]))
        text = draw(st.text(CHARACTERS, max_size=4))
        flags: frozenset[Flag] = frozenset(["abandoned"] if draw(st.integers(0, 9)) == 0 else [])
        drawn.append(message(position, kind, text, call_id=call_id, flags=flags))
    return drawn
