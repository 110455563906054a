"""How the stores under test are opened by name."""

from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from recense.adapters.memory.store import MemoryStore
from recense.adapters.sqlite.store import SqliteStore, open_sqlite
from recense.conformance import Opener
from recense.core.transcript.records import Session, SessionBirth, SessionFacts
from recense.ports.clock import Chance
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
from recense.testing import SeededChance


def memory_opener() -> Opener:
    """Stores in memory; a closed one is found again under its name."""
    chance = SeededChance()
    stores: dict[str, TranscriptStore] = {}

    def opener(name: str) -> TranscriptStore:
        return stores.setdefault(name, MemoryStore(chance))

    return opener


def sqlite_opener(folder: Path) -> Opener:
    """Stores in files of a folder."""
    chance = SeededChance()

    def opener(name: str) -> TranscriptStore:
        return _opened(folder / f"{name}.sqlite", chance)

    return opener


def reopening_opener(folder: Path) -> Opener:
    """Stores in files that are opened and closed for every single call."""
    chance = SeededChance()

    def opener(name: str) -> TranscriptStore:
        return ReopeningStore(folder / f"{name}.sqlite", chance)

    return opener


class ReopeningStore:
    """Nothing stays in memory: what one call knows of another is what the file says."""

    def __init__(self, path: Path, chance: Chance) -> None:
        self._path: Final = path
        self._chance: Final = chance

    def key(self) -> bytes:
        with self._store() as store:
            return store.key()

    def archive(self, page: ArchivePage) -> ArchiveOutcome:
        with self._store() as store:
            return store.archive(page)

    def append(self, page: LedgerPage) -> int:
        with self._store() as store:
            return store.append(page)

    def open_session(self, birth: SessionBirth, facts: SessionFacts) -> Session:
        with self._store() as store:
            return store.open_session(birth, facts)

    def stream(self, page: StreamPage) -> None:
        with self._store() as store:
            store.stream(page)

    def restart(self, session_id: str, importer_version: int) -> int | None:
        with self._store() as store:
            return store.restart(session_id, importer_version)

    def set_private(self, session_id: str, *, private: bool) -> Session:
        with self._store() as store:
            return store.set_private(session_id, private=private)

    def forget(self, session_ids: Iterable[str]) -> Forgotten:
        with self._store() as store:
            return store.forget(session_ids)

    def note_file(self, expected: ImportFile | None, file: ImportFile) -> None:
        with self._store() as store:
            store.note_file(expected, file)

    def write_index(self, page: IndexPage) -> frozenset[str]:
        with self._store() as store:
            return store.write_index(page)

    def empty_index(self) -> None:
        with self._store() as store:
            store.empty_index()

    def mend_index(self) -> bool:
        with self._store() as store:
            return store.mend_index()

    def check_index(self) -> Sequence[str]:
        with self._store() as store:
            return store.check_index()

    @contextmanager
    def snapshot(self) -> Generator[TranscriptReader]:
        with self._store() as store, store.snapshot() as reader:
            yield reader

    def check(self) -> Sequence[str]:
        with self._store() as store:
            return store.check()

    def description(self) -> dict[str, str]:
        with self._store() as store:
            return store.description()

    def close(self) -> None:
        pass

    @contextmanager
    def _store(self) -> Generator[SqliteStore]:
        store = _opened(self._path, self._chance)
        try:
            yield store
        finally:
            store.close()


def _opened(path: Path, chance: Chance) -> SqliteStore:
    return open_sqlite(path, synchronous="normal", chance=chance, create=True)
