"""The agents that one caller took, for a door whose end is the end of its caller: stdio.

Law: a server of many callers keeps nothing of this; there an agent is its caller's, whoever serves.
"""

import threading
from contextlib import ExitStack
from typing import Final

from recense.core.values import Value
from recense.errors import LeaseLost
from recense.operations import agent_operations as asked
from recense.operations.agent_calls import AgentLease, ReleaseAgent, ReleasedAgent
from recense.operations.agents import AgentContext
from recense.servers.catalogue import answer
from recense.servers.handling import OperationCall

_TAKING: Final = frozenset({asked.AGENT_RESUME.name, asked.AGENT_ACQUIRE.name})


class AcquiredAgents:
    """What was taken through here, and is to be given back at the end. Any thread may call it."""

    def __init__(self) -> None:
        self._lock: Final = threading.Lock()
        self._held: Final[dict[tuple[str, int], OperationCall]] = {}
        self._is_over = False

    def answer(self, name: str, call: OperationCall, request: Value) -> Value:
        """Return what `recense.servers.catalogue.answer` does, and take note of what was taken or
        given back by it. What is taken after `release_all` is given back at once.
        """
        answered = answer(name, call, request)
        match answered:
            case AgentContext(agent=agent, epoch=epoch) | AgentLease(agent=agent, epoch=epoch) if (
                name in _TAKING and epoch
            ):
                with self._lock:
                    self._held[agent, epoch] = call
                    is_over = self._is_over
                if is_over:
                    self.release_all()
            case ReleasedAgent(agent=agent, epoch=epoch):
                with self._lock:
                    self._held.pop((agent, epoch), None)
            case _:
                pass
        return answered

    def release_all(self) -> None:
        """Give back every agent that is still held, before its memory is closed. One that cannot
        be given back keeps no other: its lease runs out, and the error is raised when all were
        tried. A second call does nothing.
        """
        with self._lock:
            self._is_over = True
            held = dict(self._held)
            self._held.clear()
        with ExitStack() as releasing:
            for (agent, epoch), call in held.items():
                releasing.callback(_release, call, ReleaseAgent(agent=agent, epoch=epoch))


def _release(call: OperationCall, request: ReleaseAgent) -> None:
    """Give an agent back as who took it: to another it is not given."""
    try:
        answer(asked.AGENT_RELEASE.name, call, request)
    except LeaseLost:
        return  # another has it: there is nothing to give back
