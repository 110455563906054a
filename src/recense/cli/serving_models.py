"""Serving models over the streams of this process; loaded when that is asked for."""

from collections.abc import Sequence
from importlib.metadata import version
from typing import NoReturn

from recense.cli.memory import MemoryOperations
from recense.operations.keys import LOCAL
from recense.operations.operation import Surface
from recense.servers.mcp.offer import Offer
from recense.servers.mcp.stdio import serve_stdio
from recense.services.memory import Memory


def serve_models(
    memory: MemoryOperations,
    surfaces: frozenset[Surface],
    *,
    read_only: bool,
    names: Sequence[str] | None,
) -> NoReturn:
    """Serve one client until it leaves, and end this process; see `serve_stdio`."""
    if not isinstance(memory, Memory):
        raise TypeError(f"{type(memory).__name__} is no memory that can be served")
    offer = Offer(
        surfaces=surfaces,
        read_only=read_only,
        names=None if names is None else frozenset(names),
    )
    serve_stdio(memory, LOCAL, offer, version=version("recense"))
