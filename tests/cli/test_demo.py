"""The demonstration holds what it says, and its sessions are what its generator writes."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import PROJECT, SECONDS_MAX, environment_with

SESSIONS = PROJECT / "demo" / "home"
SECRET = re.compile(rb"gh[pousr]_\w{30}|sk-\w{16}|AKIA\w{16}|://[^\s:/]+:[^@\s]+@(?!@)")


def run_script(
    *words: str, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, *words],
        check=False,
        capture_output=True,
        timeout=SECONDS_MAX,
        cwd=PROJECT,
        env=environment_with(environment or {}),
    )


def below(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_the_generator_writes_the_sessions_that_are_kept(tmp_path: Path) -> None:
    finished = run_script("scripts/make_demo_sessions.py", str(tmp_path))
    assert (finished.returncode, finished.stderr) == (0, b"")
    assert below(tmp_path) == below(SESSIONS)


def test_the_sessions_are_small_and_hold_no_secret() -> None:
    files = below(SESSIONS)
    assert sum(map(len, files.values())) < 300_000
    found = [
        match[0]
        for text in files.values()
        for match in SECRET.finditer(text)
        if b"@@DEMO-" not in match[0]
    ]
    assert found == []


@pytest.mark.parametrize(
    "environment",
    [{}, {"TERM": "dumb"}, {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}, {"NO_COLOR": "1"}],
    ids=str,
)
def test_the_demonstration_holds_and_leaves_nothing_behind(
    environment: dict[str, str], tmp_path: Path
) -> None:
    ours = {
        "HOME": str(tmp_path / "home"),
        "TMPDIR": str(tmp_path),
        "RECENSE_STORE": str(tmp_path / "mine.db"),
    }
    finished = run_script("scripts/demo.py", environment={**ours, **environment})
    assert finished.stderr == b""
    assert finished.returncode == 0
    assert b"\x1b" not in finished.stdout
    assert b"In the store: not found" in finished.stdout
    assert b"[redacted:" in finished.stdout
    assert b"DID NOT HOLD" not in finished.stdout
    assert b"filed: project decided keep sent mails for thirty days" in finished.stdout
    assert b"Reading again: 0 tokens" in finished.stdout
    assert b"I do not know whether this was done: send_notice" in finished.stdout
    assert b"In the outbox: 1 notice." in finished.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_demonstration_that_does_not_hold_fails(tmp_path: Path) -> None:
    ours = {"TMPDIR": str(tmp_path), "PYTHONPATH": str(tmp_path)}
    (tmp_path / "sitecustomize.py").write_text(
        "import demo_story\ndemo_story.DEPLOY_PLACEHOLDER = 'never there'\n", encoding="utf-8"
    )
    ours["PYTHONPATH"] += os.pathsep + str(PROJECT / "scripts")
    finished = run_script("scripts/demo.py", environment=ours)
    assert finished.returncode == 1
    assert b"DID NOT HOLD: the copied sessions hold the secrets" in finished.stdout
