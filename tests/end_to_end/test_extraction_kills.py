"""Reading a session is killed at any moment and run again: it completes, no batch that was recorded
is asked again and no proposal filed twice; and of two processes one reads, and the other says who
does.
"""

import os
import random
import re
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest

from recense.limits import EXTRACTION_LEASE_TTL_MS
from recense.operations.extraction import DayMoney
from recense.services.extraction_budget import DailyBudget
from tests.conftest import PROJECT
from tests.end_to_end.agent_lease_child import SharedUptime
from tests.end_to_end.extraction_child import CHUNK_TOKENS, PRICES, world_in
from tests.services.extraction_fakes import ScriptedExtractor
from tests.services.extraction_world import ExtractionWorld, run_one, stands

KILLS: Final = int(os.environ.get("RECENSE_TEST_EXTRACTION_KILLS", "6"))
"""Kills in one run; 30 is the full measure."""

MESSAGES: Final = 40
"""Messages that are new for each life: more than it reads before it is killed, as a rule."""

MOMENTS_SECONDS: Final = 0.25
"""How long after its first batch a child is killed at most."""

WAIT_SECONDS_MAX: Final = 120

_WORD: Final = re.compile(rb"word-\d+")


def _child(*arguments: str) -> subprocess.Popen[str]:
    # A library asks for the locale's encoding, which is its own affair: a child says nothing of it.
    environment = {name: it for name, it in os.environ.items() if not name.startswith("PYTHONWARN")}
    return subprocess.Popen(
        [sys.executable, "-m", "tests.end_to_end.extraction_child", *arguments],
        cwd=PROJECT,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


def _recorded(world: ExtractionWorld) -> set[str]:
    """Return the words of all batches that are recorded."""
    bodies = [body for name, body in world.extraction_records().items() if name[0] == "b"]
    return {word.decode() for body in bodies for word in _WORD.findall(body)}


def _killed_life(folder: Path, moment: float) -> list[str]:
    """Let a child read, kill it a moment after its first batch, and return the words it asked
    about.
    """
    child = _child("read", str(folder))
    assert child.stdout is not None
    first = child.stdout.readline()
    with suppress(subprocess.TimeoutExpired):
        child.wait(moment)
    child.kill()
    rest, errors = child.communicate(timeout=WAIT_SECONDS_MAX)
    assert errors == ""
    said = [line.split() for line in (first + rest).splitlines() if not line.startswith("ended")]
    return [word for words in said for word in words]


def test_reading_that_is_killed_again_and_again_completes_and_does_nothing_twice(
    tmp_path: Path,
) -> None:
    drawn = random.Random(20261130)
    uptime = SharedUptime(tmp_path)
    words: list[str] = []
    asked: Counter[str] = Counter()
    with world_in(tmp_path) as world:
        for life in range(1, KILLS + 1):
            new = [f"word-{len(words) + number}" for number in range(MESSAGES)]
            words += new
            world.say(*(f"{word} {'y' * 300}" for word in new))
            recorded = _recorded(world)
            now = _killed_life(tmp_path, drawn.uniform(0, MOMENTS_SECONDS))
            assert now
            assert not recorded & set(now)
            asked.update(now)
            with world_in(tmp_path) as fresh:
                assert list(fresh.stores.transcripts.check()) == []
            uptime.set(life * (EXTRACTION_LEASE_TTL_MS + 1))
        recorded = _recorded(world)
        extractor = ScriptedExtractor()
        last = world.extraction(extractor, chunk_tokens=CHUNK_TOKENS)
        done = run_one(last)
        assert done.end == "complete"
        left = [text.split()[0] for text in extractor.texts]
        assert left == [word for word in words if word not in recorded]
        assert stands(last).uncovered == 0
        asked.update(left)
        assert asked.keys() == set(words)
        assert asked.total() <= len(words) + KILLS  # the batch in flight is all that is lost
        events = world.memory.fact_history("user", "likes", limit=10_000).events
        assert Counter(str(each.value) for each in events) == dict.fromkeys(recorded, 1)


def test_of_two_processes_one_reads_a_session_and_the_other_says_who_does(tmp_path: Path) -> None:
    with world_in(tmp_path) as world:
        world.say("word-1 alone")
        child = _child("hold", str(tmp_path))
        assert child.stdout is not None
        assert child.stdout.readline().split() == ["word-1"]
        extractor = ScriptedExtractor()
        extraction = world.extraction(extractor, holder="the other")
        done = run_one(extraction)
        assert (done.end, done.batches, extractor.views) == ("held", 0, [])
        assert "session 'api:walk' is taken" in done.reason
        assert "a child" in done.reason
        rest, errors = child.communicate("go on\n", timeout=WAIT_SECONDS_MAX)
        assert (rest.split(), errors) == (["ended", "complete"], "")
        assert run_one(extraction).end == "complete"
        assert extractor.views == []
        assert len(world.facts()) == 1


@pytest.mark.parametrize("bound", ["tokens", "money"])
def test_eight_processes_at_once_reserve_all_that_a_day_has_and_not_a_bit_more(
    tmp_path: Path, bound: str
) -> None:
    with world_in(tmp_path):
        pass  # the file is there
    child = _child("reserve", str(tmp_path), bound, "1000", "70")
    rest, errors = child.communicate(timeout=WAIT_SECONDS_MAX)
    assert (rest.split(), errors) == (["made", "14"], "")
    with world_in(tmp_path) as world:
        budget = DailyBudget(world.stores.records, world.clock, daily_tokens=None, prices=PRICES)
        assert (budget.today().reserved, budget.today().spent) == (980, 0)
        assert budget.today().money == DayMoney(limit=None, spent=0, reserved=980)
