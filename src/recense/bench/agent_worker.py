"""The worker of the kill test: reads lives from stdin, a line each, and lives each of them in a
process of its own, which is killed where its life says.

usage: python -m recense.bench.agent_worker DATABASE FOLDER PORT

What a life needs is loaded once, before the first, and each is forked off: so hundreds of processes
cost little. They share nothing else: every one opens the file anew. A life prints a `LifeReport`
when it has resumed and when it ends by itself; when it is over, this process prints a `LifeEnd`.
What the library acknowledged goes to a plain file at once (`journal_of`), for whoever judges.
"""

import os
import signal
import sys
import time
import traceback
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NoReturn

import apsw
import msgspec

from recense.adapters.sqlite.file import open_sqlite_file
from recense.adapters.sqlite.records import SqliteRecords
from recense.adapters.sqlite.store import SqliteStore
from recense.adapters.system import SystemChance, SystemClock
from recense.bench.agent_script import (
    CLASSES,
    Life,
    LifeEnd,
    LifeReport,
    Point,
    ScriptedStep,
    script,
    step_called,
)
from recense.bench.agent_world import Hands
from recense.core.agents.values import StateUpdate
from recense.operations.agents import (
    ActionOutcome,
    ActionView,
    AddTurn,
    BeginAction,
    CannotTell,
    Done,
    EndAction,
    NotDone,
    ResumeAgent,
)
from recense.services.agent import Agent
from recense.services.agent_reconciling import ActionHandler
from recense.services.importing import Machine
from recense.services.memory import Memory
from recense.testing.uptime import FakeUptime
from recense.wiring import Importers, Stores, join

LIFE_SECONDS_MAX: Final = 120
"""A life that takes longer is ended by a signal, and has failed."""

_POLL_SECONDS: Final = 0.0005


def memory_of(database: Path, uptime: FakeUptime) -> Memory:
    """Return the memory in a file, made when it is not there, whose leases go by this uptime."""
    file = open_sqlite_file(database, synchronous="normal", chance=SystemChance(), create=True)
    records = SqliteRecords(file, uptime)
    return join(
        Stores(SqliteStore(file, records), records),
        importers=Importers(working={}),
        clock=SystemClock(),
        machine=Machine(environment={}, home=str(database.parent)),
    )


def journal_of(folder: Path) -> Path:
    """Return the file in which lives say what was acknowledged: ``begun 3``, ``ended 3``."""
    return folder / "journal.txt"


class _Fate:
    """Where this life ends."""

    def __init__(self, life: Life) -> None:
        self._life: Final = life
        self._is_sealed = False
        self.step: int | None = None

    def reach(self, point: Point) -> None:
        """Die here, if this is the point."""
        if self._is_here(point):
            os.kill(os.getpid(), signal.SIGKILL)

    @contextmanager
    def committing(self, point: Point) -> Generator[None]:
        """Die at the next commit in the block, if this is the point."""
        self._is_sealed = self._is_here(point)
        yield
        self._is_sealed = False

    def watch(self, connection: apsw.Connection) -> None:
        """Be asked before each commit of a connection."""
        connection.set_commit_hook(self._at_commit)

    def _at_commit(self) -> bool:
        if self._is_sealed:
            os.kill(os.getpid(), signal.SIGKILL)
        return False

    def _is_here(self, point: Point) -> bool:
        return self._life.point == point and self._life.step in {None, self.step}


class _Worker:
    def __init__(self, life: Life, fate: _Fate, hands: Hands, journal: Path) -> None:
        self._life: Final = life
        self._fate: Final = fate
        self._hands: Final = hands
        self._journal: Final = os.open(journal, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def live(self, memory: Memory) -> LifeReport:
        """Resume, settle what is open, and go on step by step. Returns the last report."""
        request = ResumeAgent(agent=self._life.agent, holder=f"worker {os.getpid()}")
        with self._fate.committing("resume_commit"):
            resumed = memory.agents.resume(request)
        with resumed as agent:
            self._fate.reach("resumed")
            report = _report_of(agent)
            say(report)
            with self._fate.committing("reconcile_commit"):
                reconciled = agent.reconcile(self._handlers())
            self._fate.reach("reconciled")
            if reconciled.unsettled:
                undecided = reconciled.unsettled[0].id
                return msgspec.structs.replace(report, undecided=undecided)
            for step in script(self._life.steps)[agent.context.state.state.step :]:
                self._take(agent, step)
            return msgspec.structs.replace(report, is_finished=True)

    def _take(self, agent: Agent, step: ScriptedStep) -> None:
        fate = self._fate
        fate.step = step.number
        with fate.committing("begin_commit"):
            begun = agent.begin_action(
                BeginAction(
                    tool=step.tool,
                    action_class=CLASSES[step.tool],
                    args=step.args,
                    call_id=step.call_id,
                )
            )
        if begun.proceed:
            self._note("begun", step)
            fate.reach("begun")
            result = self._hands.do(step.tool, step.label, begun.action.key or begun.id)
            fate.reach("done")
            turn = AddTurn(role="tool", content=result, message_id=step.message_id)
            with fate.committing("end_commit"):
                agent.end_action(EndAction(action=begun.id, result=result, turn=turn))
            self._note("ended", step)
            fate.reach("ended")
        with fate.committing("state_commit"):
            agent.update_state(StateUpdate(goal="take every step", step=step.number + 1))
        fate.reach("stepped")

    def _handlers(self) -> dict[str, ActionHandler]:
        again = ActionHandler(run_again=self._made_again)
        return {
            "write_file": again,
            "charge": again,
            "order": ActionHandler(
                run_again=self._made_again, probe=self._probed, when_not_done="run_again"
            ),
        }

    def _made_again(self, action: ActionView) -> ActionOutcome:
        step = step_called(action.call_id)
        result = self._hands.do(step.tool, step.label, action.key or action.id)
        self._fate.reach("made_again")
        return ActionOutcome(result=result)

    def _probed(self, action: ActionView) -> Done | NotDone | CannotTell:
        is_ordered = self._hands.is_ordered(action.key or action.id)
        return Done(result="it is there") if is_ordered else NotDone()

    def _note(self, what: str, step: ScriptedStep) -> None:
        os.write(self._journal, f"{what} {step.number}\n".encode())


def _report_of(agent: Agent) -> LifeReport:
    context = agent.context
    shown = tuple(action.id for action in context.actions)
    unnamed = tuple(each for each in shown if each not in context.briefing.text)
    return LifeReport(unsettled=shown, unnamed=unnamed)


def say(said: LifeReport | LifeEnd) -> None:
    """Print a line, in one piece."""
    os.write(1, msgspec.json.encode(said) + b"\n")


def _live(life: Life, database: Path, folder: Path, port: int) -> None:
    fate = _Fate(life)
    apsw.connection_hooks.append(fate.watch)
    hands = Hands(folder, port, lambda: fate.reach("within"))
    with memory_of(database, FakeUptime(life.uptime_ms)) as memory:
        say(_Worker(life, fate, hands, journal_of(folder)).live(memory))


def _live_and_end(life: Life, database: Path, folder: Path, port: int) -> NoReturn:
    """Live, and end this process, whatever it came from."""
    signal.alarm(LIFE_SECONDS_MAX)
    exit_code = 1
    try:
        _live(life, database, folder, port)
        exit_code = 0
    except Exception:  # noqa: BLE001 -- a fork must not go on with the work of its parent
        traceback.print_exc()
    finally:
        os._exit(exit_code)


def _ended(pid: int, life: Life) -> LifeEnd:
    """Wait for the end of a life, and bring it where chance says so."""
    until = time.monotonic() + life.after_ms / 1_000
    while life.point == "random":
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return LifeEnd(exit_code=os.waitstatus_to_exitcode(status))
        if time.monotonic() >= until:
            os.kill(pid, signal.SIGKILL)
            break
        time.sleep(_POLL_SECONDS)
    _, status = os.waitpid(pid, 0)
    return LifeEnd(exit_code=os.waitstatus_to_exitcode(status))


def main(database: str, folder: str, port: str) -> None:
    """Live until there are no more lives."""
    for line in sys.stdin:
        life = msgspec.json.decode(line, type=Life)
        pid = os.fork()
        if pid == 0:
            _live_and_end(life, Path(database), Path(folder), int(port))
        say(_ended(pid, life))


if __name__ == "__main__":
    main(*sys.argv[1:4])
