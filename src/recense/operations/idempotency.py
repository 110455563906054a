"""The idempotency key of a call, as its header carries it."""

import re
from typing import Final

from recense.errors import InvalidRequest
from recense.limits import IDEMPOTENCY_KEY_CODE_POINTS_MAX

_KEY: Final = re.compile(rf"[!-~]{{1,{IDEMPOTENCY_KEY_CODE_POINTS_MAX}}}")


def require_idempotency_key(key: str) -> str:
    """Return a key as it is. Raises InvalidRequest for one that no header can carry whole."""
    if _KEY.fullmatch(key) is None:
        raise InvalidRequest(
            "the idempotency key is empty, too long, or holds blanks or characters beyond ASCII",
            hint=f"1 to {IDEMPOTENCY_KEY_CODE_POINTS_MAX} characters of ASCII; a UUID does",
        )
    return key
