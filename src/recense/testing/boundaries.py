"""The boundaries of a store, and what a test lets happen at them.

Law: the boundaries of a store are its write methods, before and after each commit. A fault at
*before* acts when nothing of the call was kept; a fault at *after* when all of it was, and the
caller does not learn of it (a lost acknowledgement).
"""

from collections.abc import Callable, Sequence
from typing import Final, Literal, NoReturn, TypeVar

from recense.core.values import Value
from recense.errors import RecenseError

WriteMethod = Literal[
    "archive",
    "append",
    "open_session",
    "stream",
    "restart",
    "set_private",
    "forget",
    "note_file",
    "write_index",
    "empty_index",
    "mend_index",
]
"""The write methods of a store of transcripts."""

RecordWriteMethod = Literal["put", "delete", "append", "acquire", "renew", "release", "fenced_put"]
"""Those of a store of records."""

Moment = Literal["before", "after"]

_Outcome = TypeVar("_Outcome")


class Boundary(Value, kw_only=True):
    """One side of one commit: the ``call``-th call (from 1) of a write method."""

    method: WriteMethod | RecordWriteMethod
    call: int
    moment: Moment


class Fault(Value, kw_only=True):
    """What happens at a boundary: ``act`` raises, ends the process, or does anything else."""

    at: Boundary
    act: Callable[[], object]

    @classmethod
    def raising(cls, at: Boundary, error: RecenseError) -> "Fault":
        """Return a fault that raises an error."""

        def act() -> NoReturn:
            raise error

        return cls(at=at, act=act)


class Boundaries:
    """The boundaries of one store that were reached, in order, also those with a fault."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self._acts: Final = {fault.at: fault.act for fault in faults}
        self._calls: Final[dict[WriteMethod | RecordWriteMethod, int]] = {}
        self.passed: Final[list[Boundary]] = []

    def write(
        self, method: WriteMethod | RecordWriteMethod, commit: Callable[[], _Outcome]
    ) -> _Outcome:
        """Return what a commit returns, with what happens on either side of it."""
        call = self._calls[method] = self._calls.get(method, 0) + 1
        self._pass(Boundary(method=method, call=call, moment="before"))
        outcome = commit()
        self._pass(Boundary(method=method, call=call, moment="after"))
        return outcome

    def _pass(self, boundary: Boundary) -> None:
        self.passed.append(boundary)
        act = self._acts.get(boundary)
        if act is not None:
            act()
