"""Threads that do the blocking work of a server, so many and no more.

Laws: what waits is bounded, and who comes beyond it is told at once; nothing that was begun is
broken off. The threads are none that a process waits for when it ends: what they have not committed
by then is not kept, as after a kill, and nobody was told that it is.

Calls are begun one after the other: the next one when the one before is done, or has lasted for
CALL_ALONE_SECONDS. Each row that is read from a store lets go of Python's lock; two threads that
read take it from one another at each row, and both are done later than one after the other would
be.
"""

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue
from time import monotonic
from typing import Final, TypeVar, cast

from recense.errors import ServerBusy
from recense.limits import CALL_ALONE_SECONDS

_Result = TypeVar("_Result")
_Job = Callable[[], None]


@dataclass(eq=False)
class _BegunCall:
    """A call that is worked on; no other is begun while it ``is_alone``."""

    began_at: float
    is_alone: bool = True


class Workers:
    """A few threads, and the calls that wait for one."""

    def __init__(self, name: str, *, threads: int, waiting_max: int) -> None:
        self._name: Final = name
        self._threads: Final = threads
        self._unfinished_max: Final = threads + waiting_max
        self._jobs: Final[SimpleQueue[_Job | None]] = SimpleQueue()
        self._unfinished = 0
        self._threads_begun = 0
        self._may_begin: Final = threading.Lock()
        """Held by the thread that takes the next call, and then by this call while it is alone;
        let go of by whichever thread ends that."""
        self._begun_lock: Final = threading.Lock()
        self._begun: Final[set[_BegunCall]] = set()
        self._is_timing = False

    @property
    def unfinished(self) -> int:
        """How many calls are worked on, or wait to be."""
        return self._unfinished

    async def run(self, work: Callable[[], _Result]) -> _Result:
        """Return what ``work`` returns in a thread, or raise what it raises.

        Raises ServerBusy at once where as many wait as may, or the system gives no thread. For the
        event loop's own thread.
        """
        if self._unfinished >= self._unfinished_max:
            raise ServerBusy(
                f"{self._unfinished} calls are being answered or wait for it, as many as may",
                hint="try again a little later",
            )
        self._start()
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
            except StopIteration as error:  # which no future takes, so nobody would be told
                ended = RuntimeError("a call raised StopIteration")
                ended.__cause__ = error
                self._tell(loop, settle, None, ended)
            except BaseException as error:  # noqa: BLE001 -- handed to who waits for it
                self._tell(loop, settle, None, error)
            else:
                self._tell(loop, settle, result, None)

        self._unfinished += 1
        self._jobs.put(job)
        if not self._is_timing:
            self._is_timing = True
            loop.call_later(CALL_ALONE_SECONDS, self._let_others_begin, loop)
        return await outcome

    def end(self) -> None:
        """Let each thread end after what was asked before; of that, what nobody waits for any more
        is not begun.
        """
        for _ in range(self._threads_begun):
            self._jobs.put(None)

    def _start(self) -> None:
        """Start the threads that are not. Raises ServerBusy where there can be none now."""
        while self._threads_begun < self._threads:
            name = f"recense-{self._name}-{self._threads_begun}"
            try:
                threading.Thread(target=self._work, name=name, daemon=True).start()
            except RuntimeError as error:
                if self._threads_begun:
                    return  # those that there are do the work; further ones are tried again
                raise ServerBusy(
                    "the system gives no thread to answer calls with",
                    hint="see how many threads and how much memory the process may have",
                ) from error
            self._threads_begun += 1

    def _work(self) -> None:
        while True:
            self._may_begin.acquire()
            job = self._jobs.get()
            if job is None:
                self._may_begin.release()
                return
            call = _BegunCall(monotonic())
            with self._begun_lock:
                self._begun.add(call)
            job()
            del job  # or what it holds would be held until the next one comes
            self._let_next_begin(call)

    def _let_next_begin(self, call: _BegunCall) -> None:
        """End the time in which a call is alone; a second time does nothing."""
        with self._begun_lock:
            self._begun.discard(call)
            was_alone, call.is_alone = call.is_alone, False
        if was_alone:
            self._may_begin.release()

    def _let_others_begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """End the time alone of every call that has had it, now and for as long as any is
        unfinished.
        """
        before = monotonic() - CALL_ALONE_SECONDS
        with self._begun_lock:
            long = [call for call in self._begun if call.began_at <= before]
        for call in long:
            self._let_next_begin(call)
        self._is_timing = self._unfinished > 0
        if self._is_timing:
            loop.call_later(CALL_ALONE_SECONDS, self._let_others_begin, loop)

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
