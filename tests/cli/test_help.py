"""Help: every command has it, with examples that parse; what starts it is light."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
import typer
from typer.core import TyperCommand, TyperGroup

from recense.cli import late
from recense.cli.main import COMMANDS
from recense.wiring import open_url
from tests.cli.fake_memory import FakeMemory
from tests.cli.running import SECONDS_MAX, environment_with, run_here, start
from tests.rows import each_row

BENCHES = [
    ("bench", name)
    for name in "quality needles import recall cold scale facts agents extract".split()
]
SESSIONS = [("sessions", name) for name in ("list", "show", "hide", "unhide", "forget")]
FACTS = [
    ("fact", name)
    for name in "set get list search forget history explain holds timeline diff".split()
]
REGISTRY = [
    ("registry", name)
    for name in (
        "list load define redefine merge split merge-subject split-subject promote log".split()
    )
]
AGENTS = [("agent", name) for name in "list show resume actions decide".split()]
KEYS = [("keys", name) for name in ("issue", "list", "renew", "revoke")]
EXTRACTION = [("extract", name) for name in ("status", "run")]
PATHS = [
    (),
    *((name,) for name in COMMANDS),
    *(*SESSIONS, *FACTS, *REGISTRY, *AGENTS, *EXTRACTION, *KEYS, *BENCHES),
]


def command_of(name: str) -> TyperCommand | TyperGroup:
    command = typer.main.get_command(late.command_app(COMMANDS[name].module))
    assert isinstance(command, TyperCommand | TyperGroup)
    return command


@pytest.mark.parametrize("name", COMMANDS)
def test_the_line_in_the_list_is_the_first_line_of_the_commands_own_help(name: str) -> None:
    assert (command_of(name).help or "").splitlines()[0] == COMMANDS[name].help
    assert f"  {COMMANDS[name].help}\n" in run_here("--help").out


@each_row("path", PATHS, ids=" ".join)
def test_every_help_page_says_what_it_is_for_and_fits_a_narrow_terminal(
    path: tuple[str, ...],
) -> None:
    ran = run_here(*path, "--help")
    assert (ran.exit_code, ran.err) == (0, "")
    assert re.search(r"\n\n  [A-Z][^\n]+", ran.out)
    assert max(len(row) for row in ran.out.splitlines()) <= 80
    options = ["--json", "--help"]
    if path[:1] != ("bench",):  # which makes stores of its own
        options += ["--store", "--namespace"]
    for option in options:
        assert option in ran.out


def examples_of(path: tuple[str, ...]) -> list[str]:
    _, _, below = run_here(*path, "--help").out.partition("Examples:\n")
    commands = [re.split(r"\s{2,}", row.strip())[0] for row in below.splitlines()]
    return [command for command in commands if command]


@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_every_help_page_has_examples_of_its_command_that_work(
    path: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # an example may save a file, or read one
    (tmp_path / "FILE").write_text("[]", encoding="utf-8")
    examples = examples_of(path)
    assert examples
    for example in examples:
        program, *words = shlex.split(example.replace("COMMAND", "recall"))
        assert program == "recense"
        assert words[: len(path)] == list(path)
        ran = run_here(*words, memory=FakeMemory())
        assert (example, ran.exit_code, ran.err) == (example, 0, "")


def test_recense_alone_shows_its_help() -> None:
    assert run_here() == run_here("--help")


def loaded_by(*words: str) -> set[str]:
    code = (
        "import sys\n"
        "from recense.cli.main import run\n"
        "from tests.cli.fake_memory import FakeMemory\n"
        "exit_code = run(sys.argv[1:], open_memory=FakeMemory().open)\n"
        "sys.stderr.write('\\n'.join(sys.modules))\n"
        "sys.exit(exit_code)\n"
    )
    finished = subprocess.run(
        [sys.executable, "-c", code, *words],
        check=True,
        capture_output=True,
        timeout=SECONDS_MAX,
        env=environment_with({}),
    )
    return set(finished.stderr.decode().split())


def test_help_loads_no_command_no_engine_and_nothing_heavy() -> None:
    loaded = loaded_by("--help")
    assert not any(name.startswith("recense.cli.commands.") for name in loaded)
    assert {"recense.wiring", "recense.services", "rich", "pydantic", "apsw"}.isdisjoint(loaded)


def test_a_question_in_a_pipe_loads_neither_rich_nor_pydantic_nor_other_commands() -> None:
    loaded = loaded_by("recall", "timetable", "--limit", "3")
    assert {name for name in loaded if name.startswith("recense.cli.commands.")} == {
        "recense.cli.commands.recall"
    }
    assert {"rich", "pydantic"}.isdisjoint(loaded)


LINE = {
    "type": "user",
    "uuid": "11110000-0000-4000-8000-000000000001",
    "sessionId": "11110000-0000-4000-8000-000000000000",
    "timestamp": "2026-03-02T09:00:00.000Z",
    "cwd": "/home/mara/ferry",
    "message": {"role": "user", "content": "The timetable of the ferry is late again."},
}
NOT_FOR_AN_ANSWER = {
    "email",  # what reads the metadata of packages
    "importlib.metadata",
    "pydantic",
    "recense.importers",
    "regex",  # an answer in ASCII needs no classes of Unicode
    "rich",
    "ssl",
    "zipfile",
}


def test_an_answer_of_the_engine_loads_no_importer_and_none_of_what_it_does_not_need(
    tmp_path: Path,
) -> None:
    transcript = tmp_path / "11110000-0000-4000-8000-000000000000.jsonl"
    transcript.write_bytes(msgspec.json.encode(LINE) + b"\n")
    url = str(tmp_path / "a.db")
    with open_url(url) as memory:
        assert memory.import_sessions("claude_code", [str(transcript)]).messages_new == 1
    code = (
        "import sys\n"
        "from recense.cli.main import run\n"
        "exit_code = run(sys.argv[1:])\n"
        "sys.stderr.write('\\n'.join(sys.modules))\n"
        "sys.exit(exit_code)\n"
    )
    finished = subprocess.run(
        [sys.executable, "-c", code, "--store", url, "recall", "timetable", "--json"],
        check=True,
        capture_output=True,
        timeout=SECONDS_MAX,
        env=environment_with({"HOME": str(tmp_path)}),
    )
    assert b"ferry is late" in finished.stdout
    loaded = set(finished.stderr.decode().split())
    assert "recense.services.recall" in loaded
    assert loaded & NOT_FOR_AN_ANSWER == set()


def test_the_version_is_the_packages() -> None:
    finished = start("answers", "--version")
    assert re.fullmatch(rb"recense \d+\.\d+\.\d+\r?\n", finished.stdout)
