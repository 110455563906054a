"""A polite end: SIGTERM ends a program as its own last line does, and its agents are given back.

Law: nothing here is done unless it is asked for. Signals are the program's, and a library that took
one would take it from whoever handles it.
"""

import signal
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

from recense.errors import InvalidRequest

_SIGNALLED = 128
"""What shells add to the number of the signal that ended a program."""


@contextmanager
def ending_on_sigterm() -> Generator[None]:
    """Let SIGTERM end the program as `sys.exit` does, for as long as the block lasts: contexts are
    left, agents are given back, and the exit code is 143.

    Put it before what it is to end in order: ``with ending_on_sigterm(), open() as memory``. It
    interrupts what is being done: a tool's call that it cuts short stays open, as after a kill,
    and is reconciled by whoever resumes. A second SIGTERM ends the program at once, and leases run
    out then. After the block whatever handled the signal before does so again.

    Raises InvalidRequest where it is not the main thread: Python handles signals in that alone.
    """
    if threading.current_thread() is not threading.main_thread():
        raise InvalidRequest(
            f"ending_on_sigterm was entered in thread {threading.current_thread().name!r}; "
            "expected the main thread",
            hint="enter it where the program begins, around the threads that it starts",
        )
    before = signal.signal(signal.SIGTERM, _end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL if before is None else before)


def _end(number: int, _frame: FrameType | None) -> NoReturn:
    signal.signal(number, signal.SIG_DFL)
    sys.exit(_SIGNALLED + number)
