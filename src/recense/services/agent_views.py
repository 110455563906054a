"""What an agent wrote down, as it leaves on the wire."""

import msgspec

from recense.core.agents.values import Action, FoundMemory, Output, Pointer, Turn, WorkingState
from recense.core.instants import text_from_instant
from recense.operations.agents import (
    ActionView,
    AgentSummary,
    BriefedMemory,
    DecisionView,
    OutputView,
    PointerView,
    StateView,
    TurnView,
)
from recense.services.agent_records import Head, KeptOutput, KeptPointer, KeptState, KeptTurn


def state_view(agent: str, kept: KeptState | None) -> StateView:
    """Return a version of a working state; None is that there is none yet."""
    if kept is None:
        return StateView(agent=agent, version=0, at=None, state=WorkingState())
    return StateView(
        agent=agent, version=kept.version, at=text_from_instant(kept.at), state=kept.state
    )


def turn_of(kept: KeptTurn, content: str | None, *, is_forgotten: bool = False) -> Turn:
    """Return a turn with its text, which of one that is kept as an output is how it begins; without
    any where its session was forgotten.
    """
    return Turn(
        seq=kept.seq,
        role=kept.role,
        name=kept.name,
        content=None if is_forgotten else content,
        message_id=kept.message_id,
        brief="" if is_forgotten else kept.brief,
        output_ref=kept.output_ref,
        at=kept.at,
    )


def turn_view(turn: Turn) -> TurnView:
    """Return a turn as it leaves."""
    return TurnView(
        seq=turn.seq,
        role=turn.role,
        name=turn.name,
        content=turn.content,
        message_id=turn.message_id,
        brief=turn.brief,
        output_ref=turn.output_ref,
        at=text_from_instant(turn.at),
    )


def output_of(kept: KeptOutput, *, is_forgotten: bool) -> Output:
    """Return an output without its place, and without a summary where its session was forgotten."""
    return Output(
        ref=kept.ref,
        tool=kept.tool,
        summary="" if is_forgotten else kept.summary,
        length=kept.length,
        size=kept.size,
        at=kept.at,
    )


def output_view(output: Output) -> OutputView:
    """Return an output as it leaves."""
    return OutputView(
        ref=output.ref,
        tool=output.tool,
        summary=output.summary,
        length=output.length,
        bytes=output.size,
        at=text_from_instant(output.at),
    )


def pointer_of(kept: KeptPointer) -> Pointer:
    """Return a pointer that holds."""
    return Pointer(name=kept.name, type=kept.type, fields=kept.fields, note=kept.note, at=kept.at)


def pointer_view(pointer: Pointer) -> PointerView:
    """Return a pointer as it leaves."""
    return PointerView(
        name=pointer.name,
        type=pointer.type,
        fields=pointer.fields,
        note=pointer.note,
        at=text_from_instant(pointer.at),
    )


def action_view(agent: str, action: Action) -> ActionView:
    """Return an action as it leaves. What is long, and lies in an output, is a text here: how its
    JSON begins.
    """
    outcome = action.outcome
    result = None if outcome is None else outcome.result
    return ActionView(
        id=action.action_id,
        agent=agent,
        tool=action.tool,
        action_class=action.action_class,
        status=action.status,
        args=_json(action.args, action.args_ref),
        args_ref=action.args_ref,
        args_redacted=action.args_redacted,
        call_id=action.call_id,
        key=action.key,
        occurrence=action.occurrence,
        started_at=text_from_instant(action.started_at),
        epoch=action.epoch,
        step=action.step,
        attempts=action.attempts,
        result=_json(result, None if outcome is None else outcome.result_ref),
        result_ref=None if outcome is None else outcome.result_ref,
        ended_at=None if outcome is None else text_from_instant(outcome.ended_at),
        settled_by=None if outcome is None else outcome.settled_by,
        note="" if outcome is None else outcome.note,
        decisions=tuple(
            DecisionView(status=each.status, at=text_from_instant(each.ended_at), note=each.note)
            for each in action.decisions
        ),
    )


def memory_view(memory: FoundMemory) -> BriefedMemory:
    """Return a memory as it leaves."""
    return BriefedMemory(
        kind=memory.kind,
        id=memory.name,
        text=memory.text,
        at=memory.at,
        session=memory.session,
    )


def summary_view(head: Head) -> AgentSummary:
    """Return where an agent stands."""
    return AgentSummary(
        agent=head.agent,
        session=head.session,
        goal=head.goal,
        step=head.step,
        milestone=head.milestone,
        state_version=head.state_version,
        turns=head.turns,
        outputs=head.outputs,
        actions=head.actions,
        unsettled=head.unsettled,
        pointers=head.pointers,
        epoch=head.epoch,
        holder=head.holder,
        last_at=None if head.last_at is None else text_from_instant(head.last_at),
    )


def _json(text: str | None, ref: str | None) -> object:
    if text is None:
        return None
    return text if ref is not None else msgspec.json.decode(text)
