"""Whether a tool's call may be made, from the actions that were begun before.

Law: an equal act that is open or of unknown outcome stands in the way, whatever the call was named,
until somebody says what became of it: that is what keeps a thing from being done twice by accident.
Once it is settled the next call is another occurrence: doing it twice on purpose stays possible. A
call whose own id was used before is that call, and is not made again, unless it was abandoned:
then it was not made, or changed nothing.
"""

from recense.core.agents.values import Action, ActionClass
from recense.core.values import Value


class AskedAction(Value, kw_only=True):
    """A call that is about to be made: ``act`` names its tool and arguments."""

    act: str
    action_class: ActionClass
    call_id: str | None


class Proceed(Value, kw_only=True, tag="proceed"):
    """The call may be made; it is this occurrence of its act."""

    occurrence: int


class StandsInTheWay(Value, kw_only=True, tag="stands_in_the_way"):
    """An equal act is open or of unknown outcome."""

    action: Action


class AlreadyCalled(Value, kw_only=True, tag="already_called"):
    """The call of this id was begun before, and is this action."""

    action: Action


class CalledOtherwise(Value, kw_only=True, tag="called_otherwise"):
    """The id of the call belongs to another act."""

    action: Action


Beginning = Proceed | StandsInTheWay | AlreadyCalled | CalledOtherwise


def beginning(
    asked: AskedAction, same_call: Action | None, oldest: Action | None, settled: int
) -> Beginning:
    """Return whether a call may be made.

    ``same_call`` is the action of its own call id, ``oldest`` the first of the equal acts that are
    open or of unknown outcome, and ``settled`` is how many equal ones were settled. A *read* under
    a call id of its own is held back by no other read: it changes nothing. So whatever else is
    begun is alone among its equals, and the oldest of them says what all are.
    """
    if same_call is not None and (same_call.act != asked.act or same_call.status != "abandoned"):
        if same_call.act != asked.act:
            return CalledOtherwise(action=same_call)
        return AlreadyCalled(action=same_call)
    if oldest is not None:
        both_read = asked.action_class == oldest.action_class == "read"
        if not (both_read and asked.call_id is not None):
            return StandsInTheWay(action=oldest)
    return Proceed(occurrence=settled)
