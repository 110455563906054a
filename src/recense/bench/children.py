"""Commands of Recense in processes of their own: how long each took, and how much memory.

Law: no setting of this machine reaches them; where the store is, they are told by the environment.
Code is compiled once, as it is for what was installed: into a folder of the run where it may not be
kept beside its source. Memory is the most that a process itself had resident: what the system hands
down as the peak of a child begins with its parent's, so that the child reads its own (VmHWM) before
it ends.
"""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Final, TypeVar

import msgspec

from recense.bench.measuring import seconds
from recense.core.values import Value

PYTHON: Final = sys.executable
RECENSE: Final = (PYTHON, "-m", "recense")

SECONDS_MAX: Final = 3_600
"""A process that takes longer has failed."""

_WATCHED: Final = """
import resource, runpy, sys

def peak_bytes():
    try:
        with open("/proc/self/status", encoding="ascii") as status:
            return next(int(row.split()[1]) for row in status if row.startswith("VmHWM")) * 1024
    except FileNotFoundError:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak * (1 if sys.platform == "darwin" else 1024)

report, *sys.argv[1:] = sys.argv[1:]
try:
    runpy.run_module("recense", run_name="__main__", alter_sys=True)
finally:
    with open(report, "w", encoding="ascii") as file:
        file.write(str(peak_bytes()))
"""
"""Runs the command line that follows the name of a file, and leaves its peak there in bytes."""

_OURS: Final = "RECENSE_"
_NOT_COMPILED: Final = "PYTHONDONTWRITEBYTECODE"
_Form = TypeVar("_Form")


class Ended(Value, kw_only=True):
    """What a process wrote to stdout, the seconds from its start to its end, and how many of them
    processors worked for it.
    """

    out: bytes
    took: float
    busy: float


class Watched(Value, kw_only=True):
    """What a process wrote to stdout, its seconds, and the most bytes it had in memory."""

    out: bytes
    took: float
    peak_bytes: int


class Children:
    """Starts processes that use the store at a URL; ``folder`` is their home and has no settings
    file, ``compiled`` is where code is kept that may not be kept beside its source.
    """

    def __init__(
        self, url: str, folder: str, compiled: str, environment: Mapping[str, str]
    ) -> None:
        kept = {
            name: value
            for name, value in environment.items()
            if not name.startswith(_OURS) and name != _NOT_COMPILED
        }
        self.url: Final = url
        self._folder: Final = folder
        self._environment: Final = kept | {
            "HOME": folder,
            "XDG_CONFIG_HOME": folder,
            "RECENSE_STORE": url,
            **({"PYTHONPYCACHEPREFIX": compiled} if environment.get(_NOT_COMPILED) else {}),
        }

    def run(self, words: Sequence[str]) -> Ended:
        """Run a command line to its end. Raises AssertionError where it fails."""
        before = os.times()
        ran, took = seconds(
            lambda: subprocess.run(  # noqa: S603 -- our own program, and words of ours
                words,
                cwd=self._folder,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=SECONDS_MAX,
                check=False,
            )
        )
        if ran.returncode != 0:
            said = (ran.stderr or ran.stdout).decode(errors="replace")[-2_000:]
            raise AssertionError(f"{' '.join(words[-4:])} ended with {ran.returncode}: {said}")
        after = os.times()
        busy = (after.children_user - before.children_user) + (
            after.children_system - before.children_system
        )
        return Ended(out=ran.stdout, took=took, busy=busy)

    def started(self, words: Sequence[str]) -> "subprocess.Popen[bytes]":
        """Start a command line, and return its process; what it says is not kept."""
        return subprocess.Popen(  # noqa: S603 -- our own program, and words of ours
            words,
            cwd=self._folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def watched(self, *words: str) -> Watched:
        """Run a command of Recense and return its peak of memory too; that takes longer."""
        report = os.path.join(self._folder, "peak")
        ended = self.run([PYTHON, "-c", _WATCHED, report, *words])
        with open(report, encoding="ascii") as file:
            peak_bytes = int(file.read())
        return Watched(out=ended.out, took=ended.took, peak_bytes=peak_bytes)


def decoded_as(form: type[_Form], out: bytes) -> _Form:
    """Return the document that a command wrote. Raises AssertionError where it is none."""
    try:
        return msgspec.json.decode(out, type=form)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise AssertionError(f"a command wrote no document: {error}") from error
