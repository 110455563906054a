"""A text is told, a model reads it, and the process ends by SIGKILL on either side of any commit:
the text is not lost once it is kept, and told again it is read once and filed once.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

from recense.core.extraction.proposals import Proposal
from recense.limits import EXTRACTION_LEASE_TTL_MS
from recense.operations.texts import RememberText
from recense.testing import FaultyRecords
from recense.testing.model_server import ModelServer, proposing
from tests.conftest import PROJECT
from tests.end_to_end.agent_lease_child import SharedUptime
from tests.end_to_end.extraction_child import TOLD, told_memory, world_in
from tests.services.extraction_world import extraction_world

WAIT_SECONDS_MAX: Final = 120

ANSWER: Final = proposing(
    Proposal(subject="user", predicate="lives_in", value="Oslo", evidence="I live in Oslo"),
    Proposal(subject="user", predicate="likes", value="moss", evidence="I like moss"),
)
FOUND: Final = [
    ("user", "likes", "moss", "user_stated"),
    ("user", "lives_in", "Oslo", "user_stated"),
]


def _every_boundary(url: str) -> list[str]:
    with extraction_world("memory", Path()) as world:
        records = FaultyRecords(world.stores.records)
        told_memory(world, records, url).remember(RememberText(text=TOLD))
        passed = [each for each in records.passed if each.method != "release"]
        return [f"{each.method}-{each.call}-{each.moment}" for each in passed]


def _kill(folder: Path, url: str, names: list[str]) -> None:
    kept = {name: text for name, text in os.environ.items() if not name.startswith("PYTHONWARN")}
    done = subprocess.run(
        [sys.executable, "-m", "tests.end_to_end.extraction_child", "tell", folder, url, *names],
        cwd=PROJECT,
        env=kept,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=WAIT_SECONDS_MAX,
        check=True,
    )
    assert (done.stdout.split(), done.stderr) == (["killed", str(len(names))], "")


def test_a_text_whose_telling_is_killed_at_any_commit_is_read_once_and_filed_once(
    tmp_path: Path,
) -> None:
    with ModelServer(lambda _: ANSWER) as server:
        url = server.base_url("openai")
        names = _every_boundary(url)
        assert len(names) > 2 * len(FOUND)
        for name in names:
            (tmp_path / name).mkdir()
        _kill(tmp_path, url, names)
        for name in names:
            folder = tmp_path / name
            SharedUptime(folder).set(EXTRACTION_LEASE_TTL_MS + 1)
            with world_in(folder) as world:
                assert list(world.stores.transcripts.check()) == []
                world.clock.advance(EXTRACTION_LEASE_TTL_MS + 1)
                recorded = sum(each.startswith("b-") for each in world.extraction_records())
                before = len(server.received)
                memory = told_memory(world, world.stores.records, url)
                said = memory.remember(RememberText(text=TOLD))
                assert said.unread == ""
                assert said.is_new is (name == "put-1-before")
                assert len(server.received) - before == 1 - recorded
                assert world.facts() == FOUND
                for predicate in ("likes", "lives_in"):
                    assert len(memory.fact_history("user", predicate).events) == 1
