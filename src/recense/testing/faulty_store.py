"""A store that fails where a test says.

Law: the boundaries of a store are its write methods, before and after each commit. A fault at
*before* acts when nothing of the call was kept; a fault at *after* when all of it was, and the
caller does not learn of it (a lost acknowledgement). Without faults the wrapped store is unchanged.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Final, Literal, NoReturn, TypeVar

from recense.core.transcript.records import Session, SessionBirth, SessionFacts
from recense.core.values import Value
from recense.errors import RecenseError
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

WriteMethod = Literal[
    "archive",
    "append",
    "open_session",
    "stream",
    "restart",
    "set_private",
    "forget",
    "note_file",
    "write_index",
    "empty_index",
    "mend_index",
]
Moment = Literal["before", "after"]

_Outcome = TypeVar("_Outcome")


class Boundary(Value, kw_only=True):
    """One side of one commit: the ``call``-th call (from 1) of a write method."""

    method: WriteMethod
    call: int
    moment: Moment


class Fault(Value, kw_only=True):
    """What happens at a boundary: ``act`` raises, ends the process, or does anything else."""

    at: Boundary
    act: Callable[[], object]

    @classmethod
    def raising(cls, at: Boundary, error: RecenseError) -> "Fault":
        """Return a fault that raises an error."""

        def act() -> NoReturn:
            raise error

        return cls(at=at, act=act)


class FaultyStore:
    """A `recense.ports.transcripts.TranscriptStore` around another, with faults.

    ``passed`` lists the boundaries that were reached, in order, also those with a fault; a run
    without faults is how a test learns which there are. For one thread at a time.
    """

    def __init__(self, store: TranscriptStore, faults: Sequence[Fault] = ()) -> None:
        self._store: Final = store
        self._acts: Final = {fault.at: fault.act for fault in faults}
        self._calls: Final[dict[WriteMethod, int]] = {}
        self.passed: Final[list[Boundary]] = []

    def key(self) -> bytes:
        """Return the store's secret key."""
        return self._store.key()

    def archive(self, page: ArchivePage) -> ArchiveOutcome:
        """Keep one page of records."""
        return self._write("archive", lambda: self._store.archive(page))

    def append(self, page: LedgerPage) -> int:
        """Keep one page of events."""
        return self._write("append", lambda: self._store.append(page))

    def open_session(self, birth: SessionBirth, facts: SessionFacts) -> Session:
        """Introduce a session and return it."""
        return self._write("open_session", lambda: self._store.open_session(birth, facts))

    def stream(self, page: StreamPage) -> None:
        """Keep what has arrived of a stream."""
        self._write("stream", lambda: self._store.stream(page))

    def restart(self, session_id: str, importer_version: int) -> int | None:
        """Take a conversion back to its beginning; a boundary."""
        return self._write("restart", lambda: self._store.restart(session_id, importer_version))

    def set_private(self, session_id: str, *, private: bool) -> Session:
        """Hide a session from every search, or show it again; return its row."""
        return self._write(
            "set_private", lambda: self._store.set_private(session_id, private=private)
        )

    def forget(self, session_ids: Iterable[str]) -> Forgotten:
        """Remove sessions and keep tombstones."""
        return self._write("forget", lambda: self._store.forget(session_ids))

    def note_file(self, expected: ImportFile | None, file: ImportFile) -> None:
        """Replace a file's bookkeeping alone."""
        self._write("note_file", lambda: self._store.note_file(expected, file))

    def write_index(self, page: IndexPage) -> frozenset[str]:
        """Write one page of the message index."""
        return self._write("write_index", lambda: self._store.write_index(page))

    def empty_index(self) -> None:
        """Empty the message index."""
        self._write("empty_index", self._store.empty_index)

    def mend_index(self) -> bool:
        """Empty the message index if it is damaged."""
        return self._write("mend_index", self._store.mend_index)

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

    def _write(self, method: WriteMethod, commit: Callable[[], _Outcome]) -> _Outcome:
        call = self._calls[method] = self._calls.get(method, 0) + 1
        self._pass(Boundary(method=method, call=call, moment="before"))
        outcome = commit()
        self._pass(Boundary(method=method, call=call, moment="after"))
        return outcome

    def _pass(self, boundary: Boundary) -> None:
        self.passed.append(boundary)
        act = self._acts.get(boundary)
        if act is not None:
            act()
