"""Who asks through MCP, and of which memory."""

from contextlib import AbstractContextManager, nullcontext
from typing import Final, Protocol

from msgspec.structs import replace

from recense.core.values import Value
from recense.operations.catalogue import AnyOperation
from recense.operations.keys import Credential
from recense.servers.acquired_agents import AcquiredAgents
from recense.servers.handling import OperationCall
from recense.services.memory import Memory


class Callers(Protocol):
    """What a server is told of its callers by where it stands."""

    def credential(self, request: object) -> Credential:
        """Return on whose behalf a request is made: that of HTTP, or None over stdio."""
        ...

    def memory(self, credential: Credential) -> AbstractContextManager[Memory]:
        """Return the memory of a credential, open for as long as the context lasts; may block."""
        ...

    def answer(self, name: str, call: OperationCall, request: Value) -> Value:
        """Return the answer of an operation; see `recense.servers.catalogue.answer`."""
        ...

    def answered(self, operation: AnyOperation, credential: Credential) -> None:
        """Take note that an operation was answered; on the event loop."""
        ...


class OneCaller:
    """The caller over stdio: who started this process, asking one memory. When it leaves, the
    agents that it took are given back.
    """

    def __init__(self, memory: Memory, credential: Credential) -> None:
        self._memory: Final = memory
        self._credential: Final = credential
        self._agents: Final = AcquiredAgents()

    def credential(self, request: object) -> Credential:
        """Return the credential, whatever the request."""
        return self._credential

    def memory(self, credential: Credential) -> AbstractContextManager[Memory]:
        """Return the memory, which stays open."""
        return nullcontext(self._memory)

    def answer(self, name: str, call: OperationCall, request: Value) -> Value:
        """Return the answer of an operation, and take note of agents that it takes."""
        return self._agents.answer(name, call, request)

    def answered(self, operation: AnyOperation, credential: Credential) -> None:
        """Do nothing: nobody else is served by this process."""

    def leave(self) -> None:
        """Give back the agents that are held, and close the memory."""
        try:
            self._agents.release_all()
        finally:
            self._memory.close()


def as_model(credential: Credential) -> Credential:
    """Return what is left of a credential for a model: it keeps no store, so that what a person hid
    stays hidden from it.
    """
    return replace(credential, scopes=credential.scopes - {"admin"})
