"""What messages look like: by the head of a file, whether it holds any, and what an object is."""

import re
from typing import Final

from recense.importers.json_head import HeadObject, first_object

ROLES: Final = frozenset({"system", "developer", "user", "assistant", "tool", "function"})

STANDING_ORDERS: Final = frozenset({"system", "developer"})
"""Roles that say what a model is to be, the same in every session."""

LISTS: Final = ("messages", "input")
"""Where a conversation or the body of a request has its messages."""

_SAID: Final = ("content", "tool_calls", "function_call")

_ITEMS: Final = {
    "function_call": "call_id",
    "function_call_output": "call_id",
    "custom_tool_call": "call_id",
    "custom_tool_call_output": "call_id",
    "reasoning": "summary",
}
"""Items of the Responses API that may come first, and a field that each has."""

_OF_OTHERS: Final = frozenset(
    {
        "uuid",
        "parentUuid",
        "sessionId",
        "sessionID",
        "leafUuid",
        "parentId",
        "payload",
        "message",
        "parts",
        "mapping",
        "projectHash",
        "trajectory",
        "history",
        "chat_messages",
        "workspaceId",
    }
)
"""Fields of formats that have roles too, and something of their own around them."""

_BLOCKS_OF_OTHERS: Final = re.compile(
    rb'"type"\s*:\s*"(?:tool_use|tool_result|thinking|redacted_thinking|toolCall|tool-call)"'
)
"""Content blocks that this format does not have; a quote inside a text has a backslash before it,
so that none is found in what somebody said."""

_BEFORE_LISTS: Final = frozenset(
    {
        "id",
        "session_id",
        "conversation_id",
        "thread_id",
        "title",
        "created",
        "created_at",
        "model",
        "metadata",
        "instructions",
        "tools",
        "temperature",
        "stream",
        "store",
        "include",
        "reasoning",
    }
)
_OF_MESSAGES: Final = frozenset(
    {"role", "content", "name", "id", "type", "timestamp", "created_at", "tool_call_id"}
)


def begins_with_messages(head: bytes) -> bool:
    """Whether a head begins with a message, a list of them, or conversations made of them.

    A first line that is no JSON is passed over.
    """
    if _BLOCKS_OF_OTHERS.search(head) is not None:
        return False
    first = first_object(head)
    if first is None:
        rest = head.partition(b"\n")[2]
        first = first_object(rest) if rest.strip() else None
        head = rest
    return first is not None and (
        _is_message(first) or _is_conversation(first, head) or _may_be_either(first)
    )


def _is_message(first: HeadObject) -> bool:
    if not _OF_OTHERS.isdisjoint(first.fields):
        return False
    if first.word("role").lower() in ROLES:
        return any(name in first.fields for name in _SAID)
    return _ITEMS.get(first.word("type")) in first.fields


def _is_conversation(first: HeadObject, head: bytes) -> bool:
    if not _OF_OTHERS.isdisjoint(first.fields):
        return False
    for name in LISTS:
        if first.begins(name, b"[") and (name == "messages" or "model" in first.fields):
            inner = first_object(head, first.fields[name].at)
            return inner is not None and (
                _is_message(inner) or (inner.is_cut and inner.fields.keys() <= _OF_MESSAGES)
            )
    return False


def _may_be_either(first: HeadObject) -> bool:
    """Whether an object that is cut before what would tell may be a message or a conversation."""
    if not first.is_cut:
        return False
    kind = first.word("type")
    for own in (_OF_MESSAGES, _BEFORE_LISTS):
        if first.fields.keys() <= own and any(name.startswith(first.started) for name in own):
            return kind in ("", "message") or kind in _ITEMS
    return False
