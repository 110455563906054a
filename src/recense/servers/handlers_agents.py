"""What answers the operations of agents."""

from recense.operations import agent_operations as asked
from recense.operations.agent_calls import (
    AcquireAgent,
    AgentLease,
    BeginAgentAction,
    EndAgentAction,
    ListActions,
    ListAgents,
    ListPointers,
    PointerList,
    RecentTurns,
    ReconcileActions,
    RecordTurn,
    ReleaseAgent,
    ReleasedAgent,
    RemovedPointer,
    RemovePointer,
    RenewAgent,
    SetAgentPointer,
    ShowAgent,
    StoreOutput,
    UpdateWorkingState,
)
from recense.operations.agents import (
    ActionList,
    ActionView,
    AddedTurn,
    AgentContext,
    AgentList,
    BegunAction,
    DecideAction,
    OutputPiece,
    OutputView,
    PointerView,
    ReadOutput,
    Reconciled,
    ResumeAgent,
    StateView,
    TurnPage,
)
from recense.operations.keys import Credential
from recense.servers.handling import Handled, OperationCall, handled
from recense.services.agent_calls import AgentCalls


def _holder(credential: Credential) -> str | None:
    """Return who holds an agent whose holder has no name; None for this process."""
    return None if credential.key_id is None else f"key {credential.key_id}"


def _calls(call: OperationCall) -> AgentCalls:
    """Return the calls as who asks makes them. Every key of one agent is that agent, whichever came
    first; any other key is itself, in as many processes as have it.
    """
    credential = call.credential
    if credential.agent is not None:
        taker = f"agent {credential.agent}"
    else:
        taker = _holder(credential) or ""
    return call.memory.agents.calls.asked_by(taker)


def _resume(call: OperationCall, request: ResumeAgent) -> AgentContext:
    return _calls(call).resume(request, holder=_holder(call.credential))


def _acquire(call: OperationCall, request: AcquireAgent) -> AgentLease:
    return _calls(call).acquire(request, holder=_holder(call.credential))


def _renew(call: OperationCall, request: RenewAgent) -> AgentLease:
    return _calls(call).renew(request)


def _release(call: OperationCall, request: ReleaseAgent) -> ReleasedAgent:
    return _calls(call).release(request)


def _update_state(call: OperationCall, request: UpdateWorkingState) -> StateView:
    return _calls(call).update_state(request)


def _record_turn(call: OperationCall, request: RecordTurn) -> AddedTurn:
    return _calls(call).record_turn(request)


def _recent_turns(call: OperationCall, request: RecentTurns) -> TurnPage:
    return call.memory.agents.turns(request.agent, before=request.before, limit=request.limit)


def _store_output(call: OperationCall, request: StoreOutput) -> OutputView:
    return _calls(call).store_output(request)


def _fetch_output(call: OperationCall, request: ReadOutput) -> OutputPiece:
    return call.memory.agents.read_output(request)


def _set_pointer(call: OperationCall, request: SetAgentPointer) -> PointerView:
    return _calls(call).set_pointer(request)


def _remove_pointer(call: OperationCall, request: RemovePointer) -> RemovedPointer:
    return _calls(call).remove_pointer(request)


def _list_pointers(call: OperationCall, request: ListPointers) -> PointerList:
    return call.memory.agents.pointers(request.agent)


def _begin_action(call: OperationCall, request: BeginAgentAction) -> BegunAction:
    return _calls(call).begin_action(request)


def _end_action(call: OperationCall, request: EndAgentAction) -> ActionView:
    return _calls(call).end_action(request)


def _reconcile_actions(call: OperationCall, request: ReconcileActions) -> Reconciled:
    return _calls(call).reconcile(request)


def _list_actions(call: OperationCall, request: ListActions) -> ActionList:
    return call.memory.agents.actions(
        request.agent, unsettled=request.unsettled, limit=request.limit, after=request.after
    )


def _list_agents(call: OperationCall, request: ListAgents) -> AgentList:
    return call.memory.agents.list(agent=request.agent, limit=request.limit, offset=request.offset)


def _show_agent(call: OperationCall, request: ShowAgent) -> AgentContext:
    return call.memory.agents.show(request.agent, token_budget=request.token_budget)


def _decide_action(call: OperationCall, request: DecideAction) -> ActionView:
    return call.memory.agents.decide(request, holder=_holder(call.credential))


AGENT_HANDLERS: tuple[Handled, ...] = (
    handled(asked.AGENT_RESUME, _resume),
    handled(asked.AGENT_ACQUIRE, _acquire),
    handled(asked.AGENT_RENEW, _renew),
    handled(asked.AGENT_RELEASE, _release),
    handled(asked.UPDATE_WORKING_STATE, _update_state),
    handled(asked.RECORD_TURN, _record_turn),
    handled(asked.RECENT_TURNS, _recent_turns),
    handled(asked.STORE_OUTPUT, _store_output),
    handled(asked.FETCH_OUTPUT, _fetch_output),
    handled(asked.SET_POINTER, _set_pointer),
    handled(asked.REMOVE_POINTER, _remove_pointer),
    handled(asked.LIST_POINTERS, _list_pointers),
    handled(asked.BEGIN_ACTION, _begin_action),
    handled(asked.END_ACTION, _end_action),
    handled(asked.RECONCILE_ACTIONS, _reconcile_actions),
    handled(asked.LIST_ACTIONS, _list_actions),
    handled(asked.LIST_AGENTS, _list_agents),
    handled(asked.SHOW_AGENT, _show_agent),
    handled(asked.DECIDE_ACTION, _decide_action),
)
