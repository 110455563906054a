"""Writing a session through the API: opened, appended to, closed."""

from typing import Literal

from recense.core.transcript.records import Origin
from recense.core.values import Value


class OpenSession(Value, kw_only=True, forbid_unknown_fields=True):
    """A session to be born. ``session`` is the caller's own id for it, without a source prefix.

    Opening one that exists changes nothing and returns it.
    """

    session: str
    source: str = "api"
    workspace: str | None = None
    title: str | None = None
    origin: Origin = "agent"
    parent: str | None = None
    created_at: str | None = None


class AppendedEvent(Value, kw_only=True, forbid_unknown_fields=True):
    """An event to append. ``event_id`` is the caller's and makes the append idempotent; ``at`` is
    RFC 3339, None for now; ``payload`` is the JSON of one of the payloads of
    `recense.core.transcript.events`, where keys we do not know are kept.
    """

    event_id: str
    payload: bytes
    at: str | None = None
    invocation_id: str | None = None


class AppendReport(Value, kw_only=True):
    """What an append did: events that are new, and those that the session held already."""

    session: str
    appended: int
    already_held: int
    secrets_redacted: dict[str, int]


class ClosedSession(Value, kw_only=True):
    """A session that was closed, and how many events it holds."""

    session: str
    events: int
    status: Literal["closed"] = "closed"
