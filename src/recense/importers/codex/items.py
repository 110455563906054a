"""Events from response items: what a model thought and called, what tools answered, images."""

import re
from collections.abc import Iterator
from typing import Final, cast

import msgspec

from recense.core.transcript.events import Attachment, Payload, Thinking, ToolCall, ToolResult
from recense.core.transcript.gate import payload_of
from recense.importers.lines import list_of, mapping_of, text_of
from recense.limits import FILE_NAME_CODE_POINTS_MAX

_PATCHED_FILE: Final = re.compile(
    r"^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+)$", re.MULTILINE
)
_PATCH: Final = "*** Begin Patch"

_NAMED_IMAGE: Final = re.compile(r"""\s*<image\s[^<>]{0,200}?\bpath=["']?([^<>"']{1,4096})""")
"""The tag before an image that was a file."""

_FAILED_STATUS: Final = frozenset({"failed", "incomplete"})


def tool_payloads(item: dict[str, object], place: str) -> Iterator[Payload]:
    """Yield the events of one response item that is no message.

    ``place`` names the record; it stands in where a call carries no id.
    """
    call_id = text_of(item.get("call_id")) or text_of(item.get("id")) or place
    match item.get("type"):
        case "reasoning":
            yield from _thoughts(item)
        case "function_call":
            arguments = _json_or_text(item.get("arguments"))
            yield ToolCall(call_id=call_id, name=text_of(item.get("name")), arguments=arguments)
        case "custom_tool_call":
            arguments = _custom_arguments(text_of(item.get("input")))
            yield ToolCall(call_id=call_id, name=text_of(item.get("name")), arguments=arguments)
        case "local_shell_call":
            yield ToolCall(call_id=call_id, name="local_shell", arguments=item.get("action"))
        case "web_search_call":
            yield ToolCall(call_id=call_id, name="web_search", arguments=item.get("action"))
        case "tool_search_call":
            arguments = _json_or_text(item.get("arguments"))
            yield ToolCall(call_id=call_id, name="tool_search", arguments=arguments)
        case "image_generation_call":
            prompt = {"prompt": text_of(item.get("revised_prompt"))}
            yield ToolCall(call_id=call_id, name="image_generation", arguments=prompt)
            result = text_of(item.get("result"))
            if result:
                yield _image("image/png", result, None, call_id)
        case kind if text_of(kind).endswith("_output"):
            yield from _result(item, call_id)
        case _:
            pass


def words_of(content: object) -> list[str]:
    """Return the texts of a message's content, part by part."""
    if isinstance(content, str):
        return [content]
    return [text for part in list_of(content) if (text := text_of(mapping_of(part).get("text")))]


def images_of(content: object, *, message: str) -> list[Attachment]:
    """Return the images and files among the parts of a message's content; a field of the part or
    the tag before it may name one.
    """
    images: list[Attachment] = []
    name = ""
    for part in map(mapping_of, list_of(content)):
        url = text_of(part.get("image_url")) or text_of(part.get("file_data"))
        name = text_of(part.get("filename")) or name
        image = image_of(url, message=message, name=name)
        if image is not None:
            images.append(image)
        named = _NAMED_IMAGE.match(text_of(part.get("text")))
        name = file_name(named.group(1)) if named is not None else ""
    return images


def file_name(path: str) -> str:
    """Return the last part of a path in either spelling; "" for one that is no file's."""
    name = path.replace("\\", "/").rpartition("/")[2]
    return name if len(name) <= FILE_NAME_CODE_POINTS_MAX else ""


def image_of(
    url: str, *, message: str | None = None, call_id: str | None = None, name: str = ""
) -> Attachment | None:
    """Return the image that a data URL holds; None for any other URL and for no text."""
    media_type, _, data = url.removeprefix("data:").partition(";base64,")
    if not data or not url.startswith("data:"):
        return None
    return _image(media_type, data, message, call_id, name)


def _image(
    media_type: str, data: str, message: str | None, call_id: str | None, name: str = ""
) -> Attachment:
    """Return an image; its bytes are a blob when they were long enough to leave the record."""
    sha256, size = payload_of(data)
    return Attachment(
        name=name,
        media_type=media_type,
        bytes=size,
        sha256=sha256,
        message=message,
        call_id=call_id,
    )


def _thoughts(item: dict[str, object]) -> Iterator[Payload]:
    for part in (*list_of(item.get("summary")), *list_of(item.get("content"))):
        text = text_of(mapping_of(part).get("text"))
        if text.strip():
            yield Thinking(text=text)


def _result(item: dict[str, object], call_id: str) -> Iterator[Payload]:
    output = _json_or_text(item.get("output"), object_only=True)
    wrapped = mapping_of(output)
    failed = text_of(item.get("status")) in _FAILED_STATUS or wrapped.get("success") is False
    exit_code = mapping_of(wrapped.get("metadata")).get("exit_code")
    if "output" in wrapped:
        failed = failed or (isinstance(exit_code, int) and exit_code != 0)
        content = wrapped["output"]
    elif "metadata" in wrapped or "content" in wrapped:
        content = wrapped.get("content")
    else:
        content = text_of(item.get("output")) or output
    fields = mapping_of(content)
    parts = list_of(content) or ([fields] if fields else [])
    images: list[Attachment] = []
    if parts:
        said: list[object] = []
        for part in parts:
            fields = mapping_of(part)
            image = image_of(text_of(fields.get("image_url")), call_id=call_id)
            if image is not None:
                images.append(image)
            elif "text" in fields:
                said.append(text_of(fields.get("text")))
            else:
                said.append(part)
        content = said[0] if len(said) == 1 else said
    yield ToolResult(call_id=call_id, content=content, failed=failed)
    yield from images


def _custom_arguments(text: str) -> object:
    """Return the free text that a custom tool is given; of a patch also the files it touches."""
    if _PATCH in text:
        return {"paths": _PATCHED_FILE.findall(text), "input": text}
    return text


def _json_or_text(value: object, *, object_only: bool = False) -> object:
    """Return the JSON value that a text holds, or what was given where it holds none."""
    if not isinstance(value, str) or (object_only and not value.lstrip().startswith("{")):
        return value
    try:
        return cast("object", msgspec.json.decode(value))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return value
