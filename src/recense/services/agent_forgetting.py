"""Forgetting what an agent's session said, also where records repeat how it began.

Law: it comes after the session is gone from the ledger, so that whoever is killed in between does
it again when the session is named again. A holder writes none of these records anew and nothing
more into that session, so nobody's lease is asked for.
"""

from collections.abc import Iterable

from msgspec.structs import replace

from recense.core.agents.ids import agent_of
from recense.limits import AGENT_RECORDS_AT_ONCE
from recense.ports.records import Record
from recense.services.agent_records import (
    AGENTS,
    Head,
    output_number,
    output_record,
    read_head,
    read_outputs,
    read_turns,
    turn_record,
)
from recense.services.agent_store import AgentStore


def forget_texts(store: AgentStore, sessions: Iterable[str]) -> int:
    """Take out of the records of agents what sessions said that were forgotten: how turns and
    outputs began, and what they came to in few words. Return how many records there were with
    such. Their bytes are gone as far as readers of an earlier moment let it. A second call finds
    nothing.
    """
    changed = 0
    for session in sessions:
        agent = agent_of(session)
        with store.reading() as reader:
            head = None if agent is None else read_head(reader, agent)
        if head is not None:
            changed += _forget(store, head, session)
    store.records.delete(AGENTS, ())  # overwrites what was replaced
    return changed


def _forget(store: AgentStore, head: Head, session: str) -> int:
    changed = 0
    for first in range(1, max(head.turns, head.outputs) + 1, AGENT_RECORDS_AT_ONCE):
        found = _blanked(store, head.agent, session, first, first + AGENT_RECORDS_AT_ONCE - 1)
        store.records.put(found)
        changed += len(found)
    return changed


def _blanked(store: AgentStore, agent: str, session: str, first: int, last: int) -> list[Record]:
    """Return the records between two numbers that say something of a session, without that."""
    with store.reading() as reader:
        turns = read_turns(reader, agent, first, last)
        outputs = read_outputs(reader, agent, first, last)
    return [
        *(
            turn_record(agent, replace(turn, brief="", excerpt=turn.excerpt and ""))
            for turn in turns
            if turn.session == session and (turn.brief or turn.excerpt)
        ),
        *(
            output_record(agent, output_number(output.ref) or 0, replace(output, summary=""))
            for output in outputs
            if output.session == session and output.summary
        ),
    ]
