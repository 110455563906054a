"""One call of an operation, and what answers it."""

from collections.abc import Callable
from typing import TypeVar

from recense.core.values import Value
from recense.operations.admin import Progress
from recense.operations.catalogue import AnyOperation, Operation
from recense.operations.keys import Credential
from recense.services.cancelling import IsCancelled, never, require_wanted
from recense.services.keys import Keys
from recense.services.memory import Memory

_Asked = TypeVar("_Asked", bound=Value)
_Answered = TypeVar("_Answered", bound=Value)


def silent(_progress: Progress) -> None:
    """Take progress and say nothing."""


class OperationCall(Value, kw_only=True):
    """Who asks which memory. ``keys`` are those of its store, where the door has any to issue.
    ``is_cancelled`` may be asked often, from any thread, and ``tell`` is
    told how far a long piece of work has come.
    """

    memory: Memory
    credential: Credential
    keys: Keys | None = None
    is_cancelled: IsCancelled = never
    tell: Callable[[Progress], None] = silent

    def told(self, progress: Progress) -> None:
        """Tell how far a long piece of work has come, which ends here if it was cancelled.

        Raises Cancelled.
        """
        require_wanted(self.is_cancelled)
        self.tell(progress)


class Handled(Value, kw_only=True):
    """An operation and what answers it: blocking, and safe to call from several threads.

    ``handle`` checks nothing: `recense.servers.catalogue.answer` does, before it.
    """

    operation: AnyOperation
    handle: Callable[[OperationCall, Value], Value]


def handled(
    operation: Operation[_Asked, _Answered], handle: Callable[[OperationCall, _Asked], _Answered]
) -> Handled:
    """Return an operation with what answers a request of its kind."""

    def answered(call: OperationCall, request: Value) -> Value:
        if not isinstance(request, operation.request):
            raise TypeError(
                f"{operation.name} is asked {type(request).__name__}, "
                f"expected {operation.request.__name__}"
            )
        return handle(call, request)

    return Handled(operation=operation, handle=answered)
