"""How much is worked on and waited for."""

import asyncio
import threading

import pytest

from recense.errors import NotFound, ServerBusy
from recense.servers import workers as workers_module
from recense.servers.workers import Workers


def test_what_is_worked_on_is_returned_or_raised() -> None:
    async def ask() -> tuple[int, str]:
        workers = Workers("test", threads=2, waiting_max=2)
        try:
            one = await workers.run(lambda: 1)
            with pytest.raises(NotFound):
                await workers.run(missing)
            return one, await workers.run(lambda: threading.current_thread().name)
        finally:
            workers.end()

    def missing() -> None:
        raise NotFound("there is nothing")

    one, name = asyncio.run(ask())
    assert one == 1
    assert name.startswith("recense-test-")


def test_who_comes_beyond_those_that_may_wait_is_told_at_once() -> None:
    async def ask() -> list[int]:
        workers = Workers("test", threads=1, waiting_max=1)
        may_end = threading.Event()

        def held() -> int:
            may_end.wait(30)
            return 1

        try:
            taken = [asyncio.ensure_future(workers.run(held)) for _ in range(2)]
            await asyncio.sleep(0)
            with pytest.raises(ServerBusy):
                await workers.run(held)
            may_end.set()
            return list(await asyncio.gather(*taken))
        finally:
            may_end.set()
            workers.end()

    assert asyncio.run(ask()) == [1, 1]


def test_what_nobody_waits_for_any_more_is_not_begun() -> None:
    done: list[str] = []

    async def ask() -> int:
        workers = Workers("test", threads=1, waiting_max=2)
        may_end = threading.Event()
        try:
            first = asyncio.ensure_future(workers.run(lambda: may_end.wait(30)))
            second = asyncio.ensure_future(workers.run(lambda: done.append("second")))
            await asyncio.sleep(0)
            second.cancel()
            third = asyncio.ensure_future(workers.run(lambda: done.append("third")))
            await asyncio.sleep(0)
            may_end.set()
            await asyncio.gather(first, third)
            return workers.unfinished
        finally:
            may_end.set()
            workers.end()

    assert asyncio.run(ask()) == 0
    assert done == ["third"]


def test_a_call_that_ends_as_no_coroutine_may_is_an_error_and_not_waited_for_forever() -> None:
    def over() -> object:
        return next(iter(()))

    async def ask() -> int:
        workers = Workers("test", threads=1, waiting_max=1)
        try:
            with pytest.raises(RuntimeError, match="StopIteration"):
                await asyncio.wait_for(workers.run(over), 30)
            return workers.unfinished
        finally:
            workers.end()

    assert asyncio.run(ask()) == 0


def test_threads_that_could_not_be_begun_are_begun_when_they_can_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun: list[threading.Thread] = []
    start = threading.Thread.start

    def started(thread: threading.Thread) -> None:
        if not begun:
            begun.append(thread)
            raise RuntimeError("can't start new thread")
        start(thread)

    async def ask() -> int:
        workers = Workers("test", threads=2, waiting_max=1)
        try:
            with pytest.raises(ServerBusy):
                await workers.run(lambda: 1)
            return await asyncio.wait_for(workers.run(lambda: 2), 30)
        finally:
            workers.end()

    monkeypatch.setattr(threading.Thread, "start", started)
    assert asyncio.run(ask()) == 2


def test_short_calls_are_answered_beside_long_ones_and_after_a_loop_that_was_held_up() -> None:
    async def ask() -> list[int]:
        workers = Workers("test", threads=3, waiting_max=40)
        may_end = threading.Event()
        try:
            long = [asyncio.ensure_future(workers.run(lambda: may_end.wait(30))) for _ in range(2)]
            short = [asyncio.ensure_future(workers.run(lambda: 1)) for _ in range(40)]
            await asyncio.sleep(0)
            done = await asyncio.wait_for(asyncio.gather(*short), 30)
            may_end.set()
            await asyncio.gather(*long)
            return list(done)
        finally:
            may_end.set()
            workers.end()

    assert asyncio.run(ask()) == [1] * 40


def test_short_calls_are_worked_on_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers_module, "CALL_ALONE_SECONDS", 3_600.0)

    async def ask() -> list[bool]:
        workers = Workers("test", threads=2, waiting_max=2)
        both = threading.Barrier(2)

        def meets_another() -> bool:
            try:
                both.wait(0.05)
            except threading.BrokenBarrierError:
                return False
            return True

        try:
            return list(await asyncio.gather(*(workers.run(meets_another) for _ in range(2))))
        finally:
            workers.end()

    assert asyncio.run(ask()) == [False, False]


def test_a_call_that_takes_long_does_not_keep_the_next_one_waiting() -> None:
    async def ask() -> bool:
        workers = Workers("test", threads=2, waiting_max=2)
        next_is_done = threading.Event()
        try:
            long = asyncio.ensure_future(workers.run(lambda: next_is_done.wait(30)))
            await asyncio.sleep(0)
            await workers.run(next_is_done.set)
            return await long
        finally:
            next_is_done.set()
            workers.end()

    assert asyncio.run(ask())
