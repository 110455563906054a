"""What the command line asks of a memory about agents."""

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from recense.limits import ACTIONS_LISTED_DEFAULT, AGENTS_LISTED_DEFAULT, BRIEFING_TOKENS_DEFAULT

if TYPE_CHECKING:  # some thirty structs, which no question about sessions needs
    from recense.operations.agents import (
        ActionList,
        ActionView,
        AgentContext,
        AgentList,
        DecideAction,
        ResumeAgent,
    )


class HeldAgent(Protocol):
    """An agent as long as its lease is held."""

    @property
    def context(self) -> "AgentContext":
        """What it was given when it resumed."""
        ...


class AgentOperations(Protocol):
    """The agents of a memory.

    Every method raises what `recense.errors` lists and nothing else; NotFound for an agent, or an
    action, that is not there.
    """

    def list(self, *, limit: int = AGENTS_LISTED_DEFAULT, offset: int = 0) -> "AgentList":
        """Return agents, by id."""
        ...

    def show(self, agent: str, *, token_budget: int = BRIEFING_TOKENS_DEFAULT) -> "AgentContext":
        """Return what an agent would be given, and take no lease."""
        ...

    def resume(self, request: "ResumeAgent") -> AbstractContextManager[HeldAgent]:
        """Take an agent's lease for a block. Raises LeaseHeld while another has it."""
        ...

    def actions(
        self,
        agent: str,
        *,
        unsettled: bool = False,
        limit: int = ACTIONS_LISTED_DEFAULT,
        after: str | None = None,
    ) -> "ActionList":
        """Return actions of an agent, newest first, behind that of an id."""
        ...

    def action(self, agent: str, action_id: str) -> "ActionView":
        """Return one action."""
        ...

    def decide(self, request: "DecideAction", *, holder: str | None = None) -> "ActionView":
        """Say what became of an action. Raises LeaseHeld while the agent runs."""
        ...
