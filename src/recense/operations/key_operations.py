"""The operations that issue keys and look after them."""

from typing import Final

from recense.operations.keys import (
    IssueKey,
    KeyIssued,
    KeyList,
    KeyView,
    ListKeys,
    RenewKey,
    RevokeKey,
)
from recense.operations.operation import AnyOperation, Operation

ISSUE_KEY: Final = Operation(
    name="issue_key",
    summary="Issue a key that exceeds yours in nothing; it is shown this once.",
    request=IssueKey,
    answer=KeyIssued,
    surface="admin",
    scope="admin",
    changes=True,
    repeatable=False,
    secret=True,
)
LIST_KEYS: Final = Operation(
    name="list_keys",
    summary="List the keys of your namespace, the newest first: never the keys themselves.",
    request=ListKeys,
    answer=KeyList,
    surface="admin",
    scope="admin",
)
RENEW_KEY: Final = Operation(
    name="renew_key",
    summary="Let a key hold until later, at most as long as yours.",
    request=RenewKey,
    answer=KeyView,
    surface="admin",
    scope="admin",
    changes=True,
)
REVOKE_KEY: Final = Operation(
    name="revoke_key",
    summary="Let a key hold no more, for good.",
    request=RevokeKey,
    answer=KeyView,
    surface="admin",
    scope="admin",
    changes=True,
    destructive=True,
)

KEY_OPERATIONS: Final[tuple[AnyOperation, ...]] = (ISSUE_KEY, LIST_KEYS, RENEW_KEY, REVOKE_KEY)
