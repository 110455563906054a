"""Streams a text into a store and says what is acknowledged, until it is killed or done.

usage: python -m tests.end_to_end.streaming_child STORE_FOLDER
"""

import sys
import time
from pathlib import Path

from recense.operations.sessions import OpenSession, StreamDelta
from tests.end_to_end.worlds import on_sqlite

PIECE = "line {number} of the timetable\n"
LIFETIME_SECONDS = 60


def main() -> None:
    """Stream pieces, and write how much is stored after each."""
    memory = on_sqlite(Path(sys.argv[1]))
    memory.session_open(OpenSession(session="s"))
    deadline = time.monotonic() + LIFETIME_SECONDS
    number = 0
    while time.monotonic() < deadline:
        piece = StreamDelta(stream="reply", delta=PIECE.format(number=number))
        report = memory.session_stream("api:s", piece)
        sys.stdout.write(f"{report.stored}\n")
        sys.stdout.flush()
        number += 1


if __name__ == "__main__":
    main()
