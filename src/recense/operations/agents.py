"""Agents: what they hand over to be written down, and what they are given when they resume.

Instants are text here (`recense.core.instants.text_from_instant`); an ``agent`` is an id as
`recense.core.agents.ids` has it. Bounds are those of `recense.limits`.
"""

from typing import Literal

import msgspec

from recense.core.agents.values import (
    ActionClass,
    ActionStatus,
    ClosedStatus,
    MemoryKind,
    OutcomeStatus,
    PointerType,
    SettledBy,
    TurnRole,
    WorkingState,
)
from recense.core.values import Value
from recense.limits import BRIEFING_TOKENS_DEFAULT, LEASE_TTL_MS, OUTPUT_READ_CODE_POINTS_DEFAULT


class ResumeAgent(Value, kw_only=True, forbid_unknown_fields=True):
    """An agent that wants to go on, or to begin.

    ``holder`` names who asks, for others to read; None is this process. ``token_budget`` is how
    long the briefing may be. ``defer_lease`` reads at once and takes the lease before the first
    write. ``ttl_ms`` is how long the lease holds when nothing renews it: how long an agent stays
    taken after its process was killed.
    """

    agent: str
    holder: str | None = None
    token_budget: int = BRIEFING_TOKENS_DEFAULT
    defer_lease: bool = False
    ttl_ms: int = LEASE_TTL_MS


class AddTurn(Value, kw_only=True, forbid_unknown_fields=True):
    """What was said. ``message_id`` is the caller's own id for it: a second turn of the same one
    changes nothing. ``brief`` is what the turn comes to, in few words. ``at`` is RFC 3339, None
    for now. Content of more than TURN_TOKENS_MAX tokens is kept as an output.
    """

    role: TurnRole
    content: str
    name: str | None = None
    message_id: str | None = None
    brief: str = ""
    at: str | None = None


class AddOutput(Value, kw_only=True, forbid_unknown_fields=True):
    """What a tool gave, to be read again in pieces. Without a ``summary`` its beginning is one."""

    tool: str
    content: str
    summary: str | None = None


class ReadOutput(Value, kw_only=True, forbid_unknown_fields=True):
    """A piece of an output: ``length`` code points from ``offset`` on."""

    agent: str
    ref: str
    offset: int = 0
    length: int = OUTPUT_READ_CODE_POINTS_DEFAULT


class SetPointer(Value, kw_only=True, forbid_unknown_fields=True):
    """Where something outside lies that the agent will need: a git reference, an object, a variable
    of the environment, a thing elsewhere, a process. A pointer of the same name is replaced.
    """

    name: str
    type: PointerType
    fields: dict[str, str] = {}
    note: str = ""


class BeginAction(Value, kw_only=True, forbid_unknown_fields=True):
    """A tool's call that is about to be made. ``args`` is any JSON value.

    ``call_id`` is the caller's own id of the call, where it has one that a retry of the same call
    repeats. ``key`` is what a ``keyed`` tool is called with so that a second call does nothing;
    without one the action's id is the key.
    """

    tool: str
    action_class: ActionClass = msgspec.field(name="class")
    args: object = None
    call_id: str | None = None
    key: str | None = None


class EndAction(Value, kw_only=True, forbid_unknown_fields=True):
    """How an action ended. ``result`` is any JSON value. *unknown* is for a call that may have
    been made, or not: a timeout. ``turn`` is kept in the same commit.
    """

    action: str
    status: Literal["succeeded", "failed", "unknown"] = "succeeded"
    result: object = None
    turn: AddTurn | None = None


class DecideAction(Value, kw_only=True, forbid_unknown_fields=True):
    """What a person says became of an action that is open or unknown: *succeeded* or *failed*,
    *abandoned* when it was not done, *compensated* when it was and is undone. ``epoch`` is that of
    who holds the agent and speaks for the person; without one it must not be held.
    """

    agent: str
    action: str
    status: ClosedStatus
    note: str = ""
    epoch: int | None = None


class StateView(Value, kw_only=True):
    """A version of a working state; versions count from 1, and 0 is that nothing was written."""

    agent: str
    version: int
    at: str | None
    state: WorkingState


class TurnView(Value, kw_only=True):
    """A turn. ``content`` of one that is kept as the output ``output_ref`` is how it begins; None
    where its session was forgotten. ``seq`` counts the turns of an agent from 1.
    """

    seq: int
    role: TurnRole
    name: str | None = None
    content: str | None
    message_id: str | None = None
    brief: str = ""
    output_ref: str | None = None
    at: str


class AddedTurn(Value, kw_only=True):
    """A turn that is kept; ``is_new`` is false for a message that was there already, and then it is
    that one.
    """

    is_new: bool
    turn: TurnView


class TurnPage(Value, kw_only=True):
    """Turns in order, of ``total``. ``before`` leads to the page before this one: the turns with a
    lower seq; None at the first turn.
    """

    agent: str
    turns: tuple[TurnView, ...]
    before: int | None
    total: int


class OutputView(Value, kw_only=True):
    """An output that is kept, without its content; ``length`` counts its code points."""

    ref: str
    tool: str
    summary: str
    length: int
    bytes: int
    at: str


class OutputPiece(Value, kw_only=True):
    """A piece of an output; ``next_offset`` is where it goes on, None at its end."""

    ref: str
    offset: int
    length: int
    text: str
    next_offset: int | None


class PointerView(Value, kw_only=True):
    """A pointer that holds."""

    name: str
    type: PointerType
    fields: dict[str, str]
    note: str
    at: str


class DecisionView(Value, kw_only=True):
    """What a person decided of an action."""

    status: OutcomeStatus
    at: str
    note: str = ""


class ActionView(Value, kw_only=True):
    """An action. Arguments and results that are long lie in outputs, and begin here. ``decisions``
    are what persons had decided before it was begun again, oldest first. See
    `recense.core.agents.values.Action`.
    """

    id: str
    agent: str
    tool: str
    action_class: ActionClass = msgspec.field(name="class")
    status: ActionStatus
    args: object
    args_ref: str | None = None
    args_redacted: bool = False
    call_id: str | None = None
    key: str | None = None
    occurrence: int
    started_at: str
    epoch: int
    step: int
    attempts: int = 1
    result: object = None
    result_ref: str | None = None
    ended_at: str | None = None
    settled_by: SettledBy | None = None
    note: str = ""
    decisions: tuple[DecisionView, ...] = ()


class BegunAction(Value, kw_only=True):
    """Whether to make a call. With ``proceed`` the action ``id`` is written down and open, and the
    call may be made once. Without it ``action`` is the equal one that stands in the way, or that
    was made under this call id already, and ``reason`` says which in words.
    """

    id: str
    proceed: bool
    action: ActionView
    reason: str = ""


class ActionOutcome(Value, kw_only=True):
    """What a tool's call that was made again came to."""

    status: Literal["succeeded", "failed"] = "succeeded"
    result: object = None


class Done(Value, kw_only=True, forbid_unknown_fields=True, tag="done", tag_field="found"):
    """A probe found that an action was done, and what it came to."""

    result: object = None


class NotDone(Value, kw_only=True, forbid_unknown_fields=True, tag="not_done", tag_field="found"):
    """A probe found that an action was not done."""


class CannotTell(
    Value, kw_only=True, forbid_unknown_fields=True, tag="cannot_tell", tag_field="found"
):
    """A probe could not find out: the action stays open, and is looked up again next time."""


Probed = Done | NotDone | CannotTell


SettledRule = Literal["abandoned", "run_again", "found_done", "found_not_done", "unknown"]
"""By what an open action was settled. *found_not_done* says that a probe found so, and that it was
closed."""


class SettledAction(Value, kw_only=True):
    """What became of an open action, by which rule."""

    action: ActionView
    rule: SettledRule


class Reconciled(Value, kw_only=True):
    """The actions that earlier holders left open, as they are now. ``unsettled`` need a handler or
    a decision; those of unknown outcome are among them.
    """

    settled: tuple[SettledAction, ...]
    unsettled: tuple[ActionView, ...]


class BriefedMemory(Value, kw_only=True):
    """A fact or a passage of a session that matched what an agent is about."""

    kind: MemoryKind
    id: str
    text: str
    at: str | None = None
    session: str | None = None


class Omitted(Value, kw_only=True):
    """What a briefing leaves out, of which there is more: with what it shows it adds up."""

    turns: int = 0
    memories: int = 0
    outputs: int = 0


class Briefing(Value, kw_only=True):
    """One text for a model, from nothing but records: equal records give an equal text.

    ``tokens`` is what it costs. Header, working state, pointers and open actions are whole
    whatever the budget; the rest shares what is left of it.
    """

    text: str
    tokens: int
    token_budget: int
    turns: int
    memories: int
    outputs: int
    omitted: Omitted
    memories_unavailable: str = ""


class AgentContext(Value, kw_only=True):
    """What an agent is given when it resumes, and what a person is shown.

    ``epoch`` is that under which the agent may write, and of a look alone the newest that wrote.
    ``actions`` are open or of unknown outcome, oldest first; ``pointers`` by name. ``turns``,
    ``outputs`` and ``memories`` are those that the briefing shows: turns in order, outputs newest
    first, memories best first. ``holder`` is who resumed it last.
    """

    agent: str
    session: str
    epoch: int
    holder: str | None
    state: StateView
    actions: tuple[ActionView, ...]
    pointers: tuple[PointerView, ...]
    outputs: tuple[OutputView, ...]
    memories: tuple[BriefedMemory, ...]
    turns: tuple[TurnView, ...]
    turns_total: int
    outputs_total: int
    briefing: Briefing


class AgentSummary(Value, kw_only=True):
    """An agent, by what it last wrote. ``unsettled`` counts actions open or of unknown outcome."""

    agent: str
    session: str
    goal: str
    step: int
    milestone: str
    state_version: int
    turns: int
    outputs: int
    actions: int
    unsettled: int
    pointers: int
    epoch: int
    holder: str | None
    last_at: str | None


class AgentList(Value, kw_only=True):
    """Agents, by id, of ``total``."""

    agents: tuple[AgentSummary, ...]
    total: int


class ActionList(Value, kw_only=True):
    """Actions of an agent, newest first, of ``total``. ``next_after`` is what the next page, of
    older ones, comes after; None where there is none.
    """

    agent: str
    actions: tuple[ActionView, ...]
    total: int
    next_after: str | None = None
