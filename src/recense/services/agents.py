"""Every agent of a store: resumed, listed, shown, decided upon."""

import atexit
import threading
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from typing import Final

from recense.core.agents.briefing import Tokens
from recense.core.text.tokens import estimate_tokens
from recense.errors import StoreFault
from recense.limits import (
    ACTIONS_LISTED_DEFAULT,
    AGENTS_LISTED_DEFAULT,
    BRIEFING_TOKENS_DEFAULT,
    TURNS_LISTED_DEFAULT,
)
from recense.operations.agent_calls import PointerList
from recense.operations.agents import (
    ActionList,
    ActionView,
    AgentContext,
    AgentList,
    DecideAction,
    OutputPiece,
    ReadOutput,
    ResumeAgent,
    StateView,
    TurnPage,
)
from recense.services.admission import typed
from recense.services.agent import Agent
from recense.services.agent_actions import required_action
from recense.services.agent_briefing import AgentBriefing, FindMemories, require_token_budget
from recense.services.agent_calls import AgentCalls
from recense.services.agent_forgetting import forget_texts
from recense.services.agent_leases import AskedLease, held_here
from recense.services.agent_reading import AgentReading, required_head
from recense.services.agent_store import AgentStore
from recense.services.agent_views import action_view
from recense.services.agent_writer import AgentWriter


class Agents:
    """Every agent of a store. Methods are safe to call from several threads.

    ``calls`` is for agents whose holders are elsewhere, and speak through a server.
    """

    def __init__(self, store: AgentStore, find_memories: FindMemories, *, holder: str) -> None:
        self._store: Final = store
        self._reading: Final = AgentReading(store)
        self._briefing: Final = AgentBriefing(store, find_memories)
        self._holder: Final = holder
        self.calls: Final = AgentCalls(store, self._reading, self._briefing, holder=holder)
        self._lock: Final = threading.Lock()
        self._held: Final[list[Agent]] = []

    def resume(self, request: ResumeAgent, *, tokens: Tokens = estimate_tokens) -> Agent:
        """Return an agent that goes on from what it wrote down, held by the caller; one that wrote
        nothing yet begins. ``tokens`` counts the tokens of its briefing.

        The lease is taken before anything is read, and renewed until the agent is released; with
        ``defer_lease`` it is taken before the first write. Raises LeaseHeld, which says who has the
        agent and for how long, InvalidRequest, and Unsupported where the store has no leases.
        """
        request = typed(request, ResumeAgent)
        require_token_budget(request.token_budget)
        holder = self._holder if request.holder is None else request.holder
        asked = AskedLease(agent=request.agent, holder=holder, ttl_ms=request.ttl_ms)
        writer = AgentWriter(self._store, held_here(self._store, asked), request.agent)
        agent = Agent(
            writer,
            self._reading,
            self._briefing,
            token_budget=request.token_budget,
            tokens=tokens,
            on_release=self._released,
        )
        if not request.defer_lease:
            writer.take()
        with self._lock:
            if not self._held:
                atexit.register(self._end)
            self._held.append(agent)
        try:
            agent.brief()
        except BaseException:
            agent.release()
            raise
        return agent

    def list(
        self, *, agent: str | None = None, limit: int = AGENTS_LISTED_DEFAULT, offset: int = 0
    ) -> AgentList:
        """Return agents by id, or one alone; see `AgentReading.list_agents`."""
        return self._reading.list_agents(agent, limit, offset)

    def show(
        self,
        agent: str,
        *,
        token_budget: int = BRIEFING_TOKENS_DEFAULT,
        tokens: Tokens = estimate_tokens,
    ) -> AgentContext:
        """Return what an agent would be given if it resumed now. Takes no lease and writes nothing.
        Raises NotFound.
        """
        with self._store.reading() as reader:
            head = required_head(reader, agent)
            return self._briefing.context(reader, head, token_budget, tokens)

    def state(self, agent: str, version: int | None = None) -> StateView:
        """Return a version of a working state; see `AgentReading.state`."""
        return self._reading.state(agent, version)

    def turns(
        self, agent: str, *, before: int | None = None, limit: int = TURNS_LISTED_DEFAULT
    ) -> TurnPage:
        """Return a page of turns; see `AgentReading.turns`."""
        return self._reading.turns(agent, before, limit)

    def read_output(self, request: ReadOutput) -> OutputPiece:
        """Return a piece of an output; see `AgentReading.read_output`."""
        return self._reading.read_output(request)

    def actions(
        self,
        agent: str,
        *,
        unsettled: bool = False,
        limit: int = ACTIONS_LISTED_DEFAULT,
        after: str | None = None,
    ) -> ActionList:
        """Return actions, newest first; see `AgentReading.actions`."""
        return self._reading.actions(agent, unsettled=unsettled, limit=limit, after=after)

    def action(self, agent: str, action_id: str) -> ActionView:
        """Return one action, its arguments whole. Raises NotFound."""
        with self._store.reading() as reader:
            required_head(reader, agent)
            action = required_action(reader, agent, action_id)
        return action_view(agent, self._reading.whole(agent, action))

    def pointers(self, agent: str) -> PointerList:
        """Return the pointers that hold; see `AgentReading.pointers`."""
        return self._reading.pointers(agent)

    def decide(self, request: DecideAction, *, holder: str | None = None) -> ActionView:
        """Keep what a person says became of an action; see `AgentCalls.decide`."""
        return self.calls.decide(request, holder=holder)

    def forget_texts(self, sessions: Iterable[str]) -> int:
        """Take out of agents' records what forgotten sessions said; see
        `recense.services.agent_forgetting.forget_texts`.
        """
        return forget_texts(self._store, sessions)

    def release_all(self) -> None:
        """Give back every agent that this process holds. One that cannot be given back keeps no
        other: its lease runs out, and the error is raised when all were tried.
        """
        with self._lock:
            held = list(self._held)
        with ExitStack() as releasing:
            for agent in held:
                releasing.callback(agent.release)

    def _released(self, agent: Agent) -> None:
        with self._lock:
            if agent in self._held:
                self._held.remove(agent)
                if not self._held:
                    atexit.unregister(self._end)

    def _end(self) -> None:
        """Give back what is still held when the program ends; where the store does not let that be,
        each lease runs out.
        """
        with suppress(StoreFault):
            self.release_all()
