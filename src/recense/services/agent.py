"""An agent that stands up: it holds its lease, and writes down what it does.

    with memory.agents.resume(ResumeAgent(agent="mail-worker")) as agent:
        agent.reconcile(handlers)
        begun = agent.begin_action(BeginAction(tool="send", action_class="unsafe", args=...))
        if begun.proceed:
            agent.end_action(EndAction(action=begun.id, result=send(...)))
        agent.update_state(StateUpdate(step=4, progress="the mail is out"))

Law of order: `begin_action` has written the intent when it answers, so it comes before the act;
`end_action` comes after the act, and its outcome and its turn are one commit; `update_state` comes
last, since it builds on both. Whoever is killed between two of these finds, when it resumes, an
action of unknown outcome, or an outcome that its state does not know of yet: never an act that
nothing tells of, and never a state that builds on an outcome that was not kept.
"""

from collections.abc import Callable, Mapping
from typing import Final, Self

from recense.core.agents.briefing import Tokens
from recense.core.agents.values import StateUpdate
from recense.operations.agents import (
    ActionView,
    AddedTurn,
    AddOutput,
    AddTurn,
    AgentContext,
    BeginAction,
    BegunAction,
    EndAction,
    OutputView,
    PointerView,
    Reconciled,
    SetPointer,
    StateView,
)
from recense.services.agent_actions import AgentActions
from recense.services.agent_briefing import AgentBriefing
from recense.services.agent_reading import AgentReading
from recense.services.agent_reconciling import ActionHandler, AgentReconciling
from recense.services.agent_records import first_head, read_head
from recense.services.agent_state import AgentState
from recense.services.agent_turns import AgentTurns
from recense.services.agent_writer import AgentWriter


class Agent:
    """One agent, held by who resumed it; leaving its context gives it back.

    Methods are safe to call from several threads, one writes at a time. Every method that writes
    raises LeaseLost when the agent was lost meanwhile; LeaseHeld when its lease was deferred and is
    another's by now; NotFound when it would add to a session that was forgotten or closed since the
    agent resumed. Then nothing of the call was kept, and what is lost stays lost.
    """

    def __init__(
        self,
        writer: AgentWriter,
        reading: AgentReading,
        briefing: AgentBriefing,
        *,
        token_budget: int,
        tokens: Tokens,
        on_release: Callable[["Agent"], None],
    ) -> None:
        self._writer: Final = writer
        self._briefing: Final = briefing
        self._token_budget: Final = token_budget
        self._tokens: Final = tokens
        self._on_release: Final = on_release
        self._state: Final = AgentState(writer)
        self._turns: Final = AgentTurns(writer)
        self._actions: Final = AgentActions(writer)
        self._reconciling: Final = AgentReconciling(writer, reading)
        self._context: AgentContext | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.release()

    @property
    def context(self) -> AgentContext:
        """What the agent was given when it resumed, or last asked to be briefed."""
        return self._context or self.brief()

    @property
    def epoch(self) -> int:
        """The epoch under which this holder writes; 0 while its lease is deferred."""
        return self._writer.lease.epoch

    @property
    def is_lost(self) -> bool:
        """Whether the agent is this holder's no more."""
        return self._writer.lease.is_lost

    def brief(self, token_budget: int | None = None) -> AgentContext:
        """Return the context of this moment, with a briefing of at most so many tokens; of those of
        the resume for None. Raises InvalidRequest for a budget outside its bounds.
        """
        agent = self._writer.agent
        with self._writer.store.reading() as reader:
            head = read_head(reader, agent) or first_head(agent)
            if self.epoch:
                self._writer.store.index(head.session)
            budget = self._token_budget if token_budget is None else token_budget
            self._context = self._briefing.context(reader, head, budget, self._tokens)
        return self._context

    def update_state(self, update: StateUpdate) -> StateView:
        """Write the next version of the working state; see `AgentState.update_state`."""
        return self._state.update_state(update)

    def add_turn(self, turn: AddTurn) -> AddedTurn:
        """Keep a turn; see `AgentTurns.add_turn`."""
        return self._turns.add_turn(turn)

    def add_output(self, output: AddOutput) -> OutputView:
        """Keep an output; see `AgentTurns.add_output`."""
        return self._turns.add_output(output)

    def set_pointer(self, pointer: SetPointer) -> PointerView:
        """Keep a pointer; see `AgentState.set_pointer`."""
        return self._state.set_pointer(pointer)

    def remove_pointer(self, name: str) -> bool:
        """Remove a pointer; see `AgentState.remove_pointer`."""
        return self._state.remove_pointer(name)

    def begin_action(self, request: BeginAction) -> BegunAction:
        """Write down a call that is about to be made; see `AgentActions.begin`."""
        return self._actions.begin(request)

    def end_action(self, request: EndAction) -> ActionView:
        """Write down what a call came to; see `AgentActions.end`."""
        return self._actions.end(request)

    def reconcile(self, handlers: Mapping[str, ActionHandler]) -> Reconciled:
        """Settle what a holder before left open; see `AgentReconciling.reconcile`."""
        return self._reconciling.reconcile(handlers)

    def renew(self) -> None:
        """Let the lease hold for its time from now. It is renewed without being asked, as long as
        this process runs. Raises LeaseLost.
        """
        self._writer.lease.renew()

    def release(self) -> None:
        """Give the agent back, so that another may resume it at once. A second call does
        nothing.
        """
        self._on_release(self)
        self._writer.lease.release()
