"""Running the command line in this process and in one of its own."""

import io
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TextIO

from recense.cli.main import run
from recense.cli.terminal import Terminal
from recense.core.values import Value
from tests.cli import agent_words, extraction_words, fact_words, fake_connecting, key_words, samples
from tests.cli.fake_memory import FakeMemory

PROJECT = Path(__file__).resolve().parent.parent.parent
PROGRAM = Path(__file__).with_name("fake_program.py")
SECONDS_MAX = 60

WORDS: dict[str, tuple[str, ...]] = {
    "import": ("import",),
    "recall": ("recall", "timetable"),
    "more": ("more", samples.ANCHOR),
    "sessions": ("sessions",),
    "sessions list": ("sessions", "list"),
    "sessions show": ("sessions", "show", samples.SESSION),
    "sessions hide": ("sessions", "hide", samples.SESSION),
    "sessions unhide": ("sessions", "unhide", samples.SESSION),
    "sessions forget": ("sessions", "forget", samples.SESSION, "--yes"),
    "material": ("material", samples.SCREENSHOT.id, "--json"),
    "grep": ("grep", "timetable"),
    "convert": ("convert",),
    "index": ("index",),
    "recall verified": ("recall", "timetable", "--verify-scan"),
    "doctor": ("doctor",),
    "doctor digest": ("doctor", "--digest"),
    "bench quality": ("bench", "quality"),
    "bench import": ("bench", "import"),
    "bench recall": ("bench", "recall"),
    "bench cold": ("bench", "cold"),
    "bench scale": ("bench", "scale"),
    "bench needles": ("bench", "needles"),
    "bench facts": ("bench", "facts"),
    "bench agents": ("bench", "agents"),
    "bench extract": ("bench", "extract"),
    "bench serve": ("bench", "serve"),
    "serve": ("serve",),
    "mcp": ("mcp",),
    **fact_words.WORDS,
    **agent_words.WORDS,
    **extraction_words.WORDS,
    **key_words.WORDS,
    **fake_connecting.WORDS,
}
"""Every command, as it answers in words; what a material is in a pipe is no words."""


class Ran(Value, kw_only=True):
    """What a command line wrote and how it ended."""

    exit_code: int
    out: str
    err: str


class Pipe(io.TextIOWrapper):
    """A stream that is no terminal, and takes bytes too; what was no UTF-8 reads as U+FFFD."""

    def __init__(self) -> None:
        self.taken = io.BytesIO()
        super().__init__(self.taken, encoding="utf-8", newline="\n", write_through=True)

    def getvalue(self) -> str:
        return self.taken.getvalue().decode("utf-8", "replace")


class Screen(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def run_here(
    *words: str,
    memory: FakeMemory | None = None,
    environment: Mapping[str, str] | None = None,
    out: Pipe | io.StringIO | None = None,
    err: io.StringIO | None = None,
) -> Ran:
    """Run a command line in this process, over a fake memory."""
    out, err = out or Pipe(), err or io.StringIO()
    exit_code = run_on(out, err, words, memory or FakeMemory(), environment or {})
    return Ran(exit_code=exit_code, out=out.getvalue(), err=err.getvalue())


def run_on(
    out: TextIO,
    err: TextIO,
    words: Sequence[str],
    memory: FakeMemory,
    environment: Mapping[str, str] = MappingProxyType({}),
) -> int:
    """Run a command line on these streams; the clock stands still."""
    terminal = Terminal(out, err, environment, milliseconds=lambda: 0.0)
    return run(
        words,
        open_memory=memory.open,
        open_keys=memory.open_keys,
        run_bench=memory.bench,
        serve=memory.serve,
        serve_models=memory.serve_models,
        open_connecting=memory.connecting,
        terminal=terminal,
    )


NOT_INHERITED = ("RECENSE_", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_", "PYTHONWARN")
"""What a process under test must not have from us: a person's settings and folders, and warnings
about the code of libraries, which would stand on its stderr."""


def environment_with(more: Mapping[str, str]) -> dict[str, str]:
    """Return an environment for a process of ours, from which our helpers can be imported."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith(NOT_INHERITED)}
    ours = os.pathsep.join((str(PROJECT / "src"), str(PROJECT)))
    return {**kept, "PYTHONPATH": ours, **more}


def start(
    what: str, *words: str, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run `fake_program.py` in a process of its own, bounded in time."""
    return subprocess.run(
        [sys.executable, str(PROGRAM), what, *words],
        check=False,
        capture_output=True,
        timeout=SECONDS_MAX,
        env=environment_with(environment or {}),
    )
