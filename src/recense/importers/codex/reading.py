"""What a line of a rollout is, and which session the file is.

Two forms: the envelope (``{timestamp, type, payload}``) and, to September 2025, bare items behind a
first line ``{id, timestamp, instructions, git}``, without instants of their own.
"""

import re
from pathlib import PurePath
from typing import Final, Literal

import msgspec

from recense.core.instants import instant_from_text
from recense.core.transcript.records import SourceRecord
from recense.core.values import Value
from recense.importers.lines import SourceLine, identifier_of, mapping_of, text_of

_NAME_ENDS_IN_ID: Final = re.compile(
    r"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?:\.jsonl)?(?:\.zst)?$"
)

_ENVELOPES: Final = frozenset(
    {
        "session_meta",
        "turn_context",
        "response_item",
        "event_msg",
        "compacted",
        "world_state",
        "inter_agent_communication",
        "inter_agent_communication_metadata",
    }
)

SHELVED: Final = "recense-shelved"
"""The type of the record that we put before those of a rollout which the person archived; the file
says so by its place alone."""

_ARCHIVED_FOLDER: Final = "archived_sessions"

_CONVERTED_LINES: Final = frozenset({"session_meta", "turn_context", "compacted", SHELVED})

_CONVERTED_ITEMS: Final = frozenset(
    {
        "message",
        "agent_message",
        "reasoning",
        "function_call",
        "function_call_output",
        "custom_tool_call",
        "custom_tool_call_output",
        "local_shell_call",
        "local_shell_call_output",
        "mcp_tool_call_output",
        "web_search_call",
        "tool_search_call",
        "image_generation_call",
    }
)

_CONVERTED_EVENTS: Final = frozenset(
    {
        "user_message",
        "agent_message",
        "error",
        "turn_aborted",
        "thread_rolled_back",
        "thread_name_updated",
        "entered_review_mode",
        "exited_review_mode",
    }
)
"""The others measure, or say again what a response item says."""

_LABEL_CODE_POINTS_MAX: Final = 64


class _ReadingState(Value, kw_only=True, array_like=True):
    """What reading must know of the lines before."""

    position: int = 0
    session: str = ""
    at: int | None = None


_content_encoder: Final = msgspec.json.Encoder(order="sorted")
_state_encoder: Final = msgspec.msgpack.Encoder()
_state_decoder: Final = msgspec.msgpack.Decoder(_ReadingState)


class CodexReader:
    """Makes source records of the lines of one file, in order."""

    def __init__(self, path: PurePath, state: bytes) -> None:
        start = _state_decoder.decode(state) if state else _ReadingState()
        self._position = start.position
        self._session = start.session
        self._at = start.at
        self.is_shelved = _ARCHIVED_FOLDER in path.parts[:-1]
        found = _NAME_ENDS_IN_ID.search(path.name)
        self._name = found.group(1) if found else path.name.partition(".")[0] or path.name

    def state(self) -> bytes:
        """Return what a later reader needs to read on; b"" until it is known whose the file is."""
        if not self._session:
            return b""
        state = _ReadingState(position=self._position, session=self._session, at=self._at)
        return _state_encoder.encode(state)

    def session_named_by(self, line: SourceLine) -> str | None:
        """Return the session that the first good line of a file names: by its id, else through the
        file's name.
        """
        if line.value is None:
            return None
        return session_id_of_header(line.value) or self._name

    def claim(self, session: str | None) -> None:
        """Take the file to be of this session; None: of the one in its name."""
        self._session = session or self._name

    def record_of(self, line: SourceLine) -> SourceRecord:
        """Return the record of the next line; one that is not of the file takes no place in it."""
        position = self._position
        self._position += line.size > 0
        kind = "bad"
        disposition: Literal["parsed", "skipped", "bad"] = "bad"
        content = line.record
        if line.value is not None:
            instant = instant_from_text(text_of(line.value.get("timestamp")))
            if instant is not None:
                self._at = instant
            kind, disposition = kind_of(line.value)
            content = _content_encoder.encode(line.value)
        return SourceRecord(
            source_session_id=self._session,
            position=position,
            type=kind,
            at=self._at,
            disposition=disposition,
            record=line.record,
            content=content,
            size=line.size,
            reason=line.reason,
            blobs=line.blobs,
        )


def shelving() -> SourceLine:
    """Return the line that says of a session that it is shelved; it takes no bytes of the file."""
    value: dict[str, object] = {"type": SHELVED, "payload": {"shelved": True}}
    return SourceLine(record=_content_encoder.encode(value), value=value, size=0)


def is_codex_record(value: dict[str, object]) -> bool:
    """Whether an object is a line of a rollout, in either form."""
    if isinstance(value.get("payload"), dict):
        return text_of(value.get("type")) in _ENVELOPES
    return is_old_header(value) or value.get("record_type") == "state"


def is_old_header(value: dict[str, object]) -> bool:
    """Whether an object is the first line of the older form."""
    return (
        identifier_of(value.get("id")) is not None
        and "timestamp" in value
        and ("instructions" in value or "git" in value)
        and "type" not in value
    )


def session_id_of_header(value: dict[str, object]) -> str | None:
    """Return the session's id when the object is a session's header, in either form."""
    if value.get("type") == "session_meta":
        return identifier_of(mapping_of(value.get("payload")).get("id"))
    return identifier_of(value.get("id")) if is_old_header(value) else None


def kind_of(value: dict[str, object]) -> tuple[str, Literal["parsed", "skipped"]]:
    """Return the kind of a line in a word or two (``response_item/message``), and whether
    conversion reads lines of this kind.
    """
    kind = text_of(value.get("type"))
    payload = mapping_of(value.get("payload"))
    detail = text_of(payload.get("type"))
    if kind == "response_item":
        converts = detail in _CONVERTED_ITEMS
    elif kind == "event_msg":
        converts = detail in _CONVERTED_EVENTS
    elif payload:
        detail, converts = "", kind in _CONVERTED_LINES
    elif is_old_header(value):
        kind, converts = "header", True
    else:
        converts = kind in _CONVERTED_ITEMS
        kind = kind or text_of(value.get("record_type"))
    label = f"{kind}/{detail}" if detail else kind
    return label[:_LABEL_CODE_POINTS_MAX] or "unknown", "parsed" if converts else "skipped"
