"""One archived record as conversion reads it, and what names it in the ids of its events."""

from hashlib import blake2b
from typing import Final

import msgspec

from recense.core.transcript.records import ArchivedRecord
from recense.importers.claude_code.spilled import SPILLED_OUTPUT
from recense.importers.lines import list_of, mapping_of, text_of


class ClaudeRecord(msgspec.Struct, rename="camel"):
    """The fields that conversion reads; all others are passed over undecoded."""

    type: object = None
    subtype: object = None
    parent_uuid: object = None
    session_id: object = None
    agent_id: object = None
    is_sidechain: object = None
    is_meta: object = None
    is_compact_summary: object = None
    is_visible_in_transcript_only: object = None
    is_api_error_message: object = None
    cwd: object = None
    entrypoint: object = None
    message: object = None
    content: object = None
    attachment: object = None
    plan_content: object = None
    error: object = None
    api_refusal_explanation: object = None
    hook_errors: object = None
    source_tool_use_id: object = msgspec.field(name="sourceToolUseID", default=None)
    summary: object = None
    leaf_uuid: object = None
    custom_title: object = None
    ai_title: object = None
    agent_name: object = None
    tool_use_id: object = msgspec.field(name="tool_use_id", default=None)
    is_error: object = msgspec.field(name="is_error", default=None)
    text: object = None
    beyond: object = None


_decoder: Final = msgspec.json.Decoder(ClaudeRecord)
_content_encoder: Final = msgspec.json.Encoder(order="sorted")


def decoded(archived: ArchivedRecord) -> ClaudeRecord | None:
    """Return the fields of a record; None for one that is no JSON object."""
    try:
        return _decoder.decode(archived.record)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def name_of(record: ClaudeRecord, archived: ArchivedRecord) -> str:
    """Return what names a record in the ids of its events; see the top of `conversion`."""
    if archived.uuid is None:
        return f"{text_of(record.session_id)}#{archived.position}"
    if record.type == SPILLED_OUTPUT:
        return f"{archived.uuid}/{text_of(record.tool_use_id)}"
    message = mapping_of(record.message)
    said = message.get("content") if message else record.content or record.attachment
    digest = blake2b(_content_encoder.encode((record.type, said)), digest_size=8)
    return f"{archived.uuid}/{digest.hexdigest()}"


def blocks_of(content: object) -> list[dict[str, object]]:
    """Return a message's content as blocks; a bare text is one block."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [mapping_of(block) for block in list_of(content)]


def is_of_an_agent(record: ClaudeRecord) -> bool:
    """Whether a sub-agent's record: what it is asked comes from the agent above it."""
    return record.is_sidechain is True or bool(text_of(record.agent_id))
