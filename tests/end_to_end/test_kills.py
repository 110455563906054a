"""A process killed at any commit boundary of an import loses nothing and doubles nothing."""

import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from recense.errors import StoreBusy
from recense.testing import Boundary, Fault, FaultyStore
from tests.end_to_end.worlds import memory_over, on_sqlite, sqlite_store
from tests.importers.builders import (
    claude_assistant,
    claude_user,
    codex_event,
    codex_message,
    codex_meta,
    lines,
    text_block,
    tool_result,
    tool_use,
)

PROJECT = Path(__file__).parents[2]


def _sessions(folder: Path) -> Path:
    """Write a session of several pages, a short one and one that fails; return their folder."""
    long = [claude_user(1, "please sort the pressed plants by family")]
    for number in range(2, 600, 3):
        long += [
            claude_assistant(number, tool_use(f"c{number}", "Bash", command=f"sort {number}")),
            claude_user(number + 1, [tool_result(f"c{number}", f"family {number}")]),
            claude_assistant(number + 2, text_block(f"sorted {number} 个标本")),
        ]
    short = [
        codex_meta(),
        codex_message("user", "how many sheets are there?", at=1),
        codex_event("user_message", at=1, message="how many sheets are there?"),
        codex_message("assistant", "412 sheets", at=2),
    ]
    folder.mkdir()
    (folder / "long.jsonl").write_bytes(lines(long))
    (folder / "rollout-2026-02-03T11-00-00-short.jsonl").write_bytes(lines(short))
    (folder / "broken.jsonl").write_bytes(b'{"type":"summary","summary":"of nothing"}\n')
    return folder


def _boundaries(tmp_path: Path) -> list[Boundary]:
    """Return every commit boundary that an import of the sessions passes."""
    store = FaultyStore(sqlite_store(tmp_path, "counted.db"))
    with memory_over(store, tmp_path) as memory:
        memory.import_sessions(None, [str(tmp_path / "sessions")])
    return store.passed


def test_after_a_kill_at_every_commit_boundary_a_rerun_gives_the_store_of_an_undisturbed_run(
    tmp_path: Path,
) -> None:
    source = _sessions(tmp_path / "sessions")
    with on_sqlite(tmp_path, "undisturbed.db") as memory:
        memory.import_sessions(None, [str(source)])
        undisturbed = memory.digest()
    assert undisturbed.messages > 600
    boundaries = _boundaries(tmp_path)
    methods = {boundary.method for boundary in boundaries}
    assert methods == {"archive", "append", "note_file", "mend_index", "write_index"}
    for number, boundary in enumerate(boundaries):
        folder = tmp_path / str(number)
        folder.mkdir()
        died = subprocess.run(
            [
                *(sys.executable, "-m", "tests.end_to_end.killed_import"),
                *(str(folder), str(source), msgspec.json.encode(boundary).decode()),
            ],
            cwd=PROJECT,
            timeout=60,
            check=False,
        )
        assert died.returncode == -signal.SIGKILL, boundary
        with on_sqlite(folder) as memory:
            memory.import_sessions(None, [str(source)])
            assert memory.digest() == undisturbed, boundary
            checks = {check.name: check.ok for check in memory.doctor().checks}
            assert checks["store_integrity"], boundary
            assert checks["conversion"], boundary
            assert checks["index"], boundary


def test_what_a_killed_import_archived_is_found_before_it_is_converted(tmp_path: Path) -> None:
    source = _sessions(tmp_path / "sessions")
    first_append = Boundary(method="append", call=1, moment="before")
    subprocess.run(
        [
            *(sys.executable, "-m", "tests.end_to_end.killed_import"),
            *(str(tmp_path), str(source), msgspec.json.encode(first_append).decode()),
        ],
        cwd=PROJECT,
        timeout=60,
        check=False,
    )
    with on_sqlite(tmp_path) as memory:
        waiting = memory.digest()
        memory.convert()
        assert memory.digest().messages == waiting.messages > 0


@pytest.mark.parametrize("moment", ["before", "after"])
def test_an_import_that_fails_at_a_commit_is_completed_by_the_next(
    tmp_path: Path, moment: str
) -> None:
    source = _sessions(tmp_path / "sessions")
    boundary = msgspec.convert({"method": "archive", "call": 2, "moment": moment}, type=Boundary)
    fault = Fault.raising(boundary, StoreBusy("another process is writing"))
    store = FaultyStore(sqlite_store(tmp_path), [fault])
    with memory_over(store, tmp_path) as memory:
        with pytest.raises(StoreBusy):
            memory.import_sessions(None, [str(source)])
        memory.import_sessions(None, [str(source)])
        digest = memory.digest()
    with on_sqlite(tmp_path, "undisturbed.db") as memory:
        memory.import_sessions(None, [str(source)])
        assert memory.digest() == digest
