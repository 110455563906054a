"""What has hurt others about files that grow, move, vanish and are read by two at once."""

import io
import os
import random
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import cast

import msgspec
import pytest
import zstandard

from recense.core.values import Value
from recense.operations.admin import ImportReport, SourceReport
from recense.operations.recall import RecallRequest
from recense.services.memory import Memory
from tests.cli.running import environment_with
from tests.end_to_end.worlds import on_sqlite
from tests.importers.builders import (
    claude_assistant,
    claude_user,
    codex_message,
    codex_meta,
    lines,
    text_block,
)

SECONDS_MAX = 60
LINES = 50_000
LINE_BYTES = 1_500
GROWN_TIMES = 100
GROWN_LINES = 10
KILLS = 20
SEED = 20_260_203


def _source(report: ImportReport, name: str) -> SourceReport:
    return {source.source: source for source in report.sources}[name]


def _passages(memory: Memory, term: str) -> int:
    return len(memory.recall(RecallRequest(terms=(term,), limit=25)).passages)


# --- growth ---------------------------------------------------------------------------------------


class _CountedFile(io.FileIO):
    """A file that adds up what is read of it, and of all others like it."""

    counted = 0

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(-1 if size is None else size) or b""
        _CountedFile.counted += len(data)
        return data


def _count_what_is_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let whoever reads this file read a `_CountedFile`."""
    really_open = cast("Callable[..., object]", open)

    def counting(name: object, mode: str = "r", **options: object) -> object:
        if str(name) == str(path) and mode == "rb":
            return _CountedFile(str(path))
        return really_open(name, mode, **options)

    monkeypatch.setattr("builtins.open", counting)
    monkeypatch.setattr(_CountedFile, "counted", 0)


def test_a_long_session_that_grows_a_hundred_times_is_read_in_work_linear_in_what_is_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "long.jsonl"
    blank = " " * (LINE_BYTES - 400)
    with path.open("wb") as writing:
        writing.write(lines([claude_user(1, "count the sheets")]))
        skipped = lines([claude_assistant(7, text_block("x")) | {"type": "progress"}])
        for number in range(2, LINES + 1):
            own = skipped.replace(b'"u7"', b'"u%d"' % number)
            writing.write(own[:-2] + b',"pad":"' + blank.encode() + b'"}\n')
    assert path.stat().st_size > 70_000_000
    with on_sqlite(tmp_path) as memory:
        memory.import_sessions("claude_code", [str(path)], archive_only=True)
        _count_what_is_read(path, monkeypatch)
        grown = new = 0
        for time in range(GROWN_TIMES):
            first = LINES + 1 + time * GROWN_LINES
            added = lines(
                claude_user(number, f"prompt {number}")
                for number in range(first, first + GROWN_LINES)
            )
            with path.open("ab") as growing:
                growing.write(added)
            report = memory.import_sessions("claude_code", [str(path)])
            grown += len(added)
            new += _source(report, "claude_code").records.parsed
            assert _source(report, "claude_code").bytes == len(added)
    assert new == GROWN_TIMES * GROWN_LINES
    # Beside what is new, a round reads the head once and the end of what was read twice.
    assert grown < _CountedFile.counted < grown * 2 + GROWN_TIMES * 4 * 65_536


# --- names ----------------------------------------------------------------------------------------


def test_a_rollout_that_codex_compresses_is_one_session_before_during_and_after(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "sessions"
    folder.mkdir()
    plain = folder / "rollout-2026-02-03T11-00-00-x.jsonl"
    packed = folder / f"{plain.name}.zst"
    content = lines([codex_meta(), codex_message("user", "how many sheets?", at=1)])
    plain.write_bytes(content)
    with on_sqlite(tmp_path) as memory:
        memory.import_sessions("codex", [str(folder)])
        packed.write_bytes(zstandard.compress(content))
        both = memory.import_sessions("codex", [str(folder)])
        plain.unlink()
        after = memory.import_sessions("codex", [str(folder)])
        assert [report.messages_new for report in (both, after)] == [0, 0]
        assert memory.sessions().total == 1
        assert _passages(memory, "sheets") == 1


def test_a_session_whose_file_is_gone_is_found_and_listed_as_kept_here_only(
    tmp_path: Path,
) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(lines([claude_user(1, "press the fern")]))
    with on_sqlite(tmp_path) as memory:
        memory.import_sessions("claude_code", [str(path)])
        path.unlink()
        memory.import_sessions("claude_code", [str(tmp_path)])
        assert _passages(memory, "fern") == 1
        assert not memory.sessions().sessions[0].source_available


def test_a_tree_with_everything_in_it_that_is_no_session_gives_the_sessions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "projects"
    folder.mkdir()
    monkeypatch.chdir(folder)  # the path of a socket must be short
    for number in range(50):
        record = claude_user(1, f"prompt {number}", sessionId=f"s{number}")
        (folder / f"{number:02}.jsonl").write_bytes(lines([record]))
    (folder / "25.jsonl").write_bytes(b"\x00\xff\xfe" * 4_000)
    os.mkfifo(folder / "pipe.jsonl")
    (folder / "loop").symlink_to(folder)
    (folder / "gone.jsonl").symlink_to(folder / "nowhere")
    with socket.socket(socket.AF_UNIX) as listening, on_sqlite(tmp_path) as memory:
        listening.bind("socket.jsonl")
        report = memory.import_sessions("claude_code", [str(folder)])
    source = _source(report, "claude_code")
    assert (source.files_imported, source.files_skipped, source.files_failed) == (49, 3, 2)
    assert {Path(each.path).name for each in source.failures} == {"25.jsonl", "gone.jsonl"}
    assert report.messages_new == 49


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_what_may_not_be_read_is_named_and_stops_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "projects"
    (folder / "closed").mkdir(parents=True, mode=0o700)
    (folder / "open.jsonl").write_bytes(lines([claude_user(1, "press the fern")]))
    (folder / "shut.jsonl").write_bytes(lines([claude_user(1, "no", sessionId="shut")]))
    (folder / "shut.jsonl").chmod(0)
    (folder / "closed").chmod(0)
    with on_sqlite(tmp_path) as memory:
        report = memory.import_sessions("claude_code", [str(folder)])
    (folder / "closed").chmod(0o700)
    assert {Path(each.path).name for each in _source(report, "claude_code").failures} == {
        "closed",
        "shut.jsonl",
    }
    assert report.messages_new == 1


# --- processes ------------------------------------------------------------------------------------


class _Process(Value, kw_only=True):
    """An import in a process of its own, and the store it writes."""

    home: Path
    source: Path

    def start(self) -> "subprocess.Popen[bytes]":
        words = ["import", str(self.source), "--json", "--store", str(self.home / "recense.db")]
        return subprocess.Popen(
            [sys.executable, "-m", "recense", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment_with({"HOME": str(self.home)}),
            cwd=self.home,
        )


def _sessions(folder: Path, sessions: int, messages: int) -> Path:
    folder.mkdir()
    for session in range(sessions):
        records = [
            claude_user(number, f"prompt {number} of {session}", sessionId=f"s{session}")
            for number in range(1, messages + 1)
        ]
        (folder / f"{session:02}.jsonl").write_bytes(lines(records))
    return folder


def test_two_importers_at_once_import_everything_once_between_them(tmp_path: Path) -> None:
    source = _sessions(tmp_path / "projects", sessions=12, messages=200)
    started = [_Process(home=tmp_path, source=source).start() for _ in range(2)]
    ended = [process.communicate(timeout=SECONDS_MAX) for process in started]
    assert [process.returncode for process in started] == [0, 0], ended
    reports = [msgspec.json.decode(out, type=ImportReport) for out, _ in ended]
    parsed = sum(_source(report, "claude_code").records.parsed for report in reports)
    assert parsed == 12 * 200
    assert sum(report.messages_new for report in reports) == 12 * 200
    assert sum(report.sessions_new for report in reports) == 12
    assert all(_source(report, "claude_code").files_failed == 0 for report in reports)
    with on_sqlite(tmp_path) as memory:
        counts = memory.doctor().counts
        assert (counts["sessions"], counts["records"], counts["messages"]) == (12, 2_400, 2_400)
        again = memory.import_sessions("claude_code", [str(source)])
        assert (again.messages_new, _source(again, "claude_code").files_unchanged) == (0, 12)


def test_after_kills_at_random_moments_a_rerun_gives_the_store_of_an_undisturbed_run(
    tmp_path: Path,
) -> None:
    """One store is killed again and again at moments drawn from a seed, then finished."""
    source = _sessions(tmp_path / "projects", sessions=6, messages=600)
    with on_sqlite(tmp_path, "undisturbed.db") as memory:
        memory.import_sessions("claude_code", [str(source)])
        undisturbed = memory.digest()
    chance = random.Random(SEED)
    print(f"moments are drawn from seed {SEED}")  # noqa: T201 -- shown when it fails
    worker = _Process(home=tmp_path, source=source)
    died = 0
    for _ in range(KILLS):
        process = worker.start()
        killer = threading.Timer(chance.uniform(0.05, 1.5), process.kill)
        killer.start()
        process.communicate(timeout=SECONDS_MAX)
        killer.cancel()
        died += process.returncode == -signal.SIGKILL
    print(f"{died} of {KILLS} died before their end")  # noqa: T201 -- shown when it fails
    with on_sqlite(tmp_path) as memory:
        memory.import_sessions("claude_code", [str(source)])
        assert memory.digest() == undisturbed
        checks = {check.name: check.ok for check in memory.doctor().checks}
        assert checks["store_integrity"]
        assert checks["conversion"]
