"""What the header of a rollout (``session_meta``) says about where its session comes from."""

from typing import Final

from recense.core.transcript.records import Origin
from recense.core.values import Value
from recense.importers.lines import identifier_of, mapping_of, text_of

_HEADLESS: Final = frozenset({"exec", "mcp"})
_HEADLESS_ORIGINATOR: Final = "codex_exec"
"""Who writes the headers of headless runs, in releases that name no source."""


class Header(Value, kw_only=True):
    """Who drove a session (None: a person), the session that started it, and the one of which it is
    an edited version.
    """

    origin: Origin | None = None
    parent: str | None = None
    forked_from: str | None = None


def header_of(meta: dict[str, object]) -> Header:
    """Return what a header says.

    A sub-agent may begin with a copy of its parent's lines; it is no version of it.
    """
    source = meta.get("source")
    fields = mapping_of(source)
    if "subagent" in fields or meta.get("thread_source") == "subagent":
        spawn = mapping_of(mapping_of(fields.get("subagent")).get("thread_spawn"))
        parent = spawn.get("parent_thread_id") or meta.get("parent_thread_id")
        return Header(origin="subagent", parent=identifier_of(parent))
    is_headless = text_of(source) in _HEADLESS or (
        not source and meta.get("originator") == _HEADLESS_ORIGINATOR
    )
    return Header(
        origin="headless" if is_headless else None,
        forked_from=identifier_of(meta.get("forked_from_id")),
    )
