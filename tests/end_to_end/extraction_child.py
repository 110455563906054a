"""A process that reads a session in a file, by the uptime that another file says.

usage: python -m tests.end_to_end.extraction_child WHAT FOLDER …

``read`` reads the session ``api:walk`` and says a line for each batch before it answers; ``hold``
does, and waits for a line before it answers the first. ``reserve BOUND LIMIT TOKENS`` forks
processes that reserve tokens of the day, a millionth each, until they are refused by a bound of
``tokens`` or of ``money``, and says how many reservations they made. ``tell ADDRESS
METHOD-CALL-MOMENT…`` forks a process for each boundary that tells a text which the model there
reads, and ends itself at that boundary by SIGKILL; it says how many did.
"""

import os
import signal
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from msgspec import convert

from recense.core.extraction.proposals import Proposal
from recense.core.extraction.spending import Prices
from recense.core.extraction.views import ExtractorView
from recense.errors import BudgetExhausted
from recense.operations.texts import RememberText
from recense.ports.extraction import Proposed
from recense.ports.records import RecordStore
from recense.services.extraction_budget import DailyBudget
from recense.services.importing import Machine
from recense.services.memory import Memory
from recense.testing import Boundary, FakeClock, FakeUptime, Fault, FaultyRecords
from recense.wiring import Importers, Stores, join
from recense.wiring.policy import ExtractionPolicy, Policy
from tests.conformance.joint_openers import OpenStores
from tests.end_to_end.agent_lease_child import SharedUptime, say, stores_in
from tests.services.extraction_fakes import ScriptedExtractor
from tests.services.extraction_world import ExtractionWorld, run_one, sent
from tests.services.fact_world import T0

CHUNK_TOKENS: Final = 100
PROCESSES: Final = 8
TOLD: Final = "I live in Oslo, and I like moss."
PRICES: Final = Prices(input_micros=1_000_000, output_micros=1_000_000)
"""A token costs a millionth."""


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


def _reserve(folder: Path, bound: str, limit: str, tokens: str) -> None:
    made = 0
    pids: list[int] = []
    for _ in range(PROCESSES):
        pid = os.fork()
        if pid == 0:
            made = 255
            try:
                made = _reservations(folder, bound, int(limit), int(tokens))
            finally:
                os._exit(made)
        pids.append(pid)
    made = sum(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids)
    say(f"made {made}")


def _reservations(folder: Path, bound: str, limit: int, tokens: int) -> int:
    with world_in(folder) as world:
        budget = DailyBudget(
            world.stores.records,
            FakeClock(T0),
            daily_tokens=limit if bound == "tokens" else None,
            prices=PRICES,
            daily_micros=limit if bound == "money" else None,
        )
        made = 0
        while True:
            try:
                budget.reserve(sent(tokens))
            except BudgetExhausted:
                return made
            made += 1


def told_memory(world: ExtractionWorld, records: RecordStore, url: str) -> Memory:
    """Return a memory whose texts are read by the model at an address."""
    return join(
        Stores(world.stores.transcripts, records),
        importers=Importers(working={}),
        clock=world.clock,
        machine=Machine(environment={}, home="/nowhere"),
        policy=Policy(extraction=ExtractionPolicy(extractor="openai", model="kestrel-1", url=url)),
    )


def _tell(folder: Path, url: str, *boundaries: str) -> None:
    killed = 0
    for name in boundaries:
        pid = os.fork()
        if pid == 0:
            try:
                _tell_until(folder / name, url, name)
            finally:
                os._exit(1)
        killed += os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL
    say(f"killed {killed}")


def _tell_until(folder: Path, url: str, name: str) -> None:
    method, call, moment = name.split("-")
    at = convert({"method": method, "call": int(call), "moment": moment}, Boundary)
    fault = Fault(at=at, act=lambda: os.kill(os.getpid(), signal.SIGKILL))
    with world_in(folder) as world:
        records = FaultyRecords(world.stores.records, [fault])
        told_memory(world, records, url).remember(RememberText(text=TOLD))


_WORK: Final[dict[str, Callable[..., None]]] = {
    "read": _read,
    "hold": _hold,
    "reserve": _reserve,
    "tell": _tell,
}


def main() -> None:
    """Do what the first argument says."""
    what, folder, *rest = sys.argv[1:]
    _WORK[what](Path(folder), *rest)


if __name__ == "__main__":
    main()
