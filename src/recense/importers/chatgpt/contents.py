"""What a message of ChatGPT holds: words and files, by the kinds of content that exports have."""

from collections.abc import Iterator
from typing import Final

from recense.core.values import Value
from recense.importers.foreign_values import size_of
from recense.importers.lines import list_of, mapping_of, text_of

_WORDS_AT: Final[dict[str, tuple[str, ...]]] = {
    "text": ("parts",),
    "multimodal_text": ("parts",),
    "code": ("text",),
    "execution_output": ("text",),
    "system_error": ("name", "text"),
    "tether_browsing_display": ("result", "summary"),
    "tether_quote": ("title", "url", "text"),
    "sonic_webpage": ("title", "url", "snippet", "text"),
    "user_editable_context": ("user_profile", "user_instructions"),
    "model_editable_context": ("model_set_context",),
    "thoughts": ("thoughts",),
    "reasoning_recap": ("content",),
}
"""Where the words of a kind of content stand."""

_WORDS_ANYWHERE: Final = ("title", "url", "text", "parts", "content", "result", "summary")
"""Where they may stand in a kind that this release does not know."""

PROSE: Final = frozenset({"text", "multimodal_text", "code"})
"""Kinds that a person or a model speaks in."""

STANDING_ORDERS: Final = frozenset({"user_editable_context", "model_editable_context"})
"""Kinds that say the same in every conversation: custom instructions, and what is remembered."""


class NamedFile(Value, kw_only=True):
    """A file that a message names; its bytes are no part of the conversation."""

    name: str
    media_type: str
    bytes: int


def kind_of(content: dict[str, object]) -> str:
    """Return the kind of a message's content."""
    return text_of(content.get("content_type"))


def words_of(content: dict[str, object]) -> list[str]:
    """Return the texts of a message's content, in order, without blank ones."""
    keys = _WORDS_AT.get(kind_of(content), _WORDS_ANYWHERE)
    return [text for key in keys for text in _texts(content.get(key)) if text.strip()]


def _texts(value: object) -> Iterator[str]:
    """Yield a text, or those of a list: texts, and parts and thoughts that hold some."""
    yield text_of(value)
    for item in list_of(value):
        part = mapping_of(item)
        yield text_of(item)
        for key in ("text", "summary", "content"):
            yield text_of(part.get(key))


def files_of(content: dict[str, object], metadata: dict[str, object]) -> list[NamedFile]:
    """Return the files of a message: its images and sounds, then what else was attached to it."""
    attached = {
        text_of(fields.get("id")) or f"#{place}": fields
        for place, fields in enumerate(map(mapping_of, list_of(metadata.get("attachments"))))
        if fields
    }
    files: list[NamedFile] = []
    for part in map(mapping_of, list_of(content.get("parts"))):
        sound = mapping_of(part.get("audio_asset_pointer"))
        asset = sound or part
        pointer = text_of(asset.get("asset_pointer"))
        if pointer:
            fields = attached.pop(pointer.rpartition("/")[2], {})
            files.append(_named_file(asset, fields))
    return [*files, *(_named_file({}, fields) for fields in attached.values())]


def _named_file(asset: dict[str, object], attached: dict[str, object]) -> NamedFile:
    """Return a file by what its pointer and its attachment say of it; either may be empty."""
    media_type = text_of(attached.get("mime_type")) or text_of(attached.get("mimeType"))
    if not media_type:
        kind = text_of(asset.get("content_type")).partition("_")[0]
        media_type = f"{kind}/*" if kind in ("image", "audio", "video") else ""
    return NamedFile(
        name=text_of(attached.get("name")),
        media_type=media_type or "application/octet-stream",
        bytes=size_of(asset.get("size_bytes")) or size_of(attached.get("size")),
    )
