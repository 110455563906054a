"""What the command line asks of a memory, and how it gets one."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Literal, Protocol

from recense.core.transcript.records import Origin
from recense.operations.admin import (
    ConvertReport,
    Digest,
    Health,
    ImportReport,
    Progress,
    SessionList,
    TranscriptView,
)
from recense.operations.recall import MoreRequest, Passage, RecallAnswer, RecallRequest

Report = Callable[[Progress], None]
"""Is told how far a long piece of work has come; may be called often."""


class MemoryOperations(Protocol):
    """The object a user holds, as far as the commands need it.

    Every method raises what `recense.errors` lists and nothing else.
    """

    def source_names(self) -> tuple[str, ...]:
        """Return the names of the sources that can be imported, in order."""
        ...

    def import_sessions(
        self, source: str | None, paths: Sequence[str], *, progress: Report, archive_only: bool
    ) -> ImportReport:
        """Find and import sessions: of one source or all, from paths or where it keeps them."""
        ...

    def convert(self, progress: Report) -> ConvertReport:
        """Turn archived sessions into ledger events."""
        ...

    def recall(self, request: RecallRequest, *, explain: bool = False) -> RecallAnswer:
        """Answer a request."""
        ...

    def recall_more(self, request: MoreRequest) -> Passage:
        """Return a passage with more of what surrounds its anchor."""
        ...

    def sessions(
        self,
        *,
        source: str | None,
        workspace: str | None,
        origin: Origin | Literal["all"],
        limit: int,
        offset: int,
    ) -> SessionList:
        """Return sessions, newest first."""
        ...

    def transcript(
        self, session_id: str, *, first: int, count: int, everything: bool
    ) -> TranscriptView:
        """Return a page of a session's messages; ``everything`` includes abandoned branches."""
        ...

    def doctor(self) -> Health:
        """Look at the store and say what is wrong and what to do."""
        ...

    def digest(self) -> Digest:
        """Return the digest of everything kept."""
        ...


class OpenMemory(Protocol):
    """Opens the memory that flags (``store``, ``namespace``) name, among other settings."""

    def __call__(
        self, flags: Mapping[str, str], *, create: bool
    ) -> AbstractContextManager[MemoryOperations]:
        """Return it; a store that does not exist is made with ``create``, else StoreUnavailable."""
        ...
