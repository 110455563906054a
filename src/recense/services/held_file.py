"""A file that one process holds at a time.

Law: the lock is the operating system's: when its holder dies, the kernel gives it back.
"""

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


@contextmanager
def held_file(path: str) -> Generator[bool]:
    """Hold a file, made where it is missing, and say whether nobody else does; it goes with the
    lock where that can be. Raises OSError where it cannot be made.
    """
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
