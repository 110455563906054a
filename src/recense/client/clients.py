"""The clients: every operation of the catalogue as a method, blocking or not."""

import asyncio
import time
from types import TracebackType
from typing import Final, Self, TypeVar

from recense.client.access import ServerAccess, httpx2, require_open
from recense.client.exchange import Outcome, Pause, Sending, exchange
from recense.client.methods import AsyncMethods, Methods
from recense.core.values import Value
from recense.limits import CLIENT_CONNECT_SECONDS, CLIENT_TIMEOUT_SECONDS
from recense.operations.operation import Operation

_Request = TypeVar("_Request", bound=Value)
_Answer = TypeVar("_Answer", bound=Value)


class Client(Methods):
    """A server of Recense, asked by who waits; a context manager that closes its connections.

    ``url`` is where the server is, ``key`` is what `recense keys issue` gave, None for a server
    that asks for none. A call that is not answered in ``timeout_seconds`` has failed; what may be
    repeated is asked again a few times. May be used by several threads. Raises SettingsInvalid.

    Every method raises what the server tells, as the same call of a memory would raise it;
    KeyMissing, KeyRefused, ScopeMissing, TooManyRequests and what else a server refuses for;
    ServerUnreachable and ServerFault; InvalidRequest once it is closed.
    """

    def __init__(
        self, url: str, key: str | None = None, *, timeout_seconds: float = CLIENT_TIMEOUT_SECONDS
    ) -> None:
        self._access: Final = ServerAccess(url, key)
        self._client: Final = httpx2.Client(
            timeout=httpx2.Timeout(timeout_seconds, connect=CLIENT_CONNECT_SECONDS),
            follow_redirects=False,  # a key goes to the server that was named, and to no other
            trust_env=self._access.trusts_environment,
            verify=self._access.verify,
        )

    def __repr__(self) -> str:
        return f"Client({str(self._access.address)!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _answer(
        self,
        operation: Operation[_Request, _Answer],
        request: _Request,
        idempotency_key: str | None = None,
    ) -> _Answer:
        steps = exchange(operation, request, idempotency_key=idempotency_key)
        outcome: Outcome = None
        while True:
            try:
                step = steps.send(outcome)
            except StopIteration as ended:
                return ended.value
            match step:
                case Sending():
                    outcome = self._sent(step)
                case Pause():
                    time.sleep(step.seconds)
                    outcome = None

    def _sent(self, sending: Sending) -> Outcome:
        require_open(self._client)
        try:
            response = self._client.post(
                self._access.url(sending),
                content=sending.body,
                headers=self._access.headers(sending),
            )
        except (httpx2.HTTPError, RuntimeError) as error:
            return self._access.failed(error, self._client)
        return self._access.reply_of(response)


class AsyncClient(AsyncMethods):
    """A server of Recense, asked by a coroutine; see `Client`."""

    def __init__(
        self, url: str, key: str | None = None, *, timeout_seconds: float = CLIENT_TIMEOUT_SECONDS
    ) -> None:
        self._access: Final = ServerAccess(url, key)
        self._client: Final = httpx2.AsyncClient(
            timeout=httpx2.Timeout(timeout_seconds, connect=CLIENT_CONNECT_SECONDS),
            follow_redirects=False,
            trust_env=self._access.trusts_environment,
            verify=self._access.verify,
        )

    def __repr__(self) -> str:
        return f"AsyncClient({str(self._access.address)!r})"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _answer(
        self,
        operation: Operation[_Request, _Answer],
        request: _Request,
        idempotency_key: str | None = None,
    ) -> _Answer:
        steps = exchange(operation, request, idempotency_key=idempotency_key)
        outcome: Outcome = None
        while True:
            try:
                step = steps.send(outcome)
            except StopIteration as ended:
                return ended.value
            match step:
                case Sending():
                    outcome = await self._sent(step)
                case Pause():
                    await asyncio.sleep(step.seconds)
                    outcome = None

    async def _sent(self, sending: Sending) -> Outcome:
        require_open(self._client)
        try:
            response = await self._client.post(
                self._access.url(sending),
                content=sending.body,
                headers=self._access.headers(sending),
            )
        except (httpx2.HTTPError, RuntimeError) as error:
            return self._access.failed(error, self._client)
        return self._access.reply_of(response)
