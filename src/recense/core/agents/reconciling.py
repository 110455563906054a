"""What becomes of an action that a holder before left open: a rule for each class.

| class | the rule |
|---|---|
| read | it changes nothing: abandoned, and the model may repeat it |
| idempotent | made again, the result recorded |
| keyed | made again with the recorded key |
| checkable | looked up: done, closed with what was found; not done, made again or closed |
| unsafe | never made again: unknown, until somebody decides |

Law: what nobody can settle stays open or unknown, and is shown; nothing is guessed.
"""

from typing import Literal, assert_never

from recense.core.agents.values import Action
from recense.core.values import Value


class Abandon(Value, kw_only=True, tag="abandon"):
    """Close the action: nobody needs to know."""


class RunAgain(Value, kw_only=True, tag="run_again"):
    """Make the call again, with its key where it has one."""


class LookUp(Value, kw_only=True, tag="look_up"):
    """Ask the world whether it was done."""


class CallUnknown(Value, kw_only=True, tag="call_unknown"):
    """Say that nobody knows."""

    reason: str


class LeaveOpen(Value, kw_only=True, tag="leave_open"):
    """There is nothing that could settle it here."""


LastRule = Abandon | RunAgain | CallUnknown | LeaveOpen
"""What becomes of an action of which no more can be found out."""

Rule = LastRule | LookUp

WhenNotDone = Literal["run_again", "close"]
"""What a caller wishes for a checkable action that was not done."""


def rule_for(action: Action, *, can_run_again: bool, can_probe: bool) -> Rule:
    """Return what becomes of an open action, given what its tool's handler can do.

    A call whose arguments held a secret cannot be made again as it was: the secret is not kept.
    """
    match action.action_class:
        case "read":
            return Abandon()
        case "idempotent" | "keyed":
            return _again(action, can_run_again=can_run_again)
        case "checkable":
            if can_probe:
                return LookUp()
            return LeaveOpen()
        case "unsafe":
            return CallUnknown(reason="it may have been done, and must not be done twice")
        case _:
            assert_never(action.action_class)


def rule_when_not_done(action: Action, wish: WhenNotDone, *, can_run_again: bool) -> LastRule:
    """Return what becomes of a checkable action that was not done, as the caller wishes."""
    return Abandon() if wish == "close" else _again(action, can_run_again=can_run_again)


def _again(action: Action, *, can_run_again: bool) -> LastRule:
    if not can_run_again:
        return LeaveOpen()
    if action.args_redacted:
        return CallUnknown(reason="its arguments held a secret, which is not kept")
    return RunAgain()
