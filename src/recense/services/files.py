"""Files as the bookkeeping knows them: under which path, and which belong to one session.

The agent hook asks this after every turn of an agent, so nothing is loaded here that starts slowly.
"""

import os
import stat
from collections.abc import Iterator
from typing import NamedTuple

from recense.errors import SourceUnreadable


class SourceFile(NamedTuple):
    """A regular file as it is now: its absolute path, its size in bytes and its last change."""

    path: str
    size: int
    mtime_ns: int


def stored_path(path: str) -> str:
    """Return a path as it is kept: bytes of a name that are no UTF-8 are written as escapes."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def words_of(error: OSError) -> str:
    """Return what an error of the file system says, as a reason."""
    return (error.strerror or type(error).__name__).lower()


def files_of_session(path: str) -> tuple[list[SourceFile], dict[str, str]]:
    """Return the files of the session whose transcript this is, and the folders that cannot be
    read, with the reason.

    First the transcript, then what stands in the folder of its name beside it, where agents keep
    sub-agents and long results, by path. Of that folder only what is really in it: links are not
    followed. Raises SourceUnreadable when the transcript is absent or no regular file.
    """
    try:
        transcript = os.path.realpath(path)
        status = os.stat(transcript)
    except (OSError, ValueError) as error:
        reason = words_of(error) if isinstance(error, OSError) else "no path of a file"
        raise SourceUnreadable(f"{path!r}: {reason}") from error
    if not stat.S_ISREG(status.st_mode):
        raise SourceUnreadable(f"{path!r}: not a regular file")
    faults: dict[str, str] = {}
    folder, _, name = transcript.rpartition(os.sep)
    stem, _ = os.path.splitext(name.removesuffix(".zst"))
    beside = os.path.join(folder or os.sep, stem)
    below = sorted(_files_below(beside, faults)) if os.path.isdir(beside) else []
    return [_source_file(transcript, status), *below], faults


def _files_below(top: str, faults: dict[str, str]) -> Iterator[SourceFile]:
    pending = [top]
    while pending:
        folder = pending.pop()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(entry.path)
                    elif entry.is_file(follow_symlinks=False):
                        yield _source_file(entry.path, entry.stat(follow_symlinks=False))
        except OSError as error:
            faults[folder] = words_of(error)


def _source_file(path: str, status: os.stat_result) -> SourceFile:
    return SourceFile(path=path, size=status.st_size, mtime_ns=status.st_mtime_ns)
