"""The loop to copy: an agent that goes on where it was, and does nothing twice for not knowing.

The order is all there is to it. What a call is about is written down before the call is made; what
came of it, with the turn that tells the model, after it; that the step is over, last. Whoever is
killed in between leaves a call of which nobody knows whether it was made, and `reconcile` settles
it by the rule of its class before the model takes another step. What no rule can settle stops the
loop: a person looks, and decides.
"""

from collections.abc import Callable, Mapping
from time import sleep
from typing import Literal, NamedTuple

import msgspec

from recense import (
    ActionHandler,
    AddTurn,
    Agent,
    BeginAction,
    EndAction,
    Memory,
    ResumeAgent,
    StateUpdate,
)
from recense.core.agents.values import ActionClass
from recense.errors import LeaseHeld
from recense.operations.agents import ActionView


class ToolCall(NamedTuple):
    """What a model asks for. ``call_id`` is the model's own id of the call: every API has one."""

    tool: str
    args: dict[str, str]
    call_id: str


class Tool(NamedTuple):
    """A tool: what it does, what doing it again would do, and what settles a call that was open.

    ``call`` gets the arguments and the key of the call, which a *keyed* tool hands on.
    """

    action_class: ActionClass
    call: Callable[[dict[str, str], str], str]
    handler: ActionHandler | None = None


Model = Callable[[list[str], int], ToolCall | None]
"""Is given the messages of this process, of which the first is the briefing, and the step; returns
the next call, None when there is nothing left to do."""

Ended = Literal["done", "needs_a_decision"]

_POLL_MS = 50


def run_agent(
    memory: Memory,
    request: ResumeAgent,
    goal: str,
    model: Model,
    tools: Mapping[str, Tool],
) -> Ended:
    """Let an agent run to its end, or to a call of which only a person can say what became of it.

    Raises LeaseLost where this process stalled for so long that another has the agent: then nothing
    more is written, and the way on is to run the agent again.
    """
    handlers = {tool: each.handler for tool, each in tools.items() if each.handler is not None}
    with resumed_when_free(memory, request) as agent:
        if agent.reconcile(handlers).unsettled:
            return "needs_a_decision"
        context = agent.brief()
        step = context.state.state.step
        messages = [context.briefing.text]
        while (call := model(messages, step)) is not None:
            messages.append(take_step(agent, call, tools[call.tool]))
            step += 1
            progress = f"{call.tool} was the last call"  # how it ended, its turn says
            agent.update_state(StateUpdate(goal=goal, step=step, progress=progress))
        return "done"


def resumed_when_free(memory: Memory, request: ResumeAgent) -> Agent:
    """Return the agent, held by this process: at once, or when the time of a killed process, which
    holds it still, is over. Raises LeaseHeld where somebody renews it: then it runs elsewhere.
    """
    for _ in range(2 * request.ttl_ms // _POLL_MS):
        try:
            return memory.agents.resume(request)
        except LeaseHeld:
            sleep(_POLL_MS / 1_000)
    return memory.agents.resume(request)


def take_step(agent: Agent, call: ToolCall, tool: Tool) -> str:
    """Make a call, and return what the model is told. One that was made already under this id is
    not made again, nor is one like it that is still open: then the model is told that, and what
    came of it where that is known. A tool that raises leaves its call open, as a kill does.
    """
    begun = agent.begin_action(
        BeginAction(
            tool=call.tool,
            action_class=tool.action_class,
            args=call.args,
            call_id=call.call_id,
        )
    )
    if not begun.proceed:
        known = begun.action.result
        return begun.reason if known is None else f"{begun.reason}: {known}"
    result = tool.call(call.args, begun.action.key or begun.id)
    turn = AddTurn(role="tool", name=call.tool, content=result, message_id=call.call_id)
    agent.end_action(EndAction(action=begun.id, result=result, turn=turn))
    return result


def args_of(action: ActionView) -> dict[str, str]:
    """Return the arguments of a call that was open, for a handler that makes it again."""
    return msgspec.convert(action.args, dict[str, str])
