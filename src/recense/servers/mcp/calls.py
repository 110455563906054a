"""The calls of a server that are at work on threads, and how they end."""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Final, Protocol, TypeVar

from recense.services.cancelling import IsCancelled

_Result = TypeVar("_Result")


class RunBlocking(Protocol):
    """Runs what blocks on a thread, of which there are so many and no more."""

    async def __call__(self, work: Callable[[], _Result], /) -> _Result:
        """Return what ``work`` returns, or raise what it raises."""
        ...


class CallsAtWork:
    """Calls that threads work on; for any thread.

    Who stops waiting for one does so at once; what still runs learns of it and soon ends.
    """

    def __init__(self, run: RunBlocking) -> None:
        self._run: Final = run
        self._changed: Final = threading.Condition()
        self._at_work = 0
        self._all_are_cancelled = False

    async def run(self, work: Callable[[IsCancelled], _Result]) -> _Result:
        """Return what ``work`` returns, run on a thread."""
        is_over = threading.Event()

        def is_cancelled() -> bool:
            return is_over.is_set() or self._all_are_cancelled

        def on_thread() -> _Result:
            with self._counted():
                return work(is_cancelled)

        try:
            return await self._run(on_thread)
        finally:
            is_over.set()

    def cancel_all(self) -> None:
        """Tell every call, and every one that comes, that nobody waits for it."""
        self._all_are_cancelled = True

    def wait_for_end(self, seconds: float) -> None:
        """Wait until no thread works on a call, at most so long."""
        with self._changed:
            self._changed.wait_for(lambda: not self._at_work, seconds)

    @contextmanager
    def _counted(self) -> Generator[None]:
        with self._changed:
            self._at_work += 1
        try:
            yield
        finally:
            with self._changed:
                self._at_work -= 1
                self._changed.notify_all()
