"""The agents of a memory, as the object a user holds has them: made when they are asked for."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

from recense.core.transcript.records import AGENT_SOURCE

if TYPE_CHECKING:
    from recense.services.agents import Agents


class AgentMemory:
    """Agents that resume; see `recense.services.agents.Agents`.

    ``agents`` makes them when it is first called, and returns the same at each call.
    """

    def __init__(self, agents: "Callable[[], Agents]") -> None:
        self._agents: Final = agents
        self._were_asked_for = False

    @property
    def agents(self) -> "Agents":
        """Every agent of this memory."""
        agents = self._agents()
        self._were_asked_for = True
        return agents

    def forget_agent_texts(self, sessions: Iterable[str]) -> None:
        """Take out of the records of agents what sessions said that were forgotten; those that are
        no agent's are passed over. A second call finds nothing.
        """
        of_agents = [each for each in sessions if each.startswith(f"{AGENT_SOURCE}:")]
        if of_agents:
            self.agents.forget_texts(of_agents)

    def release_agents(self) -> None:
        """Give back every agent that this memory holds; makes none where none was asked for."""
        if self._were_asked_for:
            self._agents().release_all()
