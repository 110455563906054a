"""Who a workload is, as the cluster that runs it says.

Law: nothing of an identity comes from who asks. It shows a token; whoever issued that says whether
it holds, and whose it is.
"""

from typing import Protocol

from recense.core.values import Value


class WorkloadIdentity(Value, kw_only=True):
    """A workload: the ``tenant`` is its namespace here, the ``agent`` its name as an agent."""

    tenant: str
    agent: str


class IdentityProvider(Protocol):
    """Says whose a token is. Its methods may be called by any thread."""

    def identify(self, token: str) -> WorkloadIdentity:
        """Return whose a token is, at this moment.

        Raises IdentityRefused for one that proves nothing, and IdentityUnavailable where that
        cannot be found out now. No message has any part of the token.
        """
        ...
