"""What is asked by an address alone: sessions and their messages, the bytes of materials, keys."""

import re
from collections.abc import AsyncGenerator
from typing import Final

from litestar import Response, get
from litestar.handlers import HTTPRouteHandler
from litestar.response import Stream
from litestar.types import HTTPScope

from recense.core.values import Value
from recense.errors import RangeRefused
from recense.limits import RESPONSE_PIECE_BYTES, TRANSCRIPT_MESSAGES_DEFAULT
from recense.operations.keys import ListKeys
from recense.operations.materials import MaterialBytes, MaterialRequest
from recense.operations.sessions import ListSessions, ShowSession
from recense.operations.wire import read_words
from recense.servers.catalogue import OperationCall, answer
from recense.servers.http.answers import Asked, json_answer, streamed
from recense.servers.http.calling import encoded_answer
from recense.servers.http.parts import ServerParts, call_state
from recense.servers.http.paths import MATERIALS, SESSIONS, id_after, query_words

KEYS: Final = "/v1/keys"

_MEDIA_TYPE: Final = re.compile(r"[a-z0-9][a-z0-9.+-]*/[a-z0-9][a-z0-9.+-]*")
_SHOWN: Final = frozenset({"image/gif", "image/jpeg", "image/png", "image/webp"})
"""What a browser may show in place; all else is saved, so that none of it runs here."""

_RANGE: Final = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")


class SessionPage(Value, kw_only=True, forbid_unknown_fields=True):
    """The page of a session that an address asks for."""

    first: int = 0
    count: int = TRANSCRIPT_MESSAGES_DEFAULT
    everything: bool = False


def browsing_handlers(parts: ServerParts) -> list[HTTPRouteHandler]:
    """Return what answers the addresses of sessions, materials and keys."""

    async def asked(scope: HTTPScope, name: str, request: Value) -> Value:
        credential = call_state(scope).credential

        def answered() -> Value:
            namespaces = parts.namespaces
            with namespaces.memory(credential.namespace) as memory:
                call = OperationCall(memory=memory, credential=credential, keys=namespaces.keys)
                return answer(name, call, request)

        return await parts.workers.run(answered)

    @get(SESSIONS)
    async def list_sessions(request: Asked) -> Response[bytes]:
        """Answer with a page of sessions, newest first."""
        wanted = read_words(ListSessions, query_words(request.scope["query_string"]))
        return json_answer(encoded_answer(await asked(request.scope, "list_sessions", wanted)))

    @get(f"{SESSIONS}/{{session:path}}")
    async def show_session(request: Asked) -> Response[bytes]:
        """Answer with a page of a session's messages."""
        page = read_words(SessionPage, query_words(request.scope["query_string"]))
        wanted = ShowSession(
            session=id_after(SESSIONS, request.scope["raw_path"]),
            first=page.first,
            count=page.count,
            everything=page.everything,
        )
        return json_answer(encoded_answer(await asked(request.scope, "show_session", wanted)))

    @get(f"{MATERIALS}/{{material:path}}")
    async def show_material(request: Asked) -> Stream:
        """Answer with the bytes of a material, or a part of them."""
        wanted = MaterialRequest(material=id_after(MATERIALS, request.scope["raw_path"]))
        found = await asked(request.scope, "recall_material", wanted)
        if not isinstance(found, MaterialBytes):
            raise TypeError(f"recall_material answers {type(found).__name__}")
        return _material_answer(found, request)

    @get(KEYS)
    async def list_keys(request: Asked) -> Response[bytes]:
        """Answer with a page of keys, the newest first; none shows what proves it."""
        wanted = read_words(ListKeys, query_words(request.scope["query_string"]))
        return json_answer(encoded_answer(await asked(request.scope, "list_keys", wanted)))

    return [list_sessions, show_session, show_material, list_keys]


def _material_answer(found: MaterialBytes, request: Asked) -> Stream:
    """Return the bytes of a material, or the range of them that was asked for."""
    media_type = found.media_type if _MEDIA_TYPE.fullmatch(found.media_type) else ""
    is_shown = media_type in _SHOWN
    tag = f'"{found.sha256}"'
    headers = {
        "accept-ranges": "bytes",
        "etag": tag,
        "content-disposition": "inline" if is_shown else "attachment",
        "content-security-policy": "default-src 'none'; sandbox",
    }
    if found.changed is not None:
        headers["recense-changed"] = found.changed
    wanted = request.headers.get("range")
    condition = request.headers.get("if-range")
    span = None
    if wanted is not None and condition in {None, tag}:
        span = _span(wanted, len(found.data))
    data, status = found.data, 200
    if span is not None:
        headers["content-range"] = f"bytes {span.start}-{span.stop - 1}/{len(found.data)}"
        data, status = found.data[span.start : span.stop], 206
    headers["content-length"] = str(len(data))
    return streamed(
        _pieces(data), media_type or "application/octet-stream", status=status, headers=headers
    )


def _span(wanted: str, length: int) -> range | None:
    """Return the one range that was asked for, None where all is given: for several ranges, and
    for what is none, as RFC 9110 lets a server. Raises RangeRefused for one behind the end.
    """
    named = _RANGE.fullmatch(wanted.replace(" ", ""))
    if named is None or not (named[1] or named[2]):
        return None
    if named[1]:
        first, last = int(named[1]), int(named[2] or length - 1)
        if named[2] and last < first:
            return None
    else:
        first, last = max(0, length - int(named[2])), length - 1
    if first >= length:
        raise RangeRefused(
            f"the material has {length} bytes, and the range begins behind them",
            hint="ask without a range",
        )
    return range(first, min(last, length - 1) + 1)


async def _pieces(data: bytes) -> AsyncGenerator[bytes]:
    """Yield bytes in pieces, so that one who reads slowly holds little in our buffers."""
    for start in range(0, len(data), RESPONSE_PIECE_BYTES):
        yield data[start : start + RESPONSE_PIECE_BYTES]
