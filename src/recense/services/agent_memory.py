"""The agents of a memory, as the object a user holds has them: loaded when they are asked for."""

import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

from recense.core.transcript.records import AGENT_SOURCE

if TYPE_CHECKING:
    from recense.services.agents import Agents


class AgentMemory:
    """Agents that resume; see `recense.services.agents.Agents`."""

    def __init__(self, load_agents: "Callable[[], Agents]") -> None:
        self._load_agents: Final = load_agents
        self._loading: Final = threading.Lock()
        self._loaded: Agents | None = None

    @property
    def agents(self) -> "Agents":
        """Every agent of this memory."""
        with self._loading:
            if self._loaded is None:
                self._loaded = self._load_agents()
            return self._loaded

    def forget_agent_texts(self, sessions: Iterable[str]) -> None:
        """Take out of the records of agents what sessions said that were forgotten."""
        named = [each for each in sessions if each.startswith(f"{AGENT_SOURCE}:")]
        if named:
            self.agents.forget_texts(named)

    def release_agents(self) -> None:
        """Give back every agent that this memory holds, if any."""
        if self._loaded is not None:
            self._loaded.release_all()
