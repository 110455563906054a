"""How the stores of records under test are opened by name."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from recense.adapters.memory.records import MemoryRecords
from recense.adapters.sqlite.file import open_sqlite_file
from recense.adapters.sqlite.records import SqliteRecords
from recense.conformance import RecordOpener
from recense.ports.records import RecordStore
from recense.testing import FakeUptime, SeededChance


class MemoryOpener:
    """Stores in memory; a closed one is found again under its name."""

    def __init__(self, made: Callable[[FakeUptime], RecordStore] = MemoryRecords) -> None:
        self.uptime: Final = FakeUptime()
        self._made: Final = made
        self._stores: Final[dict[str, RecordStore]] = {}

    def __call__(self, name: str) -> RecordStore:
        if name not in self._stores:
            self._stores[name] = self._made(self.uptime)
        return self._stores[name]

    def __reduce__(self) -> str:
        raise TypeError("what is in this process's memory cannot go to another")

    def files(self, name: str) -> Iterable[Path]:
        return ()


class SqliteOpener:
    """Stores in files of a folder."""

    def __init__(self, folder: Path) -> None:
        self.uptime: Final = FakeUptime()
        self._folder: Final = folder

    def __call__(self, name: str) -> RecordStore:
        file = open_sqlite_file(
            self._folder / f"{name}.sqlite",
            synchronous="normal",
            chance=SeededChance(),
            create=True,
        )
        return SqliteRecords(file, self.uptime)

    def files(self, name: str) -> Iterable[Path]:
        return sorted(self._folder.glob(f"{name}.sqlite*"))


OPENERS: Final[dict[str, Callable[[Path], RecordOpener]]] = {
    "memory": lambda _: MemoryOpener(),
    "sqlite": SqliteOpener,
}
