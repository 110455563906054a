"""A store of transcripts that fails where a test says (`recense.testing.boundaries`).

Law: without faults the wrapped store is unchanged.
"""

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Final

from recense.core.transcript.records import Session, SessionBirth, SessionFacts
from recense.ports.commits import (
    ArchiveOutcome,
    ArchivePage,
    Forgotten,
    ImportFile,
    LedgerPage,
    StreamPage,
)
from recense.ports.index import IndexPage
from recense.ports.transcripts import TranscriptReader, TranscriptStore
from recense.testing.boundaries import Boundaries, Fault


class FaultyStore:
    """A `recense.ports.transcripts.TranscriptStore` around another, with faults.

    ``passed`` lists the boundaries that were reached, in order, also those with a fault; a run
    without faults is how a test learns which there are. For one thread at a time.
    """

    def __init__(self, store: TranscriptStore, faults: Sequence[Fault] = ()) -> None:
        self._store: Final = store
        self._boundaries: Final = Boundaries(faults)
        self.passed: Final = self._boundaries.passed

    def key(self) -> bytes:
        """Return the store's secret key."""
        return self._store.key()

    def archive(self, page: ArchivePage) -> ArchiveOutcome:
        """Keep one page of records."""
        return self._boundaries.write("archive", lambda: self._store.archive(page))

    def append(self, page: LedgerPage) -> int:
        """Keep one page of events."""
        return self._boundaries.write("append", lambda: self._store.append(page))

    def open_session(self, birth: SessionBirth, facts: SessionFacts) -> Session:
        """Introduce a session and return it."""
        return self._boundaries.write(
            "open_session", lambda: self._store.open_session(birth, facts)
        )

    def stream(self, page: StreamPage) -> None:
        """Keep what has arrived of a stream."""
        self._boundaries.write("stream", lambda: self._store.stream(page))

    def restart(self, session_id: str, importer_version: int) -> int | None:
        """Take a conversion back to its beginning; a boundary."""
        return self._boundaries.write(
            "restart", lambda: self._store.restart(session_id, importer_version)
        )

    def set_private(self, session_id: str, *, private: bool) -> Session:
        """Hide a session from every search, or show it again; return its row."""
        return self._boundaries.write(
            "set_private", lambda: self._store.set_private(session_id, private=private)
        )

    def forget(self, session_ids: Iterable[str]) -> Forgotten:
        """Remove sessions and keep tombstones."""
        return self._boundaries.write("forget", lambda: self._store.forget(session_ids))

    def note_file(self, expected: ImportFile | None, file: ImportFile) -> None:
        """Replace a file's bookkeeping alone."""
        self._boundaries.write("note_file", lambda: self._store.note_file(expected, file))

    def write_index(self, page: IndexPage) -> frozenset[str]:
        """Write one page of the message index."""
        return self._boundaries.write("write_index", lambda: self._store.write_index(page))

    def empty_index(self) -> None:
        """Empty the message index."""
        self._boundaries.write("empty_index", self._store.empty_index)

    def mend_index(self) -> bool:
        """Empty the message index if it is damaged."""
        return self._boundaries.write("mend_index", self._store.mend_index)

    def snapshot(self) -> AbstractContextManager[TranscriptReader]:
        """Return a reader of this moment."""
        return self._store.snapshot()

    def check(self) -> Sequence[str]:
        """Return the faults found in the store's own bytes."""
        return self._store.check()

    def check_index(self) -> Sequence[str]:
        """Return the faults found in the message index."""
        return self._store.check_index()

    def description(self) -> dict[str, str]:
        """Return what a person should know of the store."""
        return self._store.description()

    def close(self) -> None:
        """Let go of the store."""
        self._store.close()
