"""What a message holds: words and files, whichever of the ways to write parts is used."""

from collections.abc import Iterator

from recense.core.transcript.events import Attachment
from recense.core.transcript.gate import payload_of
from recense.importers.lines import list_of, mapping_of, text_of


def words_of(content: object) -> str:
    """Return the text of a content: a text, or that of its parts, one a line."""
    return "\n".join(text for text in _texts(content) if text.strip())


def _texts(content: object) -> Iterator[str]:
    yield text_of(content)
    for item in list_of(content) or ([content] if isinstance(content, dict) else []):
        part = mapping_of(item)
        yield text_of(item)
        yield text_of(part.get("text")) or text_of(mapping_of(part.get("text")).get("value"))
        yield text_of(part.get("refusal"))
        yield text_of(part.get("transcript"))


def files_of(
    content: object, *, message: str | None = None, call_id: str | None = None
) -> Iterator[Attachment]:
    """Yield the images, files and sounds among the parts of a content."""
    for part in map(mapping_of, list_of(content)):
        file = _file_of(part)
        if file is not None:
            name, media_type, data = file
            sha256, size = payload_of(data)
            yield Attachment(
                name=name,
                media_type=media_type,
                bytes=size,
                sha256=sha256,
                message=message,
                call_id=call_id,
            )


def _file_of(part: dict[str, object]) -> tuple[str, str, str] | None:
    """Return (name, media type, base64 or "") of a part that is a file."""
    match part.get("type"):
        case "image_url" | "input_image" | "image_file":
            fields = mapping_of(part.get("image_url")) or mapping_of(part.get("image_file"))
            url = text_of(part.get("image_url")) or text_of(fields.get("url"))
            name = text_of(fields.get("file_id")) or text_of(part.get("file_id"))
            return _of_url(name, url, "image/*")
        case "file" | "input_file":
            fields = mapping_of(part.get("file")) or part
            name = text_of(fields.get("filename")) or text_of(fields.get("file_id"))
            data = text_of(fields.get("file_data")) or text_of(fields.get("file_url"))
            return _of_url(name, data, "application/octet-stream")
        case "input_audio":
            fields = mapping_of(part.get("input_audio")) or part
            kind = text_of(fields.get("format")) or "*"
            return "", f"audio/{kind}", text_of(fields.get("data"))
        case _:
            return None


def _of_url(name: str, url: str, media_type: str) -> tuple[str, str, str]:
    """Return a file by its data URL, else by the URL that names it, else by its bare base64."""
    if url.startswith("data:"):
        kind, _, data = url.removeprefix("data:").partition(";base64,")
        return name, kind.partition(";")[0] or media_type, data
    if "://" in url[:16]:
        return name or url, media_type, ""
    return name, media_type, url
