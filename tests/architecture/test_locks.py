"""What is declared is locked, and the locks say nothing about the machine that wrote them."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache

import msgspec
import pytest
from packaging.requirements import Requirement

from tests.conftest import PROJECT

BASE = "locks/base.txt"
DEV = "locks/dev.txt"
SERVER = "locks/server.txt"


class _BuildSystem(msgspec.Struct, frozen=True):
    requires: list[str]


class _Project(msgspec.Struct, frozen=True):
    dependencies: list[str]
    optional: dict[str, list[str]] = msgspec.field(name="optional-dependencies")


class _Declared(msgspec.Struct, frozen=True):
    build: _BuildSystem = msgspec.field(name="build-system")
    project: _Project


@cache
def declared() -> _Declared:
    """Return what pyproject.toml asks for."""
    text = (PROJECT / "pyproject.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), _Declared)


@cache
def pins(lock: str) -> Mapping[str, str]:
    """Return the version of every package in a lock; a line of any other form fails."""
    found: dict[str, str] = {}
    text = (PROJECT / lock).read_text(encoding="utf-8").replace(" \\\n", " ")
    for line in text.splitlines():
        if line and not line.lstrip().startswith("#"):
            pin = re.fullmatch(r"([a-z0-9-]+)==(\S+)((?: +--hash=sha256:[0-9a-f]{64})+)", line)
            assert pin, f"{lock}: not a pin with hashes: {line[:80]}"
            assert pin[1] not in found, f"{lock}: {pin[1]} is pinned twice"
            found[pin[1]] = pin[2]
    return found


def _not_covered(requirements: list[str], lock: str) -> list[str]:
    missing: list[str] = []
    for text in requirements:
        wanted = Requirement(text)
        pinned = pins(lock).get(wanted.name.lower().replace("_", "-"))
        if pinned is None or not wanted.specifier.contains(pinned):
            missing.append(f"{text} (locked: {pinned})")
    return missing


def test_the_base_lock_covers_what_the_package_needs_to_build_and_run() -> None:
    needed = [*declared().build.requires, "editables", *declared().project.dependencies]
    assert _not_covered(needed, BASE) == []


def test_the_dev_lock_covers_every_extra_and_the_whole_base() -> None:
    extras = [
        text
        for extra in declared().project.optional.values()
        for text in extra
        if Requirement(text).name != "recense"  # an extra that holds another one
    ]
    assert _not_covered(extras, DEV) == []
    assert pins(BASE).items() <= pins(DEV).items()


@pytest.mark.parametrize("lock", [BASE, DEV, SERVER])
def test_a_lock_names_no_host_no_path_and_no_option(lock: str) -> None:
    text = (PROJECT / lock).read_text(encoding="utf-8")
    assert re.findall(r"://|\s/\w+|@ |--(?!hash=)[a-z-]+", text) == []
