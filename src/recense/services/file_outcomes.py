"""What became of a file in an import, and which source its report is for."""

from collections.abc import Sequence
from typing import Final, Literal

from recense.core.values import Value
from recense.operations.admin import NO_SOURCE
from recense.ports.sources import Importer

BY_NAME: Final = "recense import SOURCE PATH knows files by how they begin, and not only by name"
"""What more may be found where no source was named."""


class FileOutcome(Value, kw_only=True):
    """What became of one file: counts by record and by byte, secrets by kind, sessions touched, and
    how many of these its records began.

    ``is_file`` is False of a folder, and of a path at which there is nothing. ``kept_before`` says
    that something of the file was imported before and not read again.
    """

    source: str
    path: str
    result: Literal["imported", "unchanged", "skipped", "failed"]
    reason: str = ""
    records: dict[str, int] = {}
    bytes_by: dict[str, int] = {}
    findings: dict[str, int] = {}
    sessions: tuple[str, ...] = ()
    sessions_new: int = 0
    is_file: bool = True
    kept_before: bool = False


def answerable(candidates: Sequence[Importer], path: str) -> str:
    """Return the source whose report tells of a path that none of its candidates has read: the
    first that claims its name, else the only one that was asked, else none of them.
    """
    claiming = [each.name for each in candidates if each.claims(path)]
    if claiming:
        return claiming[0]
    return candidates[0].name if len(candidates) == 1 else NO_SOURCE
