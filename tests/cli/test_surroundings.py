"""Every command in every surrounding: consoles, locales, homes, time zones, broken streams.

With ``--json`` stdout is exactly one document, stderr is empty, the exit code is 0, 1 or 2 and
there is no traceback, wherever a command runs. Commands are taken from the program itself, so that
a new one is among them.
"""

import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest
import typer
from msgspec.structs import replace

from recense.cli import late
from recense.cli.main import COMMANDS, run
from recense.cli.outcome import ErrorEnvelope
from recense.cli.terminal import Terminal, document_text
from recense.errors import SettingsInvalid
from recense.limits import ENVELOPE_BYTES_MAX
from recense.services.presenting import json_size
from recense.settings import layers
from tests.cli import fact_words, samples
from tests.cli.fake_memory import FakeMemory
from tests.cli.running import (
    NOT_INHERITED,
    PROGRAM,
    PROJECT,
    SECONDS_MAX,
    WORDS,
    Pipe,
    Ran,
    environment_with,
    run_here,
    run_on,
    start,
)
from tests.rows import each_row

SESSIONS = PROJECT / "demo" / "home" / ".claude"
KIOSK = "claude_code:51d2e7b4-93c1-4d0a-a6f8-0c4e9b7d1a03"
EACH = each_row("words", WORDS.values(), ids=WORDS.keys())


def leaves() -> Iterator[tuple[str, ...]]:
    """Yield the words of every command that the program has, and of every one below it."""
    for name, entry in COMMANDS.items():
        below = getattr(typer.main.get_command(late.command_app(entry.module)), "commands", {})
        yield (name,)
        yield from ((name, each) for each in below)


def document_of(ran: Ran) -> dict[str, object]:
    """Return the only document that a command line left."""
    assert ran.out.endswith("\n")
    assert ran.out.count("\n") == 1
    assert "Traceback" not in ran.err
    return msgspec.json.decode(ran.out, type=dict[str, object])


def code_of(ran: Ran) -> str:
    """Return the code of the error that is the only document."""
    document = document_of(ran)
    assert list(document) == ["error"]
    return msgspec.convert(document, ErrorEnvelope).error.code


@each_row("path", list(leaves()), ids=" ".join)
def test_every_command_of_the_program_is_run_here(path: tuple[str, ...]) -> None:
    """Add a new command to `tests.cli.running.WORDS`, with words by which it answers."""
    assert any(words[: len(path)] == path for words in WORDS.values())


# --- machine mode ---------------------------------------------------------------------------------


@EACH
def test_success_is_one_document_and_exits_with_0(words: tuple[str, ...]) -> None:
    ran = run_here(*words, "--json")
    document_of(ran)
    assert (ran.exit_code, ran.err) == (0, "")


@EACH
def test_failure_is_one_document_and_exits_with_1(words: tuple[str, ...]) -> None:
    memory = FakeMemory(error=SettingsInvalid("what \n was \x1b[2J given", hint="\udc9b"))
    ran = run_here(*words, "--json", memory=memory)
    assert code_of(ran) == "settings_invalid"
    assert (ran.exit_code, ran.err) == (1, "")


@EACH
def test_bad_usage_is_one_document_and_exits_with_2(words: tuple[str, ...]) -> None:
    ran = run_here(*words, "--no-such-option", "--json")
    assert code_of(ran) == "invalid_request"
    assert (ran.exit_code, ran.err) == (2, "")


@EACH
def test_without_json_a_failure_is_nothing_on_stdout(words: tuple[str, ...]) -> None:
    words = tuple(word for word in words if word != "--json")
    ran = run_here(*words, memory=FakeMemory(error=SettingsInvalid("no", hint="yes")))
    assert (ran.exit_code, ran.out, ran.err) == (1, "", "recense: no\nhint: yes\n")


# --- consoles -------------------------------------------------------------------------------------


@EACH
@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "gbk"])
def test_no_console_is_too_old_for_a_failure(words: tuple[str, ...], encoding: str) -> None:
    for as_json in (False, True):
        raw, raw_err = io.BytesIO(), io.BytesIO()
        out = io.TextIOWrapper(raw, encoding=encoding, errors="strict", write_through=True)
        err = io.TextIOWrapper(raw_err, encoding=encoding, errors="strict", write_through=True)
        memory = FakeMemory(error=SettingsInvalid("时区 ✓ \x1b[2J é \udc9b", hint="➜"))
        exit_code = run_on(out, err, (*words, *["--json"] * as_json), memory)
        assert exit_code == 1
        if as_json or "--json" in words:
            assert json.loads(raw.getvalue().decode("ascii"))["error"]["hint"] == "➜"
            assert raw_err.getvalue() == b""
        else:
            assert raw.getvalue() == b""
            assert raw_err.getvalue().startswith(b"recense: ")


@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C", "LANG": "C"},
        {"PYTHONUTF8": "0", "LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8", "TERM": "dumb"},
        {"PYTHONIOENCODING": "gbk", "PYTHONUTF8": "0", "TZ": "Pacific/Kiritimati"},
        {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0", "TZ": "Pacific/Midway"},
    ],
    ids=["c", "turkish", "gbk", "cp1252"],
)
def test_a_process_of_every_command_in_a_strange_surrounding(environment: dict[str, str]) -> None:
    finished = start("answers", "every", "--json", environment=environment)
    assert (finished.returncode, finished.stderr) == (0, b"")
    documents = [json.loads(line) for line in finished.stdout.splitlines()]
    expected = [json.loads(run_here(*words, "--json").out) for words in WORDS.values()]
    assert documents == expected
    assert finished.stdout.isascii() or "PYTHONIOENCODING" not in environment
    in_words = start("answers", "every", environment=environment)
    assert (in_words.returncode, in_words.stderr) == (0, b"")


def test_the_budget_of_an_answer_is_of_its_json_in_utf8_and_ascii_means_the_same() -> None:
    text = "时" * ((ENVELOPE_BYTES_MAX - json_size(samples.ANSWER)) // 3)
    message = replace(samples.PASSAGE.messages[0], text=text)
    passage = replace(samples.PASSAGE, messages=(message,))
    large = replace(samples.ANSWER, passages=(passage,))
    assert json_size(large) <= ENVELOPE_BYTES_MAX
    plain, ascii_only = (document_text(large, ascii_only=each) for each in (False, True))
    assert len(plain.encode()) == json_size(large)
    assert len(ascii_only) > ENVELOPE_BYTES_MAX
    assert json.loads(plain) == json.loads(ascii_only)


# --- time zones -----------------------------------------------------------------------------------


@contextmanager
def zone(name: str) -> Generator[None]:
    before = os.environ.get("TZ")
    os.environ["TZ"] = name
    time.tzset()
    try:
        yield
    finally:
        if before is None:
            del os.environ["TZ"]
        else:
            os.environ["TZ"] = before
        time.tzset()


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="this system sets its zone elsewhere")
@EACH
def test_the_time_zone_changes_no_answer(words: tuple[str, ...]) -> None:
    for as_json in ((), ("--json",)):
        expected = run_here(*words, *as_json)
        for name in ("Pacific/Kiritimati", "Pacific/Midway", "Asia/Kathmandu"):
            with zone(name):
                assert run_here(*words, *as_json) == expected


# --- streams --------------------------------------------------------------------------------------


class Broken(Pipe):
    """A pipe whose reader has gone."""

    def write(self, _text: str, /) -> int:
        raise BrokenPipeError(32, "Broken pipe")

    def flush(self) -> None:
        """Do nothing: nothing is waiting."""


@EACH
@pytest.mark.parametrize("as_json", [False, True])
def test_a_reader_that_has_gone_ends_every_command_quietly(
    words: tuple[str, ...], as_json: bool
) -> None:
    out, err = Broken(), io.StringIO()
    exit_code = run_on(out, err, (*words, *["--json"] * as_json), FakeMemory())
    assert (exit_code, err.getvalue()) == (1, "")


@EACH
@pytest.mark.parametrize("as_json", [False, True])
def test_closed_streams_stop_no_command(
    words: tuple[str, ...], as_json: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)
    memory = FakeMemory()
    line = (*words, *["--json"] * as_json)
    exit_code = run(
        line,
        open_memory=memory.open,
        open_keys=memory.open_keys,
        run_bench=memory.bench,
        serve=memory.serve,
        serve_models=memory.serve_models,
        open_connecting=memory.connecting,
    )
    for stream in (sys.stdout, sys.stderr):
        stream.close()
    assert exit_code == 0


def test_without_a_stdin_nothing_that_has_to_be_confirmed_is_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    ran = run_here("sessions", "forget", "s", "--json")
    assert code_of(ran) == "not_confirmed"


@pytest.mark.skipif(os.name != "posix", reason="a shell closes the streams")
@pytest.mark.parametrize("closed", [">&-", "<&-", "2>&-"])
def test_a_process_of_every_command_survives_a_closed_stream(closed: str) -> None:
    finished = subprocess.run(
        ["/bin/sh", "-c", f'"$0" "$1" answers every {closed}', sys.executable, str(PROGRAM)],
        check=False,
        capture_output=True,
        timeout=SECONDS_MAX,
        env=environment_with({}),
    )
    assert (finished.returncode, finished.stderr) == (0, b"")


# --- homes ----------------------------------------------------------------------------------------

READING = (
    ("recall", "timetable"),
    ("more", "none"),
    ("material", "none"),
    ("grep", "timetable"),
    ("agent",),
    ("extract",),
    ("extract", "run", "--all"),
    ("sessions",),
    ("sessions", "list"),
    ("sessions", "show", KIOSK),
    ("sessions", "hide", KIOSK),
    ("sessions", "unhide", KIOSK),
    ("convert",),
    ("index",),
    ("doctor",),
    ("doctor", "--digest"),
    ("keys",),
    ("keys", "list", "--all"),
    ("sessions", "forget", KIOSK, "--yes"),
    *fact_words.A_FEW,
)
REFUSED = {"more", "material"}
UNTOUCHED = {"import", "bench", "connect", "mcp", "serve"}
"""Commands that are run first, or that open no store of the person's."""


def run_really(*words: str) -> Ran:
    """Run a command line in this process over the real engine and the settings of `os.environ`."""
    out, err = Pipe(), io.StringIO()
    exit_code = run(words, terminal=Terminal(out, err, os.environ, milliseconds=lambda: 0.0))
    return Ran(exit_code=exit_code, out=out.getvalue(), err=err.getvalue())


def live_in(
    home: Path, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str] | None = None
) -> None:
    """Let this process be that of a person with this home folder."""
    for name in list(os.environ):
        if name.startswith(NOT_INHERITED):
            monkeypatch.delenv(name)
    home.mkdir(parents=True, exist_ok=True)
    monkeypatch.setenv("HOME", str(home))
    for name, value in (environment or {}).items():
        monkeypatch.setenv(name, value)
    elsewhere = home.parent / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)


def made_in(folder: Path) -> set[str]:
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.endswith(("-wal", "-shm"))
    }


def live_through_every_command(home: Path) -> None:
    """Import sessions of the demonstration and run every command on it."""
    imported = run_really("import", "claude_code", str(SESSIONS), "--json")
    assert (imported.exit_code, imported.err) == (0, "")
    assert {words[0] for words in READING} == set(COMMANDS) - UNTOUCHED
    for words in READING:
        ran = run_really(*words, "--json")
        document_of(ran)
        expected = 1 if words[0] in REFUSED else 0
        assert (words, ran.exit_code, ran.err) == (words, expected, "")
    assert made_in(home.parent) == {f"{home.name}/.local/share/recense/recense.db"}


@pytest.mark.skipif(sys.platform != "linux", reason="where data lies is told by the platform")
@pytest.mark.parametrize(
    "name", ["Mira Okafor", "林悦 O'Kåfor", "a%20b", "50% #1?", "-rf", "sqlite:", "~"]
)
def test_a_home_of_any_name_holds_the_store(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    live_in(tmp_path / name, monkeypatch)
    live_through_every_command(tmp_path / name)


@pytest.mark.skipif(sys.platform != "linux", reason="where data lies is told by the platform")
@pytest.mark.parametrize("home", ["", "relative/home", None])
def test_without_a_home_in_the_environment_the_one_on_record_is_used(
    home: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_record = tmp_path / "on record"
    live_in(on_record, monkeypatch)
    if home is None:
        monkeypatch.delenv("HOME")
    else:
        monkeypatch.setenv("HOME", home)

    def known(_user: int) -> SimpleNamespace:
        return SimpleNamespace(pw_dir=str(on_record))

    monkeypatch.setattr(layers, "pwd", SimpleNamespace(getpwuid=known))
    live_through_every_command(on_record)


@pytest.mark.skipif(sys.platform != "linux", reason="where data lies is told by the platform")
def test_where_nobody_knows_a_home_it_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    live_in(tmp_path / "home", monkeypatch, {"HOME": ""})

    def unknown(_user: int) -> None:
        raise KeyError

    monkeypatch.setattr(layers, "pwd", SimpleNamespace(getpwuid=unknown))
    for words in READING:
        ran = run_really(*words, "--json")
        assert code_of(ran) == "settings_invalid"
    assert made_in(tmp_path) == set()


@pytest.mark.skipif(sys.platform != "linux", reason="XDG is a custom of free desktops")
def test_a_relative_xdg_folder_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environment = {"XDG_DATA_HOME": "data", "XDG_CONFIG_HOME": "."}
    live_in(tmp_path / "home", monkeypatch, environment)
    folder = tmp_path / "elsewhere" / "recense"
    folder.mkdir()
    settings = folder / "recense.toml"
    settings.write_text('namespace = "of-a-folder"\n', encoding="utf-8")
    imported = run_really("import", "claude_code", str(SESSIONS), "--json")
    assert imported.exit_code == 0
    assert made_in(tmp_path) == {
        "home/.local/share/recense/recense.db",
        "elsewhere/recense/recense.toml",
    }


@pytest.mark.skipif(sys.platform != "linux", reason="XDG is a custom of free desktops")
def test_an_absolute_xdg_folder_holds_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "data 100%"
    live_in(tmp_path / "home", monkeypatch, {"XDG_DATA_HOME": str(folder)})
    assert run_really("import", "claude_code", str(SESSIONS), "--json").exit_code == 0
    assert made_in(tmp_path) == {"data 100%/recense/recense.db"}
