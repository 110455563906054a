"""Single flight: of many hooks for one transcript at once, one does the work.

Laws:

- A hook first leaves a mark, then asks for the lock without waiting. Who does not get it goes away.
- Who has it takes the mark away before it looks at the files, and looks again for as long as there
  is a mark, also once more after the lock is given back. So whatever changed before a mark was left
  is seen by somebody, however the processes are timed.
- The lock is the operating system's: when its holder dies, the kernel gives it back.
"""

import os
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from hashlib import blake2b

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


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
        with _held(stem + ".lock") as is_held:
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


@contextmanager
def _held(path: str) -> Generator[bool]:
    """Hold the lock, and say whether it was free; its file goes with it where that can be."""
    descriptor = _locked(path)
    try:
        yield descriptor is not None
    finally:
        if descriptor is not None:
            with suppress(OSError):  # not every system lets an open file be removed
                os.unlink(path)
            os.close(descriptor)


def _locked(path: str) -> int | None:
    """Return the lock's file, open and locked, or None while another process has it."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        if not _is_locked_by_us(descriptor):
            os.close(descriptor)
            return None
        if _is_still(descriptor, path):
            return descriptor
        os.close(descriptor)  # its holder removed it just now: others will find another file


def _is_still(descriptor: int, path: str) -> bool:
    """Whether the file that we locked is the one that others will find."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return False
    return os.path.samestat(found, os.fstat(descriptor))


def _is_locked_by_us(descriptor: int) -> bool:
    try:
        if sys.platform == "win32":
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
