"""What deploy/ tells other programs to do is what this package does; no engine runs here."""

import configparser
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import msgspec
import pytest
from packaging.requirements import Requirement

from tests.architecture.test_locks import DEV, SERVER, declared, pins
from tests.conftest import PROJECT

DEPLOY = PROJECT / "deploy"


class _Service(msgspec.Struct, frozen=True):
    command: list[str]
    ports: list[str]
    volumes: list[str]
    build: dict[str, str]
    read_only: bool


class _Compose(msgspec.Struct, frozen=True):
    services: dict[str, _Service]
    volumes: dict[str, dict[str, str]]


def _instructions() -> list[tuple[str, str]]:
    """Return the instructions of the Dockerfile in order, each with its words."""
    text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(line.split()[0], line.split(maxsplit=1)[1]) for line in lines]


def _unit() -> configparser.RawConfigParser:
    unit = configparser.RawConfigParser(strict=False)
    unit.read_string((DEPLOY / "recense.service").read_text(encoding="utf-8"))
    return unit


def test_everything_that_the_image_copies_is_in_the_project_and_let_through_to_its_build() -> None:
    let_through = {
        line.removeprefix("!")
        for line in (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
        if line.startswith("!")
    }
    copied = [words.split()[:-1] for name, words in _instructions() if name == "COPY"]
    sources = {word for words in copied for word in words if not words[0].startswith("--from")}
    assert sources == let_through
    assert [source for source in sources if not (PROJECT / source).exists()] == []


def test_the_image_installs_nothing_that_is_not_pinned_by_its_digest() -> None:
    installs = [
        words for name, words in _instructions() if name == "RUN" and "install --no" in words
    ]
    assert len(installs) == 2
    assert f"--require-hashes --requirement {SERVER}" in installs[0]
    assert "--no-build-isolation --no-deps" in installs[1]
    wanted = [*declared().project.dependencies, *declared().project.optional["server"]]
    assert [text for text in wanted if _pinned(text) is None] == []


def _pinned(text: str) -> str | None:
    wanted = Requirement(text)
    version = pins(SERVER).get(wanted.name.lower().replace("_", "-"))
    return version if version is not None and wanted.specifier.contains(version) else None


def test_the_server_lock_holds_the_versions_that_are_tested() -> None:
    assert pins(SERVER).items() <= pins(DEV).items()


def test_the_image_runs_as_a_user_that_is_not_root_and_stops_as_the_server_does() -> None:
    instructions = dict(_instructions())
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", instructions["USER"])
    assert instructions["STOPSIGNAL"] == "SIGTERM"
    assert msgspec.json.decode(instructions["ENTRYPOINT"]) == ["recense"]


def test_compose_builds_that_image_and_binds_its_port_to_this_machine_alone() -> None:
    compose = msgspec.yaml.decode((DEPLOY / "compose.yaml").read_bytes(), type=_Compose)
    (service,) = compose.services.values()
    assert (DEPLOY / service.build["context"]).resolve() == PROJECT
    assert (PROJECT / service.build["dockerfile"]).is_file()
    assert [port for port in service.ports if not port.startswith("127.0.0.1:")] == []
    assert {volume.split(":")[0] for volume in service.volumes} == compose.volumes.keys()
    assert service.read_only


def test_the_unit_starts_the_server_on_this_machine_alone_and_gives_it_time_to_stop() -> None:
    command = shlex.split(_unit()["Service"]["ExecStart"])
    assert Path(command[0]).name == "recense"
    assert command[1:] == ["serve", "--host", "127.0.0.1", "--port", "7373"]
    assert _unit()["Service"]["KillSignal"] == "SIGTERM"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not here")
def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    unit = (DEPLOY / "recense.service").read_text(encoding="utf-8")
    there, analyze = shutil.which("true"), shutil.which("systemd-analyze")
    assert there is not None
    assert analyze is not None
    tried = tmp_path / "recense.service"
    tried.write_text(unit.replace("/opt/recense/bin/recense", there), encoding="utf-8")
    told = subprocess.run(
        [analyze, "verify", str(tried)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        timeout=60,
        check=False,
    )
    assert (told.returncode, told.stderr) == (0, "")
