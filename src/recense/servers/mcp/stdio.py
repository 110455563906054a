"""MCP over the two streams of a process.

Laws: stdout carries lines of JSON-RPC and nothing else, whatever prints; stdin is UTF-8, whatever
the locale. A line that cannot be read is answered with an error, and the session goes on. When
stdin ends, or the process is told to end, it is over within two seconds: what was asked is answered
if that is soon, calls that run are cancelled, leases are given back.
"""

import os
import signal
import threading
from collections.abc import Callable
from typing import Final, NoReturn, TypeVar

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage

from recense.limits import MCP_ENDING_SECONDS_MAX, MCP_REQUESTS_OPEN_MAX, READ_BYTES, STDIO_THREADS
from recense.operations.keys import Credential
from recense.servers.mcp.callers import OneCaller
from recense.servers.mcp.calls import CallsAtWork
from recense.servers.mcp.lines import LineBuffer, message_of
from recense.servers.mcp.offer import Offer
from recense.servers.mcp.server import McpServer
from recense.servers.workers import Workers
from recense.services.memory import Memory

_INPUT: Final = 0
_OUTPUT: Final = 1
_DIAGNOSTICS: Final = 2

_Result = TypeVar("_Result")
_ENDING_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def serve_stdio(memory: Memory, credential: Credential, offer: Offer, *, version: str) -> NoReturn:
    """Serve one client over stdin and stdout until it leaves; then close the memory, and end the
    process, whatever still runs in it.

    Raises InvalidRequest for an offer of tools that there are not, before anything is read. From
    then on nothing of this process but the protocol reaches stdout.
    """
    workers = Workers("call", threads=STDIO_THREADS, waiting_max=MCP_REQUESTS_OPEN_MAX)

    async def run(work: Callable[[], _Result], /) -> _Result:
        return await workers.run(work)

    calls = CallsAtWork(run)
    caller = OneCaller(memory, credential)
    server = McpServer(caller, offer, calls, version=version)
    code = 1
    try:
        anyio.run(_serve, server, _Wire(*_claimed_streams()))
        code = 0
    finally:
        calls.cancel_all()
        calls.wait_for_end(MCP_ENDING_SECONDS_MAX)
        _within(MCP_ENDING_SECONDS_MAX, caller.leave)
        os._exit(code)


def _claimed_streams() -> tuple[int, int]:
    """Return the two ends of the wire, and leave nothing to read on stdin, and stderr on stdout: so
    neither a child nor a stray print is taken for the protocol.
    """
    ends = os.dup(_INPUT), os.dup(_OUTPUT)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, _INPUT)
    try:
        os.dup2(_DIAGNOSTICS, _OUTPUT)
    except OSError:  # started without stderr
        os.dup2(nothing, _OUTPUT)
    os.close(nothing)
    return ends


def _within(seconds: float, work: Callable[[], None]) -> None:
    """Do something that may never end, and wait so long at most."""
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(seconds)


class _Wire:
    """The two ends of the wire; blocking on them is left to threads."""

    def __init__(self, read_end: int, write_end: int) -> None:
        self._read_end: Final = read_end
        self._write_end: Final = write_end

    async def read(self) -> bytes:
        """Return what arrived, nothing at the end."""
        try:
            return await anyio.to_thread.run_sync(
                os.read, self._read_end, READ_BYTES, abandon_on_cancel=True
            )
        except OSError:
            return b""

    async def write(self, message: SessionMessage) -> None:
        """Write a message as a line. Raises OSError where nobody reads any more."""
        json = message.message.model_dump_json(by_alias=True, exclude_unset=True)
        await anyio.to_thread.run_sync(self._write, f"{json}\n".encode(), abandon_on_cancel=True)

    def _write(self, line: bytes) -> None:
        left = memoryview(line)
        while left:
            left = left[os.write(self._write_end, left) :]


class _OpenRequests:
    """The requests that are not answered yet, by their ids."""

    def __init__(self) -> None:
        self._ids: set[types.RequestId] = set()
        self._fewer = anyio.Event()

    def arrived(self, message: SessionMessage) -> None:
        """Take note of what a client sent; what it cancels is never answered."""
        match message.message:
            case types.JSONRPCRequest(id=named):
                self._ids.add(named)
            case types.JSONRPCNotification(method="notifications/cancelled", params=dict() as said):
                self._over(said.get("requestId"))
            case _:
                pass

    def written(self, message: SessionMessage) -> None:
        """Take note of what a client was sent."""
        match message.message:
            case types.JSONRPCResponse(id=named) | types.JSONRPCError(id=named):
                self._over(named)
            case _:
                pass

    async def fewer_than(self, count: int) -> None:
        """Wait until fewer are open."""
        while len(self._ids) >= count:
            await self._fewer.wait()

    def _over(self, named: object) -> None:
        if isinstance(named, str | int):
            self._ids.discard(named)
        self._fewer.set()
        self._fewer = anyio.Event()


async def _serve(server: McpServer, wire: _Wire) -> None:
    to_server, from_client = anyio.create_memory_object_stream[SessionMessage | Exception]()
    to_client, from_server = anyio.create_memory_object_stream[SessionMessage]()
    requests = _OpenRequests()
    protocol = server.protocol()
    async with anyio.create_task_group() as group:
        group.start_soon(_end_when_told, group.cancel_scope)
        group.start_soon(_receive, wire, to_server, to_client.clone(), requests)
        group.start_soon(_send, wire, from_server, requests, group.cancel_scope)
        await protocol.run(from_client, to_client, protocol.create_initialization_options())
        group.cancel_scope.cancel()


async def _end_when_told(scope: anyio.CancelScope) -> None:
    with anyio.open_signal_receiver(*_ENDING_SIGNALS) as signals:
        async for _ in signals:
            scope.cancel()


async def _receive(
    wire: _Wire,
    to_server: MemoryObjectSendStream[SessionMessage | Exception],
    to_client: MemoryObjectSendStream[SessionMessage],
    requests: _OpenRequests,
) -> None:
    """Hand over what arrives; at its end wait a little for what is asked to be answered."""
    buffer = LineBuffer()
    async with to_server, to_client:
        while data := await wire.read():
            for line in buffer.lines(data):
                if line is not None and not line.strip():
                    continue
                message = message_of(line)
                if isinstance(message, types.JSONRPCError):
                    await to_client.send(SessionMessage(message))
                    continue
                await requests.fewer_than(MCP_REQUESTS_OPEN_MAX)
                requests.arrived(message)
                await to_server.send(message)
        with anyio.move_on_after(MCP_ENDING_SECONDS_MAX):
            await requests.fewer_than(1)


async def _send(
    wire: _Wire,
    from_server: MemoryObjectReceiveStream[SessionMessage],
    requests: _OpenRequests,
    scope: anyio.CancelScope,
) -> None:
    """Write what is to be sent; where nobody reads it any more, the session is over."""
    async with from_server:
        async for message in from_server:
            try:
                await wire.write(message)
            except OSError:
                scope.cancel()
                return
            requests.written(message)
