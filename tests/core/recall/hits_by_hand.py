"""Hits by hand, for tests of their order."""

from recense.core.recall.hits import Hit
from recense.core.transcript.messages import MessageKind


def hit(
    position: int,
    *frequencies: int,
    session: str = "s",
    turn: str | None = None,
    kind: MessageKind = "assistant",
    at: int | None = None,
    length: int = 10,
    echo: bool = False,
) -> Hit:
    """Return a hit at a place of a session; without a turn it is one of its own."""
    return Hit(
        start=(False, 0, session),
        session_id=session,
        ordinal=position,
        position=position,
        turn=turn or f"t{position}",
        kind=kind,
        at=at,
        identity=None,
        frequencies=frequencies or (1,),
        length=length,
        echo=echo,
    )
