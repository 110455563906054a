import json
from collections.abc import Awaitable, Callable, Generator
from contextlib import nullcontext
from pathlib import Path
from typing import cast

import anyio
import httpx2
import pytest
from msgspec.structs import replace
from starlette.types import Receive, Scope, Send

from recense.operations.catalogue import AnyOperation
from recense.operations.keys import LOCAL, Credential
from recense.operations.texts import RememberText
from recense.servers.mcp.http import CREDENTIAL, McpApplication
from recense.servers.mcp.offer import Offer
from recense.services.memory import Memory
from tests.servers.mcp.serving import memory_in, on_thread

ADA = Credential(namespace="default", scopes=frozenset({"recall"}), key_id="ada")
BEA = replace(ADA, key_id="bea")
ACCEPT = {"accept": "application/json, text/event-stream"}
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "0"},
}
META = {
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": HELLO["clientInfo"],
        "io.modelcontextprotocol/clientCapabilities": {},
    }
}
STATELESS = {"mcp-protocol-version": "2026-07-28"}
Ask = Callable[..., Awaitable[httpx2.Response]]


@pytest.fixture
def memory(tmp_path: Path) -> Generator[Memory]:
    with memory_in(tmp_path) as memory:
        memory.remember(RememberText(text="Ada keeps bees."))
        yield memory


def unheard(_operation: AnyOperation, _credential: Credential) -> None:
    """Take what was answered, and tell nobody."""


def served(memory: Memory, say: Callable[[Ask], Awaitable[None]]) -> None:
    """Let something be asked of the application, each time with a credential."""
    opened: list[Credential] = []

    def open_for(credential: Credential) -> nullcontext[Memory]:
        opened.append(credential)
        return nullcontext(memory)

    application = McpApplication(open_for, on_thread, unheard, Offer(), version="0")

    async def spoken() -> None:
        with anyio.fail_after(30):
            async with application.running():
                await say(asking(application))

    anyio.run(spoken)


def asking(application: McpApplication) -> Ask:
    async def ask(
        credential: Credential | None,
        method: str,
        params: object,
        headers: dict[str, str] | None = None,
    ) -> httpx2.Response:
        async def mounted(scope: Scope, receive: Receive, send: Send) -> None:
            given = {} if credential is None else {CREDENTIAL: credential}
            await application({**scope, **given}, receive, send)

        transport = httpx2.ASGITransport(app=mounted)
        async with httpx2.AsyncClient(transport=transport, base_url="http://test") as client:
            return await client.post(
                "/mcp",
                json={"jsonrpc": "2.0", "id": 1, "method": method, "params": params},
                headers=ACCEPT | (headers or {}),
            )

    return ask


def said(response: httpx2.Response) -> dict[str, dict[str, object]]:
    """Return the message of a response, whether it is JSON or the one event of a stream."""
    text = response.text
    for line in text.splitlines():
        if line.startswith("data: {"):
            text = line.removeprefix("data: ")
    return cast("dict[str, dict[str, object]]", json.loads(text))


def test_a_session_belongs_to_the_key_that_opened_it(memory: Memory) -> None:
    async def say(ask: Ask) -> None:
        hello = await ask(ADA, "initialize", HELLO)
        headers = {"mcp-session-id": hello.headers["mcp-session-id"]}
        mine = await ask(ADA, "tools/list", {}, headers)
        assert "recall" in str(said(mine)["result"])
        others = await ask(BEA, "tools/list", {}, headers)
        assert others.status_code == 404

    served(memory, say)


def test_each_request_is_offered_what_its_key_allows(memory: Memory) -> None:
    async def say(ask: Ask) -> None:
        for credential, may_write in ((ADA, False), (LOCAL, True)):
            headers = STATELESS | {"mcp-method": "tools/list"}
            listed = await ask(credential, "tools/list", META, headers)
            names = str(said(listed)["result"])
            assert ("'remember'" in names, "'recall'" in names) == (may_write, True)
        called = await ask(
            ADA,
            "tools/call",
            {"name": "recall", "arguments": {"terms": ["bees"]}, **META},
            STATELESS | {"mcp-name": "recall", "mcp-method": "tools/call"},
        )
        assert "Ada keeps bees." in called.text

    served(memory, say)


def test_a_request_that_brings_no_credential_is_a_bug_and_answered_nothing(
    memory: Memory,
) -> None:
    async def say(ask: Ask) -> None:
        with pytest.raises(TypeError, match="credential"):
            await ask(None, "initialize", HELLO)

    served(memory, say)
