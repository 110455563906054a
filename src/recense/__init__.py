"""Recense: recall for agents.

    import recense

    with recense.open() as memory:
        memory.import_sessions()
        answer = memory.recall(recense.RecallRequest(terms=("pgbouncer",)))

Importing this package makes no file, reads no environment and sets up no log; what a name needs is
loaded when the name is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recense.client.clients import AsyncClient, Client
    from recense.core.agents.values import StateUpdate
    from recense.core.text.known_secrets import KnownSecrets
    from recense.errors import RecenseError
    from recense.operations.agents import (
        ActionOutcome,
        AddOutput,
        AddTurn,
        BeginAction,
        CannotTell,
        Done,
        EndAction,
        NotDone,
        ResumeAgent,
        SetPointer,
    )
    from recense.operations.grep import GrepAnswer, GrepRequest
    from recense.operations.materials import MaterialBytes
    from recense.operations.recall import MoreRequest, RecallAnswer, RecallRequest
    from recense.operations.sessions import AppendedEvent, OpenSession, StreamDelta
    from recense.services.agent import Agent
    from recense.services.agent_ending import ending_on_sigterm
    from recense.services.agent_reconciling import ActionHandler
    from recense.services.memory import Memory
    from recense.wiring import open_url as open  # noqa: A004  `recense.open` reads as it should

__all__ = [
    "ActionHandler",
    "ActionOutcome",
    "AddOutput",
    "AddTurn",
    "Agent",
    "AppendedEvent",
    "AsyncClient",
    "BeginAction",
    "CannotTell",
    "Client",
    "Done",
    "EndAction",
    "GrepAnswer",
    "GrepRequest",
    "KnownSecrets",
    "MaterialBytes",
    "Memory",
    "MoreRequest",
    "NotDone",
    "OpenSession",
    "RecallAnswer",
    "RecallRequest",
    "RecenseError",
    "ResumeAgent",
    "SetPointer",
    "StateUpdate",
    "StreamDelta",
    "ending_on_sigterm",
    "open",
]

_HOMES = {
    "ActionHandler": ("recense.services.agent_reconciling", "ActionHandler"),
    "ActionOutcome": ("recense.operations.agents", "ActionOutcome"),
    "AddOutput": ("recense.operations.agents", "AddOutput"),
    "AddTurn": ("recense.operations.agents", "AddTurn"),
    "Agent": ("recense.services.agent", "Agent"),
    "AppendedEvent": ("recense.operations.sessions", "AppendedEvent"),
    "AsyncClient": ("recense.client.clients", "AsyncClient"),
    "BeginAction": ("recense.operations.agents", "BeginAction"),
    "CannotTell": ("recense.operations.agents", "CannotTell"),
    "Client": ("recense.client.clients", "Client"),
    "Done": ("recense.operations.agents", "Done"),
    "EndAction": ("recense.operations.agents", "EndAction"),
    "GrepAnswer": ("recense.operations.grep", "GrepAnswer"),
    "GrepRequest": ("recense.operations.grep", "GrepRequest"),
    "KnownSecrets": ("recense.core.text.known_secrets", "KnownSecrets"),
    "MaterialBytes": ("recense.operations.materials", "MaterialBytes"),
    "Memory": ("recense.services.memory", "Memory"),
    "MoreRequest": ("recense.operations.recall", "MoreRequest"),
    "NotDone": ("recense.operations.agents", "NotDone"),
    "OpenSession": ("recense.operations.sessions", "OpenSession"),
    "RecallAnswer": ("recense.operations.recall", "RecallAnswer"),
    "RecallRequest": ("recense.operations.recall", "RecallRequest"),
    "RecenseError": ("recense.errors", "RecenseError"),
    "ResumeAgent": ("recense.operations.agents", "ResumeAgent"),
    "SetPointer": ("recense.operations.agents", "SetPointer"),
    "StateUpdate": ("recense.core.agents.values", "StateUpdate"),
    "StreamDelta": ("recense.operations.sessions", "StreamDelta"),
    "ending_on_sigterm": ("recense.services.agent_ending", "ending_on_sigterm"),
    "open": ("recense.wiring", "open_url"),
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'recense' has no attribute {name!r}")
    return getattr(import_module(home[0]), home[1])
