"""Threads that do the blocking work of a server, so many and no more.

Laws: what waits is bounded, and who comes beyond it is told at once; nothing that was begun is
broken off. The threads are none that a process waits for when it ends: what they have not committed
by then is not kept, as after a kill, and nobody was told that it is.
"""

import asyncio
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Final, TypeVar, cast

from recense.errors import ServerBusy

_Result = TypeVar("_Result")
_Job = Callable[[], None]


class Workers:
    """A few threads, and the calls that wait for one."""

    def __init__(self, name: str, *, threads: int, waiting_max: int) -> None:
        self._name: Final = name
        self._threads: Final = threads
        self._unfinished_max: Final = threads + waiting_max
        self._jobs: Final[SimpleQueue[_Job | None]] = SimpleQueue()
        self._unfinished = 0
        self._is_begun = False

    @property
    def unfinished(self) -> int:
        """How many calls are worked on, or wait to be."""
        return self._unfinished

    async def run(self, work: Callable[[], _Result]) -> _Result:
        """Return what ``work`` returns in a thread, or raise what it raises.

        Raises ServerBusy at once where as many wait as may. For the event loop's own thread.
        """
        if self._unfinished >= self._unfinished_max:
            raise ServerBusy(
                f"{self._unfinished} calls are being answered or wait for it, as many as may",
                hint="try again a little later",
            )
        self._begin()
        loop = asyncio.get_running_loop()
        outcome: asyncio.Future[_Result] = loop.create_future()

        def settle(result: _Result | None, error: BaseException | None) -> None:
            self._unfinished -= 1
            if outcome.done():
                return  # nobody waits for it any more
            if error is not None:
                outcome.set_exception(error)
            else:
                outcome.set_result(cast("_Result", result))  # None where it is one

        def job() -> None:
            if outcome.cancelled():  # before it began: nobody waits for it, and it is not done
                self._tell(loop, settle, None, None)
                return
            try:
                result = work()
            except BaseException as error:  # noqa: BLE001 -- handed to who waits for it
                self._tell(loop, settle, None, error)
            else:
                self._tell(loop, settle, result, None)

        self._unfinished += 1
        self._jobs.put(job)
        return await outcome

    def end(self) -> None:
        """Let each thread end when it has done what it does; what waits then is not begun."""
        for _ in range(self._threads if self._is_begun else 0):
            self._jobs.put(None)

    def _begin(self) -> None:
        if not self._is_begun:
            self._is_begun = True
            for number in range(self._threads):
                threading.Thread(
                    target=self._work, name=f"recense-{self._name}-{number}", daemon=True
                ).start()

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()
            del job  # or what it holds would be held until the next one comes

    @staticmethod
    def _tell(
        loop: asyncio.AbstractEventLoop,
        settle: Callable[[_Result | None, BaseException | None], None],
        result: _Result | None,
        error: BaseException | None,
    ) -> None:
        try:
            loop.call_soon_threadsafe(settle, result, error)
        except RuntimeError:
            return  # the loop has ended, and with it whoever waited
