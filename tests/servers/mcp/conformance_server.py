"""Our MCP server with the tools, resources and prompts that the official conformance suite asks for
beside its own: `python conformance_server.py PORT`, then `conformance server --url …/mcp`.

What is sent is what the suite expects; how it is sent is our server. See docs/conformance.md.
"""

import base64
import contextlib
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import mcp_types as types
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from starlette.types import Receive, Scope, Send

from recense.operations.keys import LOCAL
from recense.servers.http.protocol import BoundedProtocol
from recense.servers.mcp.callers import OneCaller
from recense.servers.mcp.calls import CallsAtWork
from recense.servers.mcp.server import McpContext, McpServer
from tests.servers.mcp.serving import EVERYTHING, memory_in, on_thread

PIXEL = base64.b64encode(
    bytes.fromhex(
        "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489"
        "0000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
    )
).decode()
SOUND = base64.b64encode(
    b"RIFF$\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0@\x1f\0\0@\x1f\0\0\x01\0\x08\0data\0\0\0\0"
).decode()
TEXT = types.TextContent(text="This is a simple text response for testing.")
IMAGE = types.ImageContent(data=PIXEL, mime_type="image/png")


def embedded(uri: str) -> types.EmbeddedResource:
    said = types.TextResourceContents(uri=uri, mime_type="text/plain", text="An embedded resource.")
    return types.EmbeddedResource(resource=said)


TOOLS: dict[str, list[types.ContentBlock]] = {
    "test_simple_text": [TEXT],
    "test_image_content": [IMAGE],
    "test_audio_content": [types.AudioContent(data=SOUND, mime_type="audio/wav")],
    "test_embedded_resource": [embedded("test://embedded-resource")],
    "test_multiple_content_types": [TEXT, IMAGE, embedded("test://mixed-content-resource")],
    "test_error_handling": [
        types.TextContent(text="This tool intentionally returns an error for testing")
    ],
    "test_tool_with_progress": [TEXT],
    "json_schema_2020_12_tool": [TEXT],
}
ADDRESS_SCHEMA: dict[str, object] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
    "additionalProperties": False,
}
PROMPTS = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
}


def with_test_tools(  # noqa: C901 -- one handler for each method that the suite asks
    server: Server[dict[str, object]],
) -> Server[dict[str, object]]:
    """Let a server answer what the suite asks, and all else as it did."""

    async def list_tools(
        context: McpContext, params: types.PaginatedRequestParams
    ) -> types.ListToolsResult:
        listed = cast("types.ListToolsResult", await ours["tools/list"](context, params))
        for name in TOOLS:
            schema = ADDRESS_SCHEMA if name.startswith("json") else {"type": "object"}
            listed.tools.append(types.Tool(name=name, description=name, input_schema=schema))
        return listed

    async def call_tool(context: McpContext, params: types.CallToolRequestParams) -> object:
        if params.name not in TOOLS:
            return await ours["tools/call"](context, params)
        if params.name == "test_tool_with_progress":
            for done in (0, 50, 100):
                await context.session.report_progress(done, 100, f"Completed step {done} of 100")
        is_error = params.name == "test_error_handling"
        return types.CallToolResult(content=TOOLS[params.name], is_error=is_error)

    async def read_resource(context: McpContext, params: types.ReadResourceRequestParams) -> object:
        match params.uri.split("/"):
            case ["test:", "", "static-text"]:
                text = "This is the content of the static text resource."
            case ["test:", "", "template", named, "data"]:
                text = f'{{"id":"{named}","templateTest":true,"data":"Data for ID: {named}"}}'
            case ["test:", "", "static-binary"]:
                blob = types.BlobResourceContents(uri=params.uri, mime_type="image/png", blob=PIXEL)
                return types.ReadResourceResult(contents=[blob])
            case _:
                return await ours["resources/read"](context, params)
        said = types.TextResourceContents(uri=params.uri, mime_type="text/plain", text=text)
        return types.ReadResourceResult(contents=[said])

    async def list_prompts(
        context: McpContext, params: types.PaginatedRequestParams
    ) -> types.ListPromptsResult:
        listed = cast("types.ListPromptsResult", await ours["prompts/list"](context, params))
        for name, arguments in PROMPTS.items():
            asked = [types.PromptArgument(name=each, required=True) for each in arguments]
            listed.prompts.append(types.Prompt(name=name, description=name, arguments=asked))
        return listed

    async def get_prompt(context: McpContext, params: types.GetPromptRequestParams) -> object:
        given = params.arguments or {}
        content: types.ContentBlock
        match params.name:
            case "test_simple_prompt":
                content = types.TextContent(text="This is a simple prompt for testing.")
            case "test_prompt_with_arguments":
                values = f"arg1='{given['arg1']}', arg2='{given['arg2']}'"
                content = types.TextContent(text=f"Prompt with arguments: {values}")
            case "test_prompt_with_embedded_resource":
                content = embedded(given["resourceUri"])
            case "test_prompt_with_image":
                content = IMAGE
            case _:
                return await ours["prompts/get"](context, params)
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content)])

    ours: dict[str, Callable[[McpContext, object], Awaitable[object]]] = {}
    for method in ("tools/list", "tools/call", "resources/read", "prompts/list", "prompts/get"):
        entry = server.get_request_handler(method)
        if entry is None:
            raise MCPError(types.METHOD_NOT_FOUND, method)
        ours[method] = cast("Callable[[McpContext, object], Awaitable[object]]", entry.handler)
    add = cast("Callable[..., None]", server.add_request_handler)
    add("tools/list", types.PaginatedRequestParams, list_tools)
    add("tools/call", types.CallToolRequestParams, call_tool)
    add("resources/read", types.ReadResourceRequestParams, read_resource)
    add("prompts/list", types.PaginatedRequestParams, list_prompts)
    add("prompts/get", types.GetPromptRequestParams, get_prompt)
    return server


def main(port: int) -> None:
    """Serve on loopback until told to end."""
    with TemporaryDirectory() as folder, memory_in(Path(folder)) as memory:
        caller, calls = OneCaller(memory, LOCAL), CallsAtWork(on_thread)
        server = with_test_tools(McpServer(caller, EVERYTHING, calls, version="0").protocol())
        hosts = [f"127.0.0.1:{port}", f"localhost:{port}"]
        manager = StreamableHTTPSessionManager(
            server,
            security_settings=TransportSecuritySettings(
                allowed_hosts=hosts, allowed_origins=[f"http://{host}" for host in hosts]
            ),
        )

        async def application(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "lifespan":
                await manager.handle_request(scope, receive, send)
                return
            async with contextlib.AsyncExitStack() as running:
                while (await receive())["type"] == "lifespan.startup":
                    await running.enter_async_context(manager.run())
                    await send({"type": "lifespan.startup.complete"})
            await send({"type": "lifespan.shutdown.complete"})

        uvicorn.run(application, port=port, http=BoundedProtocol, log_level="warning")


if __name__ == "__main__":
    main(int(sys.argv[1]))
