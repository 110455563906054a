"""A process that is an agent, over a file, by the uptime that another file says.

usage: python -m tests.end_to_end.agent_lease_child WHAT FOLDER …

``hold AGENT TTL`` resumes and waits for a line; ``hold_really`` does by the uptime of this boot,
``hold_politely AGENT`` inside of `ending_on_sigterm`.
``stall AGENT TTL WRITE`` resumes and stops itself inside of a write, after everything that it can
know by itself said yes: it goes on when somebody lets it. ``serve AGENT TTL WRITE`` does so as a
server in the middle of a call of a holder elsewhere. ``write AGENT COUNT`` waits for a line,
resumes and writes turns until it is refused. ``crowd AGENTS PROCESSES`` forks processes that all
want every agent. What a process has to say is a word a line.
"""

import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from recense.adapters.sqlite.file import open_sqlite_file
from recense.adapters.sqlite.records import SqliteRecords
from recense.adapters.sqlite.store import SqliteStore
from recense.adapters.system import SystemClock, SystemUptime
from recense.core.agents.values import StateUpdate
from recense.errors import LeaseHeld, LeaseLost
from recense.operations.agent_calls import AcquireAgent, RecordTurn, UpdateWorkingState
from recense.operations.agents import AddTurn, BeginAction, EndAction, ResumeAgent
from recense.ports.clock import Clock, Uptime
from recense.ports.commits import LedgerPage
from recense.ports.records import Lease, Record
from recense.services.agent import Agent
from recense.services.agent_ending import ending_on_sigterm
from recense.services.importing import Machine
from recense.services.memory import Memory
from recense.testing import FakeClock, SeededChance
from recense.wiring import Importers, Stores, join


class SharedUptime:
    """A `recense.ports.clock.Uptime` that is what a file in a folder says: processes share it, and
    a test moves it.
    """

    def __init__(self, folder: Path) -> None:
        self._file: Final = folder / "uptime"
        if not self._file.exists():
            self.set(0)

    def boot_id(self) -> str:
        return "the boot of this test"

    def uptime_ms(self) -> int:
        return int(self._file.read_text(encoding="ascii"))

    def set(self, ms: int) -> None:
        """Let it be so many milliseconds since the boot, for everybody."""
        new = self._file.with_suffix(f".{os.getpid()}")
        new.write_text(str(ms), encoding="ascii")
        new.replace(self._file)


class _StallingRecords(SqliteRecords):
    is_stalling = False

    def fenced_put(
        self, lease: Lease, records: Iterable[Record], *, unchanged: Record | None = None
    ) -> None:
        if self.is_stalling:
            self.is_stalling = False
            os.kill(os.getpid(), signal.SIGSTOP)
        super().fenced_put(lease, records, unchanged=unchanged)


class _StallingStore(SqliteStore):
    is_stalling = False

    def append(self, page: LedgerPage) -> int:
        if self.is_stalling:
            self.is_stalling = False
            os.kill(os.getpid(), signal.SIGSTOP)
        return super().append(page)


def stores_in(folder: Path, uptime: Uptime) -> "tuple[_StallingStore, _StallingRecords]":
    file = open_sqlite_file(
        folder / "recense.db", synchronous="normal", chance=SeededChance(1), create=True
    )
    records = _StallingRecords(file, uptime)
    return _StallingStore(file, records), records


def memory_over(stores: Stores, clock: Clock) -> Memory:
    return join(
        stores,
        importers=Importers(working={}),
        clock=clock,
        machine=Machine(environment={}, home="/nowhere"),
    )


def memory_in(folder: Path, clock: Clock | None = None, uptime: Uptime | None = None) -> Memory:
    """Return the memory in a file in a folder, by the uptime of the test."""
    stores = stores_in(folder, uptime or SharedUptime(folder))
    return memory_over(Stores(*stores), clock or SystemClock())


def said(agent: Agent, text: str) -> int:
    """Write a turn; return its number."""
    return agent.add_turn(AddTurn(role="assistant", content=text)).turn.seq


def say(word: str) -> None:
    os.write(1, f"{word}\n".encode())


def _hold(folder: Path, agent: str, ttl: str) -> None:
    _hold_by(SharedUptime(folder), folder, agent, ttl)


def _hold_really(folder: Path, agent: str, ttl: str) -> None:
    _hold_by(SystemUptime(), folder, agent, ttl)


def _hold_by(uptime: Uptime, folder: Path, agent: str, ttl: str) -> None:
    with memory_in(folder, uptime=uptime) as memory:
        memory.agents.resume(ResumeAgent(agent=agent, holder="the one that dies", ttl_ms=int(ttl)))
        say("held")
        sys.stdin.readline()


def _hold_politely(folder: Path, agent: str) -> None:
    """Hold it amid a call, until a line comes, or no more can come, or a signal ends all this."""
    with ending_on_sigterm(), memory_in(folder) as memory:
        held = memory.agents.resume(ResumeAgent(agent=agent, holder="the polite one"))
        said(held, "before it ends")
        held.begin_action(BeginAction(tool="send", action_class="unsafe"))
        say("held")
        sys.stdin.readline()


def _stall(folder: Path, agent: str, ttl: str, write: str) -> None:
    """Its own clock stands still, so that it believes in its lease for ever."""
    transcripts, records = stores_in(folder, SharedUptime(folder))
    with memory_over(Stores(transcripts, records), FakeClock()) as memory:
        held = memory.agents.resume(ResumeAgent(agent=agent, holder="slow", ttl_ms=int(ttl)))
        said(held, "before it stalled")
        transcripts.is_stalling = records.is_stalling = True
        try:
            if write == "turn":
                said(held, "after it stalled")
            elif write == "state":
                held.update_state(StateUpdate(goal="after it stalled"))
            else:
                held.begin_action(BeginAction(tool="send", action_class="unsafe"))
        except LeaseLost as error:
            say(f"refused {error.message} {held.is_lost}")
        else:
            say("kept")


def _serve(folder: Path, agent: str, ttl: str, write: str) -> None:
    transcripts, records = stores_in(folder, SharedUptime(folder))
    with memory_over(Stores(transcripts, records), FakeClock()) as memory:
        calls = memory.agents.calls
        asked = AcquireAgent(agent=agent, holder="slow", ttl_ms=int(ttl))
        epoch = calls.acquire(asked).epoch
        turn = RecordTurn(agent=agent, epoch=epoch, role="user", content="before it stalled")
        calls.record_turn(turn)
        transcripts.is_stalling = records.is_stalling = True
        try:
            if write == "turn":
                calls.record_turn(replace(turn, content="after it stalled"))
            else:
                calls.update_state(UpdateWorkingState(agent=agent, epoch=epoch, goal="late"))
        except LeaseLost as error:
            say(f"refused {error.message}")
        else:
            say("kept")


def _write(folder: Path, agent: str, count: str) -> None:
    sys.stdin.readline()
    with memory_in(folder) as memory:
        name = f"writer {os.getpid()}"
        try:
            held = memory.agents.resume(ResumeAgent(agent=agent, holder=name))
        except LeaseHeld as error:
            say(f"held {error.message}")
            return
        for _ in range(int(count)):
            said(held, name)
        say(f"wrote {held.epoch}")
        sys.stdin.readline()


def _crowd(folder: Path, agents: str, processes: str) -> None:
    pids: list[int] = []
    for number in range(int(processes)):
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                _one_of_a_crowd(folder, number, int(agents))
                code = 0
            finally:
                os._exit(code)
        pids.append(pid)
    codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids]
    say(f"ended {sum(codes)}")


def _one_of_a_crowd(folder: Path, number: int, agents: int) -> None:
    """Take every agent once, each when it is free; say the names of those whose act was ours."""
    waiting = deque(range(agents))
    waiting.rotate(-number * agents // 8)
    with memory_in(folder) as memory:
        while waiting:
            place = waiting.popleft()
            name = f"agent-{place}"
            try:
                held = memory.agents.resume(
                    ResumeAgent(agent=name, holder=f"process {number}", token_budget=100)
                )
            except LeaseHeld:
                waiting.append(place)
                continue
            with held:
                said(held, f"process {number}")
                begun = held.begin_action(
                    BeginAction(tool="pay", action_class="unsafe", call_id="the payment")
                )
                if begun.proceed:
                    say(f"paid {name}")
                    held.end_action(EndAction(action=begun.id))


_WORK: Final[dict[str, Callable[..., None]]] = {
    "hold": _hold,
    "hold_really": _hold_really,
    "hold_politely": _hold_politely,
    "stall": _stall,
    "serve": _serve,
    "write": _write,
    "crowd": _crowd,
}


def main() -> None:
    """Do what the first argument says."""
    what, folder, *rest = sys.argv[1:]
    _WORK[what](Path(folder), *rest)


if __name__ == "__main__":
    main()
