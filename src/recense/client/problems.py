"""What a server tells of an error, as that error."""

from collections.abc import Iterator, Mapping
from typing import Final
from urllib.parse import urlsplit

import msgspec

from recense.errors import (
    RecenseError,
    ServerBusy,
    ServerFault,
    StoreBusy,
    TooManyRequests,
)
from recense.operations.problems import Problem


def _below(kind: type[RecenseError]) -> Iterator[type[RecenseError]]:
    yield kind
    for each in kind.__subclasses__():
        yield from _below(each)


_KINDS: Final[Mapping[str, type[RecenseError]]] = {kind.code: kind for kind in _below(RecenseError)}
_MCP: Final = "/mcp"
_UNTOUCHED: Final = (TooManyRequests, ServerBusy, StoreBusy)


def error_of(status: int, body: bytes, address: str = "") -> RecenseError:
    """Return the error that an answer other than a good one tells; it came from ``address``.

    One that this version does not know, and what is no problem of ours, is a ServerFault.
    """
    try:
        problem = msgspec.json.decode(body, type=Problem)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return ServerFault(
            f"the answer has the status {status} and is no problem of recense",
            hint=_whose(address),
        )
    kind = _KINDS.get(problem.code)
    if kind is None:
        return ServerFault(f"{problem.detail} ({problem.code})", hint=problem.hint)
    return kind(problem.detail, hint=problem.hint)


def _whose(address: str) -> str:
    """Return who may have answered at an address what our server does not."""
    asked = address.rstrip("/")
    if urlsplit(asked).path.endswith(_MCP):
        server = asked.removesuffix(_MCP)
        return f"{_MCP} is where models are answered, and not this client: ask {server}"
    return "a proxy on the way may have answered, or another program"


def is_refused_untouched(error: RecenseError) -> bool:
    """Whether a call was refused before anything of it was done."""
    return isinstance(error, _UNTOUCHED)


def retry_after_seconds(header: str | None) -> float:
    """Return what ``Retry-After`` says in seconds; 0 where it says nothing, or a date."""
    return float(header) if header is not None and header.isdecimal() else 0.0
