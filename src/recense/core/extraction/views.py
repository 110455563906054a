"""Views: what a reader is shown of a session, word for word but for what redaction hid."""

from typing import Literal

from recense.core.values import Value

Author = Literal["user", "agent", "tool"]
"""Who wrote words of a session: the person; the model, or the program that called it; a tool."""


class ViewPart(Value, kw_only=True):
    """Words of one author, redacted. ``event_id`` is the event that its anchor names."""

    author: Author
    text: str
    event_id: str


class ViewMessage(Value, kw_only=True):
    """One exchange message, or the window of it that is read now; ``at`` is its instant."""

    parts: tuple[ViewPart, ...]
    at: int | None = None


class ExtractorView(Value, kw_only=True):
    """What is read at once: consecutive messages of one session, oldest first."""

    messages: tuple[ViewMessage, ...]
