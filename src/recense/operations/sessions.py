"""Sessions: listed and shown, and written through the API: opened, appended to, closed."""

from typing import Annotated, Literal

import msgspec

from recense.core.transcript.events import Role
from recense.core.transcript.records import Origin
from recense.core.values import Value
from recense.limits import SESSIONS_LISTED_DEFAULT, TRANSCRIPT_MESSAGES_DEFAULT


class OpenSession(Value, kw_only=True, forbid_unknown_fields=True):
    """A session to be born. ``session`` is the caller's own id for it, without a source prefix.

    ``revision_of`` is the whole id of the session of which this one is an edited and resent
    version: of such a family the freshest that holds an answer gives it. Opening a session that
    exists changes nothing and returns it.
    """

    session: str
    source: str = "api"
    workspace: str | None = None
    title: str | None = None
    origin: Origin = "agent"
    parent: str | None = None
    revision_of: str | None = None
    created_at: str | None = None


class AppendedEvent(Value, kw_only=True, forbid_unknown_fields=True):
    """An event to append. ``event_id`` is the caller's and makes the append idempotent; ``at`` is
    RFC 3339, None for now; ``payload`` is the JSON of one of the payloads of
    `recense.core.transcript.events`, where keys we do not know are kept. ``stream`` is the key of
    the stream that this event completes, and then ``event_id`` is that key.
    """

    event_id: str
    payload: bytes
    at: str | None = None
    invocation_id: str | None = None
    stream: str | None = None


class StreamDelta(Value, kw_only=True, forbid_unknown_fields=True):
    """The next piece of a text that is still arriving.

    ``stream`` is its key: the id that the event which completes it will have. ``role`` and
    ``message`` are those of a text payload, ``at`` is RFC 3339, None for now; the first piece that
    is kept decides on all three.
    """

    stream: str
    delta: str
    role: Role = "model"
    message: str | None = None
    at: str | None = None


class StreamReport(Value, kw_only=True):
    """What became of a piece of a stream.

    ``stored`` counts the code points of the stream that are kept, secrets hidden, and survive
    whatever happens to this process; ``held`` those that wait in its memory, since a secret may be
    arriving in them. ``dropped`` says that the stream was complete, and nothing of the piece kept.
    """

    session: str
    stream: str
    stored: int
    held: int
    dropped: bool = False


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


class ListSessions(Value, kw_only=True, forbid_unknown_fields=True):
    """Which sessions to list. ``workspace`` includes what lies below it; ``shelved`` those that the
    person put away in the agent's own tool. ``offset`` is where a page before this one ended.
    """

    source: str | None = None
    workspace: str | None = None
    origin: Origin | Literal["all"] = "all"
    shelved: bool = False
    limit: int = SESSIONS_LISTED_DEFAULT
    offset: int = 0


class ShowSession(Value, kw_only=True, forbid_unknown_fields=True):
    """The session whose messages are asked for: ``count`` of them, from ``first`` on, as
    they are shown. ``everything`` shows abandoned branches, superseded prompts and boilerplate too.
    """

    session: str
    first: int = 0
    count: int = TRANSCRIPT_MESSAGES_DEFAULT
    everything: bool = False


class SentEvent(Value, kw_only=True, forbid_unknown_fields=True):
    """An event to append, as in `AppendedEvent`; its ``payload`` is kept as it was sent."""

    event_id: str
    payload: Annotated[msgspec.Raw, msgspec.Meta(extra_json_schema={"type": "object"})]
    at: str | None = None
    invocation_id: str | None = None
    stream: str | None = None


class AppendSession(Value, kw_only=True, forbid_unknown_fields=True):
    """Events to append to a session, in order. Those whose id the session holds are left out."""

    session: str
    events: tuple[SentEvent, ...]


class StreamSession(StreamDelta, kw_only=True, forbid_unknown_fields=True):
    """The next piece of a text that is arriving in a session."""

    session: str


class CloseSession(Value, kw_only=True, forbid_unknown_fields=True):
    """A session to which nothing more is appended."""

    session: str
