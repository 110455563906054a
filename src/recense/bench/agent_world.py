"""The world that the worker of the kill test acts upon: a server that counts, and a folder.

Law: the server counts a request when it has read it whole and before it answers; whether who asked
was killed meanwhile matters nothing. It serves one request after the other, in the order in which
they came, so that an answer to a request of ours says that all before it were counted.
"""

import os
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Final

from recense.bench.agent_script import Tool, file_content, line_begins, line_of

LOOPBACK: Final = "127.0.0.1"
SECONDS_MAX: Final = 10
"""A request that takes longer has failed."""

YES: Final = "yes"
_LOOKED_AT: Final = "to look at.txt"


class CountingServer(HTTPServer):
    """Counts what it is asked to do: ``sent`` by label; the keys by which each label was
    ``charged``, of which each counts once; ``ordered`` by the order's own id.
    """

    def __init__(self) -> None:
        super().__init__((LOOPBACK, 0), _Handler)
        self.sent: Final[Counter[str]] = Counter()
        self.charged: Final[defaultdict[str, set[str]]] = defaultdict(set)
        self.charges: int = 0
        self.ordered: Final[Counter[str]] = Counter()

    def answer(self, path: str) -> str:
        """Count what a path says, and return the answer."""
        match path.strip("/").split("/"):
            case ["send", label]:
                self.sent[label] += 1
            case ["charge", label, key]:
                self.charges += 1
                self.charged[label].add(key)
            case ["order", order]:
                self.ordered[order] += 1
            case ["is_ordered", order]:
                return YES if self.ordered[order] else "no"
            case _:
                pass
        return YES


class _Handler(BaseHTTPRequestHandler):
    timeout = SECONDS_MAX

    def handle(self) -> None:
        """Answer, also one who is gone meanwhile."""
        with suppress(OSError):
            super().handle()

    def do_POST(self) -> None:
        """Count, then answer."""
        assert isinstance(self.server, CountingServer)  # noqa: S101 -- for the type alone
        answer = self.server.answer(self.path).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- as the base has it
        """Say nothing."""


@contextmanager
def counting_server() -> Generator[CountingServer]:
    """Serve on a free port of the loopback for a block."""
    server = CountingServer()
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def nothing() -> None:
    """Do nothing: what happens within a call unless somebody dies there."""


class Hands:
    """The tools of the worker: they act on a folder, and on a server that listens on a port.

    ``within`` is called in the midst of every act: when half a file is written, or when a request
    is sent and its answer not read.
    """

    def __init__(self, folder: Path, port: int, within: Callable[[], None] = nothing) -> None:
        self.folder: Final = folder
        self._port: Final = port
        self._within: Final = within

    def do(self, tool: Tool, label: str, key: str) -> str:
        """Call a tool once and return what came of it. ``key`` is by what a charge is told from
        another, and an order's own id.
        """
        match tool:
            case "look":
                return self._look()
            case "write_file":
                content = file_content(label).encode()
                path = self.file_of(label)
                return self._in_halves(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, content)
            case "append_line":
                content = line_of(label).encode()
                return self._in_halves(self.lines, os.O_WRONLY | os.O_CREAT | os.O_APPEND, content)
            case "charge":
                return self._ask(f"/charge/{label}/{key}")
            case "order":
                return self._ask(f"/order/{key}")
            case "send":
                return self._ask(f"/send/{label}")

    def is_ordered(self, order: str) -> bool:
        """Whether an order was made: what a probe asks."""
        return self._ask(f"/is_ordered/{order}") == YES

    def settle(self) -> None:
        """Return when every request that was sent before is counted."""
        self._ask("/settle")

    def prepare(self) -> None:
        """Make what there is to look at."""
        (self.folder / _LOOKED_AT).write_text("Oslo", encoding="utf-8")
        self.lines.touch()

    @property
    def lines(self) -> Path:
        """The file to which lines are appended."""
        return self.folder / "lines.txt"

    def file_of(self, label: str) -> Path:
        """Return the file of a label."""
        return self.folder / f"{label}.txt"

    def appended(self, label: str) -> tuple[int, bool]:
        """Return how often the line of a label was begun, and whether it is whole."""
        text = self.lines.read_text(encoding="utf-8")
        return text.count(line_begins(label)), line_of(label) in text

    def _look(self) -> str:
        with (self.folder / _LOOKED_AT).open(encoding="utf-8") as file:
            self._within()
            return file.read()

    def _in_halves(self, path: Path, flags: int, content: bytes) -> str:
        file = os.open(path, flags, 0o600)
        try:
            half = len(content) // 2
            os.write(file, content[:half])
            self._within()
            os.write(file, content[half:])
        finally:
            os.close(file)
        return f"{len(content)} bytes"

    def _ask(self, path: str) -> str:
        connection = HTTPConnection(LOOPBACK, self._port, timeout=SECONDS_MAX)
        try:
            connection.request("POST", path)
            self._within()
            return connection.getresponse().read().decode()
        finally:
            connection.close()
