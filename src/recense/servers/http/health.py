"""Whether the server is there, whether it can answer, and its numbers.

Law: what anybody may ask without a key takes no more of the server however often it is asked.
"""

import asyncio
from typing import Final

import msgspec
from litestar import Response, get
from litestar.handlers import HTTPRouteHandler

from recense.core.values import Value
from recense.errors import RecenseError, ScopeMissing, ServerBusy
from recense.limits import READINESS_SECONDS
from recense.servers.http.answers import Asked, json_answer
from recense.servers.http.metrics import METRICS_TYPE
from recense.servers.http.parts import ServerParts, call_state

_ADMIN: Final = "admin"


class ServerStanding(Value, kw_only=True):
    """That all is well."""

    status: str = "ok"


_WELL: Final = msgspec.json.encode(ServerStanding())


def health_handlers(parts: ServerParts) -> list[HTTPRouteHandler]:
    """Return what answers probes, and who counts."""
    readiness = _Readiness(parts)

    @get("/healthz")
    async def healthz() -> Response[bytes]:
        """Answer that the process lives and its event loop turns."""
        return json_answer(_WELL)

    @get("/readyz")
    async def readyz() -> Response[bytes]:
        """Answer that calls can be answered: the store was asked within READINESS_SECONDS."""
        if parts.is_stopping():
            raise ServerBusy("the server is stopping", hint="try again when it is back")
        if not await readiness.is_ready():  # who is not known is not told what is wrong with it
            raise ServerBusy("the store cannot be asked now", hint="the log of the server says why")
        return json_answer(_WELL)

    @get("/metrics")
    async def metrics(request: Asked) -> Response[bytes]:
        """Answer with all numbers, for a key with the scope admin."""
        if _ADMIN not in call_state(request.scope).credential.scopes:
            raise ScopeMissing(
                "the metrics are those of all namespaces, and need the scope 'admin'",
                hint="issue a key with it: recense keys issue --scopes admin,read-only",
            )
        parts.metrics.unfinished.labels("calls").set(parts.workers.unfinished)
        parts.metrics.unfinished.labels("slow").set(parts.slow_workers.unfinished)
        return Response(parts.metrics.text(), status_code=200, media_type=METRICS_TYPE)

    return [healthz, readyz, metrics]


class _Readiness:
    """Whether the store can be asked; one look at a time, for everybody who wants to know."""

    def __init__(self, parts: ServerParts) -> None:
        self._parts: Final = parts
        self._looking: asyncio.Task[bool] | None = None
        self._holds_until = 0.0

    async def is_ready(self) -> bool:
        """Return what the last look said, or the next one where that was too long ago."""
        looking = self._looking
        if looking is None or (looking.done() and self._parts.monotonic() >= self._holds_until):
            looking = self._looking = asyncio.create_task(self._look())
        return await asyncio.shield(looking)  # who goes away takes it from nobody else

    async def _look(self) -> bool:
        try:
            await self._parts.workers.run(self._parts.namespaces.names)
        except RecenseError as error:
            self._parts.log.say("not_ready", error.code, level="warning")
            return False
        finally:
            self._holds_until = self._parts.monotonic() + READINESS_SECONDS
        return True
