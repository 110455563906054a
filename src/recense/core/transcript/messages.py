"""Messages: the projected rows of a transcript; what is matched, shown and anchored."""

from typing import Literal, assert_never

from recense.core.transcript.records import Counts, Session
from recense.core.values import Value

MessageKind = Literal["user", "assistant", "tool_call", "tool_result", "summary", "note"]

Flag = Literal["abandoned", "superseded", "boilerplate"]
"""Why a message is left out: a rewind left its branch; a queued prompt was typed after all; it is
known boilerplate. An abandoned message is shown on request, the others are never matched."""

Trust = Literal["user_said", "agent_said", "tool_output"]

Role = Literal["user", "assistant", "tool", "system"]


class Run(Value, kw_only=True):
    """A piece of a message's visible text. Synthetic text is ours (markers, captions, truncation
    marks): it is shown and never matched.
    """

    text: str
    synthetic: bool = False


class Material(Value, kw_only=True):
    """An attachment or image on a message, described; its bytes travel by another way."""

    id: str
    kind: Literal["image", "pdf", "doc", "code", "other"]
    name: str
    media_type: str
    bytes: int
    sha256: str | None


class Message(Value, kw_only=True):
    """One message of a session.

    ``position`` is its place in the session, from 0 (abandoned ones count). ``event_id`` and
    ``ordinal`` are its first event's; ``turn`` is the event id of the message that opened its turn.
    ``runs`` in order make the visible text. ``identity`` is shared with copies in other sessions.
    ``by_person`` says that it began with what a person typed or attached. ``node`` is its place in
    a session that is a tree, by which a path is chosen. ``call_id`` joins a tool call and its
    results.
    """

    position: int
    event_id: str
    ordinal: int
    turn: str
    kind: MessageKind
    at: int | None
    runs: tuple[Run, ...]
    identity: bytes | None = None
    by_person: bool = False
    flags: frozenset[Flag] = frozenset()
    materials: tuple[Material, ...] = ()
    thinking: tuple[str, ...] = ()
    node: str | None = None
    call_id: str | None = None


class Transcript(Value, kw_only=True):
    """A session projected: its messages by position, and what the projection had to leave out."""

    messages: tuple[Message, ...]
    counts: Counts


class LoadedSession(Value, kw_only=True):
    """A session as it stands: its row and its transcript.

    ``unconverted`` archived records had to be converted in memory to complete it (0 when conversion
    is up to date); ``unsearched`` ones could not be, since their importer is not installed, and are
    not in the transcript.
    """

    session: Session
    transcript: Transcript
    unconverted: int
    unsearched: int = 0


def visible_text(message: Message) -> str:
    """Return what a reader sees: own and synthetic runs in order."""
    return "".join([run.text for run in message.runs])


def can_match(message: Message) -> bool:
    """Whether a term may hit this message: it carries no flag."""
    return not message.flags


def role_of(message: Message) -> Role:
    """Return who speaks in a message."""
    match message.kind:
        case "user":
            return "user"
        case "assistant" | "tool_call":
            return "assistant"
        case "tool_result":
            return "tool"
        case "summary" | "note":
            return "system"
        case _:
            assert_never(message.kind)


def trust_of(message: Message) -> Trust:
    """Return whose words a message holds; what an agent or harness wrote is not the person's."""
    match message.kind:
        case "user":
            return "user_said" if message.by_person else "agent_said"
        case "assistant" | "tool_call" | "summary":
            return "agent_said"
        case "tool_result" | "note":
            return "tool_output"
        case _:
            assert_never(message.kind)
