"""The door: what every call passes before a handler sees it, and what is said of it after.

Laws: nothing of a body is read before who asks is known. What goes wrong anywhere is answered by a
problem. Each call is one line in the log and one number in the metrics, by its route and never by
its path.
"""

from collections.abc import Collection, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from http import HTTPStatus
from typing import Final, cast

from litestar.types import ASGIApp, HTTPScope, Message, Receive, Scope, Send

from recense.errors import InvalidRequest, RecenseError, RequestTooLarge, ServerBusy
from recense.limits import REQUEST_HEAD_BYTES_MAX
from recense.servers.http.exchanging import KUBERNETES
from recense.servers.http.parts import CallState, ServerParts, keep_call_state
from recense.servers.http.paths import require_plain_path
from recense.servers.http.tracing import trace_of
from recense.servers.problems import (
    PROBLEM_TYPE,
    code_of,
    encoded,
    problem_headers,
    problem_of,
)

WITHOUT_KEY: Final = frozenset({"/healthz", "/readyz", KUBERNETES})
"""What is answered without a key: health, and what gives one to who proves otherwise who it is."""

_LOCAL_KEY: Final = "local"
_UNKNOWN_ROUTE: Final = "unknown"
_BEARER: Final = b"bearer "
_ONCE: Final = (
    b"authorization",
    b"content-type",
    b"host",
    b"idempotency-key",
    b"last-event-id",
    b"origin",
    b"range",
)
"""Headers of which a second one is refused."""

_ALWAYS: Final = (
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
    (b"referrer-policy", b"no-referrer"),
)
"""What every answer has, where its handler does not say otherwise."""

_PREFLIGHT: Final = (
    (b"access-control-allow-methods", b"GET, POST"),
    (
        b"access-control-allow-headers",
        b"authorization, content-type, idempotency-key, last-event-id, range, traceparent",
    ),
    (b"access-control-max-age", b"600"),
)

_Headers = list[tuple[bytes, bytes]]


class Door:
    """An application behind checks that every call passes."""

    def __init__(self, app: ASGIApp, parts: ServerParts) -> None:
        self._app: Final = app
        self._parts: Final = parts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one call."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        await self._answer(scope, receive, send)

    async def _answer(self, scope: HTTPScope, receive: Receive, send: Send) -> None:
        parts, began = self._parts, self._parts.monotonic()
        headers = dict(scope["headers"])
        state = CallState(trace=trace_of(headers.get(b"traceparent"), parts.draw))
        keep_call_state(scope, state)
        answering = _Answering(send, state)
        parts.metrics.in_flight.inc()
        try:
            await self._admit(scope, headers, answering)
            if not answering.is_begun:
                with self._counted(state):
                    await self._app(scope, receive, answering.send)
        except Exception as error:  # noqa: BLE001 -- told to who called, and to the log
            state.error = error
            if not answering.is_begun:
                await answering.refuse(error)
        finally:
            parts.metrics.in_flight.dec()
            self._tell(scope, state, answering, self._parts.monotonic() - began)

    async def _admit(
        self, scope: HTTPScope, headers: Mapping[bytes, bytes], answering: "_Answering"
    ) -> None:
        """Let a call pass, or raise why not. A page's question whether it may ask is answered."""
        parts, host = self._parts, headers.get(b"host")
        _require_plain(list(scope["headers"]))
        require_plain_path(scope["raw_path"])
        parts.hosts.require_host(host)
        origin = headers.get(b"origin")
        if parts.hosts.require_origin(origin, host):
            answering.allow(cast("bytes", origin))
            if scope["method"] == "OPTIONS":
                await answering.whole(HTTPStatus.NO_CONTENT, _PREFLIGHT, b"")
                return
        if scope["path"] not in WITHOUT_KEY:
            if parts.is_stopping():
                raise ServerBusy("the server is stopping", hint="try again when it is back")
            await self._prove(headers.get(b"authorization"), answering.state)

    async def _prove(self, authorization: bytes | None, state: CallState) -> None:
        """Find out who asks. A key of which the store has to be asked costs a thread; one that was
        verified not long ago costs none.
        """
        local = self._parts.open_credential
        if authorization is None and local is not None:
            state.proved(_LOCAL_KEY, local, lambda _anew: local)
            return
        key, keys = _bearer(authorization), self._parts.namespaces.keys
        credential = keys.known(key)
        if credential is None:
            credential = await self._parts.workers.run(lambda: keys.check(key))
        state.proved(
            credential.key_id or _LOCAL_KEY, credential, lambda anew: keys.check(key, anew=anew)
        )

    def _counted(self, state: CallState) -> AbstractContextManager[None]:
        """Count a call for its key, if it has one, for as long as the context lasts."""
        return nullcontext() if state.key is None else self._parts.meter.counted(state.key)

    def _tell(
        self, scope: HTTPScope, state: CallState, answering: "_Answering", seconds: float
    ) -> None:
        template: object = dict(scope).get("path_template")
        route = template if isinstance(template, str) else _UNKNOWN_ROUTE
        error = state.error
        self._parts.metrics.answered(route, answering.status, seconds)
        self._parts.log.call(
            method=scope["method"],
            route=route,
            status=answering.status,
            ms=seconds * 1000,
            key=state.key,
            trace=state.trace,
            code="" if error is None else code_of(error),
        )
        if error is not None and not isinstance(error, RecenseError):
            self._parts.log.bug(error, trace=state.trace)


class _Answering:
    """An answer as it is sent: what every answer has is added to it."""

    def __init__(self, send: Send, state: CallState) -> None:
        self.state: Final = state
        self.status = 499  # nobody was there any more to be answered
        self.is_begun = False
        self._send: Final = send
        self._more: _Headers = list(_ALWAYS)

    def allow(self, origin: bytes) -> None:
        """Let a page from elsewhere read the answer."""
        self._more += [(b"access-control-allow-origin", origin), (b"vary", b"origin")]

    async def send(self, message: Message) -> None:
        """Send a part of the answer."""
        if message["type"] == "http.response.start":
            self.status, self.is_begun = message["status"], True
            given = {name for name, _ in message["headers"]}
            more = [pair for pair in self._more if pair[0] not in given]
            message["headers"] = [*message["headers"], *more]
        await self._send(message)

    async def refuse(self, error: Exception) -> None:
        """Answer by a problem."""
        problem = problem_of(error, trace=self.state.trace)
        headers = {"content-type": PROBLEM_TYPE, **problem_headers(error)}
        pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
        await self.whole(problem.status, pairs, encoded(problem))

    async def whole(self, status: int, headers: Iterable[tuple[bytes, bytes]], body: bytes) -> None:
        """Send an answer in one piece."""
        length = (b"content-length", str(len(body)).encode())
        of_body = () if status == HTTPStatus.NO_CONTENT else (length,)
        await self.send(
            {"type": "http.response.start", "status": status, "headers": [*headers, *of_body]}
        )
        await self.send({"type": "http.response.body", "body": body, "more_body": False})


def _bearer(authorization: bytes | None) -> str | None:
    """Return the key that came; None for none, and for what is no bearer's."""
    if authorization is None or not authorization.lower().startswith(_BEARER):
        return None
    return authorization[len(_BEARER) :].strip().decode("latin-1")


def _require_plain(headers: Collection[tuple[bytes, bytes]]) -> None:
    """Refuse a request whose end two readers could see at different places, or that says twice what
    is asked once: one reader would heed the first, and another the last. Raises InvalidRequest.
    """
    names = [name for name, _ in headers]
    if sum(len(name) + len(value) for name, value in headers) > REQUEST_HEAD_BYTES_MAX:
        raise RequestTooLarge(f"the headers are longer than {REQUEST_HEAD_BYTES_MAX} bytes")
    if b"transfer-encoding" in names and b"content-length" in names:
        raise InvalidRequest(
            "the request has both a length and chunks", hint="send one of the two headers"
        )
    if len(set(names)) == len(names):
        return
    for single in _ONCE:
        if names.count(single) > 1:
            raise InvalidRequest(f"the header {single.decode()} came more than once")
