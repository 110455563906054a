"""The kinds of records that Claude Code writes, as far as we read them.

New kinds appear nearly every week: one that no table here names is kept and not converted. Only a
``system`` line of an unknown subtype is converted, since what it says stands in ``content`` as for
all others.
"""

from typing import Final, Literal

from recense.importers.claude_code.materials import FILE_ATTACHMENTS
from recense.importers.claude_code.spilled import SPILLED_OUTPUT
from recense.importers.lines import mapping_of, text_of

_TITLES: Final = frozenset({"summary", "custom-title", "ai-title", "agent-name"})

_STATE_OF_A_SESSION: Final = frozenset(
    {
        "queue-operation",
        "custom-title",
        "ai-title",
        "agent-name",
        "permission-mode",
        "mode",
        "last-prompt",
        "pr-link",
        "worktree-state",
        "relocated",
        "bridge-session",
        "frame-link",
    }
)
"""Kinds that name their session and have no uuid."""

_SYSTEM_LEFT_OUT: Final = frozenset({"turn_duration", "session_start"})
"""Subtypes that only measure or mark."""

_ATTACHMENTS_CONVERTED: Final = FILE_ATTACHMENTS | frozenset(
    {
        "queued_command",
        "hook_success",
        "hook_additional_context",
        "hook_blocking_error",
        "hook_non_blocking_error",
        "hook_system_message",
    }
)
"""Files, what a person queued and what hooks said. The others repeat listings and reminders to the
model."""

_LABEL_CODE_POINTS_MAX: Final = 64


def kind_of(value: dict[str, object]) -> tuple[str, Literal["parsed", "skipped"]]:
    """Return the kind of a record in a word or two (``user``, ``attachment/hook_success``), and
    whether conversion reads records of this kind, whoever wrote them.
    """
    kind = text_of(value.get("type"))
    match kind:
        case "user" | "assistant":
            return kind, "parsed"
        case "progress":
            detail, converts = text_of(mapping_of(value.get("data")).get("type")), False
        case "system":
            detail = text_of(value.get("subtype"))
            converts = detail not in _SYSTEM_LEFT_OUT
        case "attachment":
            detail = text_of(mapping_of(value.get("attachment")).get("type"))
            converts = detail in _ATTACHMENTS_CONVERTED
        case "queue-operation":
            detail = text_of(value.get("operation"))
            converts = detail == "enqueue"
        case _:
            detail, converts = "", kind in _TITLES or kind == SPILLED_OUTPUT
    label = f"{kind}/{detail}" if detail else kind
    return label[:_LABEL_CODE_POINTS_MAX] or "unknown", "parsed" if converts else "skipped"


def names_a_session(value: dict[str, object]) -> bool:
    """Whether an object is of a kind that names its session and carries no uuid."""
    return text_of(value.get("type")) in _STATE_OF_A_SESSION
