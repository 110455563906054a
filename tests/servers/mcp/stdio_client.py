"""A client of `recense mcp` that speaks bytes: what the SDK's own would never send."""

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self, cast

SECONDS_MAX = 60
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "0"},
}
Said = dict[str, object]


class StdioClient:
    """One process, its lines, and nothing that is not read within SECONDS_MAX."""

    def __init__(
        self,
        folder: Path,
        *words: str,
        program: Sequence[str] = ("-m", "recense"),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        store = f"sqlite:///{folder / 'recense.db'}"
        self.process = subprocess.Popen(
            [sys.executable, *program, "--store", store, "mcp", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "HOME": str(folder), **(environment or {})},
        )
        self.lines: queue.Queue[bytes | None] = queue.Queue()
        self._answers: dict[object, Said] = {}
        self._number = 0
        self.listens = threading.Event()
        self.listens.set()
        self._diagnoses: queue.Queue[str] = queue.Queue()
        self._readers = [
            threading.Thread(target=read, daemon=True)
            for read in (self._read, self._read_diagnoses)
        ]
        for reader in self._readers:
            reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: object, _trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait(SECONDS_MAX)
        for reader in self._readers:
            reader.join(SECONDS_MAX)
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()

    def begin(self) -> Self:
        """Shake hands as clients of 2025-11-25 do."""
        answer = self.ask("initialize", HELLO)
        assert "result" in answer, answer
        self.tell("notifications/initialized", {})
        return self

    def ask(self, method: str, params: object) -> Said:
        """Send a request and return its answer."""
        return self.answer_to(self.send(method, params))

    def call(self, name: str, arguments: object) -> Said:
        """Call a tool and return its result."""
        answer = self.ask("tools/call", {"name": name, "arguments": arguments})
        return cast("Said", answer["result"])

    def send(self, method: str, params: object, meta: Said | None = None) -> int:
        """Send a request and return its id."""
        self._number += 1
        said = {**cast("Said", params), **({} if meta is None else {"_meta": meta})}
        self.write({"jsonrpc": "2.0", "id": self._number, "method": method, "params": said})
        return self._number

    def tell(self, method: str, params: object) -> None:
        """Send a notification."""
        self.write({"jsonrpc": "2.0", "method": method, "params": params})

    def write(self, message: object) -> None:
        """Send any JSON as a line."""
        self.write_bytes(json.dumps(message, ensure_ascii=False).encode() + b"\n")

    def write_bytes(self, line: bytes) -> None:
        """Send bytes as they are."""
        assert self.process.stdin is not None
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def answer_to(self, named: object) -> Said:
        """Return the answer of this id, in whatever order answers come."""
        while named not in self._answers:
            said = self.next_line()
            if "method" not in said:
                self._answers[said.get("id")] = said
        return self._answers.pop(named)

    def next_line(self) -> Said:
        """Return the next line, which is JSON."""
        line = self.lines.get(timeout=SECONDS_MAX)
        if line is None:
            raise AssertionError(f"the server ended: {self.end()}")
        return cast("Said", json.loads(line))

    def leave(self) -> int:
        """Close stdin and return the exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(SECONDS_MAX)

    def diagnosis(self) -> str:
        """Return the next line of stderr."""
        return self._diagnoses.get(timeout=SECONDS_MAX).rstrip()

    def end(self) -> str:
        """Return what is left on stderr when the process has ended."""
        self.process.wait(SECONDS_MAX)
        return "".join(iter(lambda: self._diagnoses.get(timeout=SECONDS_MAX), ""))

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            for line in lines:
                self.lines.put(line)
                if not self.listens.is_set():
                    break
        self.lines.put(None)

    def _read_diagnoses(self) -> None:
        assert self.process.stderr is not None
        with self.process.stderr as lines:
            for line in lines:
                self._diagnoses.put(line.decode(errors="replace"))
        self._diagnoses.put("")
