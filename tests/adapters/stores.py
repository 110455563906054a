"""What the tests of adapters share: opening a store, and programs that run beside the test."""

import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from recense.adapters.sqlite.store import SqliteStore, open_sqlite
from recense.testing import SeededChance

PROJECT: Final = Path(__file__).resolve().parents[2]
WAIT_SECONDS_MAX: Final = 240
"""How long a test waits for a program: a loaded machine is no failure."""


def open_store(
    path: Path, *, create: bool = True, busy_wait_ms: int = 200_000, seed: int = 0
) -> SqliteStore:
    """Open a store as a careful program does, but for its patience."""
    return open_sqlite(
        path,
        synchronous="normal",
        chance=SeededChance(seed),
        create=create,
        busy_wait_ms=busy_wait_ms,
    )


@contextmanager
def opened(path: Path, *, busy_wait_ms: int = 200_000) -> Generator[SqliteStore]:
    """Open a store for a block."""
    store = open_store(path, busy_wait_ms=busy_wait_ms)
    try:
        yield store
    finally:
        store.close()


@contextmanager
def program(*arguments: str) -> Generator[subprocess.Popen[str]]:
    """Run `tests.adapters.programs` beside the test; it is ended when the block ends."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.adapters.programs", *arguments],
        cwd=PROJECT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def hear(process: subprocess.Popen[str], line: str) -> None:
    """Wait until a program says a line."""
    said = _pipe(process.stdout).readline().strip()
    if said != line:
        _, errors = process.communicate(timeout=WAIT_SECONDS_MAX)
        raise AssertionError(f"heard {said!r} instead of {line!r}: {errors}")


def tell(process: subprocess.Popen[str], line: str) -> None:
    """Say a line to a program."""
    pipe = _pipe(process.stdin)
    pipe.write(line + "\n")
    pipe.flush()


def finish(process: subprocess.Popen[str]) -> int:
    """Wait for the end of a program and return its code; what it complained of is shown."""
    _, errors = process.communicate(timeout=WAIT_SECONDS_MAX)
    sys.stderr.write(errors)
    return process.returncode


def _pipe(pipe: IO[str] | None) -> IO[str]:
    if pipe is None:
        raise AssertionError("the program was started without pipes")
    return pipe
