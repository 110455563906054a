"""``/mcp``: the operations as tools of the Model Context Protocol, over streamable HTTP."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from typing import Final, TypeVar, cast

from litestar import asgi
from litestar.handlers import ASGIRouteHandler
from litestar.types import HTTPScope, Receive, Scope, Send

from recense.operations.catalogue import AnyOperation
from recense.operations.keys import Credential
from recense.servers.http.bodies import whole_in_time
from recense.servers.http.parts import ServerParts, call_state
from recense.servers.http.proving import answered_while_proved
from recense.servers.mcp.http import CREDENTIAL, McpApplication
from recense.servers.mcp.offer import MCP_SURFACES, Offer
from recense.services.memory import Memory

MCP: Final = "/mcp"

_Result = TypeVar("_Result")


def mcp_application(parts: ServerParts, version: str) -> McpApplication:
    """Return the application that answers MCP; each caller is offered what its key allows."""

    def opened(credential: Credential) -> AbstractContextManager[Memory]:
        return parts.namespaces.memory(credential.namespace)

    def answered(operation: AnyOperation, credential: Credential) -> None:
        parts.answered(operation, credential.namespace)

    async def run(work: Callable[[], _Result], /) -> _Result:
        return await parts.workers.run(work)

    offer = Offer(surfaces=frozenset(MCP_SURFACES))
    return McpApplication(opened, run, answered, offer, version=version)


def mcp_handler(parts: ServerParts, application: McpApplication) -> ASGIRouteHandler:
    """Return what hands calls to MCP, with the credential that the door found. A stream ends with
    its key.
    """
    # Litestar and Starlette have a type of their own each for what ASGI passes.
    answer = cast("Callable[[dict[str, object], Receive, Send], Awaitable[None]]", application)

    @asgi(MCP, is_mount=True, copy_scope=True)
    async def mcp(scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a call of MCP."""
        given: dict[str, object] = dict(scope)
        state = call_state(cast("HTTPScope", scope))
        given[CREDENTIAL] = state.credential
        timely = whole_in_time(receive)
        await answered_while_proved(
            parts, state, lambda sending: answer(given, timely, sending), send
        )

    return mcp
