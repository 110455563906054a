"""``/v1/keys``: issuing, listing, renewing and revoking keys, for who has the scope admin.

Law: an answer that holds a key is kept nowhere; so a call that issues one is not repeated blindly.
"""

from collections.abc import Callable, Mapping
from typing import Final

from litestar import Response, get, post
from litestar.handlers import HTTPRouteHandler

from recense.core.values import Value
from recense.errors import InvalidRequest, ScopeMissing
from recense.operations.keys import Credential, IssueKey, ListKeys, RenewKey, RevokeKey
from recense.operations.wire import read_wire, read_words
from recense.servers.http.answers import Asked, json_answer
from recense.servers.http.bodies import read_json_body
from recense.servers.http.browsing import query_words
from recense.servers.http.calling import encoded_answer, idempotency_key
from recense.servers.http.parts import ServerParts, call_state
from recense.services.keys import Keys

KEYS: Final = "/v1/keys"

_ADMIN: Final = "admin"


def key_handlers(parts: ServerParts) -> list[HTTPRouteHandler]:
    """Return what answers calls about keys."""
    keys = parts.namespaces.keys
    changing = _changing(keys)

    @get(KEYS)
    async def list_keys(request: Asked) -> Response[bytes]:
        """Answer with a page of keys; none shows what proves it."""
        credential = call_state(request.scope).credential
        _require_admin(credential)
        wanted = read_words(ListKeys, query_words(request.scope))
        found = await parts.workers.run(lambda: keys.list(wanted, credential))
        return json_answer(encoded_answer(found))

    @post(list(changing), status_code=200)
    async def change_key(request: Asked) -> Response[bytes]:
        """Issue, renew or revoke a key."""
        credential = call_state(request.scope).credential
        _require_admin(credential)
        if credential.is_read_only:
            raise ScopeMissing("this key may only read", hint="ask with one that is not read-only")
        if idempotency_key(dict(request.scope["headers"])) is not None:
            raise InvalidRequest(
                "a call about keys takes no Idempotency-Key: its answer is kept nowhere",
                hint="renewing and revoking may be repeated; look for a key before issuing again",
            )
        body = await read_json_body(request.scope, request.receive)
        change = changing[request.scope["path_template"]]
        return json_answer(
            encoded_answer(await parts.workers.run(lambda: change(body, credential)))
        )

    return [list_keys, change_key]


def _changing(keys: Keys) -> Mapping[str, Callable[[bytes, Credential], Value]]:
    """Return what is done at each address."""
    return {
        f"{KEYS}/issue": lambda body, by: keys.issue(read_wire(IssueKey, body), by),
        f"{KEYS}/renew": lambda body, by: keys.renew(read_wire(RenewKey, body), by),
        f"{KEYS}/revoke": lambda body, by: keys.revoke(read_wire(RevokeKey, body), by),
    }


def _require_admin(credential: Credential) -> None:
    if _ADMIN not in credential.scopes:
        raise ScopeMissing(
            "keys are for the scope 'admin', which this key does not have",
            hint="run `recense keys` beside the store, or ask with a key that has it",
        )
