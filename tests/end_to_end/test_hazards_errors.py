"""No error, report or check repeats a secret that somebody typed where none belongs."""

import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Literal, cast

import msgspec
import pytest

from recense.cli.main import run
from recense.cli.terminal import Terminal
from recense.errors import RecenseError, SettingsInvalid
from recense.operations.grep import GrepRequest
from recense.operations.recall import RecallRequest
from recense.operations.sessions import OpenSession
from recense.services.memory import Memory
from recense.settings.layers import read_layers
from tests.cli.running import Pipe
from tests.core.recall.messages_by_hand import SECRET
from tests.end_to_end.worlds import on_sqlite
from tests.hook.hooks import Home
from tests.importers.builders import claude_user, lines

STORE_URL = "postgresql://mira:" + "Fern7-Spore9-Moss@db.example/recense"
PASSWORD = "Fern7-Spore9" + "-Moss"

TYPED = [
    f"recall fern --session {SECRET}",
    f"recall fern --since {SECRET}",
    f"recall fern --until {SECRET}",
    f"recall fern --since 2026-01-01 --until {SECRET}",
    f"recall fern --workspace {SECRET} --limit {SECRET}",
    f"recall fern --origin {SECRET}",
    f"recall --{SECRET}",
    f"recall {SECRET}",
    f"recall -q {SECRET}",
    f"recall fern --namespace {SECRET}",
    f"recall fern --store /nowhere/{SECRET}/recense.db",
    f"recall fern --store sqlite:///nowhere/{SECRET}/recense.db",
    f"recall fern --store {STORE_URL}",
    f"more {SECRET}",
    f"material {SECRET}",
    f"grep {SECRET}",
    f"grep --regex ({SECRET}",
    f"grep fern --session {SECRET}",
    f"grep fern --since {SECRET}",
    f"sessions show {SECRET}",
    f"sessions hide {SECRET}",
    f"sessions forget {SECRET} --yes",
    f"sessions list --origin {SECRET}",
    f"sessions {SECRET}",
    f"import {SECRET}",
    f"import /nowhere/{SECRET}",
    f"import codex /nowhere/{SECRET}/x.jsonl",
    f"import --secrets-from /nowhere/{SECRET}",
    f"convert {SECRET}",
    f"bench {SECRET}",
    SECRET,
]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home whose store holds one session, and in which this process works."""
    for name in [each for each in os.environ if each.startswith(("RECENSE_", "XDG_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / ".local" / "share" / "recense"
    folder.mkdir(parents=True)
    path = tmp_path / "session.jsonl"
    path.write_bytes(lines([claude_user(1, "press the fern")]))
    with on_sqlite(folder) as memory:
        memory.import_sessions("claude_code", [str(path)])
    return tmp_path


def _typed(*words: str) -> tuple[int, str]:
    """Run a command line on the memory of this machine; return its exit code and all it said."""
    out, err = Pipe(), io.StringIO()
    terminal = Terminal(out, err, {}, milliseconds=lambda: 0.0)
    exit_code = run(words, terminal=terminal)
    return exit_code, out.getvalue() + err.getvalue()


@pytest.mark.parametrize("as_json", [False, True])
@pytest.mark.parametrize("words", TYPED)
@pytest.mark.usefixtures("home")
def test_a_secret_that_was_typed_where_none_belongs_is_not_repeated(
    words: str, as_json: bool
) -> None:
    exit_code, said = _typed(*words.split(), *(("--json",) if as_json else ()))
    assert exit_code in (1, 2)
    assert said
    assert SECRET not in said
    assert PASSWORD not in said


@pytest.mark.parametrize("name", ["INCOGNITO", "NAMESPACE", "SYNCHRONOUS", "STORE_SECRETS"])
@pytest.mark.usefixtures("home")
def test_a_secret_in_a_setting_is_not_repeated(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"RECENSE_{name}", SECRET)
    exit_code, said = _typed("recall", "fern")
    assert exit_code == 1
    assert name.lower() in said
    assert SECRET not in said


def test_a_secret_in_the_settings_file_is_not_repeated(tmp_path: Path) -> None:
    for content in (f'{SECRET} = "x"', f'incognito = "{SECRET}"', f'incognito = ["{SECRET}"]'):
        (tmp_path / "recense.toml").write_text(content, encoding="utf-8")
        with pytest.raises(SettingsInvalid) as refused:
            read_layers({}, {}, str(tmp_path), str(tmp_path))
        assert SECRET not in refused.value.message + refused.value.hint


def test_a_secret_in_the_path_of_a_failed_file_is_in_no_report_and_no_check(tmp_path: Path) -> None:
    path = tmp_path / SECRET / "session.jsonl"
    path.parent.mkdir()
    path.write_bytes(b"no session\n")
    with on_sqlite(tmp_path) as memory:
        report = memory.import_sessions("claude_code", [str(path)])
        health = memory.doctor()
    assert report.sources[0].failures[0].path.endswith("/[redacted:github-token]/session.jsonl")
    assert not health.ok
    assert SECRET not in msgspec.json.encode([report, health]).decode()


def test_the_library_repeats_no_secret_either(tmp_path: Path) -> None:
    def opened(memory: Memory) -> None:
        memory.session_open(OpenSession(session="x", origin=cast("Literal['agent']", SECRET)))

    calls: list[Callable[[Memory], object]] = [
        lambda memory: memory.recall(RecallRequest(terms=("fern",), session=SECRET)),
        lambda memory: memory.recall(RecallRequest(terms=("fern",), since=SECRET)),
        lambda memory: memory.grep(GrepRequest(pattern="fern", session=SECRET)),
        lambda memory: memory.transcript(SECRET),
        lambda memory: memory.forget_session(SECRET, with_forks=False),
        lambda memory: memory.import_sessions(SECRET),
        opened,
    ]
    with on_sqlite(tmp_path) as memory:
        for call in calls:
            with pytest.raises(RecenseError) as refused:
                call(memory)
            assert SECRET not in refused.value.message + refused.value.hint


def test_the_hook_repeats_no_secret(tmp_path: Path) -> None:
    ran = Home(tmp_path).run(f"/nowhere/{SECRET}/x.jsonl")
    assert ran.exit_code == 1
    assert "[redacted:github-token]" in ran.err
    assert SECRET not in ran.err
