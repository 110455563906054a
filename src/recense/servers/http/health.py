"""Whether the server is there, whether it can answer, and its numbers."""

from typing import Final

import msgspec
from litestar import Response, get
from litestar.handlers import HTTPRouteHandler

from recense.core.values import Value
from recense.errors import RecenseError, ScopeMissing, ServerBusy
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

    @get("/healthz")
    async def healthz() -> Response[bytes]:
        """Answer that the process lives and its event loop turns."""
        return json_answer(_WELL)

    @get("/readyz")
    async def readyz() -> Response[bytes]:
        """Answer that calls can be answered: the store is asked."""
        if parts.is_stopping():
            raise ServerBusy("the server is stopping", hint="try again when it is back")
        try:
            await parts.workers.run(parts.namespaces.names)
        except RecenseError as error:  # who is not known is not told what is wrong with the store
            parts.log.say("not_ready", error.code, level="warning")
            raise ServerBusy(
                "the store cannot be asked now", hint="the log of the server says why"
            ) from error
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
