"""What arrives with a call: read whole and bounded, in time, and as the type that it says.

Law: nothing is read beyond a bound, whatever a header promised.
"""

import asyncio
import re
from collections.abc import AsyncGenerator
from email.message import Message
from typing import Final

from litestar.types import (
    HTTPReceiveMessage,
    HTTPScope,
    Receive,
    WebSocketReceiveMessage,
)

from recense.errors import ContentTypeRefused, InvalidRequest, RequestTimedOut, RequestTooLarge
from recense.limits import (
    REQUEST_BODY_SECONDS_MAX,
    REQUEST_BYTES_MAX,
    REQUEST_NESTING_MAX,
    UPLOAD_BYTES_MAX,
    UPLOAD_PAUSE_SECONDS_MAX,
    UPLOAD_SECONDS_MAX,
)

JSON_TYPE: Final = "application/json"
NDJSON_TYPES: Final = ("application/x-ndjson", "application/jsonl", "application/jsonlines")
"""The media types of lines of JSON; none of them is registered, and all are in use."""

_STRINGS: Final = re.compile(rb'"[^"]*"?')
_STEPS: Final = bytes.maketrans(b"{}", b"[]")
_NO_STEPS: Final = bytes(set(range(256)) - set(b'"[{]}'))


def require_type(scope: HTTPScope, *expected: str) -> None:
    """Raise ContentTypeRefused unless a body is of one of these types, as text in UTF-8."""
    headers = dict(scope["headers"])
    if b"content-encoding" in headers:
        raise ContentTypeRefused("the body is compressed", hint="send it as it is")
    header = headers.get(b"content-type", b"")
    if header == expected[0].encode():
        return  # as nearly every call: the parser of mail takes longer than all else here
    message = Message()
    message["content-type"] = header.decode("latin-1") or "none/none"
    charset = str(message.get_param("charset", "utf-8")).lower()
    if message.get_content_type() in expected and charset in {"utf-8", "utf8", "us-ascii"}:
        return
    raise ContentTypeRefused(
        f"the body is of another type; expected {expected[0]}",
        hint=f"send the header content-type: {expected[0]}",
    )


async def read_json_body(scope: HTTPScope, receive: Receive) -> bytes:
    """Return the JSON that came with a call; of an empty body an object without fields.

    Raises ContentTypeRefused, RequestTooLarge for what is longer or nested deeper than is taken,
    RequestTimedOut, and InvalidRequest where the caller went away.
    """
    _require_length(scope, REQUEST_BYTES_MAX)
    pieces: list[bytes] = []
    length = 0
    async for piece in _pieces(whole_in_time(receive)):
        length += len(piece)
        if length > REQUEST_BYTES_MAX:
            raise _too_large(REQUEST_BYTES_MAX)
        pieces.append(piece)
    body = pieces[0] if len(pieces) == 1 else b"".join(pieces)
    if not body:
        return b"{}"
    require_type(scope, JSON_TYPE)
    require_shallow(body)
    return body


def whole_in_time(receive: Receive) -> Receive:
    """Return what receives the same. It raises RequestTimedOut where a body is not whole within
    REQUEST_BODY_SECONDS_MAX from now; for what comes after a body there is no such bound.
    """
    until = asyncio.get_running_loop().time() + REQUEST_BODY_SECONDS_MAX
    is_whole = False

    async def received() -> HTTPReceiveMessage | WebSocketReceiveMessage:
        nonlocal is_whole
        if is_whole:
            return await receive()
        try:
            async with asyncio.timeout_at(until):
                message = await receive()
        except TimeoutError as error:
            raise RequestTimedOut(
                f"the body did not come within {REQUEST_BODY_SECONDS_MAX:g} s"
            ) from error
        is_whole = message["type"] != "http.request" or not message["more_body"]
        return message

    return received


async def upload_pieces(scope: HTTPScope, receive: Receive) -> AsyncGenerator[bytes]:
    """Yield an upload piece by piece. Raises as `read_json_body`, by the bounds of an upload."""
    _require_length(scope, UPLOAD_BYTES_MAX)
    loop, length = asyncio.get_running_loop(), 0
    until = loop.time() + UPLOAD_SECONDS_MAX
    pieces = _pieces(receive)
    while True:
        try:
            async with asyncio.timeout_at(min(until, loop.time() + UPLOAD_PAUSE_SECONDS_MAX)):
                piece = await anext(pieces, None)
        except TimeoutError as error:
            raise RequestTimedOut(
                f"the upload paused for {UPLOAD_PAUSE_SECONDS_MAX:g} s, or took more than "
                f"{UPLOAD_SECONDS_MAX:g} s",
                hint="nothing of it was imported; send it again",
            ) from error
        if piece is None:
            return
        length += len(piece)
        if length > UPLOAD_BYTES_MAX:
            raise _too_large(UPLOAD_BYTES_MAX)
        yield piece


def require_shallow(json: bytes) -> None:
    """Raise RequestTooLarge for JSON that is nested deeper than REQUEST_NESTING_MAX. Linear, and
    what has few brackets is not looked into.

    No other call is answered meanwhile, so all of it is done by what walks bytes fast: what is
    escaped goes, then every string, and then as often as may be the innermost of the pairs.
    """
    if json.count(b"[") + json.count(b"{") <= REQUEST_NESTING_MAX:
        return
    unescaped = json.replace(b"\\\\", b"").replace(b'\\"', b"")
    # Two quotes in a row leave what follows in a string, or out of it, as it was.
    steps = unescaped.translate(_STEPS, _NO_STEPS).replace(b'""', b"")
    steps = _STRINGS.sub(b"", steps)
    for _ in range(REQUEST_NESTING_MAX):
        if b"[]" not in steps:
            break
        steps = steps.replace(b"[]", b"")
    if b"[]" in steps or steps.count(b"[") > REQUEST_NESTING_MAX:
        raise RequestTooLarge(
            f"the JSON is nested deeper than {REQUEST_NESTING_MAX} levels",
            hint="send what is deep as a text",
        )


async def _pieces(receive: Receive) -> AsyncGenerator[bytes]:
    """Yield a body as it comes. Raises InvalidRequest where its caller went away before its end."""
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise InvalidRequest("the connection ended before the body did")
        if message["body"]:
            yield message["body"]
        if not message["more_body"]:
            return


def _require_length(scope: HTTPScope, bytes_max: int) -> None:
    """Refuse at once what says that it is too long."""
    for name, value in scope["headers"]:
        if name == b"content-length" and int(value) > bytes_max:
            raise _too_large(bytes_max)


def _too_large(bytes_max: int) -> RequestTooLarge:
    return RequestTooLarge(f"the body is longer than {bytes_max} bytes", hint="send it in parts")
