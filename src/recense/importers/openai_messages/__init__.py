"""Messages in the shape of the OpenAI API: the plain door for any framework.

Laws:

- A file is JSON Lines, a list, or one object; its objects are messages (``role``, ``content``),
  items of the Responses API, or conversations: objects with ``messages`` or, of a request,
  ``input``.
- Messages that name no session are one session of their file, found again when this has grown or
  is written anew where it lies, and not when it was moved (`reading`).
- Nothing that such an object may lack or hold fails a file: unknown roles are notes, unknown
  objects are kept and left out of conversion.
- What is in another tool's format is not recognised, also where it speaks of roles (`shapes`).
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import BinaryIO, Final

from recense.core.transcript.records import ArchivedRecord, SourcePage
from recense.importers.json_list import expanded_pages, progress_of
from recense.importers.openai_messages.conversion import convert
from recense.importers.openai_messages.reading import MessageReader
from recense.importers.openai_messages.shapes import begins_with_messages
from recense.importers.places import why_passed_over
from recense.ports.sources import Conversion, Parentage, Retention

_NAME_ENDS: Final = (".messages.json", ".messages.jsonl", ".openai.json", ".openai.jsonl")
"""How a file is named that is meant for this importer. Any other is read when a person names it."""

_STRUCTURAL: Final = frozenset(
    {
        ("id",),
        ("session_id",),
        ("conversation_id",),
        ("thread_id",),
        ("call_id",),
        ("tool_call_id",),
        ("tool_calls", "id"),
        ("timestamp",),
        ("created",),
        ("created_at",),
    }
)
"""Where a framework writes an id or an instant, and nowhere else."""


class OpenAiMessages:
    """The importer of messages; see `recense.ports.sources.Importer`."""

    name = "openai_messages"
    version = 1
    opaque_marks: tuple[bytes, ...] = (b'"encrypted_content"',)
    suffixes: tuple[str, ...] = (".json", ".jsonl")

    def roots(self, environment: Mapping[str, str], home: str) -> tuple[str, ...]:
        """Return no folder: every framework has its own."""
        return ()

    def retention(self, environment: Mapping[str, str], home: str) -> Retention | None:
        """Return None: a file that a person has made stays where it is."""
        return None

    def claims(self, path: str) -> bool:
        """Whether the name says that the file is meant for this importer."""
        return PurePath(path).name.lower().endswith(_NAME_ENDS)

    def passes_over(self, path: str) -> str:
        """Return why a file beside sessions holds none: see `why_passed_over`."""
        return why_passed_over(path)

    def recognises(self, head: bytes) -> bool:
        """Whether the head begins with messages or with a conversation made of them."""
        return begins_with_messages(head)

    def read(self, file: BinaryIO, path: str, offset: int, state: bytes) -> Iterator[SourcePage]:
        """Yield the pages of a file; one may end inside a conversation.

        All of it waits until there is a message that tells whose it is.
        """
        progress = progress_of(state)
        messages = MessageReader(file, PurePath(path), progress.state)
        elements = messages.elements(offset - progress.begun)
        if messages.is_claimed:
            yield from expanded_pages(
                elements, offset, progress, messages.records_of, messages.state
            )
            return
        unclaimed = sum(element.size for element in elements)
        yield SourcePage(
            records=(),
            offset=offset,
            state=state,
            waiting=unclaimed + elements.waiting,
            fault=elements.fault,
        )

    def is_structural(self, path: tuple[str, ...]) -> bool:
        """Whether a framework writes an id or an instant at this path."""
        return path in _STRUCTURAL

    def is_opaque(self, path: tuple[str, ...]) -> bool:
        """Whether encrypted reasoning stands at this path."""
        return path == ("encrypted_content",)

    def parentage(self, source_session_id: str) -> Parentage:
        """Return that a session is one of its own."""
        return Parentage(origin="interactive", parent_source_session_id=None)

    def convert(self, state: bytes, records: Sequence[ArchivedRecord]) -> Conversion:
        """Return the events of the next records of one session; see `conversion`."""
        return convert(state, records)
