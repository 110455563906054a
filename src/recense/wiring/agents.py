"""The agents of a memory, joined when they are asked for: a plain recall loads none of this."""

import os

from recense.ports.clock import Clock
from recense.services.agent_memories import AgentMemories
from recense.services.agent_store import AgentStore
from recense.services.agents import Agents
from recense.services.recall import Recall
from recense.wiring.late import Stores


def join_agents(stores: Stores, recall: Recall, clock: Clock, *, redact_secrets: bool) -> Agents:
    """Return the agents of stores, held by this process where they are resumed."""
    store = AgentStore(stores.transcripts, stores.records, clock, redact_secrets=redact_secrets)
    return Agents(store, AgentMemories(recall).find, holder=f"process {os.getpid()}")
