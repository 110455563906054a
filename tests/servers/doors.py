"""The four doors to one store: the library, HTTP, MCP and the command line.

Law: every door is asked through what its callers use, and what it says is handed over as JSON; an
error is ``{"error": {"code", "message", "hint", "retryable"}}`` whichever way it came.
"""

import io
import json
import ssl
from collections.abc import Mapping
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Final, Literal, Protocol, cast

import anyio
import httpx2
import mcp_types as types
import msgspec
from mcp.client import Client as McpClient
from mcp.client.streamable_http import streamable_http_client

from recense.cli.main import run
from recense.cli.terminal import Terminal
from recense.client.clients import Client
from recense.client.exchange import OK
from recense.client.problems import error_of
from recense.core.values import Value
from recense.errors import RecenseError
from recense.operations.catalogue import OPERATIONS_BY_NAME, AnyOperation
from recense.operations.keys import local_credential
from recense.operations.materials import MaterialBytes
from recense.operations.wire import read_wire
from recense.servers.catalogue import OperationCall, answer
from recense.services.keys import Keys
from recense.services.memory import Memory
from recense.settings.loading import Settings, load_settings
from recense.wiring import open_memory
from recense.wiring.keys import OwnKeys, open_keys
from tests.cli.running import Pipe
from tests.servers.http.serving_world import SECONDS_MAX, RunningServer

DoorName = Literal["library", "http", "mcp", "command"]
DOORS: Final[tuple[DoorName, ...]] = ("library", "http", "mcp", "command")

_NO_TLS: Final = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Knows no authority: reading them all takes longer than what is asked here over plain HTTP."""

Json = object
"""What JSON says."""


def told(error: RecenseError) -> Json:
    """Return an error as every door is made to say it here."""
    return {
        "error": {
            "code": error.code,
            "message": error.message,
            "hint": error.hint,
            "retryable": error.retryable,
        }
    }


def as_json(answered: Value) -> Json:
    """Return an answer as it is on the wire."""
    return json.loads(msgspec.json.encode(answered))


class Store:
    """Where all namespaces of a store lie, and how they are opened beside the server."""

    def __init__(self, folder: Path) -> None:
        self.folder: Final = folder
        self.flags: Final = {"store": f"sqlite:///{folder}/store.db"}

    def settings(self, namespace: str) -> Settings:
        """Return the settings of a namespace, as nothing but its name decides them."""
        return self.read({"namespace": namespace})

    def read(self, flags: Mapping[str, str]) -> Settings:
        """Return the settings that flags give."""
        return load_settings({**self.flags, **flags}, {}, str(self.folder), str(self.folder))

    def memory(self, namespace: str) -> Memory:
        """Open a namespace."""
        return open_memory(self.settings(namespace))


class Door(Protocol):
    """A way in."""

    def ask(self, namespace: str, name: str, request: Value) -> Json:
        """Return what an operation answers to a request, or the error that it tells."""
        ...

    def ask_json(self, namespace: str, name: str, body: Mapping[str, object]) -> Json:
        """Return what is said to a request that nobody checked before it was sent."""
        ...


class LibraryDoor:
    """The one way in itself, on a memory that is opened for the call."""

    def __init__(self, store: Store, keys: Keys) -> None:
        self._store: Final = store
        self._keys: Final = keys

    def ask(self, namespace: str, name: str, request: Value) -> Json:
        """Ask the catalogue."""
        try:
            with self._store.memory(namespace) as memory:
                call = OperationCall(
                    memory=memory, credential=local_credential(namespace), keys=self._keys
                )
                return as_json(answer(name, call, request))
        except RecenseError as error:
            return told(error)

    def ask_json(self, namespace: str, name: str, body: Mapping[str, object]) -> Json:
        """Read the request, and ask."""
        try:
            request = read_wire(OPERATIONS_BY_NAME[name].request, json.dumps(body).encode())
        except RecenseError as error:
            return told(error)
        return self.ask(namespace, name, request)


class HttpDoor:
    """A server, asked by our client, or by a plain one where that would send no such thing.

    A client is made once for a namespace, and closed with the ``closing`` that is given.
    """

    def __init__(self, server: RunningServer, keys: Mapping[str, str], closing: ExitStack) -> None:
        self._server: Final = server
        self._keys: Final = keys
        self._closing: Final = closing
        self._clients: Final[dict[str, Client]] = {}

    def ask(self, namespace: str, name: str, request: Value) -> Json:
        """Ask by the client's method of this name."""
        if namespace not in self._clients:
            client = Client(self._server.address, self._keys[namespace])
            self._clients[namespace] = self._closing.enter_context(client)
        try:
            return as_json(getattr(self._clients[namespace], name)(request))
        except RecenseError as error:
            return told(error)

    def ask_json(self, namespace: str, name: str, body: Mapping[str, object]) -> Json:
        """Send a body as it is."""
        with self._server.client(self._keys[namespace]) as client:
            response = client.post(f"/v1/{name}", json=body)
        if response.status_code != OK:
            return told(error_of(response.status_code, response.content))
        return response.json()


class McpDoor:
    """The same server's tools, called by the SDK's client."""

    def __init__(self, server: RunningServer, keys: Mapping[str, str]) -> None:
        self._server: Final = server
        self._keys: Final = keys

    def ask(self, namespace: str, name: str, request: Value) -> Json:
        """Call a tool."""
        return self.ask_json(namespace, name, json.loads(msgspec.json.encode(request)))

    def ask_json(self, namespace: str, name: str, body: Mapping[str, object]) -> Json:
        """Call a tool with arguments as they are."""
        return anyio.run(self._called, namespace, name, dict(body))

    def tools(self, namespace: str) -> list[str]:
        """Return the names of the tools that are offered."""
        return anyio.run(self._listed, namespace)

    async def _called(self, namespace: str, name: str, arguments: dict[str, object]) -> Json:
        with anyio.fail_after(SECONDS_MAX):
            async with self._http(namespace) as http, self._client(http) as client:
                return _said(name, await client.call_tool(name, arguments))

    async def _listed(self, namespace: str) -> list[str]:
        names: list[str] = []
        cursor: str | None = None
        with anyio.fail_after(SECONDS_MAX):
            async with self._http(namespace) as http, self._client(http) as client:
                while True:
                    page = await client.list_tools(cursor=cursor)
                    names += [tool.name for tool in page.tools]
                    cursor = page.next_cursor
                    if cursor is None:
                        return names

    def _http(self, namespace: str) -> httpx2.AsyncClient:
        headers = {"authorization": f"Bearer {self._keys[namespace]}"}
        return httpx2.AsyncClient(headers=headers, timeout=SECONDS_MAX, verify=_NO_TLS)

    def _client(self, http: httpx2.AsyncClient) -> McpClient:
        return McpClient(
            streamable_http_client(f"{self._server.address}/mcp", http_client=http),
            read_timeout_seconds=SECONDS_MAX,
        )


def _said(name: str, result: types.CallToolResult) -> Json:
    """Return what a tool gave; its text has to say the same as its structure."""
    (content,) = result.content
    if OPERATIONS_BY_NAME[name].answer is MaterialBytes and not result.is_error:
        return cast("Json", result.structured_content)
    assert isinstance(content, types.TextContent)
    if not result.is_error:
        assert json.loads(content.text) == result.structured_content
    return json.loads(content.text)


class CommandDoor:
    """The command line in this process, with nothing of this machine's settings."""

    def __init__(self, store: Store) -> None:
        self._store: Final = store

    def ask(self, namespace: str, *words: str) -> tuple[int, Json]:
        """Run a command for scripts, and return its exit code and its document."""
        out, err = Pipe(), io.StringIO()
        exit_code = run(
            (*words, "--namespace", namespace, "--json"),
            open_memory=self._memory,
            open_keys=self._own_keys,
            terminal=Terminal(out, err, {}, milliseconds=lambda: 0.0),
        )
        assert err.getvalue() == ""
        return exit_code, json.loads(out.getvalue())

    def _memory(self, flags: Mapping[str, str], *, create: bool) -> Memory:
        return open_memory(self._store.read(flags), create=create)

    def _own_keys(
        self, flags: Mapping[str, str], *, create: bool
    ) -> AbstractContextManager[OwnKeys]:
        return open_keys(self._store.read(flags), create=create)


def is_offered_to_models(operation: AnyOperation) -> bool:
    """Whether an operation is a tool of the server: who keeps a store is no model."""
    return operation.surface != "admin"
