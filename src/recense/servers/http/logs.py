"""What the server says of its work, on stderr: a line of JSON each.

Laws: no line holds content: no text, name, value or id that a caller sent or was given, and no part
of a key but its public id. Of an error that is a bug of ours stand its type and where it happened.
A handler of signals may say something: it interrupts the thread it runs in wherever that is, so
nothing that a line passes may be held by one thread and waited for by another.
"""

import logging
import threading
import traceback
from collections.abc import Callable, Generator
from contextlib import contextmanager
from queue import SimpleQueue
from typing import BinaryIO, Final, Literal

import msgspec

from recense.core.instants import text_from_instant
from recense.core.values import Value
from recense.limits import (
    LOG_END_SECONDS_MAX,
    LOG_FRAMES_MAX,
    LOG_LAST_WORDS_SECONDS_MAX,
    LOG_LINES_WAITING_MAX,
    LOG_PAUSE_SECONDS,
)

_ENCODER: Final = msgspec.json.Encoder()

_LOUD_ENOUGH: Final = {"uvicorn": logging.WARNING}
"""Of whom else lines are written, and from which level on: what uvicorn says has no content."""


class CallLine(Value, kw_only=True):
    """A call that was answered. ``route`` is a template, never the path as it came."""

    at: str
    event: Literal["call"] = msgspec.field(default="call")
    method: str
    route: str
    status: int
    ms: float
    key: str | None
    trace: str
    code: str = ""


class EventLine(Value, kw_only=True, omit_defaults=True):
    """Something else that happened; ``counts`` are numbers of it, by name."""

    at: str
    event: str
    level: Literal["info", "warning", "error"]
    what: str
    trace: str = ""
    frames: tuple[str, ...] = ()
    counts: dict[str, int] = {}


class ServerLog:
    """Writes lines, each whole, in a thread of its own, so that no call waits for who reads them;
    for any thread. ``now`` returns the present instant.

    Lines that come within LOG_PAUSE_SECONDS are written together: a thread that woke for each of
    them would take Python's lock from the calls as often.
    """

    def __init__(self, stream: BinaryIO, now: Callable[[], int]) -> None:
        self._stream: Final = stream
        self._now: Final = now
        self._waiting: Final[SimpleQueue[bytes | None]] = SimpleQueue()
        """What is to be written, and None at the end; it may be put into from anywhere."""
        self._counting: Final = threading.RLock()
        self._left_out = 0
        self._is_over: Final = threading.Event()
        self._writer: threading.Thread | None = None

    @contextmanager
    def written(self) -> Generator[None]:
        """Write for as long as the context lasts, and at its end what still waits."""
        self._writer = threading.Thread(target=self._write_on, name="recense-log", daemon=True)
        self._writer.start()
        try:
            yield
        finally:
            self._end(self._writer, LOG_END_SECONDS_MAX)

    def last_words(self, event: str, what: str) -> None:
        """Say what happened, and return when it is written, or after a moment: nothing is written
        after it. For who ends the process, also in a handler of signals.
        """
        self.say(event, what, level="warning")
        if self._writer is not None:
            self._end(self._writer, LOG_LAST_WORDS_SECONDS_MAX)

    def call(
        self,
        *,
        method: str,
        route: str,
        status: int,
        ms: float,
        key: str | None,
        trace: str,
        code: str = "",
    ) -> None:
        """Write of a call that was answered."""
        self._write(
            CallLine(
                at=text_from_instant(self._now()),
                method=method,
                route=route,
                status=status,
                ms=round(ms, 2),
                key=key,
                trace=trace,
                code=code,
            )
        )

    def say(
        self,
        event: str,
        what: str,
        *,
        level: Literal["info", "warning", "error"] = "info",
        counts: dict[str, int] | None = None,
    ) -> None:
        """Write what happened, in words that hold no content."""
        at = text_from_instant(self._now())
        self._write(EventLine(at=at, event=event, level=level, what=what, counts=counts or {}))

    def bug(self, error: BaseException, *, trace: str = "") -> None:
        """Write of an error that is a bug of ours: its type, and the lines it came through."""
        frames = traceback.extract_tb(error.__traceback__)[-LOG_FRAMES_MAX:]
        self._write(
            EventLine(
                at=text_from_instant(self._now()),
                event="bug",
                level="error",
                what=type(error).__name__,
                trace=trace,
                frames=tuple(f"{each.filename}:{each.lineno} {each.name}" for each in frames),
            )
        )

    def _write(self, line: CallLine | EventLine) -> None:
        encoded = _ENCODER.encode(line)
        if self._waiting.qsize() >= LOG_LINES_WAITING_MAX:
            with self._counting:
                self._left_out += 1
        else:
            self._waiting.put(encoded)

    def _end(self, writer: threading.Thread, seconds: float) -> None:
        self._is_over.set()
        self._waiting.put(None)
        writer.join(seconds)

    def _write_on(self) -> None:
        lines: list[bytes | None] = []
        while None not in lines:
            lines = [self._waiting.get()]
            self._is_over.wait(LOG_PAUSE_SECONDS)
            lines += [self._waiting.get() for _ in range(self._waiting.qsize())]
            self._write_lines([line for line in lines if line is not None])

    def _write_lines(self, lines: list[bytes]) -> None:
        left_out = self._left_out
        if left_out:
            at, what = text_from_instant(self._now()), "lines were left out"
            behind = EventLine(
                at=at, event="log_behind", level="info", what=what, counts={"lines": left_out}
            )
            lines = [*lines, _ENCODER.encode(behind)]
        try:
            self._stream.write(b"".join(line + b"\n" for line in lines))
            self._stream.flush()
        except (OSError, ValueError):
            return  # nobody reads it any more, and the calls are answered all the same
        with self._counting:
            self._left_out -= left_out


class ForeignLog(logging.Handler):
    """Takes what libraries log, and writes the little of it that is worth a line of ours."""

    def __init__(self, log: ServerLog) -> None:
        super().__init__()
        self._log: Final = log

    def emit(self, record: logging.LogRecord) -> None:
        """Write of a record: the bug it tells of, else a warning of who never tells content."""
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            self._log.bug(error)
            return
        least = _LOUD_ENOUGH.get(record.name.partition(".")[0])
        if least is not None and record.levelno >= least:
            self._log.say(record.name, str(record.msg), level="warning")
