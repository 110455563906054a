"""Asks a server over many connections at once, as many clients would: in a process of its own.

usage: python -m recense.bench.load    reads a `Load` from stdin, writes a `LoadReport`

Each connection sends one call after the other, drawn from the seed by weight, and waits for each
answer. HTTP is written and read here by hand: a client that does more would take from the server
the processor that both share.
"""

import asyncio
import random
import sys
from collections import Counter
from collections.abc import Sequence
from time import perf_counter
from typing import Final

import msgspec

from recense.core.values import Value

OK: Final = 200
ANSWER_SECONDS_MAX: Final = 60.0
"""A call that is not answered by then has failed."""

_HEAD_END: Final = b"\r\n\r\n"
_LENGTH: Final = b"content-length:"


class Weighted(Value, kw_only=True):
    """Calls of one kind, and how often one of them is made beside those of other kinds."""

    kind: str
    weight: float
    path: str
    bodies: tuple[str, ...]


class Load(Value, kw_only=True):
    """What is asked, by how many connections, until so many calls were answered."""

    host: str
    port: int
    key: str
    connections: int
    calls: int
    asked: tuple[Weighted, ...]
    seed: int


class LoadReport(Value, kw_only=True):
    """Milliseconds of every answered call, by kind; how often what else came back; and seconds."""

    took_ms: dict[str, list[float]]
    refused: dict[str, int]
    seconds: float


class _Run:
    """What is left to ask, and what came of what was asked."""

    def __init__(self, load: Load) -> None:
        self._load: Final = load
        self._dice: Final = random.Random(load.seed)
        self._weights: Final = [each.weight for each in load.asked]
        self._left = load.calls
        self.took_ms: Final[dict[str, list[float]]] = {each.kind: [] for each in load.asked}
        self.refused: Final = Counter[str]()

    async def connection(self) -> None:
        """Make one call after the other on a connection of its own, while any is left."""
        reader, writer = await asyncio.open_connection(self._load.host, self._load.port)
        try:
            while self._left > 0:
                self._left -= 1
                (asked,) = self._dice.choices(self._load.asked, self._weights)
                call = self._call(asked.path, self._dice.choice(asked.bodies).encode())
                began = perf_counter()
                writer.write(call)
                async with asyncio.timeout(ANSWER_SECONDS_MAX):
                    status = await answered(reader)
                if status == OK:
                    self.took_ms[asked.kind].append((perf_counter() - began) * 1e3)
                else:
                    self.refused[f"{asked.kind} {status}"] += 1
        finally:
            writer.close()

    def _call(self, path: str, body: bytes) -> bytes:
        head = (
            f"POST {path} HTTP/1.1\r\nHost: {self._load.host}:{self._load.port}\r\n"
            f"Authorization: Bearer {self._load.key}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        return head.encode() + body


async def answered(reader: asyncio.StreamReader) -> int:
    """Read one answer to its end, and return its status.

    Raises ValueError for one that does not say how long it is, and as the reader does.
    """
    head = await reader.readuntil(_HEAD_END)
    first, *fields = head.split(b"\r\n")
    length = next((field for field in fields if field.lower().startswith(_LENGTH)), None)
    if length is None:
        raise ValueError("an answer does not say how long it is")
    await reader.readexactly(int(length[len(_LENGTH) :]))
    return int(first.split()[1])


async def load_of(load: Load) -> LoadReport:
    """Make all calls of a load, and report what came back. Raises OSError where a server ends."""
    run = _Run(load)
    began = perf_counter()
    await asyncio.gather(*(run.connection() for _ in range(load.connections)))
    return LoadReport(
        took_ms=run.took_ms, refused=dict(run.refused), seconds=perf_counter() - began
    )


def main(_words: Sequence[str] = ()) -> None:
    """Do what stdin asks."""
    load = msgspec.json.decode(sys.stdin.buffer.read(), type=Load)
    sys.stdout.buffer.write(msgspec.json.encode(asyncio.run(load_of(load))))


if __name__ == "__main__":
    main()
