"""What names an agent, and its sessions: ``agent:A``, then ``agent:A~2`` and so on."""

import re
from typing import Final

from recense.core.text.quoting import quoted
from recense.core.transcript.records import AGENT_SOURCE
from recense.errors import InvalidRequest
from recense.limits import AGENT_ID_CODE_POINTS_MAX

SESSION_NUMBER_MARK: Final = "~"
"""Stands before the number of each session of an agent but its first; in no agent's id."""

_ID: Final = re.compile(rf"[A-Za-z0-9._:-]{{1,{AGENT_ID_CODE_POINTS_MAX}}}")


def is_agent_id(text: str) -> bool:
    """Whether a text may name an agent: 1 to AGENT_ID_CODE_POINTS_MAX ASCII
    letters, digits and marks of ``. _ : -``.
    """
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


def agent_of(session: str) -> str | None:
    """Return the agent whose session this is, or None for a session of another source."""
    source, _, name = session.partition(":")
    agent = name.partition(SESSION_NUMBER_MARK)[0]
    return agent if source == AGENT_SOURCE and is_agent_id(agent) else None
