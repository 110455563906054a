"""Indexes a store in small pages and kills itself, hard, at one commit boundary of it.

usage: python -m tests.end_to_end.killed_indexing STORE_FOLDER BOUNDARY_AS_JSON
"""

import os
import signal
import sys
from pathlib import Path
from typing import Final

import msgspec

from recense.services import indexing
from recense.testing import Boundary, Fault, FaultyStore
from tests.end_to_end.worlds import memory_over, sqlite_store

SMALL: Final = {
    "INDEX_PAGE_SESSIONS_MAX": 2,
    "INDEX_PAGE_BYTES_MAX": 2_000,
    "PAGE_BYTES_MAX": 1_200,
}
"""Bounds of a page of indexing by which a small store takes several, and most sessions too."""


def main() -> None:
    """Run the indexing that dies."""
    folder, boundary = sys.argv[1:]
    for name, value in SMALL.items():
        setattr(indexing, name, value)

    def kill() -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    fault = Fault(at=msgspec.json.decode(boundary, type=Boundary), act=kill)
    memory_over(FaultyStore(sqlite_store(Path(folder)), [fault]), Path(folder)).index()


if __name__ == "__main__":
    main()
