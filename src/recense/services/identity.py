"""Exchanging the token of a workload for a key.

Laws: the key is for the agent and the namespace that the provider names, and for no longer than
IDENTITY_KEY_SECONDS: who wants to go on shows a token again, and a workload that is gone cannot.
Whoever asks has no key yet, so a token is looked at by shape before anybody is asked about it, and
few are asked about at a time.
"""

import re
import threading
from typing import Final

from recense.errors import (
    IdentityRefused,
    IdentityUnavailable,
    InvalidRequest,
    NamespaceInvalid,
)
from recense.limits import (
    IDENTITY_EXCHANGES_MAX,
    IDENTITY_KEY_SECONDS,
    IDENTITY_TOKEN_BYTES_MAX,
)
from recense.operations.identity import ExchangeToken
from recense.operations.keys import ISSUED_SCOPES_DEFAULT, IssueKey, KeyIssued
from recense.ports.identity import IdentityProvider, WorkloadIdentity
from recense.services.admission import typed
from recense.services.keys import Keys

_SIGNED: Final = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+")
"""A JSON Web Token in the compact form of RFC 7515, as all tokens of service accounts are."""


class IdentityExchange:
    """Gives keys to workloads; its methods may be called by any thread."""

    def __init__(self, identities: IdentityProvider, keys: Keys) -> None:
        self._identities: Final = identities
        self._keys: Final = keys
        self._asking: Final = threading.BoundedSemaphore(IDENTITY_EXCHANGES_MAX)

    def exchange(self, request: ExchangeToken) -> KeyIssued:
        """Return a key for the workload whose token this is; a second call gives another key.

        Raises IdentityRefused for a token that proves nothing, or a workload whose name can be no
        agent's here; IdentityUnavailable where it cannot be found out now.
        """
        token = typed(request, ExchangeToken).token
        if len(token) > IDENTITY_TOKEN_BYTES_MAX or not _SIGNED.fullmatch(token):
            raise IdentityRefused(
                "this is no token of a service account",
                hint="send the content of the projected token as `token`",
            )
        identity = self._identified(token)
        try:
            return self._keys.issue(
                IssueKey(
                    namespace=identity.tenant,
                    agent=identity.agent,
                    scopes=ISSUED_SCOPES_DEFAULT,
                    expires_in_seconds=IDENTITY_KEY_SECONDS,
                )
            )
        except (InvalidRequest, NamespaceInvalid) as error:
            raise IdentityRefused(
                f"the workload is known, and can be no agent here: {error.message}",
                hint="name the workload, or the label of its tenant, as an agent is named",
            ) from error

    def _identified(self, token: str) -> WorkloadIdentity:
        if not self._asking.acquire(blocking=False):
            raise IdentityUnavailable(
                f"{IDENTITY_EXCHANGES_MAX} tokens are being looked at already",
                hint="try again in a moment",
            )
        try:
            return self._identities.identify(token)
        finally:
            self._asking.release()
