"""Single flight: of many hooks for one transcript at once, one does the work.

Laws:

- A hook first leaves a mark, then asks for the lock without waiting. Who does not get it goes away.
- Who has it takes the mark away before it looks at the files, and looks again for as long as there
  is a mark, also once more after the lock is given back. So whatever changed before a mark was left
  is seen by somebody, however the processes are timed.
- The lock is the operating system's: when its holder dies, the kernel gives it back.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b

from recense.services.held_file import held_file


def run_alone(folder: str, name: str, work: Callable[[], None]) -> None:
    """Do the work, unless another process is at it: then have that one do it once more.

    ``folder`` is where lock and mark are, made when it is missing; ``name`` tells one piece of work
    from another. Raises OSError when the folder cannot be written, and what the work raises.
    """
    _make(folder)
    stem = os.path.join(folder, blake2b(os.fsencode(name), digest_size=16).hexdigest())
    mark = stem + ".again"
    _leave(mark)
    while os.path.exists(mark):
        with held_file(stem + ".lock") as is_held:
            if not is_held:
                return
            while _taken_away(mark):
                work()


def _make(folder: str) -> None:
    """Make a folder and those above it that are missing, for nobody else to look into."""
    if not os.path.isdir(folder):
        _make(os.path.dirname(folder))
        with suppress(FileExistsError):
            os.mkdir(folder, mode=0o700)


def _leave(mark: str) -> None:
    os.close(os.open(mark, os.O_WRONLY | os.O_CREAT, 0o600))


def _taken_away(mark: str) -> bool:
    try:
        os.unlink(mark)
    except FileNotFoundError:
        return False
    return True
