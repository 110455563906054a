"""What an agent is given when it resumes: its records, memories that match, one briefing.

Law: it is put together from records alone, so that equal records give an equal briefing; who holds
the lease, since when and under which epoch is beside it and never in it.
"""

from collections.abc import Callable, Container, Sequence
from typing import Final

from msgspec.structs import replace

from recense.core.agents.briefing import (
    BriefedRecords,
    Tokens,
    WrittenBriefing,
    write_briefing,
)
from recense.core.agents.values import FoundMemory, Turn, WorkingState
from recense.core.ids import split_anchor
from recense.core.values import Value
from recense.errors import InvalidRequest
from recense.limits import (
    BRIEFING_OUTPUTS_MAX,
    BRIEFING_PAGE_TURNS,
    BRIEFING_PASSAGES_MAX,
    BRIEFING_TOKENS_MAX,
    QUESTION_CODE_POINTS_MAX,
    TOKENS_PER_PASSAGE,
)
from recense.operations.agents import AgentContext, Briefing, Omitted
from recense.ports.records import RecordReader
from recense.services.agent_reading import pointers_of, unsettled_actions, with_contents
from recense.services.agent_records import (
    Head,
    read_outputs,
    read_state,
    read_turns,
    turn_event_id,
)
from recense.services.agent_store import AgentStore
from recense.services.agent_views import (
    action_view,
    memory_view,
    output_of,
    output_view,
    pointer_view,
    state_view,
    turn_view,
)


class MemoriesFound(Value, kw_only=True):
    """Memories that match, the best first, or why there are none to be had."""

    memories: tuple[FoundMemory, ...] = ()
    unavailable: str = ""


FindMemories = Callable[[str, int], MemoriesFound]
"""Returns the memories that match a text: facts, and at most so many passages."""

_A_HEADING: Final = "turn 1, user, 2026-01-31T09:30:00.000000Z:"
"""What a turn costs at least beside its text."""


def require_token_budget(token_budget: int) -> None:
    """Raise InvalidRequest for a budget outside 1 to BRIEFING_TOKENS_MAX."""
    if not 1 <= token_budget <= BRIEFING_TOKENS_MAX:
        raise InvalidRequest(f"token_budget is {token_budget}; expected 1 to {BRIEFING_TOKENS_MAX}")


class AgentBriefing:
    """Puts contexts together."""

    def __init__(self, store: AgentStore, find_memories: FindMemories) -> None:
        self._store: Final = store
        self._find_memories: Final = find_memories

    def context(
        self, reader: RecordReader, head: Head, token_budget: int, tokens: Tokens
    ) -> AgentContext:
        """Return the context of an agent that stands where its head says. Raises InvalidRequest for
        a budget outside its bounds.
        """
        require_token_budget(token_budget)
        agent = head.agent
        kept = read_state(reader, agent, head.state_version)
        state = WorkingState() if kept is None else kept.state
        actions = unsettled_actions(reader, agent)
        pointers = pointers_of(reader, agent)
        outputs = read_outputs(reader, agent, head.outputs - BRIEFING_OUTPUTS_MAX + 1, head.outputs)
        held = {each: self._store.holds(each) for each in {kept.session for kept in outputs}}
        turns = self._newest_turns(reader, head, token_budget, tokens)
        found = self._memories(state, head, turns, token_budget)
        records = BriefedRecords(
            agent=agent,
            state=state,
            state_version=head.state_version,
            state_at=None if kept is None else kept.at,
            actions=actions,
            pointers=pointers,
            outputs=tuple(
                output_of(each, is_forgotten=not held[each.session]) for each in reversed(outputs)
            ),
            outputs_total=head.outputs,
            memories=found.memories,
            memories_unavailable=found.unavailable,
            turns=turns,
            turns_total=head.turns,
        )
        written = write_briefing(records, token_budget, tokens)
        return AgentContext(
            agent=agent,
            session=head.session,
            epoch=head.epoch,
            holder=head.holder,
            state=state_view(agent, kept),
            actions=tuple(action_view(agent, each) for each in actions),
            pointers=tuple(pointer_view(each) for each in pointers),
            outputs=tuple(output_view(each) for each in written.outputs),
            memories=tuple(memory_view(each) for each in written.memories),
            turns=tuple(turn_view(each) for each in written.turns),
            turns_total=head.turns,
            outputs_total=head.outputs,
            briefing=_briefing(written, records, token_budget),
        )

    def _memories(
        self, state: WorkingState, head: Head, turns: Sequence[Turn], token_budget: int
    ) -> MemoriesFound:
        """Return what matches the focus and the open questions, nothing for none of them; but for
        the agent's own newest turns, which are shown as such.
        """
        asked = " ".join((state.focus, *state.open_questions)).strip()
        if not asked:
            return MemoriesFound()
        passages = min(BRIEFING_PASSAGES_MAX, -(-token_budget // TOKENS_PER_PASSAGE))
        found = self._find_memories(asked[:QUESTION_CODE_POINTS_MAX], passages)
        if all(each.session != head.session for each in found.memories):
            return found
        own = {turn_event_id(head.agent, each.seq) for each in turns}
        return replace(
            found, memories=tuple(each for each in found.memories if not _is_of(each, head, own))
        )

    def _newest_turns(
        self, reader: RecordReader, head: Head, token_budget: int, tokens: Tokens
    ) -> tuple[Turn, ...]:
        """Return the newest turns in order, a few more than the budget can hold."""
        found: list[Turn] = []
        cost, last, heading = 0, head.turns, tokens(_A_HEADING)
        while last > 0 and cost <= token_budget:
            kept = read_turns(reader, head.agent, last - BRIEFING_PAGE_TURNS + 1, last)
            page = with_contents(self._store, kept)
            cost += sum(tokens(each.content or "") + heading for each in page)
            found[:0] = page
            last -= BRIEFING_PAGE_TURNS
        return tuple(found)


def _is_of(memory: FoundMemory, head: Head, events: Container[str]) -> bool:
    """Whether a memory is a passage of an agent's session that one of these events begins."""
    return memory.session == head.session and split_anchor(memory.name)[1] in events


def _briefing(written: WrittenBriefing, records: BriefedRecords, token_budget: int) -> Briefing:
    turns, memories, outputs = map(len, (written.turns, written.memories, written.outputs))
    return Briefing(
        text=written.text,
        tokens=written.tokens,
        token_budget=token_budget,
        turns=turns,
        memories=memories,
        outputs=outputs,
        omitted=Omitted(
            turns=records.turns_total - turns,
            memories=len(records.memories) - memories,
            outputs=records.outputs_total - outputs,
        ),
        memories_unavailable=records.memories_unavailable,
    )
