"""Finding the files of a source: regular files only, each once, and a reason for what is left
out.
"""

import os
import stat
from collections.abc import Iterator, Sequence

from recense.core.values import Value
from recense.ports.sources import Importer
from recense.services.files import words_of


class FoundFile(Value, kw_only=True):
    """A regular file that a source claims by name. ``path`` is absolute, symlinks resolved."""

    path: str


class LeftOut(Value, kw_only=True):
    """A path that is not read, and why; ``failed`` when the person should look at it."""

    path: str
    reason: str
    failed: bool


def find_files(
    importer: Importer, paths: Sequence[str], *, named: bool
) -> Iterator[FoundFile | LeftOut]:
    """Yield the files of a source below the given paths, sorted by path within each folder.

    ``named`` says that a person typed these paths: then a missing one is a failure, and a file is
    taken whatever its name. Symlinks are followed once; a folder is never entered twice, so loops
    end; FIFOs, sockets and devices are left out with a reason, as is what may not be read.
    """
    seen: set[tuple[int, int]] = set()
    pending = [(os.path.abspath(path), True) for path in reversed(paths)]
    while pending:  # a stack of our own: folders may nest deeper than Python calls
        path, is_start = pending.pop()
        try:
            status = os.stat(path)
        except OSError as error:
            if named or not is_start:
                yield LeftOut(path=path, reason=words_of(error), failed=True)
            continue
        if stat.S_ISDIR(status.st_mode):
            below = _names_below(path, status, seen)
            if isinstance(below, LeftOut):
                yield below
            else:
                pending += [(os.path.join(path, name), False) for name in reversed(below)]
        elif reason := importer.passes_over(path):
            yield LeftOut(path=path, reason=reason, failed=False)
        elif (is_start and named) or importer.claims(path):
            yield _judged(path, status, seen)


def _judged(path: str, status: os.stat_result, seen: set[tuple[int, int]]) -> FoundFile | LeftOut:
    """Return whether what is no folder is read, once."""
    if not stat.S_ISREG(status.st_mode):
        return LeftOut(path=path, reason="not a regular file", failed=False)
    if (status.st_dev, status.st_ino) in seen:
        return LeftOut(path=path, reason="the same file as one already found", failed=False)
    seen.add((status.st_dev, status.st_ino))
    return FoundFile(path=os.path.realpath(path))


def _names_below(
    path: str, status: os.stat_result, seen: set[tuple[int, int]]
) -> list[str] | LeftOut:
    """Return the names in a folder, sorted; each folder is entered once."""
    if (status.st_dev, status.st_ino) in seen:
        return LeftOut(path=path, reason="a folder already visited", failed=False)
    seen.add((status.st_dev, status.st_ino))
    try:
        return sorted(os.listdir(path))
    except OSError as error:
        return LeftOut(path=path, reason=words_of(error), failed=True)
