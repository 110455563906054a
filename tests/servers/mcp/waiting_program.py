"""`recense` with a memory whose recall takes until nobody waits for it, and says so on stderr."""

import os
import sys
import threading
from collections.abc import Mapping
from typing import cast

from recense.cli import main
from recense.cli.opening import open_configured
from recense.operations.recall import RecallAnswer, RecallRequest
from recense.services.cancelling import IsCancelled, never, require_wanted
from recense.services.memory import Memory

LOOK_SECONDS = 0.01


class WaitingMemory(Memory):
    def recall(
        self,
        request: RecallRequest,
        *,
        explain: bool = False,
        is_cancelled: IsCancelled = never,
    ) -> RecallAnswer:
        os.write(1, b"recall began\n")  # as a library in C would; it must not reach the client
        while not is_cancelled():
            threading.Event().wait(LOOK_SECONDS)
        os.write(2, b"recall ended\n")
        require_wanted(is_cancelled)
        raise AssertionError


def opened(flags: Mapping[str, str], *, create: bool) -> WaitingMemory:
    memory = cast("Memory", open_configured(flags, create=create))
    memory.__class__ = WaitingMemory
    return cast("WaitingMemory", memory)


if __name__ == "__main__":
    sys.exit(main.run(sys.argv[1:], open_memory=opened))
