"""``POST /v1/identity/kubernetes``: a key for who has none, and proves by its cluster who it is."""

from typing import Final

import msgspec
from litestar import Response, post
from litestar.handlers import HTTPRouteHandler

from recense.operations.identity import ExchangeToken
from recense.operations.wire import read_wire
from recense.servers.http.answers import Asked, json_answer
from recense.servers.http.bodies import read_json_body
from recense.servers.workers import Workers
from recense.services.identity import IdentityExchange

KUBERNETES: Final = "/v1/identity/kubernetes"


def exchange_handler(exchange: IdentityExchange, workers: Workers) -> HTTPRouteHandler:
    """Return what exchanges tokens. ``workers`` do nothing else: who asks is not known yet, and
    takes no thread from who is, however long the cluster takes.
    """

    @post(KUBERNETES, status_code=200)
    async def exchange_token(request: Asked) -> Response[bytes]:
        """Answer with a key for the workload whose token came."""
        asked = read_wire(ExchangeToken, await read_json_body(request.scope, request.receive))
        issued = await workers.run(lambda: exchange.exchange(asked))
        return json_answer(msgspec.json.encode(issued))

    return exchange_token
