"""MCP over streamable HTTP: an application to mount at ``/mcp``.

Law: every request brings its own credential. A session of the protocol belongs to the key that
opened it; to any other it does not exist.
"""

from collections import deque
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass
from typing import Final

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from recense.core.values import Value
from recense.limits import MCP_LINE_BYTES_MAX, MCP_SESSION_IDLE_SECONDS, MCP_SESSIONS_MAX
from recense.operations.catalogue import AnyOperation
from recense.operations.keys import Credential
from recense.servers.catalogue import OperationCall, answer
from recense.servers.mcp.answers import JSON_TYPE
from recense.servers.mcp.calls import CallsAtWork, RunBlocking
from recense.servers.mcp.lines import refused_request
from recense.servers.mcp.offer import Offer
from recense.servers.mcp.server import McpServer
from recense.services.memory import Memory

OpenedMemory = Callable[[Credential], AbstractContextManager[Memory]]
"""Opens the memory of a credential; may block."""

Answered = Callable[[AnyOperation, Credential], None]
"""Is told of each operation that was answered, on the event loop."""

CREDENTIAL: Final = "recense.credential"
"""Where the scope of a request has the `Credential` that it was found to bring."""


class HttpCallers:
    """The callers over HTTP: each request has its credential, which whoever mounts us put there."""

    def __init__(self, opened: OpenedMemory, answered: Answered) -> None:
        self._opened: Final = opened
        self._answered: Final = answered

    def credential(self, request: object) -> Credential:
        """Return the credential of a request. Raises TypeError for one that has none."""
        if not isinstance(request, Request):
            raise TypeError(f"a request of HTTP is expected, not {type(request).__name__}")
        return credential_in(request.scope)

    def memory(self, credential: Credential) -> AbstractContextManager[Memory]:
        """Return the memory of a credential."""
        return self._opened(credential)

    def answer(self, name: str, call: OperationCall, request: Value) -> Value:
        """Return the answer of an operation."""
        return answer(name, call, request)

    def answered(self, operation: AnyOperation, credential: Credential) -> None:
        """Tell whoever mounts us."""
        self._answered(operation, credential)


class McpApplication:
    """The ASGI application. Whoever mounts it checks key, host and origin, puts the credential into
    the scope under CREDENTIAL, and lets `running` last as long as requests come.
    """

    def __init__(
        self,
        opened: OpenedMemory,
        run: RunBlocking,
        answered: Answered,
        offer: Offer,
        *,
        version: str,
    ) -> None:
        """``opened`` is called on threads on which ``run`` has calls run.

        Raises InvalidRequest for an offer of tools that there are not.
        """
        server = McpServer(HttpCallers(opened, answered), offer, CallsAtWork(run), version=version)
        self._manager: Final = StreamableHTTPSessionManager(
            server.protocol(),
            session_idle_timeout=MCP_SESSION_IDLE_SECONDS,
            max_request_body_size=MCP_LINE_BYTES_MAX,
            max_sessions=MCP_SESSIONS_MAX,
            security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )

    def running(self) -> AbstractAsyncContextManager[None]:
        """Return the context in which requests are answered; it can be entered once."""
        return self._manager.run()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request of HTTP."""
        owner = _owner(credential_in(scope))
        if scope["method"] == "POST":
            sent = await _sent(receive)
            refused = refused_request(sent.body) if sent.is_whole else None
            if refused is not None:
                json = refused.model_dump_json(by_alias=True, exclude_unset=True)
                await Response(json, 400, media_type=JSON_TYPE)(scope, receive, send)
                return
            receive = sent.replayed(receive)
        await self._manager.handle_request({**scope, "user": owner}, receive, send)


@dataclass(frozen=True, kw_only=True)
class _Sent:
    """What came with a request, as it came; of a body that is too long the beginning."""

    messages: list[Message]

    @property
    def body(self) -> bytes:
        """All that came."""
        return b"".join(each.get("body", b"") for each in self.messages)

    @property
    def is_whole(self) -> bool:
        """Whether nothing more is to come, and the caller is still there."""
        last = self.messages[-1]
        return last["type"] == "http.request" and not last.get("more_body", False)

    def replayed(self, receive: Receive) -> Receive:
        """Return what gives the same once more, and then what comes."""
        left = deque(self.messages)

        async def replay() -> Message:
            return left.popleft() if left else await receive()

        return replay


async def _sent(receive: Receive) -> _Sent:
    """Return a body, or so much of it as the SDK needs to see that it is too long."""
    messages: list[Message] = []
    length = 0
    while length <= MCP_LINE_BYTES_MAX:
        message = await receive()
        messages.append(message)
        length += len(message.get("body", b""))
        if message["type"] != "http.request" or not message.get("more_body", False):
            break
    return _Sent(messages=messages)


def credential_in(scope: Scope) -> Credential:
    """Return the credential of a request. Raises TypeError where nobody put one there."""
    found: object = scope.get(CREDENTIAL)
    if not isinstance(found, Credential):
        raise TypeError(f"the scope has {type(found).__name__} under {CREDENTIAL!r}")
    return found


def _owner(credential: Credential) -> AuthenticatedUser:
    """Return a credential as the SDK tells owners of sessions apart."""
    named = f"{credential.namespace}/{credential.key_id or ''}/{credential.agent or ''}"
    return AuthenticatedUser(AccessToken(token="", client_id=named, scopes=[]))
