"""Archiving single files as an agent's hook names them: never converting, never listing a store."""

import os
from collections.abc import Mapping

from recense.core.text.known_secrets import KnownSecrets
from recense.ports.sources import Importer
from recense.ports.transcripts import TranscriptStore
from recense.services.archiving import archive_file
from recense.services.file_outcomes import FileOutcome
from recense.services.importing import Machine


def _no_progress(_size: int) -> None:
    """Take progress and say nothing."""


class TranscriptArchive:
    """Archives files into one store, each by an importer that claims its name.

    ``known`` is as in `recense.core.transcript.gate.pass_gate`.
    """

    def __init__(
        self,
        store: TranscriptStore,
        importers: Mapping[str, Importer],
        machine: Machine,
        *,
        known: KnownSecrets | None,
    ) -> None:
        self._store = store
        self._importers = importers
        self._machine = machine
        self._known = known

    def archive(self, path: str) -> FileOutcome | None:
        """Archive what is new in a regular file, by its absolute path with links resolved; None
        when no importer claims its name.

        A file in a source's own folders is that source's, as it is for an import. What goes wrong
        with the file is in the outcome and noted with it. Raises the faults of the store.
        """
        claiming = [each for each in self._importers.values() if each.claims(path)]
        at_home = [each for each in claiming if self._is_home(each, path)]
        candidates = at_home or claiming
        if not candidates:
            return None
        return archive_file(
            self._store,
            candidates,
            path,
            known=self._known,
            progress=_no_progress,
        )

    def close(self) -> None:
        """Let go of the store."""
        self._store.close()

    def _is_home(self, importer: Importer, path: str) -> bool:
        """Whether a file is in the folders where a source keeps its sessions."""
        roots = importer.roots(self._machine.environment, self._machine.home)
        return any(path.startswith(os.path.join(os.path.realpath(root), "")) for root in roots)
