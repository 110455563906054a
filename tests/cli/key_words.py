"""Command lines about keys, and the answers of a fake."""

from collections.abc import Callable

from recense.operations.keys import (
    IssueKey,
    KeyIssued,
    KeyList,
    KeyView,
    ListKeys,
    RenewKey,
    RevokeKey,
)

KEY_ID = "abcdefgh23456722"
INVENTED = "rcl_" + KEY_ID + "_" + "nosecretatall" * 4
VALID = KeyView(
    id=KEY_ID,
    namespace="team-a",
    agent="deployer",
    scopes=("recall", "remember", "agent"),
    state="valid",
    issued_at="2026-03-01T09:30:00.000000Z",
    expires_at="2026-03-31T09:30:00.000000Z",
    revoked_at=None,
)
REVOKED = KeyView(
    id="bbbbbbbb23456722",
    namespace="team-a",
    agent=None,
    scopes=("recall", "read-only"),
    state="revoked",
    issued_at="2026-02-01T09:30:00.000000Z",
    expires_at=None,
    revoked_at="2026-02-02T09:30:00.000000Z",
)

WORDS: dict[str, tuple[str, ...]] = {
    "keys": ("keys",),
    "keys list": ("keys", "list", "--all", "--limit", "2"),
    "keys issue": ("keys", "issue", "--namespace", "team-a", "--expires", "30d"),
    "keys renew": ("keys", "renew", KEY_ID, "--expires", "12h"),
    "keys revoke": ("keys", "revoke", KEY_ID),
}
"""Every command about keys, as it answers in words."""


class FakeKeys:
    """Tells what it was asked to ``take``, which may raise; then answers with a sample."""

    def __init__(self, take: Callable[..., None]) -> None:
        self._take = take

    def issue(self, request: IssueKey) -> KeyIssued:
        self._take("issue", request)
        return KeyIssued(
            key=INVENTED,
            id=KEY_ID,
            namespace="team-a",
            agent=request.agent,
            scopes=request.scopes,
            expires_at=None if request.expires_in_seconds is None else VALID.expires_at,
        )

    def list(self, request: ListKeys) -> KeyList:
        self._take("list", request)
        return KeyList(keys=(VALID, REVOKED), total=3)

    def renew(self, request: RenewKey) -> KeyView:
        self._take("renew", request)
        return VALID

    def revoke(self, request: RevokeKey) -> KeyView:
        self._take("revoke", request)
        return REVOKED
