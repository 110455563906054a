"""Events from content blocks: what a model said and called, what tools answered, and images."""

from collections.abc import Iterator
from typing import Final

from recense.core.transcript.events import (
    Attachment,
    Payload,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from recense.importers.claude_code.materials import attachment_of
from recense.importers.claude_code.spilled import is_preview
from recense.importers.lines import list_of, mapping_of, text_of

_NO_CONTENT: Final = "(no content)"


def model_payloads(block: dict[str, object], message: str) -> Iterator[Payload]:
    """Yield the events of one block of a model's message; encrypted thinking gives none."""
    kind = text_of(block.get("type"))
    if kind == "text":
        text = text_of(block.get("text"))
        if text.strip() and text != _NO_CONTENT:
            yield Text(role="model", text=text, message=message)
    elif kind == "thinking":
        text = text_of(block.get("thinking"))
        if text.strip():
            yield Thinking(text=text, message=message)
    elif kind.endswith(
        "tool_use"
    ):  # also tools that the service runs: server_tool_use, mcp_tool_use
        yield ToolCall(
            call_id=text_of(block.get("id")),
            name=text_of(block.get("name")),
            arguments=block.get("input"),
        )
    elif kind.endswith("tool_result"):
        yield from result_payloads(block)


def result_payloads(block: dict[str, object]) -> Iterator[Payload]:
    """Yield a tool's result and the images and documents in it."""
    call_id = text_of(block.get("tool_use_id"))
    content = block.get("content")
    files: list[Attachment] = []
    blocks = list_of(content)
    if isinstance(content, list):
        words = list(_result_words(blocks, call_id, files))
        content = words[0] if len(words) == 1 else words
    yield ToolResult(
        call_id=call_id,
        content=content,
        failed=block.get("is_error") is True,
        spilled=is_preview(content),
    )
    yield from files


def _result_words(blocks: list[object], call_id: str, files: list[Attachment]) -> Iterator[object]:
    """Yield what a result says, block by block; images and documents go to ``files``."""
    for item in blocks:
        block = mapping_of(item)
        match block.get("type"):
            case "text":
                yield text_of(block.get("text"))
            case "image" | "document":
                files.append(attachment_of(block, call_id=call_id))
            case "tool_reference":
                yield text_of(block.get("tool_name"))
            case _:
                yield item
