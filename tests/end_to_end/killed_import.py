"""Imports a folder and kills itself, hard, at one commit boundary of the store.

usage: python -m tests.end_to_end.killed_import STORE_FOLDER SOURCE_FOLDER BOUNDARY_AS_JSON
"""

import os
import signal
import sys
from pathlib import Path

import msgspec

from recense.testing import Boundary, Fault, FaultyStore
from tests.end_to_end.worlds import memory_over, sqlite_store


def main() -> None:
    """Run the import that dies."""
    folder, source, boundary = sys.argv[1:]

    def kill() -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    fault = Fault(at=msgspec.json.decode(boundary, type=Boundary), act=kill)
    store = FaultyStore(sqlite_store(Path(folder)), [fault])
    memory_over(store, Path(folder)).import_sessions(None, [source])


if __name__ == "__main__":
    main()
