"""What the command line asks of the keys of a store."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from recense.operations.keys import (
        IssueKey,
        KeyIssued,
        KeyList,
        KeyView,
        ListKeys,
        RenewKey,
        RevokeKey,
    )


class KeyOperations(Protocol):
    """Keys, as far as the commands need them.

    Every method raises what `recense.errors` lists and nothing else; NotFound for a key that is not
    there.
    """

    def issue(self, request: "IssueKey") -> "KeyIssued":
        """Issue a key, which is shown this once."""
        ...

    def list(self, request: "ListKeys") -> "KeyList":
        """Return a page of keys, the newest first."""
        ...

    def renew(self, request: "RenewKey") -> "KeyView":
        """Let a key hold until later."""
        ...

    def revoke(self, request: "RevokeKey") -> "KeyView":
        """Let a key hold no more."""
        ...


class OpenKeys(Protocol):
    """Opens the keys of the store that flags (``store``, ``namespace``) name."""

    def __call__(
        self, flags: Mapping[str, str], *, create: bool
    ) -> AbstractContextManager[KeyOperations]:
        """Return them; what holds them is made with ``create`` alone."""
        ...
