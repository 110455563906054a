"""Where Codex keeps a thread: its rollout is found by name, the newest folders of a day first."""

import os
from collections.abc import Iterator, Sequence
from typing import Final

from recense.importers.places import ROLLOUT_SUFFIXES

_FOLDERS_DEEP: Final = 3
"""Below its folder of sessions Codex makes one for the year, the month and the day."""


def rollout_of(folders: Sequence[str], thread: str) -> str | None:
    """Return the rollout of a thread below these folders, or None; a plain one before a compressed.

    A folder that cannot be listed holds none.
    """
    ends = [f"-{thread}{suffix}" for suffix in ROLLOUT_SUFFIXES]
    for top in folders:
        for folder, names in _newest_first(top, _FOLDERS_DEEP):
            for end in ends:
                for name in names:
                    if name.endswith(end):
                        return os.path.join(folder, name)
    return None


def _newest_first(folder: str, deep: int) -> Iterator[tuple[str, list[str]]]:
    """Yield each folder with the names of its files, those with the highest names first."""
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda entry: entry.name, reverse=True)
    except OSError:
        return
    if deep:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _newest_first(entry.path, deep - 1)
    yield folder, [entry.name for entry in entries if entry.is_file()]
