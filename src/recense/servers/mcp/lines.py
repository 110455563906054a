"""Lines of JSON-RPC: from bytes to messages, and why not.

Law: what has an id, whatever that is, waits for an answer and gets one. The SDK takes a request
whose id can be none for a notification, and says nothing.
"""

import re
from collections.abc import Iterator
from typing import Final, TypeGuard

import mcp_types as types
import msgspec
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from recense.limits import MCP_LINE_BYTES_MAX

_HALF: Final = re.compile(rb"(?<!\\)((?:\\\\)*)\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
"""One of the two escapes that a character beyond U+FFFF is written with, alone or not."""


class LineBuffer:
    """Cuts what arrives into lines; one longer than MCP_LINE_BYTES_MAX is None, and not kept."""

    def __init__(self) -> None:
        self._held = bytearray()
        self._is_too_long = False

    def lines(self, data: bytes) -> Iterator[bytes | None]:
        """Yield the lines that end in what arrived, without what ends them."""
        *whole, rest = data.split(b"\n")
        for part in whole:
            self._hold(part)
            yield None if self._is_too_long else bytes(self._held)
            self._held.clear()
            self._is_too_long = False
        self._hold(rest)

    def _hold(self, part: bytes) -> None:
        if self._is_too_long or len(self._held) + len(part) > MCP_LINE_BYTES_MAX:
            self._is_too_long = True
            self._held.clear()
        else:
            self._held += part


def message_of(line: bytes | None) -> SessionMessage | types.JSONRPCError:
    """Return the message of a line, or the error that answers a line which is none."""
    if line is None:
        return _unreadable(
            types.INVALID_REQUEST, f"the line is longer than {MCP_LINE_BYTES_MAX} bytes"
        )
    try:
        text = line.decode()
        message = types.jsonrpc_message_adapter.validate_json(text, by_name=False)
    except UnicodeDecodeError:
        return _unreadable(types.PARSE_ERROR, "the line is not UTF-8")
    except ValidationError:
        return _refused(line)
    if isinstance(message, types.JSONRPCNotification):
        return refused_request(line) or SessionMessage(message)
    return SessionMessage(message)


class _Named(msgspec.Struct):
    """What is read of a message that may be none: whether it asks, and whom its answer is for."""

    id: object | msgspec.UnsetType = msgspec.UNSET
    method: object | msgspec.UnsetType = msgspec.UNSET


def refused_request(message: bytes) -> types.JSONRPCError | None:
    """Return the error that answers a request whose id can be none, and what is no JSON; None for
    every other message.
    """
    try:
        read = msgspec.json.decode(message, type=_Named)
    except (msgspec.MsgspecError, RecursionError):  # the SDK is laxer, and takes NaN for JSON
        return _refused(message)
    asks = read.method is not msgspec.UNSET and read.id is not msgspec.UNSET
    if not asks or _can_be_an_id(read.id):
        return None
    return _unreadable(
        types.INVALID_REQUEST, "the id of a request is a text or a whole number, and null is none"
    )


def _refused(line: bytes) -> types.JSONRPCError:
    try:
        msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return _refused_half(line) or _unreadable(types.PARSE_ERROR, "the line is no JSON")
    try:
        named = msgspec.json.decode(line, type=_Named).id
    except msgspec.ValidationError:
        named = None
    answered = named if _can_be_an_id(named) else None
    return _unreadable(types.INVALID_REQUEST, "the line is no message of JSON-RPC 2.0", answered)


def _refused_half(line: bytes) -> types.JSONRPCError | None:
    """Return the error that answers what would be a message but for halves of characters, which
    programs write that cut texts in the middle of one; None for anything else, and for one whose id
    has such a half.
    """
    try:
        read = msgspec.json.decode(_HALF.sub(rb"\1\\ufffd", line), type=_Named)
    except (msgspec.MsgspecError, RecursionError):
        return None
    if not _can_be_an_id(read.id) or "\ufffd" in str(read.id):
        return None
    why = "a text holds half of a character: a surrogate without the other one of its pair"
    return _unreadable(types.INVALID_REQUEST, why, read.id)


def _can_be_an_id(named: object) -> TypeGuard[int | str]:
    return isinstance(named, int | str) and not isinstance(named, bool)


def _unreadable(code: int, why: str, named: int | str | None = None) -> types.JSONRPCError:
    error = types.ErrorData(code=code, message=why)
    return types.JSONRPCError(jsonrpc="2.0", id=named, error=error)
