"""Keys: who may ask for what, and the operations by which keys are issued, listed, renewed and
revoked.
"""

from typing import Final, Literal

import msgspec

from recense.core.namespaces import DEFAULT_NAMESPACE
from recense.core.values import Value
from recense.limits import KEYS_LISTED_DEFAULT

KeyScope = Literal["recall", "remember", "agent", "import", "admin", "read-only"]
"""What a key allows: to search and read; to remember and to forget; to write as an agent; to bring
sessions in; to issue and revoke keys and to look after the store. ``read-only`` allows nothing: it
takes away every change that the others would allow."""

KEY_SCOPES: Final[tuple[KeyScope, ...]] = (
    "recall",
    "remember",
    "agent",
    "import",
    "admin",
    "read-only",
)
"""All of them, in the order in which they are shown."""

ISSUED_SCOPES_DEFAULT: Final[tuple[KeyScope, ...]] = ("recall", "remember", "agent")
"""What a key allows when nobody says: what an agent needs to work with its memory."""


class Credential(Value, kw_only=True):
    """On whose behalf a call is made, as a key or the place of the call says; nothing in it comes
    from the call itself.

    ``agent`` None is not bound to one agent. ``key_id`` None is no key: whoever runs the process.
    ``expires_at`` is an instant (microseconds); None never.
    """

    namespace: str
    agent: str | None = None
    scopes: frozenset[KeyScope]
    key_id: str | None = None
    expires_at: int | None = None

    @property
    def is_read_only(self) -> bool:
        """Whether every change is refused."""
        return "read-only" in self.scopes


def local_credential(namespace: str) -> Credential:
    """Return the credential of who runs the process, in a namespace: everything is allowed."""
    return Credential(
        namespace=namespace,
        scopes=frozenset(scope for scope in KEY_SCOPES if scope != "read-only"),
    )


LOCAL: Final = local_credential(DEFAULT_NAMESPACE)
"""Who runs the process, in the default namespace: where nobody names another."""


class IssueKey(Value, kw_only=True, forbid_unknown_fields=True):
    """A key to issue.

    ``namespace`` None is that of the caller. With ``agent`` the key is for that agent alone.
    ``expires_in_seconds`` None is a key that holds until it is revoked.
    """

    namespace: str | None = None
    agent: str | None = None
    scopes: tuple[KeyScope, ...] = ISSUED_SCOPES_DEFAULT
    expires_in_seconds: int | None = None


class KeyIssued(Value, kw_only=True):
    """A key, which is shown this once; an ``expires_at`` of None is never."""

    key: str
    id: str
    namespace: str
    agent: str | None
    scopes: tuple[KeyScope, ...]
    expires_at: str | None

    def __rich_repr__(self) -> list[tuple[str, object]]:
        """Return all but the key: what is shown by accident is not given away."""
        shown = msgspec.structs.asdict(self) | {"key": "..."}
        return list(shown.items())

    def __repr__(self) -> str:
        """Return what `__rich_repr__` shows, on one line."""
        return f"KeyIssued({', '.join(f'{name}={each!r}' for name, each in self.__rich_repr__())})"


class ListKeys(Value, kw_only=True, forbid_unknown_fields=True):
    """Which keys to list: those of ``namespace``, None for that of the caller, or with
    ``everywhere`` of all; ``after`` is the id of the last one of an earlier page.
    """

    namespace: str | None = None
    everywhere: bool = False
    limit: int = KEYS_LISTED_DEFAULT
    after: str | None = None


class KeyView(Value, kw_only=True):
    """A key as it may be shown: all but what it is proved by."""

    id: str
    namespace: str
    agent: str | None
    scopes: tuple[KeyScope, ...]
    state: Literal["valid", "expired", "revoked"]
    issued_at: str
    expires_at: str | None
    revoked_at: str | None


class KeyList(Value, kw_only=True):
    """Keys, the newest first; ``total`` is how many there are."""

    keys: tuple[KeyView, ...]
    total: int


class RenewKey(Value, kw_only=True, forbid_unknown_fields=True):
    """The key ``id`` is to hold for ``expires_in_seconds`` from now: longer than it does now."""

    id: str
    expires_in_seconds: int


class RevokeKey(Value, kw_only=True, forbid_unknown_fields=True):
    """The key ``id`` is to hold no more."""

    id: str
