"""Wiring: the settings that open a store, and importers that other packages register."""

import os
import subprocess
import sys
from importlib import metadata
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

from recense import wiring
from recense.adapters.memory.store import MemoryStore
from recense.errors import InvalidRequest, MissingExtra
from recense.operations.recall import RecallRequest
from recense.operations.sessions import OpenSession
from recense.services.importing import Machine
from recense.testing import FakeClock, SeededChance
from recense.wiring import IMPORTER_GROUP, Importers, join, load_importers, open_url
from tests.end_to_end.worlds import with_records

CLAUDE = "recense.importers.claude_code:ClaudeCode"


def _register(monkeypatch: pytest.MonkeyPatch, **entries: str) -> None:
    """Make these the registered importers; a trailing underscore tells equal names apart."""
    found = EntryPoints(
        EntryPoint(name.rstrip("_"), value, IMPORTER_GROUP) for name, value in entries.items()
    )

    def registered(*, group: str) -> EntryPoints:
        return found.select(group=group)

    monkeypatch.setattr(metadata, "entry_points", registered)


def test_a_store_is_opened_in_the_namespace_of_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECENSE_NAMESPACE", "work")
    url = str(tmp_path / "a.db")
    with open_url(url) as memory:
        memory.session_open(OpenSession(session="s"))
    (file,) = (tmp_path / "a.db.d").iterdir()
    assert file.name.startswith("work-")
    assert not (tmp_path / "a.db").exists()
    with open_url(url, namespace="default") as memory:
        assert memory.sessions().total == 0


def test_an_importer_that_cannot_be_loaded_stops_nothing_but_its_own_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _register(monkeypatch, claude_code=CLAUDE, broken="no_such_module:Nothing")
    machine = Machine(environment={}, home=str(tmp_path))
    importers = load_importers()
    assert set(importers.working) == {"claude_code"}
    with join(
        with_records(MemoryStore(SeededChance(1))),
        importers=importers,
        clock=FakeClock(),
        machine=machine,
    ) as memory:
        assert memory.import_sessions().messages_new == 0
        with pytest.raises(MissingExtra, match="no_such_module"):
            memory.import_sessions("broken")
        check = {check.name: check for check in memory.doctor().checks}["importers"]
        assert not check.ok
        assert "no_such_module" in check.items[0]


def test_of_two_importers_of_one_name_neither_is_used_and_both_are_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _register(monkeypatch, claude_code=CLAUDE, claude_code_=CLAUDE)
    importers = load_importers()
    assert importers == Importers(working={}, faults=importers.faults)
    assert importers.faults["claude_code"].message.count("ClaudeCode") == 2


def test_importers_are_loaded_once_and_not_before_something_asks_for_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[Importers] = []

    def counted() -> Importers:
        loaded.append(load_importers())
        return loaded[-1]

    monkeypatch.setattr(wiring, "load_importers", counted)
    with open_url(str(tmp_path / "a.db")) as memory:
        memory.session_open(OpenSession(session="s", source="notes"))
        loaded.clear()
    with open_url(str(tmp_path / "a.db")) as memory:
        assert memory.recall(RecallRequest(terms=("anything",))).passages == ()
        assert memory.sessions().total == 1
        assert loaded == []
        assert "claude_code" in memory.source_names()
        with pytest.raises(InvalidRequest, match="imported sessions"):
            memory.session_open(OpenSession(session="t", source="claude_code"))
        assert len(loaded) == 1


def test_agents_are_loaded_when_they_are_asked_for_and_given_back_with_the_memory(
    tmp_path: Path,
) -> None:
    program = (
        "import sys\n"
        "from recense.wiring import open_url\n"
        "from recense.operations.recall import RecallRequest\n"
        "with open_url(f'sqlite:///{sys.argv[1]}/recense.db') as memory:\n"
        "    memory.recall(RecallRequest(terms=('nothing',)))\n"
        "    assert not [name for name in sys.modules if 'agents' in name], sys.modules\n"
        "    from recense.operations.agents import ResumeAgent\n"
        "    memory.agents.resume(ResumeAgent(agent='worker'))\n"
        "with open_url(f'sqlite:///{sys.argv[1]}/recense.db') as memory:\n"
        "    assert memory.agents.resume(ResumeAgent(agent='worker')).epoch == 2\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)],
        capture_output=True,
        env={**os.environ, "HOME": str(tmp_path)},
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
