"""Finding the files of a source: regular files only, each once, and a reason for what is left
out.
"""

import os
import stat
from collections.abc import Iterator, Sequence

from recense.core.values import Value
from recense.limits import HEAD_BYTES
from recense.ports.sources import Importer
from recense.services.files import words_of


class FoundFile(Value, kw_only=True):
    """A regular file that may hold sessions. ``path`` is absolute, symlinks resolved; ``below`` is
    the path given that led to it, absolute.
    """

    path: str
    below: str


class LeftOut(Value, kw_only=True):
    """A path that is not read, and why; ``failed`` when the person should look at it. ``below`` is
    as in `FoundFile`.
    """

    path: str
    below: str
    reason: str
    failed: bool


def find_files(
    importer: Importer, paths: Sequence[str], *, named: bool, by_head: bool = False
) -> Iterator[FoundFile | LeftOut]:
    """Yield the files of a source below the given paths, sorted by path within each folder.

    ``named`` says that a person typed these paths: then a missing one is a failure, and a file is
    taken whatever its name; with ``by_head`` also one in a folder, if it `holds_sessions`. Symlinks
    are followed once; a folder is never entered twice, so loops end; FIFOs, sockets and devices are
    left out with a reason, as is what may not be read.
    """
    seen: set[tuple[int, int]] = set()
    starts = [os.path.abspath(path) for path in reversed(paths)]
    pending = [(start, start) for start in starts]
    while pending:  # a stack of our own: folders may nest deeper than Python calls
        path, start = pending.pop()
        try:
            status = os.stat(path)
        except OSError as error:
            if named or path != start:
                yield LeftOut(path=path, below=start, reason=words_of(error), failed=True)
            continue
        if stat.S_ISDIR(status.st_mode):
            names = _names_in(path, start, status, seen)
            if isinstance(names, LeftOut):
                yield names
            else:
                pending += [(os.path.join(path, name), start) for name in reversed(names)]
        elif reason := importer.passes_over(path):
            yield LeftOut(path=path, below=start, reason=reason, failed=False)
        elif (
            (path == start and named)
            or importer.claims(path)
            or (by_head and holds_sessions(importer, path, status))
        ):
            yield _judged(path, start, status, seen)


def holds_sessions(importer: Importer, path: str, status: os.stat_result) -> bool:
    """Whether a file that an importer does not claim by its name is one of its all the same: it has
    a suffix of those that it reads, and begins as it should. A file that cannot be read is not.
    """
    if not (path.lower().endswith(importer.suffixes) and stat.S_ISREG(status.st_mode)):
        return False
    try:
        with open(path, "rb") as file:
            head = file.read(HEAD_BYTES)
    except OSError:
        return False
    return bool(head) and importer.recognises(head)


def _judged(
    path: str, start: str, status: os.stat_result, seen: set[tuple[int, int]]
) -> FoundFile | LeftOut:
    """Return whether what is no folder is read, once."""
    reason = ""
    if not stat.S_ISREG(status.st_mode):
        reason = "not a regular file"
    elif (status.st_dev, status.st_ino) in seen:
        reason = "the same file as one already found"
    if reason:
        return LeftOut(path=path, below=start, reason=reason, failed=False)
    seen.add((status.st_dev, status.st_ino))
    return FoundFile(path=os.path.realpath(path), below=start)


def _names_in(
    path: str, start: str, status: os.stat_result, seen: set[tuple[int, int]]
) -> list[str] | LeftOut:
    """Return the names in a folder, sorted; each folder is entered once."""
    if (status.st_dev, status.st_ino) in seen:
        return LeftOut(path=path, below=start, reason="a folder already visited", failed=False)
    seen.add((status.st_dev, status.st_ino))
    try:
        return sorted(os.listdir(path))
    except OSError as error:
        return LeftOut(path=path, below=start, reason=words_of(error), failed=True)
