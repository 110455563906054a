"""What is told to who follows changes: ``GET /v1/changes``, a stream of server-sent events."""

from typing import Literal

from recense.core.values import Value
from recense.operations.facts import EventView


class FactChange(Value, kw_only=True):
    """An event of a fact that was received; ``stamp`` orders them, and none has that of another."""

    fact: EventView
    stamp: int


class SessionChange(Value, kw_only=True):
    """A session that is new or is not as it was; with ``gone`` it was forgotten, or hidden.

    ``records`` counts what is archived of it, ``events`` what is converted, ``messages`` what can
    be found of it.
    """

    session: str
    source: str = ""
    records: int = 0
    events: int = 0
    messages: int = 0
    closed: bool = False
    gone: bool = False


class ChangesLost(Value, kw_only=True):
    """What cannot be told any more to who was away: which sessions changed meanwhile, or, where the
    store is behind what its reader was told, which facts are there. List them.
    """

    of: Literal["sessions", "facts"] = "sessions"


class ChangesEnded(Value, kw_only=True):
    """Why a stream of changes ends; who still wants to know connects again."""

    why: Literal["stopping", "slow", "key_refused"]
