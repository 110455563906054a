"""Whose words the user text of a rollout is.

Codex writes context for the model as user messages, each a text of its own: in one tag from end to
end, or behind a heading. Editors put theirs before the person's words, under a heading for each.
"""

import re
from typing import Final

from recense.core.transcript.events import Standing

_BOILERPLATE_STARTS: Final = (
    "<environment_context>",
    "<user_instructions>",
    "<permissions instructions>",
    "<collaboration_mode>",
    "<turn_aborted>",
    "<app-context>",
    "<INSTRUCTIONS>",
    "# AGENTS.md instructions",
)
"""How text begins that says the same in every session, or what the event beside it says."""

_IMAGE_TAG: Final = re.compile(r"\s*(?:<image(?:\s[^<>]*)?>|</image>)\s*")
"""What stands around an image for the model's eyes."""

_ONE_TAG: Final = re.compile(r"\s*<([A-Za-z][A-Za-z0-9]*[_-][A-Za-z0-9_-]*|skill)(?:\s[^<>]*)?>")

_EDITOR_CONTEXT: Final = "# Context from my IDE setup:"
_EDITOR_REQUEST: Final = "## My request for Codex:"


def parts_of(text: str) -> list[tuple[str, Standing]]:
    """Return the pieces of a user text in order, each with who put it there.

    Blank pieces and image tags are left out.
    """
    start = text.lstrip()
    if not start or _IMAGE_TAG.fullmatch(text):
        return []
    if start.startswith(_BOILERPLATE_STARTS):
        return [(text, "boilerplate")]
    if start.startswith(_EDITOR_CONTEXT):
        context, request, typed = text.rpartition(_EDITOR_REQUEST)
        if request:
            pieces: list[tuple[str, Standing]] = [
                (context.strip(), "injected"),
                (typed.strip(), "typed"),
            ]
            return [piece for piece in pieces if piece[0]]
    tag = _ONE_TAG.match(text)
    if tag is not None and text.rstrip().endswith(f"</{tag.group(1)}>"):
        return [(text, "injected")]
    return [(text, "typed")]
