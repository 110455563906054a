"""Who asks through MCP, and of which memory."""

from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

from msgspec.structs import replace

from recense.operations.keys import Credential
from recense.services.memory import Memory


class Callers(Protocol):
    """What a server is told of its callers by where it stands."""

    def credential(self, request: object) -> Credential:
        """Return on whose behalf a request is made: that of HTTP, or None over stdio."""
        ...

    def memory(self, credential: Credential) -> AbstractContextManager[Memory]:
        """Return the memory of a credential, open for as long as the context lasts; may block."""
        ...


class OneCaller:
    """The caller over stdio: who started this process, asking one memory."""

    def __init__(self, memory: Memory, credential: Credential) -> None:
        self._memory = memory
        self._credential = credential

    def credential(self, request: object) -> Credential:
        """Return the credential, whatever the request."""
        return self._credential

    def memory(self, credential: Credential) -> AbstractContextManager[Memory]:
        """Return the memory, which stays open."""
        return nullcontext(self._memory)


def as_model(credential: Credential) -> Credential:
    """Return what is left of a credential for a model: it keeps no store, so that what a person hid
    stays hidden from it.
    """
    return replace(credential, scopes=credential.scopes - {"admin"})
