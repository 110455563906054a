"""Facts on one SQLite file: a process killed at any moment loses nothing that was acknowledged and
doubles nothing, and many processes at once write all that they say.
"""

import os
import random
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from recense.operations.facts import GetFacts, RememberFact
from recense.services.fact_memory import FactMemory
from tests.conftest import PROJECT
from tests.end_to_end.fact_child import DEFINE, FORGET, MOVE, facts_in, town, written
from tests.end_to_end.worlds import sqlite_store

WAIT_SECONDS_MAX = 240
PROCESSES = 8
WRITES = int(os.environ.get("RECENSE_TEST_FACT_WRITES", "50"))
"""Statements of each process; 1000 is the full measure."""


def _child(*arguments: str) -> subprocess.Popen[str]:
    # A library asks for the locale's encoding, which is its own affair: a child says nothing of it.
    environment = {name: it for name, it in os.environ.items() if not name.startswith("PYTHONWARN")}
    return subprocess.Popen(
        [sys.executable, "-m", "tests.end_to_end.fact_child", *arguments],
        cwd=PROJECT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


def _values(memory: FactMemory, predicate: str, subject: str = "mira") -> list[object]:
    request = GetFacts(subject=subject, predicate=predicate, limit=10_000)
    return [belief.value for belief in memory.facts(request).beliefs]


def _times(memory: FactMemory, predicate: str, subject: str = "mira") -> Counter[object]:
    """Return how many events state each value of a pair; retractions as None."""
    events = memory.fact_history(subject, predicate, limit=10_000).events
    return Counter(None if event.retraction else event.value for event in events)


def _require_sound(folder: Path) -> None:
    store = sqlite_store(folder)
    try:
        assert list(store.check()) == []
    finally:
        store.close()


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("operation", ["move", "forget", "define"])
def test_a_write_that_is_killed_at_its_commit_is_whole_or_nothing_and_done_once_by_a_retry(
    tmp_path: Path, operation: str, moment: str
) -> None:
    with facts_in(tmp_path) as begun:
        begun.remember_fact(RememberFact(subject="mira", predicate="lives_in", value="Bergen"))
    child = _child("die", str(tmp_path), operation, moment)
    child.communicate(timeout=WAIT_SECONDS_MAX)
    assert child.returncode == -signal.SIGKILL
    _require_sound(tmp_path)
    with facts_in(tmp_path) as memory:
        towns = _values(memory, "lives_in")
        if operation == "move":
            assert towns == (["Bergen"] if moment == "before" else ["Oslo"])
            assert memory.remember_fact(MOVE) == memory.remember_fact(MOVE)
            assert _values(memory, "lives_in") == ["Oslo"]
            assert _times(memory, "lives_in") == {"Bergen": 1, "Oslo": 1}
        elif operation == "forget":
            assert towns == (["Bergen"] if moment == "before" else [])
            assert [each.value for each in memory.forget_fact(FORGET).withdrawn] == ["Bergen"]
            assert _values(memory, "lives_in") == []
            assert _times(memory, "lives_in") == {"Bergen": 1, None: 1}
        else:
            defined = {each.predicate for each in memory.registry().definitions}
            assert ("shoe_size" in defined) == (moment == "after")
            assert _values(memory, "shoe_size") == ([] if moment == "before" else [42])
            assert memory.remember_fact(DEFINE).defined is not None
            assert _times(memory, "shoe_size") == {42: 1}
            log = memory.registry_log().changes
            assert sum("shoe_size holds" in change.text for change in log) == 1


def test_what_was_acknowledged_outlives_a_kill_at_any_moment(tmp_path: Path) -> None:
    drawn = random.Random(20261130)
    first = 0
    for _ in range(6):
        child = _child("move", str(tmp_path), str(first))
        assert child.stdout is not None
        acknowledged = first - 1
        for _ in range(drawn.randint(1, 40)):
            acknowledged = int(child.stdout.readline())
        child.kill()
        rest, errors = child.communicate(timeout=WAIT_SECONDS_MAX)
        assert errors == ""
        whole = [line for line in rest.splitlines(keepends=True) if line.endswith("\n")]
        acknowledged = int(whole[-1]) if whole else acknowledged
        _require_sound(tmp_path)
        with facts_in(tmp_path) as memory:
            times = _times(memory, "lives_in")
            assert all(times[f"town {number}"] == 1 for number in range(acknowledged + 1))
            assert times.total() - acknowledged - 1 in {0, 1}
            held = _values(memory, "lives_in")
            assert held in ([f"town {acknowledged}"], [f"town {acknowledged + 1}"])
            first = acknowledged + 1
            for number in (acknowledged, first):
                memory.remember_fact(town(number))
            assert _values(memory, "lives_in") == [f"town {first}"]
            assert set(_times(memory, "lives_in").values()) == {1}


def test_many_processes_write_one_file_and_nothing_is_lost(tmp_path: Path) -> None:
    children = [
        _child("write", str(tmp_path), str(number), str(WRITES)) for number in range(PROCESSES)
    ]
    for child in children:
        _, errors = child.communicate(timeout=WAIT_SECONDS_MAX * (1 + WRITES // 50))
        assert (child.returncode, errors) == (0, "")
    _require_sound(tmp_path)
    with facts_in(tmp_path) as memory:
        said = [each for number in range(PROCESSES) for each in written(number, WRITES)]
        assert len(said) == PROCESSES * WRITES
        for pair in {(each.subject, each.predicate) for each in said}:
            values = {each.value: 1 for each in said if (each.subject, each.predicate) == pair}
            assert _times(memory, pair[1], pair[0]) == values, pair
            held = _values(memory, pair[1], pair[0])
            assert len(held) == 1 if pair[1] == "lives_in" else set(held) == set(values)
