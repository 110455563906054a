"""``recense import``: following files until it is stopped, and secrets that a person names."""

import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.cli import samples
from tests.cli.fake_memory import FakeMemory
from tests.cli.running import SECONDS_MAX, environment_with, run_here
from tests.importers.builders import claude_user, lines

SECRET = "Tulip7" + "Harbour91"
OTHER = 'quoted "' + "Fern4Moss88"


def _env_file(folder: Path) -> Path:
    path = folder / ".env"
    path.write_text(
        f"# the harbour\nexport TIMETABLE_KEY={SECRET}\nMOSS='{OTHER}'\nDEBUG=true\n",
        encoding="utf-8",
    )
    return path


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_following_says_each_round_on_stderr_and_the_sum_on_stdout(
    number: signal.Signals,
) -> None:
    memory = FakeMemory()
    memory.stopped_by = number
    ran = run_here("import", "codex", "--watch", "--every", "5", "--json", memory=memory)
    assert ran.exit_code == 0
    assert ("watch", "codex", (), 5, False) in memory.asked
    assert json.loads(ran.out)["messages_new"] == 42
    assert ran.err.splitlines() == [
        "Following codex: where it keeps its sessions; a look every 5 s. Ctrl-C stops it.",
        "42 new messages in 3 new sessions: claude_code 2 files",
        "put off: another process is writing",
    ]


def test_what_comes_in_is_read_for_facts_where_that_is_asked_for() -> None:
    memory = FakeMemory()
    ran = run_here("import", "--watch", "--extract", memory=memory)
    assert ran.exit_code == 0
    assert ("followed",) in memory.asked
    told = [line for line in ran.err.splitlines() if "new fact" in line]
    assert told
    assert ran.err.count("put off: another process is writing") == 2


def test_what_is_imported_once_is_not_read_by_itself() -> None:
    memory = FakeMemory()
    ran = run_here("import", "--extract", memory=memory)
    assert ran.exit_code == 2
    assert "recense extract run" in ran.err
    assert memory.asked == []


def test_signals_mean_what_they_did_before_when_following_has_ended() -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    run_here("import", "--watch")
    assert [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)] == before


@pytest.mark.parametrize("every", ["0", "86401", "-1", "soon"])
def test_a_time_between_looks_that_makes_no_sense_is_bad_usage(every: str) -> None:
    memory = FakeMemory()
    assert run_here("import", "--watch", "--every", every, memory=memory).exit_code == 2
    assert memory.asked == []


def test_the_values_of_the_files_named_are_handed_over_and_those_left_out_counted(
    tmp_path: Path,
) -> None:
    memory = FakeMemory()
    path = str(_env_file(tmp_path))
    ran = run_here("import", "--secrets-from", path, "--secrets-from", path, memory=memory)
    assert (ran.exit_code, memory.known_secrets) == (0, 2)
    assert "1 value of --secrets-from not hidden" in ran.err
    for value in (SECRET, OTHER):
        assert value not in ran.out + ran.err


@pytest.mark.parametrize("kind", ["missing", "folder", "pipe", "binary", "long"])
def test_a_file_of_secrets_that_cannot_be_read_stops_the_import_and_is_not_quoted(
    tmp_path: Path, kind: str
) -> None:
    path = tmp_path / "secrets"
    match kind:
        case "folder":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case "binary":
            path.write_bytes(SECRET.encode() + b"\xff")
        case "long":
            path.write_bytes(f"KEY={SECRET}\n".encode() * 100_000)
        case _:
            pass
    memory = FakeMemory()
    ran = run_here("import", "--secrets-from", str(path), "--json", memory=memory)
    assert ran.exit_code == 1
    assert json.loads(ran.out)["error"]["code"] == "source_unreadable"
    assert memory.asked == []
    assert SECRET not in ran.out + ran.err


def test_a_bug_does_not_show_the_values(tmp_path: Path) -> None:
    memory = FakeMemory(error=RuntimeError("a bug"))
    ran = run_here("import", "--secrets-from", str(_env_file(tmp_path)), memory=memory)
    assert ran.exit_code == 1
    assert "Traceback" in ran.err
    for value in (SECRET, OTHER):
        assert value not in ran.out + ran.err


def test_files_that_are_not_read_again_for_the_secrets_named_are_counted_aloud() -> None:
    missed = replace(samples.IMPORTED, secrets_missed=2)
    ran = run_here("import", memory=FakeMemory(imported=missed))
    assert "not hidden: 2 files imported before and not read again" in ran.err
    ran = run_here("import", "--watch", memory=FakeMemory(imported=missed))
    assert "not hidden: 2 files" in ran.err


def test_archiving_alone_says_what_converts() -> None:
    assert "recense convert, or the next import" in run_here("import", "--archive-only").out
    assert "recense convert" not in run_here("import").out


def _recense(home: Path, *words: str) -> list[str]:
    return [sys.executable, "-m", "recense", *words, "--store", str(home / "kept.db")]


def test_named_secrets_are_in_no_byte_of_the_store_and_counted(tmp_path: Path) -> None:
    session = tmp_path / "session.jsonl"
    session.write_bytes(lines([claude_user(1, f"use {SECRET} or {OTHER} for the ferry")]))
    words = ("import", "claude_code", str(session), "--secrets-from", str(_env_file(tmp_path)))
    ran = subprocess.run(
        _recense(tmp_path, *words, "--json"),
        check=False,
        capture_output=True,
        timeout=SECONDS_MAX,
        env=environment_with({"HOME": str(tmp_path)}),
        cwd=tmp_path,
    )
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["secrets_redacted"] == {"known_secret": 2}
    kept = b"".join(path.read_bytes() for path in tmp_path.glob("kept.db*"))
    for value in (SECRET, OTHER, "Fern4Moss88"):
        assert value.encode() not in kept + ran.stdout + ran.stderr


def _said(process: "subprocess.Popen[bytes]") -> bytes:
    """Return the next line that a process says on stderr."""
    assert process.stderr is not None
    assert select.select([process.stderr], [], [], SECONDS_MAX)[0], "nothing was said"
    return process.stderr.readline()


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise")
def test_a_process_that_follows_files_ends_with_its_report_when_it_is_told_to(
    tmp_path: Path,
) -> None:
    projects = tmp_path / ".claude" / "projects" / "p"
    projects.mkdir(parents=True)
    (projects / "a.jsonl").write_bytes(lines([claude_user(1, "press the fern")]))
    process = subprocess.Popen(
        _recense(tmp_path, "import", "--watch", "--every", "1", "--json"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment_with({"HOME": str(tmp_path)}),
        cwd=tmp_path,
    )
    start = _said(process)
    first = _said(process)
    with (projects / "a.jsonl").open("ab") as growing:
        growing.write(lines([claude_user(2, "and the moss")]))
    second = _said(process)
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=SECONDS_MAX)
    assert start.startswith(b"Following every agent: ")
    assert first == b"1 new message in 1 new session: claude_code 1 file\n"
    assert second == b"1 new message in 0 new sessions: claude_code 1 file\n"
    assert (process.returncode, err) == (0, b"")
    assert json.loads(out)["messages_new"] == 2
