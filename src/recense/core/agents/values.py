"""What an agent writes down: its working state, and the actions by which it touches the world.

Law: an action without an outcome is open. After a crash that means: never started, started and not
done, done and not recorded, or done and changed since. These are four different things, nothing
here can tell them apart, and nothing guesses.
"""

from typing import Final, Literal, TypeVar, get_args

from msgspec import UNSET, UnsetType

from recense.core.values import Value

ActionClass = Literal["read", "idempotent", "keyed", "checkable", "unsafe"]
"""What running a tool's call again does. *read*: it changes nothing. *idempotent*: it reaches the
same state. *keyed*: it is safe with the recorded key. *checkable*: whether it was done can be
looked up. *unsafe*: it would be done twice."""

ClosedStatus = Literal["succeeded", "failed", "abandoned", "compensated"]
"""How an action ended. *abandoned*: nobody needs to know, or somebody decided that it was not done.
*compensated*: it was done, and undone."""

OutcomeStatus = ClosedStatus | Literal["unknown"]
"""*unknown*: it ended, and nobody knows how; somebody has to decide."""

ActionStatus = OutcomeStatus | Literal["open"]

SettledBy = Literal["agent", "reconcile", "probe", "person"]
"""Who said how an action ended: who did it; the rule of its class; a look at the world; a
person."""

PointerType = Literal["git_ref", "object", "env", "external", "process"]

TurnRole = Literal["user", "assistant", "tool", "system"]

MemoryKind = Literal["fact", "passage"]

ACTION_CLASSES: Final[tuple[ActionClass, ...]] = get_args(ActionClass)


class WorkingState(Value, kw_only=True):
    """What an agent is doing, in its own words. ``step`` counts its steps as it likes."""

    goal: str = ""
    plan: tuple[str, ...] = ()
    progress: str = ""
    focus: str = ""
    decisions: tuple[str, ...] = ()
    open_questions: tuple[str, ...] = ()
    notes: str = ""
    step: int = 0
    milestone: str = ""


class StateUpdate(Value, kw_only=True, forbid_unknown_fields=True):
    """The fields of a working state that change: each that is given replaces the one there was,
    lists included; what is left out stays.
    """

    goal: str | UnsetType = UNSET
    plan: tuple[str, ...] | UnsetType = UNSET
    progress: str | UnsetType = UNSET
    focus: str | UnsetType = UNSET
    decisions: tuple[str, ...] | UnsetType = UNSET
    open_questions: tuple[str, ...] | UnsetType = UNSET
    notes: str | UnsetType = UNSET
    step: int | UnsetType = UNSET
    milestone: str | UnsetType = UNSET


class Settlement(Value, kw_only=True):
    """How an action ended. ``result`` is JSON after the gate, None for none; one that is long lies
    in the output ``result_ref``, and ``result`` is how it begins, as a text of JSON. ``note`` says
    why, where somebody decided.
    """

    status: OutcomeStatus
    result: str | None = None
    result_ref: str | None = None
    ended_at: int
    settled_by: SettledBy
    note: str = ""


class Action(Value, kw_only=True):
    """A tool's call that touches the world, written down before it is made.

    ``args`` is canonical JSON after the gate; long ones lie in the output ``args_ref``, and
    ``args`` is how they begin, as a text of JSON. ``args_redacted`` says that the gate hid
    something in them, so that they cannot be handed to the tool again as they were. ``act`` names
    the tool and its arguments, whatever they were called by; ``occurrence`` is how many equal ones
    had ended before. ``attempts`` counts how often somebody set about making the call. ``epoch`` is
    that of who began it, ``step`` the working state's then. ``outcome`` is None while nobody knows
    how it ended. ``decisions`` are what persons had decided before it was begun again under its
    call id, oldest first.
    """

    action_id: str
    tool: str
    action_class: ActionClass
    args: str
    args_ref: str | None = None
    args_redacted: bool = False
    act: str
    occurrence: int
    call_id: str | None = None
    key: str | None = None
    started_at: int
    epoch: int
    step: int
    attempts: int = 1
    outcome: Settlement | None = None
    decisions: tuple[Settlement, ...] = ()

    @property
    def status(self) -> ActionStatus:
        """What is known of how it ended."""
        return "open" if self.outcome is None else self.outcome.status

    @property
    def is_settled(self) -> bool:
        """Whether it ended, and somebody knows how."""
        return self.outcome is not None and self.outcome.status != "unknown"

    @property
    def decided(self) -> tuple[Settlement, ...]:
        """All that persons decided of it, oldest first; the newest may be its outcome."""
        if self.outcome is None or self.outcome.settled_by != "person":
            return self.decisions
        return (*self.decisions, self.outcome)


class Turn(Value, kw_only=True):
    """What was said. ``content`` is None where its session was forgotten; that of a turn that is
    kept as an output is how it begins. ``seq`` counts the turns of an agent from 1.
    """

    seq: int
    role: TurnRole
    name: str | None = None
    content: str | None
    message_id: str | None = None
    brief: str = ""
    output_ref: str | None = None
    at: int


class Output(Value, kw_only=True):
    """What a tool gave, without its content, of which ``length`` counts the code points and
    ``size`` the bytes.
    """

    ref: str
    tool: str
    summary: str
    length: int
    size: int
    at: int


class Pointer(Value, kw_only=True):
    """Where something outside lies."""

    name: str
    type: PointerType
    fields: dict[str, str]
    note: str
    at: int


class FoundMemory(Value, kw_only=True):
    """A fact or a passage that matches what an agent is about; ``name`` is the fact's id or the
    passage's anchor, ``session`` where the passage is from.
    """

    kind: MemoryKind
    name: str
    text: str
    at: str | None = None
    session: str | None = None


_Field = TypeVar("_Field")


def merged(state: WorkingState, update: StateUpdate) -> WorkingState:
    """Return a state with the fields that an update gives."""
    return WorkingState(
        goal=_given(update.goal, state.goal),
        plan=_given(update.plan, state.plan),
        progress=_given(update.progress, state.progress),
        focus=_given(update.focus, state.focus),
        decisions=_given(update.decisions, state.decisions),
        open_questions=_given(update.open_questions, state.open_questions),
        notes=_given(update.notes, state.notes),
        step=_given(update.step, state.step),
        milestone=_given(update.milestone, state.milestone),
    )


def _given(new: _Field | UnsetType, old: _Field) -> _Field:
    return old if isinstance(new, UnsetType) else new
