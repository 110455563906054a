"""Retention: what an agent will soon take away is known before it does."""

import os
from pathlib import Path

import pytest

from recense.adapters.memory.store import MemoryStore
from recense.core.instants import instant_from_text
from recense.operations.admin import HealthCheck, SourceRetention
from recense.services.importing import Machine
from recense.services.memory import Memory
from recense.testing import FakeClock, SeededChance
from recense.wiring import join, load_importers
from tests.end_to_end.worlds import with_records
from tests.importers.builders import claude_user, codex_message, codex_meta, lines

NOW = instant_from_text("2026-03-01T00:00:00Z") or 0
DAY = 86_400_000_000


class World:
    """A machine with one session of Claude Code, last changed so many days ago."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.projects = home / ".claude" / "projects" / "p"
        self.projects.mkdir(parents=True)
        self.memory = self._memory()

    def _memory(self) -> Memory:
        return join(
            with_records(MemoryStore(SeededChance(1))),
            importers=load_importers(),
            clock=FakeClock(NOW),
            machine=Machine(environment={}, home=str(self.home)),
        )

    def write(self, path: Path, content: bytes, *, days_ago: int) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        changed = (NOW - days_ago * DAY) * 1_000
        os.utime(path, ns=(changed, changed))
        return path

    def session(self, name: str, *, days_ago: int) -> Path:
        content = lines([claude_user(1, f"press the fern {name}", sessionId=name)])
        return self.write(self.projects / f"{name}.jsonl", content, days_ago=days_ago)

    def judged(self) -> tuple[HealthCheck, dict[str, SourceRetention]]:
        health = self.memory.doctor()
        check = {check.name: check for check in health.checks}["retention"]
        return check, {each.source: each for each in health.retention}


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A machine on the first of March."""
    return World(tmp_path)


def test_a_session_that_will_be_deleted_within_a_week_and_is_not_kept_is_wrong(
    world: World,
) -> None:
    world.session("old", days_ago=24)
    world.session("new", days_ago=1)
    check, sources = world.judged()
    assert (check.ok, check.fix) == (False, "recense import")
    assert sources["claude_code"] == SourceRetention(
        source="claude_code",
        fate="deleted",
        days=30,
        files=2,
        not_imported=2,
        at_risk=1,
        first_deadline="2026-03-07T00:00:00.000000Z",
        kept_here_only=0,
    )
    world.memory.import_sessions()
    check, sources = world.judged()
    assert check.ok
    assert (sources["claude_code"].not_imported, sources["claude_code"].at_risk) == (0, 0)


def test_a_session_that_grew_since_it_was_imported_is_not_kept_yet(world: World) -> None:
    path = world.session("old", days_ago=26)
    world.memory.import_sessions()
    grown = path.read_bytes() + lines([claude_user(2, "and the moss", sessionId="old")])
    world.write(path, grown, days_ago=25)
    check, sources = world.judged()
    assert not check.ok
    assert sources["claude_code"].at_risk == 1


def test_a_session_that_is_overdue_is_at_risk(world: World) -> None:
    world.session("old", days_ago=400)
    assert not world.judged()[0].ok


@pytest.mark.parametrize(
    ("settings", "days"),
    [
        ('{"cleanupPeriodDays": 365}', 365),
        ('{"cleanupPeriodDays": 0, "model": "x"}', 0),
        ('{"cleanupPeriodDays": -3}', 30),
        ('{"cleanupPeriodDays": "soon"}', 30),
        ("{}", 30),
        ("not JSON", 30),
    ],
)
def test_the_agents_own_settings_say_how_long_it_keeps_sessions(
    world: World, settings: str, days: int
) -> None:
    (world.home / ".claude" / "settings.json").write_text(settings, encoding="utf-8")
    assert world.judged()[1]["claude_code"].days == days


def test_settings_that_are_no_file_are_not_waited_for(world: World) -> None:
    os.mkfifo(world.home / ".claude" / "settings.json")
    assert world.judged()[1]["claude_code"].days == 30


def test_what_is_only_compressed_is_counted_and_no_fault(world: World) -> None:
    rollout = world.home / ".codex/sessions/2026/02/01/rollout-2026-02-01T00-00-00-x.jsonl"
    content = lines([codex_meta(), codex_message("user", "how many?", at=1)])
    world.write(rollout, content, days_ago=6)
    check, sources = world.judged()
    assert check.ok
    assert (sources["codex"].fate, sources["codex"].not_imported) == ("compressed", 1)
    assert sources["codex"].first_deadline == "2026-03-02T00:00:00.000000Z"


def test_a_session_whose_file_is_gone_is_kept_here_only(world: World) -> None:
    path = world.session("old", days_ago=29)
    world.memory.import_sessions()
    path.unlink()
    check, sources = world.judged()
    assert check.ok
    assert sources["claude_code"].kept_here_only == 1
    assert "kept here only: 1" in check.items[0]


def test_empty_files_and_agents_that_keep_everything_are_no_matter(world: World) -> None:
    world.write(world.projects / "empty.jsonl", b"", days_ago=400)
    check, sources = world.judged()
    assert check.ok
    assert sources["claude_code"].files == 0
    assert set(sources) == {"claude_code", "codex"}
