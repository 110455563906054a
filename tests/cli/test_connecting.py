"""``recense connect``: what it asks for, and when it asks the person."""

import json
import os
import sys
import sysconfig
from pathlib import Path

import pytest

from recense.cli.opening import connecting_configured
from recense.errors import ConnectionUnproven
from recense.operations.connecting import ConnectClient
from tests.cli.fake_memory import FakeMemory
from tests.cli.running import run_here


def asked_by(*words: str) -> list[object]:
    memory = FakeMemory()
    ran = run_here(*words, memory=memory)
    assert (ran.exit_code, ran.err) == (0, "")
    return memory.asked


def test_connecting_asks_with_the_options_of_the_server() -> None:
    words = "connect codex --typed --agent --read-only --name memory --no-hook --store /x.db"
    assert asked_by(*words.split()) == [
        ("connecting", {"store": "/x.db"}),
        (
            "connect",
            ConnectClient(
                client="codex",
                name="memory",
                options=("--typed", "--agent", "--read-only"),
                hook=False,
            ),
        ),
    ]


@pytest.mark.parametrize(
    ("words", "variable"), [((), "RECENSE_KEY"), (("--key-env", "K"), "K"), (("--key-env", ""), "")]
)
def test_a_server_that_runs_has_its_key_in_a_variable(
    words: tuple[str, ...], variable: str
) -> None:
    asked = asked_by("connect", "cursor", "--url", "https://m.example.com/mcp", *words)
    assert asked[1] == (
        "connect",
        ConnectClient(client="cursor", url="https://m.example.com/mcp", key_variable=variable),
    )


@pytest.mark.parametrize(
    "words",
    [
        ("--url", "https://m.example.com/mcp", "--typed"),
        ("--url", "https://m.example.com/mcp", "--store", "/x.db"),
        ("--key-env", "K"),
        ("--url", ""),
    ],
)
def test_options_that_say_nothing_together_are_bad_usage(words: tuple[str, ...]) -> None:
    memory = FakeMemory()
    assert run_here("connect", "cursor", *words, memory=memory).exit_code == 2
    assert memory.asked == []


def test_a_client_that_is_not_installed_is_not_connected_unasked() -> None:
    memory = FakeMemory()
    memory.is_client_installed = False
    ran = run_here("connect", "zed", memory=memory)
    assert (ran.exit_code, ran.out) == (1, "")
    assert "nothing of zed is found on this machine" in ran.err
    assert "--yes" in ran.err
    assert len(memory.asked) == 1
    for option in ("--yes", "--print", "--remove"):
        assert run_here("connect", "zed", option, memory=memory).exit_code == 0


def test_the_settings_of_this_machine_decide_what_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in list(os.environ):
        if name.startswith(("RECENSE_", "XDG_", "CODEX_HOME")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RECENSE_NAMESPACE", "herbarium")
    connecting = connecting_configured({"store": "notes.db"})
    report = connecting.connect(ConnectClient(client="zed", show=True))
    lines = "".join(splice.text for splice in report.files[0].splices)
    entry = json.loads(lines)["context_servers"]["recense"]
    assert os.path.isabs(entry["command"])
    assert entry["args"][-5:] == [
        *("mcp", "--store", str(tmp_path / "notes.db"), "--namespace", "herbarium")
    ]
    assert list(tmp_path.iterdir()) == []


def test_a_program_that_cannot_be_started_leaves_the_home_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setattr(sysconfig, "get_path", {"scripts": "/nowhere"}.__getitem__)
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(ConnectionUnproven, match="every file is as it was"):
        connecting_configured({}).connect(ConnectClient(client="cursor"))
    assert not (tmp_path / ".cursor").exists()
