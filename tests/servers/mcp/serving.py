"""A memory in this process, and a client of the SDK's that speaks with a server over it."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal, TypeVar

from mcp.client import Client

from recense.operations.keys import LOCAL, Credential
from recense.servers.mcp.callers import OneCaller
from recense.servers.mcp.calls import CallsAtWork
from recense.servers.mcp.offer import Offer
from recense.servers.mcp.server import McpServer
from recense.services.memory import Memory
from recense.settings.loading import load_settings
from recense.wiring import open_memory

Mode = Literal["legacy", "auto"]
MODES: tuple[Mode, ...] = ("legacy", "auto")
EVERYTHING = Offer(surfaces=frozenset({"text", "typed", "agent"}))

_Result = TypeVar("_Result")


def memory_in(folder: Path) -> Memory:
    """Return a memory of its own, kept nowhere."""
    return open_memory(load_settings({"store": "memory:"}, {}, str(folder), str(folder)))


async def on_thread(work: Callable[[], _Result], /) -> _Result:
    """Run what blocks on a thread."""
    return await asyncio.to_thread(work)


@asynccontextmanager
async def client_of(
    memory: Memory,
    offer: Offer = EVERYTHING,
    *,
    credential: Credential = LOCAL,
    mode: Mode = "auto",
) -> AsyncGenerator[Client]:
    """Return a client of a server over a memory."""
    calls = CallsAtWork(on_thread)
    server = McpServer(OneCaller(memory, credential), offer, calls, version="0")
    async with Client(server.protocol(), mode=mode) as client:
        yield client
