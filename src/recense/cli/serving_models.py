"""Serving models over the streams of this process; loaded when that is asked for."""

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import NoReturn

from recense.cli.memory import MemoryOperations
from recense.cli.opening import configured
from recense.operations.keys import local_credential
from recense.operations.operation import Surface
from recense.servers.mcp.offer import Offer
from recense.servers.mcp.stdio import serve_stdio
from recense.services.memory import Memory


def serve_models(
    flags: Mapping[str, str],
    memory: MemoryOperations,
    surfaces: frozenset[Surface],
    *,
    read_only: bool,
    names: Sequence[str] | None,
) -> NoReturn:
    """Serve one client until it leaves, and end this process; see `serve_stdio`. It asks as who
    runs this process, in the namespace that the flags and this machine's settings name.
    """
    if not isinstance(memory, Memory):
        raise TypeError(f"{type(memory).__name__} is no memory that can be served")
    offer = Offer(
        surfaces=surfaces,
        read_only=read_only,
        names=None if names is None else frozenset(names),
    )
    credential = local_credential(configured(flags).namespace)
    serve_stdio(memory, credential, offer, version=version("recense"))
