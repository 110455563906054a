"""Every operation with what answers it: the one way in for every door.

Law: whoever asks for an operation, through whatever door, is checked here and here alone, before
anything is done.
"""

from collections.abc import Mapping
from typing import Final

from recense.core.values import Value
from recense.errors import NotFound
from recense.servers.authorization import as_asked_by, require_allowed
from recense.servers.handlers_agents import AGENT_HANDLERS
from recense.servers.handlers_keys import KEY_HANDLERS
from recense.servers.handlers_sessions import SESSION_HANDLERS
from recense.servers.handlers_text import TEXT_HANDLERS
from recense.servers.handlers_typed import TYPED_HANDLERS
from recense.servers.handlers_upkeep import UPKEEP_HANDLERS
from recense.servers.handling import Handled, OperationCall

__all__ = ["HANDLED", "Handled", "OperationCall", "answer"]

HANDLED: Final[Mapping[str, Handled]] = {
    each.operation.name: each
    for each in (
        *TEXT_HANDLERS,
        *TYPED_HANDLERS,
        *AGENT_HANDLERS,
        *SESSION_HANDLERS,
        *UPKEEP_HANDLERS,
        *KEY_HANDLERS,
    )
}


def answer(name: str, call: OperationCall, request: Value) -> Value:
    """Return the answer of an operation to a request of its kind; blocks until it is there.

    Raises NotFound for an operation that there is not, ScopeMissing for one that the credential
    does not allow, IdentityMismatch for a request in another's name, and what the operation raises.
    """
    handled = HANDLED.get(name)
    if handled is None:
        raise NotFound("there is no such operation", hint="docs/api-v1.md lists all there are")
    require_allowed(handled.operation, call.credential)
    return handled.handle(call, as_asked_by(call.credential, request))
