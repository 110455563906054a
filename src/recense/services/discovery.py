"""Finding the files of a source: regular files only, each once, and a reason for what is left
out.
"""

import os
import stat
from collections.abc import Iterator, Sequence

from recense.core.values import Value
from recense.ports.sources import Importer


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
    for path in paths:
        yield from _find(importer, os.path.abspath(path), seen, named=named, is_start=True)


def _find(
    importer: Importer, path: str, seen: set[tuple[int, int]], *, named: bool, is_start: bool
) -> Iterator[FoundFile | LeftOut]:
    try:
        status = os.stat(path)
    except OSError as error:
        if named or not is_start:
            yield LeftOut(path=path, reason=words_of(error), failed=True)
        return
    if stat.S_ISDIR(status.st_mode):
        yield from _find_below(importer, path, status, seen, named=named)
    elif (is_start and named) or importer.claims(path):
        if not stat.S_ISREG(status.st_mode):
            yield LeftOut(path=path, reason="not a regular file", failed=False)
        elif (status.st_dev, status.st_ino) in seen:
            yield LeftOut(path=path, reason="the same file as one already found", failed=False)
        else:
            seen.add((status.st_dev, status.st_ino))
            yield FoundFile(path=os.path.realpath(path))


def _find_below(
    importer: Importer,
    path: str,
    status: os.stat_result,
    seen: set[tuple[int, int]],
    *,
    named: bool,
) -> Iterator[FoundFile | LeftOut]:
    if (status.st_dev, status.st_ino) in seen:
        yield LeftOut(path=path, reason="a folder already visited", failed=False)
        return
    seen.add((status.st_dev, status.st_ino))
    try:
        names = sorted(os.listdir(path))
    except OSError as error:
        yield LeftOut(path=path, reason=words_of(error), failed=True)
        return
    for name in names:
        yield from _find(importer, os.path.join(path, name), seen, named=named, is_start=False)


def words_of(error: OSError) -> str:
    """Return what an error of the file system says, as a reason."""
    return (error.strerror or type(error).__name__).lower()
