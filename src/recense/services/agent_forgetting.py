"""Forgetting an agent's session: the words of it that its records repeat go with it.

Law: whoever holds the agent is not disturbed. Turns and outputs are written once, in the commit of
their events, and never again by any holder, so that they can be written over without its lease;
actions are written over by their holder alone, keep what they are called with and what they came
to, and so go on keeping a thing from being done twice.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec.structs import replace

from recense.ports.records import Record, RecordStore
from recense.services.agent_records import (
    output_number,
    output_record,
    read_head,
    read_outputs,
    read_turns,
    source_of,
    turn_record,
)

_READ_AT_ONCE: Final = 1_000
"""Records that are read, and written over, in one step."""


def forget_repeated_words(records: RecordStore, sessions: Sequence[str]) -> None:
    """Write over what records of turns and outputs repeat of sessions of agents: what a turn comes
    to, how a long one begins, the summaries of outputs. A second call does nothing.
    """
    for session in sessions:
        agent = source_of(session)[1].partition("~")[0]
        with records.snapshot() as reader:
            head = read_head(reader, agent)
        if head is None:
            continue
        for numbers in _steps(max(head.turns, head.outputs)):
            with records.snapshot() as reader:
                turns = read_turns(reader, agent, numbers[0], numbers[-1])
                outputs = read_outputs(reader, agent, numbers[0], numbers[-1])
            blank: list[Record] = [
                turn_record(
                    agent, replace(each, brief="", excerpt=None if each.excerpt is None else "")
                )
                for each in turns
                if each.session == session and (each.brief or each.excerpt)
            ]
            blank += (
                output_record(agent, output_number(each.ref) or 0, replace(each, summary=""))
                for each in outputs
                if each.session == session and each.summary
            )
            if blank:
                records.put(blank)


def _steps(count: int) -> Iterable[range]:
    return (
        range(first, min(first + _READ_AT_ONCE, count + 1))
        for first in range(1, count + 1, _READ_AT_ONCE)
    )
