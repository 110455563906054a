"""The agents of a fake memory: every operation answers with a sample, or with its error."""

from collections.abc import Callable, Generator
from contextlib import contextmanager

from recense.core.values import Value
from recense.limits import ACTIONS_LISTED_DEFAULT, AGENTS_LISTED_DEFAULT, BRIEFING_TOKENS_DEFAULT
from recense.operations.agents import (
    ActionList,
    ActionView,
    AgentContext,
    AgentList,
    DecideAction,
    ResumeAgent,
)
from tests.cli import agent_samples


class AgentAnswers(Value, kw_only=True):
    """What a fake memory answers about agents."""

    agents: AgentList = agent_samples.AGENTS
    context: AgentContext = agent_samples.CONTEXT
    actions: ActionList = agent_samples.ACTIONS
    action: ActionView = agent_samples.CHARGE
    decided: ActionView = agent_samples.DECIDED


class FakeHeldAgent:
    def __init__(self, context: AgentContext) -> None:
        self.context = context


class FakeAgents:
    """Tells what it was asked to ``take``, which may raise."""

    def __init__(self, answers: AgentAnswers, take: Callable[..., None]) -> None:
        self._answers = answers
        self._take = take

    def show(self, agent: str, *, token_budget: int = BRIEFING_TOKENS_DEFAULT) -> AgentContext:
        self._take("show_agent", agent, token_budget)
        return self._answers.context

    @contextmanager
    def resume(self, request: ResumeAgent) -> Generator[FakeHeldAgent]:
        self._take("resume", request)
        yield FakeHeldAgent(self._answers.context)
        self._take("release", request.agent)

    def actions(
        self,
        agent: str,
        *,
        unsettled: bool = False,
        limit: int = ACTIONS_LISTED_DEFAULT,
        after: str | None = None,
    ) -> ActionList:
        self._take("actions", agent, unsettled, limit, after)
        return self._answers.actions

    def action(self, agent: str, action_id: str) -> ActionView:
        self._take("action", agent, action_id)
        return self._answers.action

    def decide(self, request: DecideAction, *, holder: str | None = None) -> ActionView:
        self._take("decide", request, holder)
        return self._answers.decided

    def list(self, *, limit: int = AGENTS_LISTED_DEFAULT, offset: int = 0) -> AgentList:
        self._take("agents", limit, offset)
        return self._answers.agents
