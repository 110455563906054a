"""Agents over a wire: who is elsewhere says with each write which agent it is, and under which
epoch.

An ``epoch`` is what `ResumeAgent` or `AcquireAgent` answered with. It holds for its ``ttl_ms`` from
the last call that named it; a call that names one which is over writes nothing. The other fields
are those of the struct that a request is made from.
"""

from recense.core.agents.values import StateUpdate
from recense.core.values import Value
from recense.limits import (
    ACTIONS_LISTED_DEFAULT,
    AGENTS_LISTED_DEFAULT,
    BRIEFING_TOKENS_DEFAULT,
    LEASE_TTL_MS,
    TURNS_LISTED_DEFAULT,
)
from recense.operations.agents import (
    AddOutput,
    AddTurn,
    BeginAction,
    EndAction,
    PointerView,
    Probed,
    SetPointer,
)


class AcquireAgent(Value, kw_only=True, forbid_unknown_fields=True):
    """An agent that was resumed without being taken, and is to write now. See `ResumeAgent`."""

    agent: str
    holder: str | None = None
    ttl_ms: int = LEASE_TTL_MS


class ReleaseAgent(Value, kw_only=True, forbid_unknown_fields=True):
    """An agent that is given back, so that another may resume it at once."""

    agent: str
    epoch: int


class RenewAgent(Value, kw_only=True, forbid_unknown_fields=True):
    """An agent whose holder is there, and has nothing to write: it thinks, or waits for a tool."""

    agent: str
    epoch: int


class UpdateWorkingState(StateUpdate, kw_only=True, forbid_unknown_fields=True):
    """The fields of a working state that change: each that is given replaces the one there was,
    lists included; what is left out stays.
    """

    agent: str
    epoch: int


class RecordTurn(AddTurn, kw_only=True, forbid_unknown_fields=True):
    """What was said. ``message_id`` is the caller's own id for it: a second turn of the same one
    changes nothing. ``brief`` is what the turn comes to, in few words. ``at`` is RFC 3339, None
    for now. Content of more than TURN_TOKENS_MAX tokens is kept as an output.
    """

    agent: str
    epoch: int


class StoreOutput(AddOutput, kw_only=True, forbid_unknown_fields=True):
    """What a tool gave, to be read again in pieces. Without a ``summary`` its beginning is one."""

    agent: str
    epoch: int


class SetAgentPointer(SetPointer, kw_only=True, forbid_unknown_fields=True):
    """Where something outside lies that the agent will need: a git reference, an object, a variable
    of the environment, a thing elsewhere, a process. A pointer of the same name is replaced.
    """

    agent: str
    epoch: int


class RemovePointer(Value, kw_only=True, forbid_unknown_fields=True):
    """A pointer that is needed no longer."""

    agent: str
    epoch: int
    name: str


class BeginAgentAction(BeginAction, kw_only=True, forbid_unknown_fields=True):
    """A tool's call that is about to be made. ``args`` is any JSON value.

    ``call_id`` is the caller's own id of the call, where it has one that a retry of the same call
    repeats. ``key`` is what a ``keyed`` tool is called with so that a second call does nothing;
    without one the action's id is the key.
    """

    agent: str
    epoch: int


class EndAgentAction(EndAction, kw_only=True, forbid_unknown_fields=True):
    """How an action ended. ``result`` is any JSON value. *unknown* is for a call that may have
    been made, or not: a timeout. ``turn`` is kept in the same commit.
    """

    agent: str
    epoch: int


class LookedUpAction(Value, kw_only=True, forbid_unknown_fields=True):
    """What its caller found out about an action of class *checkable* that a holder before left
    open. One that was not done is closed; begun again under its call id it is made again.
    """

    action: str
    answer: Probed


class ReconcileActions(Value, kw_only=True, forbid_unknown_fields=True):
    """An agent whose open actions of holders before are to be settled by the rules of their
    classes: a *read* is abandoned, an *unsafe* one becomes unknown, and a *checkable* one is what
    ``looked_up`` says. What is *idempotent* or *keyed* stays open: its caller makes it again, with
    the action's key, and ends the action.
    """

    agent: str
    epoch: int
    looked_up: tuple[LookedUpAction, ...] = ()


class ListAgents(Value, kw_only=True, forbid_unknown_fields=True):
    """The agents there are, by id, without the first ``offset``; of ``agent`` alone where it is
    given.
    """

    agent: str | None = None
    limit: int = AGENTS_LISTED_DEFAULT
    offset: int = 0


class ShowAgent(Value, kw_only=True, forbid_unknown_fields=True):
    """What an agent would be given if it resumed now. It is not taken."""

    agent: str
    token_budget: int = BRIEFING_TOKENS_DEFAULT


class RecentTurns(Value, kw_only=True, forbid_unknown_fields=True):
    """The newest turns of an agent; with ``before`` those with a lower seq."""

    agent: str
    before: int | None = None
    limit: int = TURNS_LISTED_DEFAULT


class ListPointers(Value, kw_only=True, forbid_unknown_fields=True):
    """The pointers of an agent that hold."""

    agent: str


class ListActions(Value, kw_only=True, forbid_unknown_fields=True):
    """The actions of an agent, newest first; of the ``unsettled`` alone where that is asked, and
    behind the action ``after`` where that is given.
    """

    agent: str
    unsettled: bool = False
    limit: int = ACTIONS_LISTED_DEFAULT
    after: str | None = None


class AgentLease(Value, kw_only=True):
    """An agent that is held. ``epoch`` goes along with each of its writes; it holds for ``ttl_ms``
    from the last call that named it. ``state_version`` and ``turns`` say how much there is of what
    it wrote: who read less reads again.
    """

    agent: str
    epoch: int
    holder: str
    ttl_ms: int
    state_version: int
    turns: int


class ReleasedAgent(Value, kw_only=True):
    """An agent that is not held under this epoch any more."""

    agent: str
    epoch: int


class RemovedPointer(Value, kw_only=True):
    """A pointer that is not there; ``was_there`` is false where it was not before either."""

    agent: str
    name: str
    was_there: bool


class PointerList(Value, kw_only=True):
    """The pointers of an agent that hold, by name."""

    agent: str
    pointers: tuple[PointerView, ...]
