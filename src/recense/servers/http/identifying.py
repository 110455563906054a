"""``POST /v1/identity/kubernetes``: a token of a workload is exchanged for a key."""

from typing import Final

from litestar import Response, post
from litestar.handlers import HTTPRouteHandler

from recense.operations.identity import ExchangeToken
from recense.operations.wire import read_wire
from recense.servers.http.answers import Asked, json_answer
from recense.servers.http.bodies import read_json_body
from recense.servers.http.calling import encoded_answer
from recense.servers.http.workers import Workers
from recense.services.identity import IdentityExchange

IDENTITY: Final = "/v1/identity/kubernetes"


def identity_handlers(
    exchange: IdentityExchange | None, workers: Workers
) -> list[HTTPRouteHandler]:
    """Return what answers workloads, nothing where no cluster is asked. It has threads of its own:
    it waits for the cluster, and is answered whoever else waits for what.
    """
    if exchange is None:
        return []

    @post(IDENTITY, status_code=200)
    async def exchange_token(request: Asked) -> Response[bytes]:
        """Answer with a key for the workload whose token came."""
        asked = read_wire(ExchangeToken, await read_json_body(request.scope, request.receive))
        return json_answer(encoded_answer(await workers.run(lambda: exchange.exchange(asked))))

    return [exchange_token]
