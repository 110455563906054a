"""What the worker of the kill test does, and where it can be killed.

Step by step it makes one call of a tool: one of each class, on a file or on a server that counts.
Some are made twice on purpose. Everything follows from the number of the step, so that whoever
judges knows what should have happened, and how often.
"""

from typing import Final, Literal, get_args

from recense.core.agents.values import ActionClass
from recense.core.values import Value

Tool = Literal["look", "write_file", "charge", "order", "append_line", "send"]

CLASSES: Final[dict[Tool, ActionClass]] = {
    "look": "read",
    "write_file": "idempotent",
    "charge": "keyed",
    "order": "checkable",
    "append_line": "unsafe",
    "send": "unsafe",
}

Point = Literal[
    "resume_commit",
    "resumed",
    "reconcile_commit",
    "made_again",
    "reconciled",
    "begin_commit",
    "begun",
    "within",
    "done",
    "end_commit",
    "ended",
    "state_commit",
    "stepped",
    "random",
]
"""Where a life ends. ``…_commit`` is when the store is about to keep what was asked of it, and the
word without it when it has kept it. *within*: half a file is written, or a request is sent and its
answer not read. *done*: the call was made and nothing of it is written down. *made_again*: a
handler has made an open call again and has not said so. *random*: at any moment."""

AT_STEPS: Final[tuple[Point, ...]] = (
    *("begin_commit", "begun", "within", "done", "end_commit", "ended"),
    *("state_commit", "stepped"),
)
"""Points that a life passes in every step."""

BEFORE_STEPS: Final[tuple[Point, ...]] = ("resume_commit", "resumed")
"""Points that a life passes before its first step."""

AFTER_A_KILL: Final[tuple[Point, ...]] = ("reconcile_commit", "made_again", "reconciled")
"""Points that a life passes where one before it left a call open."""

POINTS: Final[tuple[Point, ...]] = get_args(Point)

FILE_BYTES: Final = 4_000
"""Bytes of a file that a step writes: half of it can be told from all of it."""

_CALL: Final = "step-"


class ScriptedStep(Value, kw_only=True):
    """One call: of which tool, and what it is about. A step with the label of one before it does
    the same once more, on purpose.
    """

    number: int
    tool: Tool
    label: str

    @property
    def call_id(self) -> str:
        """The id of the call: a retry of this step repeats it."""
        return f"{_CALL}{self.number}"

    @property
    def message_id(self) -> str:
        """The id of the message that tells what the call came to."""
        return f"turn-{self.number}"

    @property
    def args(self) -> dict[str, str]:
        """What the tool is called with."""
        return {"label": self.label}


class Life(Value, kw_only=True):
    """One process of the worker: which agent it is, from when on it lives (the uptime of an
    invented boot, past the lease of whoever died before), how many steps there are, and how it
    ends: at a point of a step, or of any step; ``after_ms`` is when, at *random*.
    """

    agent: str
    uptime_ms: int
    steps: int
    point: Point | None = None
    step: int | None = None
    after_ms: float = 0.0


class LifeReport(Value, kw_only=True, tag="report"):
    """What a life saw when it resumed: the actions that its briefing shows as open or unknown, and
    whether the text has each of them. ``undecided`` is the call that a person has to decide about
    before it goes on, ``is_finished`` that no step is left.
    """

    unsettled: tuple[str, ...] = ()
    unnamed: tuple[str, ...] = ()
    undecided: str | None = None
    is_finished: bool = False


class LifeEnd(Value, kw_only=True, tag="end"):
    """How a process ended: its exit code, or the number of the signal that killed it, negative."""

    exit_code: int


Told = LifeReport | LifeEnd

_ROUND: Final[tuple[Tool, ...]] = (*get_args(Tool), "charge", "order")
"""One round. The last two repeat the charge and the order of their round, on purpose."""


def step_at(number: int) -> ScriptedStep:
    """Return the step of this number."""
    place = number % len(_ROUND)
    tool = _ROUND[place]
    first = number - place + _ROUND.index(tool)
    return ScriptedStep(number=number, tool=tool, label=f"label-{first}")


def step_called(call_id: str | None) -> ScriptedStep:
    """Return the step whose call has this id. Raises ValueError for an id that is no step's."""
    return step_at(int((call_id or "").removeprefix(_CALL)))


def script(steps: int) -> list[ScriptedStep]:
    """Return the first steps."""
    return [step_at(number) for number in range(steps)]


def file_content(label: str) -> str:
    """Return what the file of a label holds when it was written."""
    return (f"{label} " * FILE_BYTES)[:FILE_BYTES]


def line_begins(label: str) -> str:
    """Return how the line of a label begins; half a line has it too."""
    return f"<{label}>"


def line_of(label: str) -> str:
    """Return the line that a label appends."""
    return f"{line_begins(label)} paid, and said so</{label}>\n"
