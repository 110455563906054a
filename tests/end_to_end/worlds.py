"""A memory over a store and a made-up machine, for tests of the whole."""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from recense.adapters.memory.store import MemoryStore
from recense.adapters.sqlite.store import open_sqlite
from recense.ports.transcripts import TranscriptStore
from recense.services.importing import Machine
from recense.services.memory import Memory
from recense.testing import FakeClock, SeededChance
from recense.wiring import join, load_importers


def memory_over(store: TranscriptStore, home: Path) -> Memory:
    """Return a memory over a store, on a machine with this home and a clock of its own."""
    return join(
        store,
        importers=load_importers(),
        clock=FakeClock(),
        machine=Machine(environment={}, home=str(home)),
    )


def on_sqlite(folder: Path, name: str = "recense.db", *, seed: int = 1) -> Memory:
    """Return a memory over a SQLite file in a folder."""
    store = open_sqlite(
        str(folder / name), synchronous="normal", chance=SeededChance(seed), create=True
    )
    return memory_over(store, folder)


def on_reference(folder: Path, *, seed: int = 2) -> Memory:
    """Return a memory over the reference store."""
    return memory_over(MemoryStore(SeededChance(seed)), folder)


STORES: Mapping[str, Callable[[Path], Memory]] = {"sqlite": on_sqlite, "reference": on_reference}


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


def copy_tree(source: Path, target: Path) -> Path:
    """Copy a folder of sessions, writable, and return where it is."""
    shutil.copytree(source, target, copy_function=shutil.copyfile)
    return target
