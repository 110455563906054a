"""Files and images of a session: what is known of them, and texts that leave their records.

A document of plain text, a file that a person named and what an editor changed in one are
materials: their names are matched, their bytes are not. So their text becomes a blob before the
record is kept, as the gate does it for base64.
"""

import json
from collections.abc import Iterator
from hashlib import sha256
from typing import Final

from msgspec.structs import replace

from recense.core.text.json_literals import spliced, string_literals, text_spelled_by
from recense.core.transcript.events import Attachment
from recense.core.transcript.gate import payload_of, reference_to_blob
from recense.core.transcript.records import Blob
from recense.importers.lines import SourceLine, list_of, mapping_of, text_of

FILE_ATTACHMENTS: Final = frozenset({"file", "edited_text_file", "pdf_reference"})
"""Attachments that are a file: named by a person, changed beside the agent, too long to be read."""

_TEXT_PATHS: Final = frozenset(
    {
        ("message", "content", "source", "data"),
        ("message", "content", "content", "source", "data"),
        ("attachment", "prompt", "source", "data"),
        ("attachment", "content", "file", "content"),
        ("attachment", "snippet"),
    }
)


def with_texts_lifted(line: SourceLine) -> SourceLine:
    """Return a line with its texts that are materials as blobs, and references where they were."""
    value = mapping_of(line.value)
    if value.get("type") != "attachment" and b'"document"' not in line.record:
        return line
    texts = set(_texts_of(value))
    if not texts:
        return line
    blobs: dict[str, Blob] = {blob.sha256: blob for blob in line.blobs}
    replacements: list[tuple[int, int, bytes]] = []
    for path, start, end in string_literals(line.record):
        if path not in _TEXT_PATHS:
            continue
        text = text_spelled_by(line.record[start:end])
        if text in texts:
            data = text.encode()
            digest = sha256(data).hexdigest()
            blobs[digest] = Blob(sha256=digest, data=data)
            reference = json.dumps(reference_to_blob(digest, len(data))).encode()
            replacements.append((start, end, reference))
    record = spliced(line.record, replacements)
    return replace(line, record=record, blobs=tuple(blobs.values()))


def _texts_of(value: dict[str, object]) -> Iterator[str]:
    """Yield the texts of a record that are materials."""
    attachment = mapping_of(value.get("attachment"))
    if text_of(attachment.get("type")) in FILE_ATTACHMENTS:
        file = mapping_of(mapping_of(attachment.get("content")).get("file"))
        texts: list[object] = [file.get("content"), attachment.get("snippet")]
    else:
        content = list_of(mapping_of(value.get("message")).get("content"))
        blocks = [mapping_of(block) for block in (*content, *list_of(attachment.get("prompt")))]
        inner = (mapping_of(each) for block in blocks for each in list_of(block.get("content")))
        sources = (mapping_of(block.get("source")) for block in (*blocks, *inner))
        texts = [source.get("data") for source in sources if source.get("type") == "text"]
    yield from (text for text in texts if isinstance(text, str) and text)


def attachment_of(
    block: dict[str, object], *, message: str | None = None, call_id: str | None = None
) -> Attachment:
    """Return the attachment that an image or document block is.

    Its bytes are a blob when they were long enough to be lifted out of the record.
    """
    source = mapping_of(block.get("source"))
    sha256_of_blob, size = payload_of(text_of(source.get("data")))
    fallback = "image/png" if block.get("type") == "image" else "application/pdf"
    return Attachment(
        name=text_of(block.get("title")) or text_of(source.get("url")),
        media_type=text_of(source.get("media_type")) or fallback,
        bytes=size,
        sha256=sha256_of_blob,
        message=message,
        call_id=call_id,
    )


def attached_file(
    attachment: dict[str, object], *, message: str | None = None, call_id: str | None = None
) -> Attachment:
    """Return the attachment that an attachment record of a file is."""
    content = mapping_of(attachment.get("content"))
    file = mapping_of(content.get("file"))
    data = next(
        (
            text_of(given)
            for given in (file.get("base64"), file.get("content"), attachment.get("snippet"))
            if text_of(given)
        ),
        "",
    )
    sha256_of_blob, size = payload_of(data)
    sizes = (file.get("originalSize"), attachment.get("fileSize"))
    told = next((given for given in sizes if isinstance(given, int)), 0)
    return Attachment(
        name=text_of(attachment.get("displayPath")) or text_of(attachment.get("filename")),
        media_type=_media_type(text_of(attachment.get("type")), content, file),
        bytes=size or max(0, told),
        sha256=sha256_of_blob,
        message=message,
        call_id=call_id,
    )


def _media_type(kind: str, content: dict[str, object], file: dict[str, object]) -> str:
    match content.get("type"):
        case "image":
            return text_of(file.get("type")) or "image/png"
        case "pdf":
            return "application/pdf"
        case _:
            return "application/pdf" if kind == "pdf_reference" else "text/plain"
