"""Grep's operation: what a person asks and what is answered, as it leaves on the wire."""

from typing import Literal

from recense.core.transcript.messages import MessageKind, Role
from recense.core.transcript.records import Origin
from recense.core.values import Value
from recense.limits import CONTEXT_LINES_DEFAULT, MATCHES_DEFAULT
from recense.operations.recall import Gap


class GrepRequest(Value, kw_only=True, forbid_unknown_fields=True):
    """What is looked for, and among what.

    ``pattern`` is a text, or with ``regex`` a regular expression of RE2's; upper and lower case
    are one unless ``case``. ``context`` is a number of lines on each side of a match.
    ``everything`` looks also at what is left out of answers as a rule: abandoned branches,
    superseded prompts, boilerplate. The filters are those of recall.
    """

    pattern: str
    regex: bool = False
    case: bool = False
    context: int = CONTEXT_LINES_DEFAULT
    limit: int = MATCHES_DEFAULT
    session: str | None = None
    workspace: str | None = None
    since: str | None = None
    until: str | None = None
    origin: Origin | Literal["all"] | None = None
    everything: bool = False


class Columns(Value, kw_only=True):
    """Code points from ``start`` to before ``end`` of a line, from 0."""

    start: int
    end: int


class GrepMatch(Value, kw_only=True):
    """A line that holds the pattern, however often.

    ``position`` is the message's place in its session, ``line`` the line's number in the message,
    from 1. ``text`` is the line, or the window that begins ``offset`` code points into it when
    ``length``, the line's code points, is larger than the window. ``columns`` say where in the line
    the pattern is, as far as the window shows it. ``before`` and ``after`` are lines of the same
    message, each from its beginning and cut as ``text`` is. All of it is redacted.
    """

    session: str
    title: str | None
    workspace: str | None
    anchor: str
    position: int
    at: str | None
    role: Role
    kind: MessageKind
    line: int
    text: str
    offset: int
    length: int
    columns: tuple[Columns, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]


class GrepAnswer(Value, kw_only=True):
    """The newest matches, and how many there are in all.

    By session, the one with the latest event first; in a session from its last message to its
    first; in a message line by line, as it is read.
    """

    matches: tuple[GrepMatch, ...]
    total: int
    gaps: tuple[Gap, ...]
    took_ms: float
