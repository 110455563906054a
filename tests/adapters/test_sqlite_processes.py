"""Several processes on one file, and processes that die."""

import signal
from contextlib import ExitStack
from pathlib import Path

import pytest

from recense.adapters.memory.store import MemoryStore
from recense.conformance.material import archive, birth, contents, record, records_of, session_of
from recense.errors import StoreBusy
from recense.testing import Boundary, FaultyStore, SeededChance
from tests.adapters.stores import finish, hear, open_store, opened, program, tell
from tests.adapters.work import work

PAGES = 40
MAKERS = 6
ROUNDS = 3


def undisturbed() -> FaultyStore:
    """Return a store where the work was done without a fault."""
    store = FaultyStore(MemoryStore(SeededChance()))
    work(store)
    return store


DONE = undisturbed()


def name_of(boundary: Boundary) -> str:
    return f"{boundary.moment} {boundary.method} {boundary.call}"


def assert_the_next_run_finishes(path: Path) -> None:
    with opened(path) as store:
        assert store.check() == ()
        work(store)
        assert contents(store) == contents(DONE)
        assert store.check() == ()


def test_the_work_passes_every_kind_of_boundary() -> None:
    assert {boundary.method for boundary in DONE.passed} == {
        "archive",
        "append",
        "open_session",
        "stream",
        "set_private",
        "forget",
        "note_file",
    }


@pytest.mark.parametrize("boundary", DONE.passed, ids=name_of)
def test_a_process_killed_at_a_commit_boundary_is_continued_by_the_next(
    boundary: Boundary, tmp_path: Path
) -> None:
    path = tmp_path / "store.sqlite"
    at = (boundary.method, str(boundary.call), boundary.moment)
    with program("be_killed_at", str(path), *at) as process:
        assert finish(process) == -signal.SIGKILL
    assert_the_next_run_finishes(path)


@pytest.mark.parametrize("commit", range(1, len(DONE.passed) // 2 + 1))
def test_a_process_killed_inside_a_commit_leaves_nothing_of_it(commit: int, tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with program("be_killed_inside", str(path), str(commit)) as process:
        assert finish(process) == -signal.SIGKILL
    assert_the_next_run_finishes(path)


def test_two_processes_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    names = ("ada", "grace")
    with ExitStack() as stack:
        processes = [
            stack.enter_context(program("write_pages", str(path), name, str(PAGES)))
            for name in names
        ]
        for process in processes:
            hear(process, "ready")
        for process in processes:
            tell(process, "go")
        with opened(path) as store:
            seen = 0
            while any(process.poll() is None for process in processes):
                now = session_of(store, "shared")
                assert now.events >= seen
                assert now.records >= now.events - 1
                seen = now.events
        assert [finish(process) for process in processes] == [0, 0]
    with opened(path) as store:
        for name in names:
            found = session_of(store, name)
            assert (found.records, found.events) == (PAGES, PAGES)
        shared = session_of(store, "shared")
        assert (shared.records, shared.events) == (2 * PAGES, 2 * PAGES)
        assert store.check() == ()


def test_processes_that_are_killed_while_they_write_leave_a_whole_store(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    names = ("ada", "grace", "edith")
    with opened(path) as store:
        archive(store, [], births=[birth("shared")])
        for _ in range(ROUNDS):
            before = session_of(store, "shared").events
            with ExitStack() as stack:  # which kills what still runs
                processes = [
                    stack.enter_context(program("write_pages", str(path), name, "1000000"))
                    for name in names
                ]
                for process in processes:
                    hear(process, "ready")
                    tell(process, "go")
                while session_of(store, "shared").events < before + 20:
                    assert {process.poll() for process in processes} == {None}
            assert store.check() == ()
        for name in names:
            positions = [each.position for each in records_of(store, name)]
            assert positions == list(range(len(positions)))
        shared = session_of(store, "shared")
        assert shared.records == sum(session_of(store, name).records for name in names)
        assert shared.events <= sum(session_of(store, name).events for name in names)


def test_processes_that_make_one_store_at_once_find_one_store(tmp_path: Path) -> None:
    path = tmp_path / "new" / "store.sqlite"
    with ExitStack() as stack:
        processes = [
            stack.enter_context(program("make_and_say_key", str(path))) for _ in range(MAKERS)
        ]
        for process in processes:
            hear(process, "ready")
        for process in processes:
            tell(process, "go")
        said = {process.communicate(timeout=240)[0] for process in processes}
        assert [process.returncode for process in processes] == [0] * MAKERS
    with opened(path) as store:
        assert said == {store.key().hex() + "\n"}
        assert store.check() == ()


def test_a_write_while_another_process_writes_is_busy_after_the_wait(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with opened(path, busy_wait_ms=50) as store, program("hold_the_lock", str(path)) as process:
        archive(store, [record("alpha", 0)])
        hear(process, "held")
        before = contents(store)  # readers are not kept waiting
        with pytest.raises(StoreBusy) as caught:
            archive(store, [record("alpha", 1)])
        assert caught.value.retryable
        assert contents(store) == before
        tell(process, "go")
        assert finish(process) == 0
        assert archive(store, [record("alpha", 1)]) == ("parsed",)


def test_a_lock_dies_with_its_process(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with opened(path) as store, program("hold_the_lock", str(path)) as process:
        hear(process, "held")
        process.kill()
        process.wait()
        assert archive(store, [], births=[birth("alpha")]) == ()


def test_a_store_can_be_opened_while_another_process_writes(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with program("hold_the_lock", str(path)) as process:
        hear(process, "held")
        store = open_store(path, busy_wait_ms=50)
        assert contents(store)["sessions"] == []
        store.close()
