"""``POST /v1/<operation>``: every operation of the catalogue, by one handler."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Final

from litestar import Response, post
from litestar.handlers import HTTPRouteHandler
from litestar.types import Receive

from recense.servers.catalogue import HANDLED
from recense.servers.http.answers import Asked, json_answer
from recense.servers.http.bodies import read_json_body
from recense.servers.http.calling import WireCall, idempotency_key
from recense.servers.http.parts import ServerParts, call_state

PREFIX: Final = "/v1/"


def operation_handler(parts: ServerParts) -> HTTPRouteHandler:
    """Return what answers all operations."""
    by_path = {f"{PREFIX}{name}": handled.operation for name, handled in HANDLED.items()}

    @post(list(by_path), status_code=200)
    async def call_operation(request: Asked) -> Response[bytes]:
        """Answer one call of an operation."""
        scope, receive = request.scope, request.receive
        operation = by_path[scope["path_template"]]
        body = await read_json_body(scope, receive)
        call = WireCall(
            operation=operation,
            body=body,
            credential=call_state(scope).credential,
            idempotency_key=idempotency_key(dict(scope["headers"])),
        )
        return json_answer(await _answered(parts, call, receive))

    return call_operation


async def _answered(parts: ServerParts, call: WireCall, receive: Receive) -> bytes:
    """Return the answer to a call whose body was read, from a thread that works for such calls."""
    operation, namespaces = call.operation, parts.namespaces
    workers = parts.slow_workers if operation.lasting else parts.workers
    if operation.abandonable:
        async with _watched(receive) as is_cancelled:
            answered = await workers.run(lambda: call.answered(namespaces, is_cancelled))
    else:
        answered = await workers.run(lambda: call.answered(namespaces))
    parts.answered(operation, call.credential.namespace)
    return answered


@asynccontextmanager
async def _watched(receive: Receive) -> AsyncGenerator[Callable[[], bool]]:
    """Hold what tells whether the caller has gone away, for as long as the context lasts."""
    gone = threading.Event()

    async def watch() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        gone.set()

    watching = asyncio.create_task(watch())
    try:
        yield gone.is_set
    finally:
        watching.cancel()
