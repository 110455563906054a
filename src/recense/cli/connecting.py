"""What the command that connects clients needs, and how it comes by it."""

from collections.abc import Callable, Mapping
from typing import Protocol

from recense.operations.connecting import ConnectClient, ConnectReport


class ConnectOperations(Protocol):
    """Connecting clients, as far as the command needs it; see `recense.services.connecting`."""

    def is_installed(self, client: str) -> bool:
        """Whether anything of a client is on this machine."""
        ...

    def connect(self, request: ConnectClient) -> ConnectReport:
        """Connect a client, take that back, or tell what that would be."""
        ...


OpenConnecting = Callable[[Mapping[str, str]], ConnectOperations]
"""Opens it for the store that flags name."""
