"""Starting the server that a client was told of, to see that it answers.

It is spoken to as a client would: initialize, then the list of its tools, over stdin and stdout
(Model Context Protocol, revision 2025-11-25, lifecycle and stdio transport). It is given so many
seconds for all of it, and ends with us whatever it does.
"""

import json
import os
import queue
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO, Final, cast

from recense.errors import ConnectionUnproven
from recense.limits import (
    CONNECTION_PROOF_BYTES_MAX,
    CONNECTION_PROOF_END_SECONDS_MAX,
    CONNECTION_PROOF_ERROR_CODE_POINTS_MAX,
    CONNECTION_PROOF_SECONDS_MAX,
)
from recense.ports.clock import Clock

PROTOCOL: Final = "2025-11-25"


class ConnectionProof:
    """Starts servers and asks them for their tools."""

    def __init__(
        self,
        clock: Clock,
        environment: Mapping[str, str],
        folder: str,
        *,
        seconds: float = CONNECTION_PROOF_SECONDS_MAX,
    ) -> None:
        self._clock = clock
        self._environment = dict(environment)
        self._folder = folder
        self._seconds = seconds

    def tools(self, words: Sequence[str]) -> int:
        """Return how many tools the server tells of that these words start.

        Raises ConnectionUnproven where it cannot be started, ends, says something else or nothing.
        """
        with tempfile.TemporaryFile() as errors:
            try:
                server = subprocess.Popen(  # noqa: S603 -- the words are those of our own program
                    list(words),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    env=self._environment,
                    cwd=self._folder,
                )
            except OSError as error:
                raise ConnectionUnproven(
                    f"{words[0]} cannot be started: {error.strerror or type(error).__name__}",
                    hint="is Recense still installed there?",
                ) from error
            deadline = self._clock.elapsed_ms() + self._seconds * 1000
            talk = _Talk(server, self._clock, deadline)
            try:
                return talk.tools()
            except ConnectionUnproven as error:
                talk.end()
                raise ConnectionUnproven(error.message + _said(errors), hint=error.hint) from error
            finally:
                talk.end()


class _Talk:
    """One conversation with a server that runs."""

    def __init__(self, server: "subprocess.Popen[bytes]", clock: Clock, deadline: float) -> None:
        self._server = server
        self._clock = clock
        self._deadline = deadline
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def tools(self) -> int:
        self._ask(
            1,
            "initialize",
            {
                "protocolVersion": PROTOCOL,
                "capabilities": {},
                "clientInfo": {"name": "recense-connect", "version": "1"},
            },
        )
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        listed = 0
        cursor: object = None
        number = 1
        while True:
            number += 1
            page = self._ask(number, "tools/list", {} if cursor is None else {"cursor": cursor})
            tools = page.get("tools")
            if not isinstance(tools, list):
                raise ConnectionUnproven("the server answered, and not with a list of tools")
            listed += len(cast("list[object]", tools))
            cursor = page.get("nextCursor")
            if cursor is None:
                return listed

    def end(self) -> None:
        """End the server: politely, then not."""
        with suppress(OSError):  # it ended before it read what we said
            cast("IO[bytes]", self._server.stdin).close()
        try:
            self._server.wait(CONNECTION_PROOF_END_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            self._server.kill()
            self._server.wait()
        self._reader.join(CONNECTION_PROOF_END_SECONDS_MAX)
        if self._server.stdout is not None and not self._reader.is_alive():
            self._server.stdout.close()

    def _ask(self, number: int, method: str, parameters: object) -> dict[str, object]:
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}
        self._send(message)
        while True:
            answer = self._next(method)
            if answer.get("id") != number or "method" in answer:
                continue  # a notification, or a question of the server, which we need not answer
            if not isinstance(answer.get("result"), dict):
                raise ConnectionUnproven(f"the server refused {method}")
            return cast("dict[str, object]", answer["result"])

    def _send(self, message: object) -> None:
        stream = cast("IO[bytes]", self._server.stdin)
        try:
            stream.write(json.dumps(message).encode("utf-8") + b"\n")
            stream.flush()
        except OSError as error:
            raise ConnectionUnproven("the server ended before it was asked anything") from error

    def _next(self, method: str) -> dict[str, object]:
        left = (self._deadline - self._clock.elapsed_ms()) / 1000
        try:
            line = self._lines.get(timeout=max(left, 0.001))
        except queue.Empty:
            raise ConnectionUnproven(
                f"the server did not answer {method} in time",
                hint="start it yourself to see what it waits for",
            ) from None
        if not line:
            raise ConnectionUnproven(f"the server ended, or said too much, before {method}")
        try:
            message: object = json.loads(line)
        except ValueError as error:
            raise ConnectionUnproven("the server wrote something that is no message") from error
        return cast("dict[str, object]", message) if isinstance(message, dict) else {}

    def _read(self) -> None:
        """Hand on lines until there are none, or too many bytes of them; empty is the end."""
        stream = cast("IO[bytes]", self._server.stdout)
        left = CONNECTION_PROOF_BYTES_MAX
        while left > 0 and (line := stream.readline(left)):
            left -= len(line)
            self._lines.put(line)
        self._lines.put(b"")


def _said(errors: IO[bytes]) -> str:
    """Return the end of what a server wrote on stderr, as the end of a sentence."""
    size = errors.seek(0, os.SEEK_END)
    errors.seek(max(0, size - CONNECTION_PROOF_ERROR_CODE_POINTS_MAX * 4))
    text = errors.read().decode("utf-8", "replace").strip()
    shown = text[-CONNECTION_PROOF_ERROR_CODE_POINTS_MAX:]
    return f"; it said: {shown}" if shown else ""
