"""Imports a folder and kills itself, hard, at one commit boundary of the store.

usage: python -m tests.end_to_end.killed_import STORE_FOLDER SOURCE METHOD NTH before|after
"""

import os
import signal
import sys
from pathlib import Path

from recense.adapters.sqlite.store import open_sqlite
from recense.testing import FaultyStore, SeededChance
from tests.end_to_end.worlds import memory_over


def main() -> None:
    """Run the import that dies."""
    folder, source, method, nth, moment = sys.argv[1:]
    store = open_sqlite(
        str(Path(folder) / "recense.db"),
        synchronous="normal",
        chance=SeededChance(1),
        create=True,
    )

    def kill() -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    faulty = FaultyStore(store)
    faulty.at(method, int(nth), moment, kill)  # type: ignore[arg-type]
    memory_over(faulty, Path(folder)).import_sessions(None, [source])


if __name__ == "__main__":
    main()
