"""The operations of agents: about themselves while they hold their lease, and about them for who
looks after them.

Each that writes as an agent names its epoch, but for those that take the agent.
"""

from typing import Final

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
from recense.operations.operation import AnyOperation, Operation

AGENT_RESUME: Final = Operation(
    name="agent_resume",
    summary="Take an agent, and get what it goes on from: its briefing, and the epoch to write by.",
    request=ResumeAgent,
    answer=AgentContext,
    surface="agent",
    scope="agent",
    changes=True,
    repeatable=False,
)
AGENT_ACQUIRE: Final = Operation(
    name="agent_acquire",
    summary="Take an agent that was resumed with defer_lease, before its first write.",
    request=AcquireAgent,
    answer=AgentLease,
    surface="agent",
    scope="agent",
    changes=True,
    repeatable=False,
)
AGENT_RENEW: Final = Operation(
    name="agent_renew",
    summary="Keep an agent while there is nothing to write: each write keeps it too.",
    request=RenewAgent,
    answer=AgentLease,
    surface="agent",
    scope="agent",
    changes=True,
)
AGENT_RELEASE: Final = Operation(
    name="agent_release",
    summary="Give an agent back, so that another may resume it at once.",
    request=ReleaseAgent,
    answer=ReleasedAgent,
    surface="agent",
    scope="agent",
    changes=True,
)
UPDATE_WORKING_STATE: Final = Operation(
    name="update_working_state",
    summary="Write where the agent stands: the fields that are given change, the others stay.",
    request=UpdateWorkingState,
    answer=StateView,
    surface="agent",
    scope="agent",
    changes=True,
)
RECORD_TURN: Final = Operation(
    name="record_turn",
    summary="Keep what was said; with a message_id it is kept once, however often it is sent.",
    request=RecordTurn,
    answer=AddedTurn,
    surface="agent",
    scope="agent",
    changes=True,
    repeatable=False,
)
RECENT_TURNS: Final = Operation(
    name="recent_turns",
    summary="List the newest turns of an agent, page by page into the past.",
    request=RecentTurns,
    answer=TurnPage,
    surface="agent",
    scope="agent",
)
STORE_OUTPUT: Final = Operation(
    name="store_output",
    summary="Keep what a tool gave, to be read again in pieces.",
    request=StoreOutput,
    answer=OutputView,
    surface="agent",
    scope="agent",
    changes=True,
    repeatable=False,
)
FETCH_OUTPUT: Final = Operation(
    name="fetch_output",
    summary="Read a piece of an output.",
    request=ReadOutput,
    answer=OutputPiece,
    surface="agent",
    scope="agent",
)
SET_POINTER: Final = Operation(
    name="set_pointer",
    summary="Keep where something outside lies that the agent will need.",
    request=SetAgentPointer,
    answer=PointerView,
    surface="agent",
    scope="agent",
    changes=True,
)
REMOVE_POINTER: Final = Operation(
    name="remove_pointer",
    summary="Remove a pointer.",
    request=RemovePointer,
    answer=RemovedPointer,
    surface="agent",
    scope="agent",
    changes=True,
    destructive=True,
)
LIST_POINTERS: Final = Operation(
    name="list_pointers",
    summary="List the pointers of an agent, by name.",
    request=ListPointers,
    answer=PointerList,
    surface="agent",
    scope="agent",
)
BEGIN_ACTION: Final = Operation(
    name="begin_action",
    summary="Write down a tool's call before it is made, and learn whether to make it.",
    request=BeginAgentAction,
    answer=BegunAction,
    surface="agent",
    scope="agent",
    changes=True,
)
END_ACTION: Final = Operation(
    name="end_action",
    summary="Write down what a call came to, after it was made.",
    request=EndAgentAction,
    answer=ActionView,
    surface="agent",
    scope="agent",
    changes=True,
)
RECONCILE_ACTIONS: Final = Operation(
    name="reconcile_actions",
    summary="Say what was found out of actions that a holder before left open, and close the rest.",
    request=ReconcileActions,
    answer=Reconciled,
    surface="agent",
    scope="agent",
    changes=True,
)
LIST_ACTIONS: Final = Operation(
    name="list_actions",
    summary="List the actions of an agent, newest first, or those alone that are not settled.",
    request=ListActions,
    answer=ActionList,
    surface="agent",
    scope="agent",
)
LIST_AGENTS: Final = Operation(
    name="list_agents",
    summary="List the agents that wrote something down, by their id.",
    request=ListAgents,
    answer=AgentList,
    surface="admin",
    scope="agent",
)
SHOW_AGENT: Final = Operation(
    name="show_agent",
    summary="Show what an agent was doing, and what it does not know. It is not taken.",
    request=ShowAgent,
    answer=AgentContext,
    surface="admin",
    scope="agent",
)
DECIDE_ACTION: Final = Operation(
    name="decide_action",
    summary="Say, as a person, what became of an action whose outcome nobody knows.",
    request=DecideAction,
    answer=ActionView,
    surface="admin",
    scope="admin",
    changes=True,
)

AGENT_OPERATIONS: Final[tuple[AnyOperation, ...]] = (
    AGENT_RESUME,
    AGENT_ACQUIRE,
    AGENT_RENEW,
    AGENT_RELEASE,
    UPDATE_WORKING_STATE,
    RECORD_TURN,
    RECENT_TURNS,
    STORE_OUTPUT,
    FETCH_OUTPUT,
    SET_POINTER,
    REMOVE_POINTER,
    LIST_POINTERS,
    BEGIN_ACTION,
    END_ACTION,
    RECONCILE_ACTIONS,
    LIST_ACTIONS,
    LIST_AGENTS,
    SHOW_AGENT,
    DECIDE_ACTION,
)
