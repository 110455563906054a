"""Materials: attachments and images, described by what is known without opening them."""

from typing import Final, Literal

from msgspec.structs import replace

from recense.core.ids import material_id
from recense.core.text.redact import redact
from recense.core.transcript.events import Attachment
from recense.core.transcript.messages import Material

_DOCUMENT_SUFFIXES: Final = (
    ".doc",
    ".docx",
    ".odt",
    ".rtf",
    ".txt",
    ".md",
    ".html",
    ".csv",
    ".xlsx",
)
_CODE_SUFFIXES: Final = tuple(
    (
        ".c .cpp .cs .css .go .h .hpp .ipynb .java .js .json .jsx .kt .php .py .rb .rs .scss .sh"
        " .sql .swift .toml .ts .tsx .xml .yaml .yml"
    ).split()
)


def material_of(attachment: Attachment, event_id: str) -> Material:
    """Return the description of an attachment; its id is the id of its event."""
    return Material(
        id=event_id,
        kind=kind_of(attachment.name, attachment.media_type),
        name=attachment.name,
        media_type=attachment.media_type,
        bytes=attachment.bytes,
        sha256=attachment.sha256,
    )


def shown(material: Material, session_id: str) -> Material:
    """Return a material of a session as it may leave: its name redacted, under an id that names its
    session too. For what a transcript holds: what has left does not leave again.
    """
    return replace(
        material,
        id=material_id(session_id, material.id),
        name=redact(material.name).text,
        media_type=redact(material.media_type).text,
    )


def kind_of(name: str, media_type: str) -> Literal["image", "pdf", "doc", "code", "other"]:
    """Return the kind of a material: by its media type where that is telling, else by its name."""
    lowered = name.lower()
    if media_type.startswith("image/"):
        return "image"
    if media_type == "application/pdf" or lowered.endswith(".pdf"):
        return "pdf"
    if lowered.endswith(_CODE_SUFFIXES):
        return "code"
    if media_type.startswith("text/") or lowered.endswith(_DOCUMENT_SUFFIXES):
        return "doc"
    return "other"


def caption_of(material: Material) -> str:
    """Return the words we write where a nameless material stands; they are synthetic."""
    return f"[{material.kind} {material.media_type}, {material.bytes} bytes]"
