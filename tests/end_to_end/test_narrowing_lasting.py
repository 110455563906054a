"""Indexing goes on from where it was killed, and what is forgotten leaves the index."""

import signal
import subprocess
import sys
from pathlib import Path
from typing import cast

import msgspec
import pytest

from recense.adapters.sqlite.connections import connect
from recense.errors import StoreBusy
from recense.operations.recall import RecallRequest
from recense.operations.sessions import OpenSession
from recense.services import indexing
from recense.testing import Boundary, Fault, FaultyStore
from tests.end_to_end.histories import (
    build,
    run,
)
from tests.end_to_end.killed_indexing import SMALL
from tests.end_to_end.narrowing import (
    EMPTY_INDEX,
    STORE,
    copied,
    said,
)
from tests.end_to_end.worlds import memory_over, on_sqlite, sqlite_store

PROJECT = Path(__file__).parents[2]


def _grams(store: Path) -> set[bytes]:
    """Return every gram that the index holds."""
    connection = connect(store, busy_wait_ms=0)
    try:
        connection.execute("CREATE VIRTUAL TABLE temp.held USING fts5vocab(main, grams, row)")
        terms = connection.execute("SELECT term FROM temp.held").fetchall()
    finally:
        connection.close()
    return {cast("str", term).encode("latin-1") for (term,) in terms}


def test_the_grams_of_a_forgotten_session_are_gone_from_the_index_and_from_every_byte(
    tmp_path: Path,
) -> None:
    gone, stays = "龘", "鱻"
    as_written = gone.encode().decode("latin-1").encode()
    with on_sqlite(tmp_path) as memory:
        for name, text in {"kept": f"fern {stays} of the shade", "gone": f"fern {gone}"}.items():
            memory.session_open(OpenSession(session=name))
            memory.session_append(f"api:{name}", [said(f"{name} {n}", text) for n in range(9)])
            memory.index()
    held = _grams(tmp_path / STORE)
    assert {gone.encode(), stays.encode(), b"fer"} <= held
    with on_sqlite(tmp_path) as memory:
        assert memory.forget_session("api:gone").bytes_gone
        assert memory.verify_scan(RecallRequest(terms=("fern",))).is_equal
    held = _grams(tmp_path / STORE)
    assert gone.encode() not in held
    assert {stays.encode(), b"fer"} <= held
    whole = b"".join(file.read_bytes() for file in tmp_path.iterdir() if file.is_file())
    assert as_written not in whole
    assert gone.encode() not in whole


def _images(store: Path) -> list[object]:
    """Return what the index holds, but for the numbers by which it knows texts."""
    connection = connect(store, busy_wait_ms=0)
    try:
        return [
            *connection.execute(
                "SELECT session_id, position, windows, ordinal, more_ordinals, turn, kind, i.at,"
                " identity, live, echo, has_materials, i.length, redacted, image"
                " FROM images i JOIN sessions USING (session_key) ORDER BY session_id, position"
            ),
            *connection.execute(
                "SELECT session_id, vouch, indexed_events FROM sessions ORDER BY 1"
            ),
        ]
    finally:
        connection.close()


def test_indexing_that_is_killed_at_any_commit_boundary_is_completed_by_the_next_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in SMALL.items():
        monkeypatch.setattr(indexing, name, value)
    made = tmp_path / "made"
    made.mkdir()
    with on_sqlite(made) as memory:
        build(3, memory, tmp_path / "source", steps=14, state="none")
        memory.convert()
    run(made / STORE, *EMPTY_INDEX)
    store = FaultyStore(sqlite_store(copied(made, tmp_path / "undisturbed")))
    with memory_over(store, tmp_path) as memory:
        memory.index()
    undisturbed = _images(tmp_path / "undisturbed" / STORE)
    boundaries = [each for each in store.passed if each.method != "mend_index"]
    assert len(boundaries) > 6
    for number, boundary in enumerate(boundaries):
        folder = copied(made, tmp_path / str(number))
        if number in {0, 3, len(boundaries) - 1}:  # each kind in earnest, the others as cheap
            _die_indexing(folder, boundary)
        else:
            fault = Fault.raising(boundary, StoreBusy("another process is writing"))
            faulty = FaultyStore(sqlite_store(folder), [fault])
            with memory_over(faulty, folder) as memory, pytest.raises(StoreBusy):
                memory.index()
        with on_sqlite(folder) as memory:
            assert memory.verify_scan(RecallRequest(terms=("fern",))).is_equal
            memory.index()
            assert all(check.ok for check in memory.doctor().checks if check.name == "index")
        assert _images(folder / STORE) == undisturbed, boundary


def _die_indexing(folder: Path, boundary: Boundary) -> None:
    arguments = (str(folder), msgspec.json.encode(boundary).decode())
    died = subprocess.run(
        [sys.executable, "-m", "tests.end_to_end.killed_indexing", *arguments],
        cwd=PROJECT,
        timeout=60,
        check=False,
    )
    assert died.returncode == -signal.SIGKILL, boundary
