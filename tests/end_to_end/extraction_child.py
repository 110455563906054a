"""A process that reads a session in a file, by the uptime that another file says.

usage: python -m tests.end_to_end.extraction_child WHAT FOLDER …

``read`` reads the session ``api:walk`` and says a line for each batch before it answers; ``hold``
does, and waits for a line before it answers the first. ``reserve LIMIT TOKENS`` forks processes
that reserve tokens of the day until they are refused, and says how many reservations they made.
"""

import os
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from recense.core.extraction.proposals import Proposal
from recense.core.extraction.views import ExtractorView
from recense.errors import BudgetExhausted
from recense.ports.extraction import Proposed
from recense.services.extraction_budget import DailyBudget
from recense.testing import FakeClock, FakeUptime
from tests.conformance.joint_openers import OpenStores
from tests.end_to_end.agent_lease_child import SharedUptime, say, stores_in
from tests.services.extraction_fakes import ScriptedExtractor
from tests.services.extraction_world import ExtractionWorld, run_one, sent
from tests.services.fact_world import T0

CHUNK_TOKENS: Final = 100
PROCESSES: Final = 8


@contextmanager
def world_in(folder: Path) -> Generator[ExtractionWorld]:
    """Give the world in a file of a folder."""
    stores = OpenStores(*stores_in(folder, SharedUptime(folder)))
    try:
        yield ExtractionWorld(stores, FakeUptime())
    finally:
        stores.close()


def noting(view: ExtractorView) -> Proposed:
    """Propose the first word of each message, and say so before."""
    words = [part.text.split()[0] for each in view.messages for part in each.parts]
    say(" ".join(words))
    return Proposed(
        proposals=tuple(
            Proposal(subject="user", predicate="likes", value=word, evidence=word) for word in words
        ),
        tokens_in=10,
    )


def _read(folder: Path) -> None:
    with world_in(folder) as world:
        extractor = ScriptedExtractor(noting, overhead_tokens=10)
        done = run_one(world.extraction(extractor, chunk_tokens=CHUNK_TOKENS, holder="a child"))
        say(f"ended {done.end}")


def _hold(folder: Path) -> None:
    def script(view: ExtractorView) -> Proposed:
        proposed = noting(view)
        sys.stdin.readline()
        return proposed

    with world_in(folder) as world:
        done = run_one(world.extraction(ScriptedExtractor(script), holder="a child"))
        say(f"ended {done.end}")


def _reserve(folder: Path, limit: str, tokens: str) -> None:
    made = 0
    pids: list[int] = []
    for _ in range(PROCESSES):
        pid = os.fork()
        if pid == 0:
            made = 255
            try:
                made = _reservations(folder, int(limit), int(tokens))
            finally:
                os._exit(made)
        pids.append(pid)
    made = sum(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids)
    say(f"made {made}")


def _reservations(folder: Path, limit: int, tokens: int) -> int:
    with world_in(folder) as world:
        budget = DailyBudget(world.stores.records, FakeClock(T0), daily_tokens=limit)
        made = 0
        while True:
            try:
                budget.reserve(sent(tokens))
            except BudgetExhausted:
                return made
            made += 1


_WORK: Final[dict[str, Callable[..., None]]] = {"read": _read, "hold": _hold, "reserve": _reserve}


def main() -> None:
    """Do what the first argument says."""
    what, folder, *rest = sys.argv[1:]
    _WORK[what](Path(folder), *rest)


if __name__ == "__main__":
    main()
