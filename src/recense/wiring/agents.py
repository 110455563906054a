"""How the agents of a memory are joined; loaded when they are first asked for."""

import os
from typing import Protocol

from recense.ports.clock import Clock
from recense.services.agent_recall import AgentRecall
from recense.services.agent_store import AgentStore
from recense.services.agents import Agents
from recense.services.recall import Recall
from recense.wiring.late import Stores


class MakeAgents(Protocol):
    """What `agents_of` is, for who loads it by its name."""

    def __call__(
        self, stores: Stores, recall: Recall, clock: Clock, *, redact_secrets: bool
    ) -> Agents:
        """See `agents_of`."""
        ...


def agents_of(stores: Stores, recall: Recall, clock: Clock, *, redact_secrets: bool) -> Agents:
    """Return the agents of stores, held by this process where they are resumed."""
    store = AgentStore(stores.transcripts, stores.records, clock, redact_secrets=redact_secrets)
    return Agents(store, AgentRecall(recall).find, holder=f"process {os.getpid()}")
