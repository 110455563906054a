"""Agents over each pair of stores, with clocks that a test moves."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from recense.core.agents.values import ActionClass, FoundMemory
from recense.errors import LeaseLost, StoreFault
from recense.limits import LEASE_TTL_MS
from recense.operations.agents import AddTurn, BeginAction, BegunAction, ResumeAgent
from recense.ports.records import RecordStore
from recense.ports.transcripts import TranscriptStore
from recense.services.agent import Agent
from recense.services.agent_briefing import MemoriesFound
from recense.services.agent_store import AgentStore
from recense.services.agents import Agents
from recense.testing import FakeClock, FakeUptime
from tests.conformance.joint_openers import OpenStores, in_file, in_memory

T0: Final = 1_700_000_000_000_000
STORES: Final = ("memory", "sqlite")
SECRET: Final = "AKIA" + "IOSFODNN7" + "EXAMPLE"
"""Shaped like a key that no text may keep."""


class AgentWorld:
    """Two stores on one place, and processes that keep agents in them."""

    def __init__(self, stores: OpenStores, uptime: FakeUptime) -> None:
        self.stores: Final = stores
        self.uptime: Final = uptime
        self.clock: Final = FakeClock(T0)
        self.found: dict[str, MemoriesFound] = {}
        self._processes: Final[list[Agents]] = []
        self.here: Final = self.process("here")

    def process(
        self,
        holder: str,
        *,
        clock: FakeClock | None = None,
        transcripts: TranscriptStore | None = None,
        records: RecordStore | None = None,
        redact_secrets: bool = True,
    ) -> Agents:
        """Return the agents as a process of this name has them."""
        store = AgentStore(
            transcripts or self.stores.transcripts,
            records or self.stores.records,
            clock or self.clock,
            redact_secrets=redact_secrets,
        )
        agents = Agents(store, self._memories, holder=holder)
        self._processes.append(agents)
        return agents

    def resume(self, agent: str = "worker", **fields: object) -> Agent:
        """Resume an agent here."""
        return self.here.resume(msgspec.convert({"agent": agent, **fields}, ResumeAgent))

    def after_a_kill(self, agent: str = "worker") -> Agent:
        """Return the agent as another process resumes it, when the holder before was killed."""
        self.uptime.advance(LEASE_TTL_MS + 1)
        return self.process("another").resume(ResumeAgent(agent=agent))

    def remember(self, question: str, *memories: FoundMemory) -> None:
        """Let a question find memories."""
        self.found[question] = MemoriesFound(memories=memories)

    def end(self) -> None:
        """End every process."""
        for agents in self._processes:
            try:
                agents.release_all()
            except (LeaseLost, StoreFault):
                continue  # a store that fails on purpose
        self.stores.close()

    def _memories(self, question: str, _passages: int) -> MemoriesFound:
        return self.found.get(question, MemoriesFound())


@contextmanager
def agent_world(kind: str, folder: Path) -> Generator[AgentWorld]:
    """Give the agents of a store of a kind."""
    uptime = FakeUptime()
    stores = in_memory(uptime) if kind == "memory" else in_file(folder / "store.db", uptime)
    world = AgentWorld(stores, uptime)
    try:
        yield world
    finally:
        world.end()


def begin(
    agent: Agent,
    action_class: ActionClass = "unsafe",
    *,
    tool: str = "send",
    args: object = None,
    call_id: str | None = None,
    key: str | None = None,
) -> BegunAction:
    """Begin an action."""
    request = BeginAction(tool=tool, action_class=action_class, args=args, call_id=call_id, key=key)
    return agent.begin_action(request)


def say(content: str, message_id: str | None = None, **fields: object) -> AddTurn:
    """Return a turn of a user."""
    turn = AddTurn(role="user", content=content, message_id=message_id)
    return msgspec.structs.replace(turn, **fields)


def statuses(agents: Agents, agent: str = "worker") -> Mapping[str, str]:
    """Return the status of every action of an agent, by id."""
    return {each.id: each.status for each in agents.actions(agent, limit=1_000).actions}
