"""Importing Recense does nothing but define things."""

import ast
import json
import subprocess
import sys

import msgspec
import pytest

from tests.architecture.source_tree import SOURCE, Module, modules

# Runs in a fresh interpreter: imports modules in turn and prints what happened meanwhile.
_OBSERVER = """
import os, sys

happened = []
source = sys.argv[1]

# Loaded beforehand, so that what they do when they load is not laid at our door.
import json, logging, threading
import numpy  # which bm25s loads: sets a variable and takes it back

def watch(event, arguments):
    if event == "open" and isinstance(arguments[1], str) and set("wax+") & set(arguments[1]):
        happened.append(f"opened {arguments[0]} for writing")
    elif event.split(".")[0] in {"socket", "subprocess", "sqlite3"} or event in {
        "os.mkdir", "os.rename", "os.remove", "os.chdir", "os.putenv", "os.unsetenv", "os.system",
        "signal.signal",
    }:
        happened.append(event)

in_between = ("_collections_abc.py", "_collections_abc>", "os.py", "os>")

class Environment(type(os.environ)):
    def __getitem__(self, key):
        frame = sys._getframe(1)
        while frame.f_code.co_filename.endswith(in_between):
            frame = frame.f_back
        if frame.f_code.co_filename.startswith(source):
            happened.append(f"read the environment: {key}")
        return super().__getitem__(key)

os.environ.__class__ = Environment
before = dict(os.environ)
sys.addaudithook(watch)
for module in sys.argv[2:]:
    before_this = len(happened)
    __import__(module)
    happened[before_this:] = [f"{module} {what}" for what in happened[before_this:]]

if os.environ != before:
    happened.append("changed the environment")
if logging.root.handlers or logging.root.level != logging.WARNING:
    happened.append("set up the root logger")
for name, logger in logging.root.manager.loggerDict.items():
    if isinstance(logger, logging.Logger) and name.split(".")[0] == "recense" and logger.handlers:
        happened.append(f"gave logger {name} a handler")
if threading.active_count() != 1:
    happened.append("started a thread")
print(json.dumps({"happened": happened, "loaded": sorted(sys.modules)}))
"""


class Observation(msgspec.Struct, frozen=True, kw_only=True):
    """What importing modules did, and every module that is loaded afterwards."""

    happened: list[str]
    loaded: list[str]


def observe_import(*names: str) -> Observation:
    """Import modules in a fresh interpreter and return what that did."""
    finished = subprocess.run(
        [sys.executable, "-c", _OBSERVER, str(SOURCE), *names],
        check=False,
        capture_output=True,
        timeout=60,
        env={"PYTHONPATH": str(SOURCE), "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert finished.stderr.decode() == ""
    return msgspec.json.decode(finished.stdout, type=Observation)


def test_the_observer_sees_a_module_that_does_things(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("loud")
    lines = [
        "import logging, os",
        f"open({str(folder / 'made')!r}, 'w', encoding='utf-8').close()",
        "os.environ.get('HOME')",
        "os.environ['LOUD'] = '1'",
        "logging.basicConfig()",
    ]
    (folder / "loud.py").write_text("\n".join(lines), encoding="utf-8")
    finished = subprocess.run(
        [sys.executable, "-c", _OBSERVER, str(folder), "loud"],
        check=True,
        capture_output=True,
        timeout=60,
        env={"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert json.loads(finished.stdout)["happened"] == [
        f"loud opened {folder / 'made'} for writing",
        "loud read the environment: HOME",
        "loud os.putenv",
        "changed the environment",
        "set up the root logger",
    ]


def test_importing_recense_does_nothing_and_loads_neither_the_cli_nor_the_store() -> None:
    seen = observe_import("recense")
    assert seen.happened == []
    heavy = {"apsw", "pydantic", "rich", "typer", "zstandard", "sqlite3", "asyncio"}
    assert heavy.isdisjoint(seen.loaded)


def test_importing_every_module_does_nothing() -> None:
    names = [module.name for module in modules() if module.name != "recense.__main__"]
    assert observe_import(*names).happened == []


def _imports_of_the_root(module: Module) -> list[str]:
    found: list[str] = []
    for node in ast.walk(module.tree):
        match node:
            case ast.Import(names=names) if any(name.name == "recense" for name in names):
                found.append(f"{module.path}:{node.lineno}")
            case ast.ImportFrom(module="recense"):
                found.append(f"{module.path}:{node.lineno}")
            case _:
                pass
    return found


def test_nothing_inside_imports_the_package_root() -> None:
    assert [line for module in modules() for line in _imports_of_the_root(module)] == []
