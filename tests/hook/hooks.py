"""Running the hook in processes of its own, on a made-up machine."""

import json
import os
import select
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from recense.core.values import Value
from recense.hook.asked import Asked
from recense.hook.main import archive_asked
from recense.services.memory import Memory
from recense.wiring import open_url
from tests.cli.running import environment_with
from tests.importers.builders import SESSION

PROJECT = Path(__file__).resolve().parents[2]
SECONDS_MAX = 60


class HookRan(Value, kw_only=True):
    """What a hook wrote and how it ended."""

    exit_code: int
    out: bytes
    err: str


class Home:
    """A person's home with the folders of agents and a store, below a folder of a test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.projects = folder / ".claude" / "projects" / "-home-mira-herbarium"
        self.rollouts = folder / ".codex" / "sessions"
        self.transcript = self.projects / f"{SESSION}.jsonl"
        self.store = folder / "kept" / "recense.db"
        self.projects.mkdir(parents=True)

    def environment(self, more: Mapping[str, str]) -> dict[str, str]:
        """Return the environment of a process on this machine."""
        return environment_with(
            {"HOME": str(self.folder), "RECENSE_STORE": str(self.store), **more}
        )

    def start(
        self, *words: str, program: str = "recense.hook.main", **more: str
    ) -> "subprocess.Popen[bytes]":
        """Start a hook; its stdin is a pipe."""
        return subprocess.Popen(
            [
                *(sys.executable, "-c"),
                f"import sys; from {program} import main; sys.exit(main())",
                *words,
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environment(more),
            cwd=self.folder,
        )

    def shell(self, command: str, path: str) -> "subprocess.Popen[bytes]":
        """Start a command line as an agent does; programs are found by ``path``."""
        return subprocess.Popen(
            ["/bin/sh", "-c", command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environment({"PATH": path}),
            cwd=self.folder,
        )

    def run(self, *words: str, told: bytes = b"", **more: str) -> HookRan:
        """Run a hook to its end."""
        return ended(self.start(*words, **more), told)

    def archive(self, *paths: Path, **asked: str) -> list[str]:
        """Archive sessions as a hook does, in this process; return what went wrong."""
        thread = asked.get("thread")
        return archive_asked(
            Asked(paths=tuple(map(str, paths)), threads=(thread,) if thread else ()),
            {"RECENSE_STORE": asked.get("store", str(self.store))},
            str(self.folder),
        )

    def memory(self) -> Memory:
        """Return the memory that the hook wrote into."""
        return open_url(str(self.store), create=False)

    def told(self, event: str = "Stop", **more: object) -> bytes:
        """Return what Claude Code tells a hook."""
        told = {
            "session_id": SESSION,
            "transcript_path": str(self.transcript),
            "cwd": "/home/mira/herbarium",
            "hook_event_name": event,
            **more,
        }
        return json.dumps(told).encode()


class Pause:
    """Two pipes by which a counted hook says that it has worked, and is let go on."""

    def __init__(self, folder: Path) -> None:
        self._pipes = [folder / "reached", folder / "go_on"]
        for pipe in self._pipes:
            os.mkfifo(pipe)
        # Open for both directions, so that opening waits for nobody.
        self._reached, self._go_on = (os.open(pipe, os.O_RDWR) for pipe in self._pipes)
        self.names = os.pathsep.join(map(str, self._pipes))

    def wait(self) -> None:
        """Wait until the hook has worked."""
        assert select.select([self._reached], [], [], SECONDS_MAX)[0], "the hook did not work"

    def end(self) -> None:
        """Let the hook go on."""
        os.write(self._go_on, b"!")


def ended(process: "subprocess.Popen[bytes]", told: bytes = b"") -> HookRan:
    """Wait for a hook and return what it did."""
    out, err = process.communicate(told, timeout=SECONDS_MAX)
    return HookRan(
        exit_code=process.returncode, out=out, err=err.decode("utf-8", "surrogateescape")
    )


def archived_records(home: Home) -> int:
    """Return how many records the store of a home holds."""
    if not os.path.exists(home.store):
        return 0
    with home.memory() as memory:
        return memory.doctor().counts["records"]
