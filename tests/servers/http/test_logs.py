"""Lines of the log: none is lost, whatever interrupts whom."""

import io
import json
import signal
import threading
import time

import msgspec
import pytest

from recense.servers.http import logs
from recense.servers.http.logs import EventLine, ServerLog


def said(stream: io.BytesIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_each_line_of_many_threads_is_written_once() -> None:
    stream = io.BytesIO()
    log = ServerLog(stream, lambda: 0)
    with log.written():
        threads = [
            threading.Thread(target=lambda: [log.say("one", "line") for _ in range(300)])
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        log.say("last", "line")
    lines = said(stream)
    assert len(lines) == 4 * 300 + 1
    assert lines[-1]["event"] == "last"


def test_a_handler_of_signals_may_say_something_whatever_it_interrupts() -> None:
    stream = io.BytesIO()
    log = ServerLog(stream, lambda: 0)
    interrupted = 0
    lines = 0

    def interrupt(_number: int, _frame: object) -> None:
        nonlocal interrupted
        interrupted += 1
        log.say("signal", "came")

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with log.written():
            signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0003)
            until = time.thread_time() + 0.5
            while time.thread_time() < until and lines < 5_000:
                log.say("one", "line")
                lines += 1
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert interrupted
    assert len(said(stream)) == lines + interrupted


def test_last_words_are_written_before_they_return() -> None:
    stream = io.BytesIO()
    log = ServerLog(stream, lambda: 0)
    with log.written():
        log.say("one", "line")
        log.last_words("killed", "a second signal came")
        assert [line["event"] for line in said(stream)] == ["one", "killed"]


class Held(io.BytesIO):
    """A stream whose reader comes late."""

    def __init__(self) -> None:
        super().__init__()
        self.is_read = threading.Event()

    def flush(self) -> None:
        assert self.is_read.wait(30)


def test_lines_that_are_left_out_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "LOG_LINES_WAITING_MAX", 5)
    stream = Held()
    log = ServerLog(stream, lambda: 0)
    with log.written():
        for _ in range(50):
            log.say("one", "line")
        stream.is_read.set()
    lines = [msgspec.json.decode(line, type=EventLine) for line in stream.getvalue().splitlines()]
    left_out = [line.counts["lines"] for line in lines if line.event == "log_behind"]
    assert left_out
    assert sum(left_out) + len(lines) - len(left_out) == 50
