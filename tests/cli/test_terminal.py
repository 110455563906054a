"""What reaches a terminal, a pipe, a narrow or an old console."""

import io
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from recense.operations.admin import ImportFailure, ImportReport, SourceReport
from recense.operations.recall import RecallAnswer, UnmatchedTerm
from tests.cli import samples
from tests.cli.fake_memory import FakeMemory
from tests.cli.running import (
    PROGRAM,
    SECONDS_MAX,
    WORDS,
    Screen,
    environment_with,
    run_here,
    run_on,
    start,
)
from tests.cli.samples import HOSTILE
from tests.rows import each_row

BOXES_AND_MARKS = re.compile("[\u2022\u2026\u2190-\u21ff\u2500-\u257f\u2713-\u2718]")
COLOUR = re.compile(r"\x1b\[[\d;]*m")
HOSTILE_TEXT = " | ".join(HOSTILE.values())


def hostile_answer() -> RecallAnswer:
    """Return an answer in which every text that came from elsewhere is hostile."""
    replace = msgspec.structs.replace
    material = replace(samples.SCREENSHOT, name=HOSTILE_TEXT, media_type=HOSTILE_TEXT)
    passage = replace(
        samples.PASSAGE,
        title=HOSTILE_TEXT,
        workspace=HOSTILE_TEXT,
        messages=tuple(
            replace(message, text=HOSTILE_TEXT, materials=(material,))
            for message in samples.PASSAGE.messages
        ),
    )
    return replace(
        samples.ANSWER,
        passages=(passage,),
        terms=(HOSTILE_TEXT,),
        gaps=(*samples.GAPS, UnmatchedTerm(term=HOSTILE_TEXT)),
    )


@pytest.mark.parametrize("is_terminal", [True, False])
def test_no_recalled_text_steers_the_terminal(is_terminal: bool) -> None:
    memory = FakeMemory(answer=hostile_answer())
    ran = run_here("recall", "x", memory=memory, out=Screen() if is_terminal else None)
    assert ran.exit_code == 0
    left = COLOUR.sub("", ran.out)
    assert re.findall("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\udc9b]", left) == []
    assert "\\x1b[2J" in left.replace("\n", "")


@pytest.mark.parametrize("as_json", [True, False])
def test_a_path_that_is_not_utf8_neither_stops_a_report_nor_steers_the_terminal(
    as_json: bool,
) -> None:
    path = os.fsdecode(b"/backup/\xff\x1b[2J.jsonl")
    failed = ImportFailure(path=path, reason="permission denied")
    source = SourceReport(source="codex", files_found=1, files_failed=1, failures=(failed,))
    report = ImportReport(
        messages_new=0, sessions_new=0, sources=(source,), secrets_redacted={}, took_ms=1.0
    )
    ran = run_here("import", *["--json"] * as_json, memory=FakeMemory(imported=report))
    assert ran.exit_code == 1
    assert "\x1b" not in ran.out
    ran.out.encode()


def test_a_terminal_gets_colours_and_the_terms_marked() -> None:
    ran = run_here("recall", "x", out=Screen(), environment={"TERM": "xterm-256color"})
    assert re.search(r"\x1b\[1;30;43mTimetable\x1b\[0m", ran.out)
    assert re.search(r"\x1b\[1;30;43m时区\x1b\[0m", ran.out)


def test_a_wide_terminal_gets_the_words_and_lines_that_a_pipe_gets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "500")
    for words in WORDS.values():
        on_terminal = run_here(*words, out=Screen(), environment={"TERM": "xterm"})
        rows = COLOUR.sub("", on_terminal.out).split("\n")
        assert [row.rstrip() for row in rows] == run_here(*words).out.split("\n")


@pytest.mark.parametrize(
    "environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {"TERM": "unknown"}], ids=str
)
def test_a_terminal_that_wants_no_colour_gets_what_a_pipe_gets(
    environment: dict[str, str],
) -> None:
    for words in WORDS.values():
        on_terminal = run_here(*words, out=Screen(), environment=environment)
        assert on_terminal == run_here(*words)
        assert "\x1b" not in on_terminal.out


def test_an_empty_no_color_means_nothing() -> None:
    assert COLOUR.search(run_here("recall", "x", out=Screen(), environment={"NO_COLOR": ""}).out)


@each_row("words", WORDS.values(), ids=WORDS.keys())
def test_our_own_words_are_plain_ascii(words: tuple[str, ...]) -> None:
    ran = run_here(*words)
    assert BOXES_AND_MARKS.search(ran.out) is None
    assert ran.out.replace("时区", "").isascii()


@pytest.mark.parametrize("encoding", ["cp1252", "cp950", "ascii", "gbk", "utf-8", "utf-16-le"])
@each_row("words", WORDS.values(), ids=WORDS.keys())
def test_no_console_is_too_old_for_any_command(encoding: str, words: tuple[str, ...]) -> None:
    for as_json in (False, True):
        raw = io.BytesIO()
        out = io.TextIOWrapper(raw, encoding=encoding, errors="strict", write_through=True)
        err = io.StringIO()
        ran_words = (*words, *["--json"] * as_json)
        from_memory = FakeMemory(answer=hostile_answer())
        exit_code = run_on(out, err, ran_words, from_memory)
        assert (exit_code, err.getvalue()) == (0, "")
        if as_json:
            json.loads(raw.getvalue().decode(encoding))


@pytest.mark.parametrize("as_json", [True, False])
def test_a_process_with_a_western_console_writes_what_it_can(as_json: bool) -> None:
    finished = start(
        "answers",
        "recall",
        "时区",
        *["--json"] * as_json,
        environment={"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"},
    )
    assert (finished.returncode, finished.stderr) == (0, b"")
    assert b"\\u65f6\\u533a" in finished.stdout
    if as_json:
        assert json.loads(finished.stdout)["terms"][1] == "时区"


@pytest.mark.parametrize(
    "home", ["Mira Okafor", "林悦", "o'neil & söhne", "-rf"], ids=["space", "han", "shell", "dash"]
)
def test_the_name_of_the_home_folder_does_not_matter(home: str, tmp_path: Path) -> None:
    folder = tmp_path / home
    folder.mkdir()
    finished = start("answers", "import", str(folder), environment={"HOME": str(folder)})
    assert (finished.returncode, finished.stderr) == (0, b"")


def read_all(descriptor: int) -> bytes:
    read = b""
    while True:
        try:
            piece = os.read(descriptor, 65_536)
        except OSError:  # what Linux says when the other end of a terminal is closed
            return read
        if not piece:
            return read
        read += piece


def test_on_a_real_terminal_passages_are_coloured_and_fit_its_width() -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, str(PROGRAM), "answers", "recall", "x"],
        stdout=theirs,
        stderr=subprocess.PIPE,
        env=environment_with({"TERM": "xterm", "COLUMNS": "40"}),
    ) as process:
        os.close(theirs)
        shown = read_all(ours).decode()
        assert process.wait(SECONDS_MAX) == 0
    os.close(ours)
    assert COLOUR.search(shown)
    plain = COLOUR.sub("", shown).replace("\r\n", "\n")
    rows = plain.splitlines()
    assert f"   recense more {samples.ANCHOR}" in rows  # whole: a person copies it
    assert max(len(row) for row in rows if samples.ANCHOR not in row) <= 40


@pytest.mark.parametrize("as_json", [True, False])
def test_a_reader_that_goes_away_ends_a_command_quietly(as_json: bool) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        finished = subprocess.run(
            [sys.executable, str(PROGRAM), "answers", "recall", "x", *["--json"] * as_json],
            check=False,
            stdout=writing,
            stderr=subprocess.PIPE,
            timeout=SECONDS_MAX,
            env=environment_with({}),
        )
    finally:
        os.close(writing)
    assert (finished.returncode, finished.stderr) == (1, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_below_stdout_is_said_on_stderr() -> None:
    with Path("/dev/full").open("wb") as full:
        finished = subprocess.run(
            [sys.executable, str(PROGRAM), "answers", "recall", "x", "--json"],
            check=False,
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=SECONDS_MAX,
            env=environment_with({}),
        )
    assert finished.returncode == 1
    assert finished.stderr.startswith(b"recense: cannot write on stdout: ")


@pytest.mark.skipif(os.name != "posix", reason="a shell closes the streams")
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&-"])
def test_closed_streams_do_not_stop_a_command(closed: str) -> None:
    command = f'"$0" "$1" has_a_bug recall x {closed}; "$0" "$1" answers recall x {closed}'
    finished = subprocess.run(
        ["/bin/sh", "-c", command, sys.executable, str(PROGRAM)],
        check=False,
        capture_output=True,
        timeout=SECONDS_MAX,
        env=environment_with({}),
    )
    assert finished.returncode == 0
    assert b"Exception ignored" not in finished.stderr
