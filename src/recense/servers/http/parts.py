"""What the handlers of one server share, and what they are told of the call that they answer."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from litestar.types import HTTPScope

from recense.operations.catalogue import AnyOperation
from recense.operations.keys import Credential
from recense.servers.http.hosts import AllowedHosts
from recense.servers.http.logs import ServerLog
from recense.servers.http.metering import Meter
from recense.servers.http.metrics import Metrics
from recense.servers.workers import Workers
from recense.wiring.namespaces import Namespaces

_IN_STATE: Final = "recense"

_BRING_MESSAGES: Final = frozenset({"agent", "import"})
"""The scopes of operations that bring messages, which wait to be indexed."""


@dataclass(frozen=True, kw_only=True)
class ServerParts:
    """The parts of one server. ``open_credential`` is whose calls without a key are, None where
    each needs one.
    """

    namespaces: Namespaces
    workers: Workers
    slow_workers: Workers
    hosts: AllowedHosts
    meter: Meter
    log: ServerLog
    metrics: Metrics
    draw: Callable[[int], bytes]
    spool: str
    open_credential: Credential | None = None
    is_stopping: Callable[[], bool]
    monotonic: Callable[[], float]
    """Seconds that never step back."""
    touched: Callable[[str], None]
    """Is told of each namespace in which something may be different now."""
    came_in: Callable[[str], None]
    """Is told, besides, of each to which messages may have come."""

    def answered(self, operation: AnyOperation, namespace: str) -> None:
        """Tell who follows a namespace what an operation may have changed, and have indexed what it
        may have brought. For the event loop's own thread.
        """
        if operation.changes:
            self.touched(namespace)
            if operation.scope in _BRING_MESSAGES:
                self.came_in(namespace)


@dataclass(kw_only=True)
class CallState:
    """What is known of one call while it is answered; ``error`` is why it was refused."""

    trace: str
    key: str | None = None
    error: BaseException | None = None
    _credential: Credential | None = field(default=None, repr=False)
    _prove: Callable[[bool], Credential] | None = field(default=None, repr=False)

    @property
    def credential(self) -> Credential:
        """Who asks. For handlers of routes that need a key alone."""
        if self._credential is None:
            raise TypeError("a handler of a route without a key asks for a credential")
        return self._credential

    def proved(self, key: str, credential: Credential, prove: Callable[[bool], Credential]) -> None:
        """Take who asks, by which key, and what proves it again: anew by the store, if so asked."""
        self.key, self._credential, self._prove = key, credential, prove

    def proved_again(self, *, anew: bool = False) -> Credential:
        """Return who asks, by the key as it is now: for a call that lasts. Raises as
        `recense.services.keys.Keys.check`.
        """
        return self.credential if self._prove is None else self._prove(anew)


def call_state(scope: HTTPScope) -> CallState:
    """Return what is known of the call of a scope."""
    state: object = scope["state"][_IN_STATE]
    if not isinstance(state, CallState):
        raise TypeError(f"the scope holds {type(state).__name__}, expected CallState")
    return state


def keep_call_state(scope: HTTPScope, state: CallState) -> None:
    """Put what is known of a call where its handlers find it."""
    scope["state"][_IN_STATE] = state
