"""Conversations of ChatGPT: the ``conversations.json`` of an account's export.

Laws:

- A file is a list of conversations, or one; each is a session, and a tree of messages, of which
  one path answers (`tree`, `conversion`).
- An export is a whole account: a later one holds the earlier. Records are known again by what they
  are, whatever the file is named and in whichever order exports are imported (`reading`).
- One conversation is in memory at a time.
- An export that is still zipped is read where it is, when a person names it and its conversations
  stand at its head.
- The bytes of images and files lie beside the conversations in an export and are left there: a
  message names them, with their size.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import BinaryIO, Final

from recense.core.transcript.records import ArchivedRecord, SourcePage
from recense.importers.chatgpt.conversion import convert
from recense.importers.chatgpt.reading import ConversationReader
from recense.importers.chatgpt.zipped import (
    FILE_NAME,
    MAGIC_BYTES,
    ZippedElements,
    head_of_conversations,
    is_zipped,
)
from recense.importers.json_head import first_object
from recense.importers.json_list import ElementReader, expanded_pages, progress_of
from recense.importers.places import why_passed_over
from recense.ports.sources import Conversion, Parentage, Retention

_OWN_FIELDS: Final = frozenset(
    {
        "title",
        "create_time",
        "update_time",
        "mapping",
        "moderation_results",
        "current_node",
        "conversation_id",
        "conversation_template_id",
        "id",
        "gizmo_id",
        "gizmo_type",
        "plugin_ids",
        "safe_urls",
        "blocked_urls",
        "is_archived",
        "is_starred",
        "default_model_slug",
    }
)
"""Fields of a conversation by which a head that is cut before its tree can still be one."""

_STRUCTURAL: Final = frozenset(
    {
        ("id",),
        ("parent",),
        ("children",),
        ("message", "id"),
        ("message", "create_time"),
        ("message", "update_time"),
        ("conversation_id",),
        ("current_node",),
        ("create_time",),
        ("update_time",),
        ("recense_path",),
    }
)
"""Where the service itself writes an id or an instant, and nowhere else."""


class ChatGpt:
    """The importer of ChatGPT's exports; see `recense.ports.sources.Importer`."""

    name = "chatgpt"
    version = 1
    opaque_marks: tuple[bytes, ...] = ()
    suffixes: tuple[str, ...] = (".json", ".zip")

    def roots(self, environment: Mapping[str, str], home: str) -> tuple[str, ...]:
        """Return no folder: an export lies where a person puts it."""
        return ()

    def retention(self, environment: Mapping[str, str], home: str) -> Retention | None:
        """Return None: a file that a person has made stays where it is."""
        return None

    def claims(self, path: str) -> bool:
        """Whether the name is that of an export's conversations, whole or a part of them."""
        return FILE_NAME.fullmatch(PurePath(path).name) is not None

    def passes_over(self, path: str) -> str:
        """Return why a file beside sessions holds none: see `why_passed_over`."""
        return why_passed_over(path)

    def recognises(self, head: bytes) -> bool:
        """Whether the head begins with a conversation, or a list of them, zipped or bare: an object
        with a tree.
        """
        shown = head_of_conversations(head) if is_zipped(head) else head
        first = None if shown is None else first_object(shown)
        if first is None:
            return False
        if "mapping" in first.fields:
            return first.begins("mapping", b"{", b"") and (
                first.is_cut or "current_node" in first.fields or "create_time" in first.fields
            )
        return first.is_cut and first.fields.keys() <= _OWN_FIELDS and _could_be_own(first.started)

    def read(self, file: BinaryIO, path: str, offset: int, state: bytes) -> Iterator[SourcePage]:
        """Yield the pages of a file; one may end inside a conversation."""
        progress = progress_of(state)
        conversations = ConversationReader(PurePath(path).name, progress.state)
        file.seek(0)
        of_kind = ZippedElements if is_zipped(file.read(MAGIC_BYTES)) else ElementReader
        elements = of_kind(file, offset - progress.begun)
        return expanded_pages(
            elements, offset, progress, conversations.records_of, conversations.state
        )

    def is_structural(self, path: tuple[str, ...]) -> bool:
        """Whether the service itself writes an id or an instant at this path."""
        return path in _STRUCTURAL

    def is_opaque(self, path: tuple[str, ...]) -> bool:
        """Return False: nothing in an export is encrypted."""
        return False

    def parentage(self, source_session_id: str) -> Parentage:
        """Return that a conversation is a session of its own."""
        return Parentage(origin="interactive", parent_source_session_id=None)

    def convert(self, state: bytes, records: Sequence[ArchivedRecord]) -> Conversion:
        """Return the events of the next records of one session; see `conversion`."""
        return convert(state, records)


def _could_be_own(started: str) -> bool:
    return any(field.startswith(started) for field in _OWN_FIELDS)
