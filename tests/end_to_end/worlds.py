"""A memory over a store and a made-up machine, for tests of the whole."""

from pathlib import Path

from recense.adapters.memory.records import MemoryRecords
from recense.adapters.memory.store import MemoryStore
from recense.adapters.sqlite.store import open_sqlite
from recense.ports.transcripts import TranscriptStore
from recense.services.importing import Machine
from recense.services.memory import Memory
from recense.testing import FakeClock, FakeUptime, SeededChance
from recense.wiring import Stores, join, load_importers


def memory_over(store: TranscriptStore, home: Path) -> Memory:
    """Return a memory over a store, on a machine with this home and a clock of its own."""
    return join(
        with_records(store),
        importers=load_importers(),
        clock=FakeClock(),
        machine=Machine(environment={}, home=str(home)),
    )


def with_records(store: TranscriptStore) -> Stores:
    """Return the store beside one for records, which ends with the process."""
    return Stores(store, MemoryRecords(FakeUptime()))


def sqlite_store(folder: Path, name: str = "recense.db") -> TranscriptStore:
    """Return the store in a SQLite file in a folder, made when it is not there."""
    return open_sqlite(folder / name, synchronous="normal", chance=SeededChance(1), create=True)


def on_sqlite(folder: Path, name: str = "recense.db") -> Memory:
    """Return a memory over a SQLite file in a folder."""
    return memory_over(sqlite_store(folder, name), folder)


def on_reference(folder: Path) -> Memory:
    """Return a memory over the reference store."""
    return memory_over(MemoryStore(SeededChance(2)), folder)


def digest_of(memory: Memory, *paths: Path) -> str:
    """Import paths in this order, one call each, and return the store's digest."""
    for path in paths:
        memory.import_sessions(None, [str(path)])
    return memory.digest().digest


def grow(source: Path, target: Path, cuts: list[int], memory: Memory) -> None:
    """Write a file in steps, each a byte prefix of the next, importing after every step."""
    content = source.read_bytes()
    for cut in [*cuts, len(content)]:
        target.write_bytes(content[:cut])
        memory.import_sessions(None, [str(target)])
