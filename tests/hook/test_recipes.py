"""The recipes of the hook's page: each block is what it says it is, and works as it stands."""

import json
import os
import re
import shlex
import sys
import tomllib
from pathlib import Path

import msgspec
import pytest

from recense.hook.asked import asked_by_json, asked_by_words
from tests.conftest import PROJECT
from tests.hook.hooks import Home, archived_records, ended
from tests.importers.builders import SESSION, claude_user, codex_message, codex_meta, lines

PAGE = (PROJECT / "docs" / "hook.md").read_text(encoding="utf-8")
SETTINGS, CLAUDE_CODE, CODEX = re.findall(r"```json\n(.*?)```", PAGE, flags=re.DOTALL)
(CONFIG,) = re.findall(r"```toml\n(.*?)```", PAGE, flags=re.DOTALL)
(COMMAND,) = re.findall(r"```sh\n(.*?)```", PAGE, flags=re.DOTALL)


class Command(msgspec.Struct, forbid_unknown_fields=True):
    """A command of a hook, as Claude Code reads it."""

    type: str
    command: str
    timeout: int


class Matched(msgspec.Struct, forbid_unknown_fields=True):
    """Hooks of an event."""

    hooks: list[Command]


class Hooks(msgspec.Struct, forbid_unknown_fields=True):
    """The settings of the recipe."""

    hooks: dict[str, list[Matched]]


def _commands() -> dict[str, str]:
    settings = msgspec.json.decode(SETTINGS, type=Hooks)
    return {
        event: command.command
        for event, matched in settings.hooks.items()
        for each in matched
        for command in each.hooks
    }


def _program(folder: Path) -> str:
    """Make ``recense-hook`` as an installer does, and return the folder it is in."""
    program = folder / "bin" / "recense-hook"
    program.parent.mkdir()
    main = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    module, _, name = main["project"]["scripts"]["recense-hook"].partition(":")
    program.write_text(
        f"#!{sys.executable}\nimport sys\nfrom {module} import {name}\nsys.exit({name}())\n",
        encoding="utf-8",
    )
    program.chmod(0o700)
    return str(program.parent)


def test_claude_code_is_told_of_every_event_that_can_end_a_turn() -> None:
    assert set(_commands()) == {"Stop", "SubagentStop", "PreCompact", "SessionEnd"}
    assert set(_commands().values()) == {"recense-hook"}


def test_codex_is_told_of_the_same_program() -> None:
    assert tomllib.loads(CONFIG) == {"notify": ["recense-hook"]}


def test_the_samples_are_what_the_hook_understands() -> None:
    assert asked_by_json(CLAUDE_CODE).paths[0].endswith(f"/{SESSION}.jsonl")
    assert asked_by_words([CODEX]).threads == (json.loads(CODEX)["thread-id"],)


@pytest.mark.skipif(os.name == "nt", reason="the command is given to a shell of another kind")
def test_the_commands_archive_what_the_samples_name(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.transcript.write_bytes(lines([claude_user(1, "press the fern")]))
    thread = json.loads(CODEX)["thread-id"]
    day = home.rollouts / "2026/02/03"
    day.mkdir(parents=True)
    (day / f"rollout-2026-02-03T11-00-00-{thread}.jsonl").write_bytes(
        lines([codex_meta(id=thread), codex_message("user", "how many?", at=1)])
    )
    path = os.pathsep.join([_program(tmp_path), os.environ["PATH"]])
    shells = [
        (_commands()["Stop"], CLAUDE_CODE),
        (shlex.join([*tomllib.loads(CONFIG)["notify"], CODEX]), ""),
        (COMMAND, ""),
    ]
    for command, told in shells:
        ran = ended(home.shell(command, path), told.encode())
        assert (ran.exit_code, ran.out, ran.err) == (0, b"", ""), command
    assert archived_records(home) == 3
