"""A hook that says in a file of its test how often it opened the transcript, and may be held up.

COUNTED names a file that gets a line for each time; PAUSED names two pipes: after its first round
of work the hook writes on the first and waits for the second.
"""

import os
import sys

from recense.hook import late
from recense.hook.main import main as run_hook

_archive_files = late.archive_files


def _count(event: str, arguments: tuple[object, ...]) -> None:
    if event == "open" and str(arguments[0]).endswith(".jsonl"):
        counted = os.open(os.environ["COUNTED"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.write(counted, f"{os.getpid()}\n".encode())
        os.close(counted)


def _pause() -> None:
    paused = os.environ.pop("PAUSED", "")
    if paused:
        reached, go_on = paused.split(os.pathsep)
        with open(reached, "wb", buffering=0) as told:
            told.write(b"!")
        with open(go_on, "rb", buffering=0) as waiting:
            waiting.read(1)


def main() -> int:
    """Run the hook."""

    def archive_then_pause(*arguments: object) -> list[str]:
        faults = _archive_files(*arguments)  # type: ignore[arg-type] -- handed on as they came
        _pause()
        return faults

    sys.addaudithook(_count)
    late.archive_files = archive_then_pause
    return run_hook()
