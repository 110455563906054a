"""What names an agent and what belongs to it."""

import re
from typing import Final

from recense.core.text.quoting import quoted
from recense.errors import InvalidRequest
from recense.limits import AGENT_ID_CODE_POINTS_MAX

_ID: Final = re.compile(rf"[A-Za-z0-9._:-]{{1,{AGENT_ID_CODE_POINTS_MAX}}}")


def is_agent_id(text: str) -> bool:
    """Whether a text may name an agent: 1 to 128 ASCII letters, digits and marks of ``. _ : -``."""
    return _ID.fullmatch(text) is not None


def require_agent_id(what: str, text: str) -> None:
    """Raise InvalidRequest for a text that may not name an agent, saying ``what`` it should have
    been.
    """
    if not is_agent_id(text):
        raise InvalidRequest(
            f"{what} is {quoted(text)}; expected 1 to {AGENT_ID_CODE_POINTS_MAX} letters, digits "
            "and the marks . _ : -",
            hint="use an id like 'mail-worker'",
        )
