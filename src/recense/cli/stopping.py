"""Stopping a command that goes on until it is told to."""

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType


class Stopping:
    """Whether the process was asked to stop, by SIGINT or SIGTERM.

    The first asks, so that what is being done is done to its end; a second one interrupts that.
    """

    def __init__(self) -> None:
        self._asked = threading.Event()

    def wait(self, seconds: float) -> bool:
        """Wait so long, or until it is to stop; return whether it is."""
        return self._asked.wait(seconds)

    def ask(self, _number: int, _frame: FrameType | None) -> None:
        """Take a signal. Raises KeyboardInterrupt for a second one."""
        if self._asked.is_set():
            raise KeyboardInterrupt
        self._asked.set()


@contextmanager
def stopping() -> Generator[Stopping]:
    """Let SIGINT and SIGTERM ask to stop, for as long as the context lasts."""
    asked = Stopping()
    before = {
        number: signal.signal(number, asked.ask) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
