"""A process that holds agents in a file, and may be stopped or killed.

usage: python -m tests.end_to_end.agent_child stall FOLDER TTL_MS
       python -m tests.end_to_end.agent_child write FOLDER WRITER AGENTS
       python -m tests.end_to_end.agent_child work FOLDER TTL_MS

``stall`` takes an agent, says so, and writes when it is told to; it says what came of it. ``write``
says one thing as each of so many agents, waiting for whoever has it. ``work`` resumes an agent and
touches the world, which is a file, by calls of each class until somebody kills it.
"""

import sys
import threading
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Final

from recense.core.agents.values import ACTION_CLASSES, StateUpdate
from recense.errors import LeaseHeld, RecenseError
from recense.operations.agents import (
    ActionOutcome,
    ActionView,
    AddTurn,
    BeginAction,
    Done,
    EndAction,
    NotDone,
    Probed,
    ResumeAgent,
)
from recense.services.agent import Agent
from recense.services.agent_reconciling import ActionHandler
from recense.services.memory import Memory
from recense.wiring import open_url

ATTEMPTS_MAX: Final = 6_000
PAUSE_SECONDS: Final = 0.01


def memory_in(folder: Path) -> Memory:
    """Return the memory in a file in a folder, by the clocks of the system."""
    return open_url(f"sqlite:///{folder}/recense.db")


def resumed(memory: Memory, request: ResumeAgent) -> Agent:
    """Return an agent, when whoever has it gave it back or its time is over."""
    pause = threading.Event()
    for _ in range(ATTEMPTS_MAX):
        try:
            return memory.agents.resume(request)
        except LeaseHeld:
            pause.wait(PAUSE_SECONDS)
    return memory.agents.resume(request)


class World:
    """A file, to which each call adds a line: the call's key, else its id."""

    def __init__(self, folder: Path) -> None:
        self._file: Final = folder / "world.txt"
        self.handler: Final = ActionHandler(
            run_again=self.touch, probe=self.probe, when_not_done="run_again"
        )

    def lines(self) -> list[str]:
        """Return the lines there are."""
        return self._file.read_text(encoding="utf-8").split() if self._file.exists() else []

    def touch(self, action: ActionView) -> ActionOutcome:
        """Make a call; one with a key counts once however often it is made."""
        if action.key is None or action.key not in self.lines():
            with self._file.open("a", encoding="utf-8") as file:
                file.write(f"{action.id if action.key is None else action.key}\n")
        return ActionOutcome(result="done")

    def probe(self, action: ActionView) -> Probed:
        """Return whether a call was made."""
        return Done() if action.id in self.lines() else NotDone()


def stall(folder: Path, ttl_ms: int) -> None:
    """Take an agent, and write when told to."""
    with memory_in(folder) as memory:
        agent = memory.agents.resume(ResumeAgent(agent="worker", holder="stalled", ttl_ms=ttl_ms))
        _say("held")
        sys.stdin.readline()
        try:
            agent.add_turn(AddTurn(role="user", content="late"))
        except RecenseError as error:
            _say(f"{error.code} {error.message}")
        else:
            _say("kept")


def write(folder: Path, writer: str, agents: int) -> None:
    """Say one thing as each agent."""
    with memory_in(folder) as memory:
        for number in range(agents):
            request = ResumeAgent(agent=f"agent-{number}", holder=writer)
            with resumed(memory, request) as agent:
                agent.add_turn(AddTurn(role="user", content=writer, message_id=writer))


def work(folder: Path, ttl_ms: int) -> None:
    """Touch the world until killed."""
    world = World(folder)
    with memory_in(folder) as memory:
        agent = resumed(memory, ResumeAgent(agent="worker", ttl_ms=ttl_ms))
        agent.reconcile(dict.fromkeys(ACTION_CLASSES, world.handler))
        _say("reconciled")
        first = agent.context.state.state.step
        for step in count(first):
            action_class = ACTION_CLASSES[step % len(ACTION_CLASSES)]
            request = BeginAction(tool=action_class, action_class=action_class, args=step)
            begun = agent.begin_action(request)
            if begun.proceed:
                outcome = world.touch(begun.action)
                agent.end_action(EndAction(action=begun.id, result=outcome.result))
            agent.update_state(StateUpdate(step=step + 1))
            _say(begun.id)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


TASKS: Final[dict[str, Callable[[Path, list[str]], None]]] = {
    "stall": lambda folder, rest: stall(folder, int(rest[0])),
    "write": lambda folder, rest: write(folder, rest[0], int(rest[1])),
    "work": lambda folder, rest: work(folder, int(rest[0])),
}

if __name__ == "__main__":
    TASKS[sys.argv[1]](Path(sys.argv[2]), sys.argv[3:])
