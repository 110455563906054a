"""New stores that are copies of one: making the tables of a store takes longer than most tests.

A folder of tests whose subject is not how a store is made asks for it in its `conftest.py`; what
makes, migrates and opens stores is tested in `tests/adapters` without it. A copy is what the code
makes, under a key of its own, and appears under its name as a whole.
"""

import itertools
import os
from collections.abc import Generator
from pathlib import Path
from typing import Final

import pytest

from recense.adapters.sqlite import file as sqlite_file
from recense.adapters.sqlite.driver import Connection
from recense.limits import STORE_KEY_BYTES
from recense.testing import SeededChance

_make_file: Final = sqlite_file.make_file
_migrate: Final = sqlite_file.migrate
_SEED: Final = 8_675_309
"""No test draws from it, so a store with the model's key is a copy that has none of its own yet."""

_KEY_OF_THE_MODEL: Final = SeededChance(_SEED).token(STORE_KEY_BYTES)
_NUMBERS: Final = itertools.count()


@pytest.fixture(scope="session")
def model_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new store that nobody opens."""
    path = tmp_path_factory.mktemp("model") / "store.db"
    sqlite_file.open_sqlite_file(
        path, synchronous="normal", chance=SeededChance(_SEED), create=True
    ).close()
    return path


@pytest.fixture(scope="module", autouse=True)
def stores_are_copied(model_store: Path) -> Generator[None]:
    """Let this process make new stores by copying."""
    content = model_store.read_bytes()

    def make(path: Path) -> None:
        copy = model_store.with_name(f"copy-{next(_NUMBERS)}")
        with os.fdopen(os.open(copy, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as written:
            written.write(content)
        try:
            os.link(copy, path)
        except OSError:
            _make_file(path)  # makes the folders, or says what is in its way
        finally:
            copy.unlink()

    def migrate(connection: Connection, key: bytes) -> None:
        _migrate(connection, key)
        given = (key, _KEY_OF_THE_MODEL)
        asked = "SELECT count(*) FROM meta WHERE value = ?"
        if connection.execute(asked, given[1:]).fetchall() != [(0,)]:
            connection.execute("UPDATE meta SET value = ? WHERE value = ?", given)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sqlite_file, "make_file", make)
        patched.setattr(sqlite_file, "migrate", migrate)
        yield
