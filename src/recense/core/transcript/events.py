"""Events: what happened in a session, ordered and immutable.

Law: an event is written once and never changed. Order is the ordinal, never a timestamp. What needs
hindsight is decided by projection, so that the events of a prefix are a prefix of the events of the
whole. A payload is kept as the JSON it came as: a key that this release does not know survives.
"""

from typing import Final, Literal, get_args

import msgspec

from recense.core.values import Value

Role = Literal["user", "model"]

Standing = Literal["typed", "queued", "agent", "injected", "boilerplate"]
"""Who put user text there. *typed*: a person, at the prompt; it opens a turn. *queued*: a person,
while the agent was busy; it joins the running turn, and steps back if it is typed later. *agent*:
the agent that started this one; it opens a turn. *injected*: the harness (reminders, command
output); a note. *boilerplate*: the harness, always the same words; kept and never matched."""


class Text(Value, kw_only=True, tag="text", tag_field="kind"):
    """Words of the person or of the model.

    ``message`` groups fragments: text and attachments with one key are one message. ``parent`` is
    the source's id of the record before it, by which a rewind is noticed. ``node``, here and in the
    other payloads that open messages, is its place in a source that keeps its sessions as trees;
    see `PathChosen`.
    """

    role: Role
    text: str
    standing: Standing = "typed"
    message: str | None = None
    parent: str | None = None
    node: str | None = None


class Thinking(Value, kw_only=True, tag="thinking", tag_field="kind"):
    """What the model thought before it answered; attached to its message and never visible."""

    text: str
    message: str | None = None


class ToolCall(Value, kw_only=True, tag="tool_call", tag_field="kind"):
    """A tool that the model asked for. ``arguments`` is any JSON value, as the model gave it."""

    call_id: str
    name: str
    arguments: object = None
    intent: str | None = None
    node: str | None = None


class ToolResult(Value, kw_only=True, tag="tool_result", tag_field="kind"):
    """What a tool answered. ``content`` is any JSON value without image payloads.

    ``spilled`` says that the source keeps the body in another file, of which this is a preview.
    """

    call_id: str
    content: object = None
    failed: bool = False
    spilled: bool = False
    node: str | None = None


class Attachment(Value, kw_only=True, tag="attachment", tag_field="kind"):
    """A file or image beside words (``message`` as in Text) or in a tool result (``call_id``).

    ``sha256`` names the blob; None when the source named a file and kept no bytes.
    """

    name: str
    media_type: str
    bytes: int
    sha256: str | None = None
    message: str | None = None
    call_id: str | None = None
    node: str | None = None


class Summary(Value, kw_only=True, tag="summary", tag_field="kind"):
    """The text by which a compaction replaced what came before; what came before stays."""

    text: str


class Note(Value, kw_only=True, tag="note", tag_field="kind"):
    """Something the harness said: system lines, hooks, recaps."""

    text: str
    boilerplate: bool = False
    node: str | None = None


class Error(Value, kw_only=True, tag="error", tag_field="kind"):
    """Something that failed outside a tool: an API error, a refusal."""

    text: str


class PathChosen(Value, kw_only=True, tag="path_chosen", tag_field="kind"):
    """Which way through its tree of messages a session goes now.

    ``nodes`` are those on the path. Of the messages before this event that have a node, those on
    the path answer and all others are an abandoned branch, whatever an earlier choice said.
    """

    nodes: tuple[str, ...]


class InvocationOpened(Value, kw_only=True, tag="invocation_opened", tag_field="kind"):
    """An agent took up work; ``agent`` and ``model`` name who."""

    agent: str | None = None
    model: str | None = None


class InvocationEnded(Value, kw_only=True, tag="invocation_ended", tag_field="kind"):
    """An agent's work ended, and how."""

    status: Literal["completed", "failed", "aborted", "cancelled"]
    cause: str | None = None


Payload = (
    Text
    | Thinking
    | ToolCall
    | ToolResult
    | Attachment
    | Summary
    | Note
    | Error
    | PathChosen
    | InvocationOpened
    | InvocationEnded
)

PAYLOAD_KINDS: Final = tuple(str(kind.__struct_config__.tag) for kind in get_args(Payload))
"""The kinds of payloads, as ``kind`` names them."""


class Event(Value, kw_only=True):
    """One row of the ledger.

    ``event_id`` is unique within its session. ``identity`` is the identity of the record it came
    from where copies in other sessions share it, else None. ``payload`` is JSON (see `Payload`),
    its ``kind`` inside; it has been through the gate.
    """

    event_id: str
    invocation_id: str | None = None
    at: int | None
    recorded_at: int
    identity: bytes | None = None
    payload: bytes


class ConvertedEvent(Value, kw_only=True):
    """An event as conversion makes it; the service adds when it was recorded and its identity."""

    event_id: str
    record_seq: int
    at: int | None
    payload: Payload


_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[Payload] = msgspec.json.Decoder(Payload)


def encode_payload(payload: Payload) -> bytes:
    """Return the JSON of a payload."""
    return _encoder.encode(payload)


def decode_payload(payload: bytes) -> Payload | None:
    """Return the typed payload, or None when this release cannot read it.

    None is for the reader to show as a gap: an unreadable event never hides the others.
    """
    try:
        return _decoder.decode(payload)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def node_of(payload: Payload) -> str | None:
    """Return the node of a payload that opens a message of a tree, else None."""
    match payload:
        case Text() | ToolCall() | ToolResult() | Attachment() | Note():
            return payload.node
        case _:
            return None


def call_of(payload: Payload) -> str | None:
    """Return the id of the tool call that a payload is, answers or is attached to, else None."""
    match payload:
        case ToolCall() | ToolResult() | Attachment():
            return payload.call_id
        case _:
            return None
