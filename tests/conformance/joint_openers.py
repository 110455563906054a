"""How two stores on one place are opened by name."""

from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from recense.adapters.memory.records import MemoryRecords
from recense.adapters.memory.store import MemoryStore
from recense.adapters.sqlite.file import open_sqlite_file
from recense.adapters.sqlite.records import SqliteRecords
from recense.adapters.sqlite.store import SqliteStore
from recense.conformance import JointOpener
from recense.ports.records import RecordStore
from recense.ports.transcripts import TranscriptStore
from recense.testing import FakeUptime, SeededChance


class OpenStores(NamedTuple):
    """Two stores on one place."""

    transcripts: TranscriptStore
    records: RecordStore

    def close(self) -> None:
        self.transcripts.close()


def in_memory(uptime: FakeUptime) -> OpenStores:
    records = MemoryRecords(uptime)
    return OpenStores(MemoryStore(SeededChance(), records), records)


def in_file(path: Path, uptime: FakeUptime) -> OpenStores:
    file = open_sqlite_file(path, synchronous="normal", chance=SeededChance(), create=True)
    records = SqliteRecords(file, uptime)
    return OpenStores(SqliteStore(file, records), records)


class MemoryPairs:
    """Stores in memory; closed ones are found again under their name."""

    def __init__(self, made: Callable[[FakeUptime], OpenStores] = in_memory) -> None:
        self.uptime: Final = FakeUptime()
        self._made: Final = made
        self._stores: Final[dict[str, OpenStores]] = {}

    def __call__(self, name: str) -> OpenStores:
        if name not in self._stores:
            self._stores[name] = self._made(self.uptime)
        return self._stores[name]


class SqlitePairs:
    """Stores in files of a folder."""

    def __init__(self, folder: Path) -> None:
        self.uptime: Final = FakeUptime()
        self._folder: Final = folder

    def __call__(self, name: str) -> OpenStores:
        return in_file(self._folder / f"{name}.sqlite", self.uptime)


JOINT_OPENERS: Final[dict[str, Callable[[Path], JointOpener]]] = {
    "memory": lambda _: MemoryPairs(),
    "sqlite": SqlitePairs,
}
