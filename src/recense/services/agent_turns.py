"""Turns, outputs, working states and pointers: what an agent writes down of itself.

A turn is an event of the agent's session, so that what a briefing shows and what recall finds is
the same text; its record says where. Long content is an output as well: it stays whole in the
event, and the turn shows how it begins.
"""

from typing import Final

import msgspec
from msgspec.structs import replace

from recense.core.agents.identity import canonical_json
from recense.core.agents.ids import require_agent_id
from recense.core.agents.values import Output, StateUpdate, Turn, WorkingState, merged
from recense.core.text.json_text import settled_text
from recense.core.text.tokens import estimate_tokens
from recense.core.transcript.events import Note, Payload, Text, ToolResult
from recense.errors import InvalidRequest
from recense.limits import (
    AGENT_OUTPUT_BYTES_MAX,
    AGENT_STATE_BYTES_MAX,
    OUTPUT_SUMMARY_BYTES_MAX,
    OUTPUT_SUMMARY_CODE_POINTS,
    POINTER_BYTES_MAX,
    POINTERS_MAX,
    TITLE_CODE_POINTS_MAX,
    TURN_BRIEF_BYTES_MAX,
    TURN_EXCERPT_CODE_POINTS,
    TURN_TOKENS_MAX,
)
from recense.operations.agents import (
    AddedTurn,
    AddOutput,
    AddTurn,
    OutputView,
    PointerView,
    SetPointer,
    StateView,
)
from recense.services.admission import (
    require_bytes,
    require_identifier,
    require_no_credential,
    typed,
)
from recense.services.agent_reading import with_contents
from recense.services.agent_records import (
    KeptOutput,
    KeptPointer,
    KeptState,
    KeptTurn,
    message_record,
    output_event_id,
    output_record,
    output_ref,
    pointer_record,
    read_message,
    read_pointer,
    read_state,
    required_turn,
    state_record,
    turn_event_id,
    turn_record,
)
from recense.services.agent_store import AgentDraft, AgentStore, text_of
from recense.services.agent_views import (
    output_of,
    output_view,
    pointer_of,
    pointer_view,
    state_view,
    turn_of,
    turn_view,
)
from recense.services.agent_writer import AgentWriter


class AgentTurns:
    """Writes what an agent says of itself."""

    def __init__(self, writer: AgentWriter) -> None:
        self._writer: Final = writer
        self._store: Final = writer.store

    def update_state(self, update: StateUpdate) -> StateView:
        """Return the next version of the working state, with the fields that are given.

        Raises InvalidRequest for a state of more than AGENT_STATE_BYTES_MAX bytes of JSON.
        """
        update = typed(update, StateUpdate)
        with self._writer.writing() as draft:
            head = draft.head
            with self._store.reading() as reader:
                before = read_state(reader, head.agent, head.state_version)
            state = merged(WorkingState() if before is None else before.state, update)
            json, _ = self._store.hidden_json(canonical_json("the working state", state))
            if len(json) > AGENT_STATE_BYTES_MAX:
                raise InvalidRequest(
                    f"the working state of agent {head.agent!r} would have {len(json)} bytes of "
                    f"JSON; at most {AGENT_STATE_BYTES_MAX} are kept",
                    hint="keep long texts as outputs, and name them in the state",
                )
            state = msgspec.json.decode(json, type=WorkingState)
            kept = KeptState(version=head.state_version + 1, at=draft.now, state=state)
            draft.put(state_record(head.agent, kept))
            draft.head = replace(
                draft.head,
                state_version=kept.version,
                goal=state.goal[:TITLE_CODE_POINTS_MAX],
                step=state.step,
                milestone=state.milestone[:TITLE_CODE_POINTS_MAX],
            )
        return state_view(self._writer.agent, kept)

    def add_turn(self, turn: AddTurn) -> AddedTurn:
        """Keep a turn, and return it; one of a message that is there already changes nothing, and
        that one is returned. Raises InvalidRequest for one that cannot be kept.
        """
        turn = typed(turn, AddTurn)
        require_turn(turn)
        with self._writer.writing() as draft:
            known = known_turn(self._store, draft.head.agent, turn)
            added = draft_turn(self._store, draft, turn) if known is None else known
        return AddedTurn(is_new=known is None, turn=turn_view(added))

    def add_output(self, output: AddOutput) -> OutputView:
        """Keep an output and return it without its content. Raises InvalidRequest for one of more
        than AGENT_OUTPUT_BYTES_MAX bytes.
        """
        output = typed(output, AddOutput)
        with self._writer.writing() as draft:
            kept = draft_output(self._store, draft, output)
        return output_view(kept)

    def set_pointer(self, pointer: SetPointer) -> PointerView:
        """Keep a pointer in place of one of the same name, and return it. Raises InvalidRequest for
        one that cannot be kept, or that is one too many.
        """
        pointer = typed(pointer, SetPointer)
        require_agent_id("the name of a pointer", pointer.name)
        require_no_credential("the name of a pointer", pointer.name)
        json, _ = self._store.hidden_json(canonical_json("the pointer", pointer))
        if len(json) > POINTER_BYTES_MAX:
            raise InvalidRequest(
                f"pointer {pointer.name!r} has {len(json)} bytes of JSON; at most "
                f"{POINTER_BYTES_MAX} are kept",
                hint="keep what is long as an output, and name it in the pointer",
            )
        pointer = msgspec.json.decode(json, type=SetPointer)
        with self._writer.writing() as draft:
            agent = draft.head.agent
            with self._store.reading() as reader:
                before = read_pointer(reader, agent, pointer.name)
            if before is None or before.removed:
                if draft.head.pointers >= POINTERS_MAX:
                    raise InvalidRequest(
                        f"agent {agent!r} has {POINTERS_MAX} pointers, and no more are kept",
                        hint="remove pointers that are needed no longer",
                    )
                draft.head = replace(draft.head, pointers=draft.head.pointers + 1)
            kept = KeptPointer(
                name=pointer.name,
                type=pointer.type,
                fields=pointer.fields,
                note=pointer.note,
                at=draft.now,
            )
            draft.put(pointer_record(agent, kept))
        return pointer_view(pointer_of(kept))

    def remove_pointer(self, name: str) -> bool:
        """Remove a pointer, and return whether it was there; that it was stays on record."""
        require_agent_id("the name of a pointer", name)
        with self._writer.writing() as draft:
            agent = draft.head.agent
            with self._store.reading() as reader:
                before = read_pointer(reader, agent, name)
            if before is None or before.removed:
                return False
            gone = replace(before, fields={}, note="", at=draft.now, removed=True)
            draft.put(pointer_record(agent, gone))
            draft.head = replace(draft.head, pointers=draft.head.pointers - 1)
        return True


def known_turn(store: AgentStore, agent: str, turn: AddTurn) -> Turn | None:
    """Return the turn of an agent that is there already of the same message, or None. Raises
    StoreCorrupt where the record of that turn is missing.
    """
    if turn.message_id is None:
        return None
    with store.reading() as reader:
        message = read_message(reader, agent, turn.message_id)
        if message is None:
            return None
        kept = required_turn(reader, agent, message.seq)
    (turn_there,) = with_contents(store, [kept])
    return turn_there


def draft_turn(store: AgentStore, draft: AgentDraft, turn: AddTurn) -> Turn:
    """Put a turn, which `require_turn` let pass, into a draft and return it. Raises InvalidRequest
    where ``at`` is no instant.
    """
    head = draft.head
    seq = head.turns + 1
    event_id = turn_event_id(head.agent, seq)
    event = store.gated(event_id, _payload(turn, event_id), turn.at, draft.now)
    content = text_of(event.event.payload) or ""
    at = draft.now if event.event.at is None else event.event.at
    kept = KeptTurn(
        seq=seq,
        role=turn.role,
        name=turn.name,
        message_id=turn.message_id,
        brief=store.hidden(turn.brief),
        at=at,
        session=head.session,
        ordinal=0,
    )
    draft.head = replace(head, turns=seq)
    if is_long(content):
        number = draft.head.outputs + 1
        draft.head = replace(draft.head, outputs=number)
        excerpt = content[:TURN_EXCERPT_CODE_POINTS]
        kept = replace(kept, output_ref=output_ref(number), excerpt=excerpt)
        output = _kept_output(
            draft, number, tool=turn.name or turn.role, content=content, summary=None
        )
        draft.say(
            event,
            lambda ordinal: turn_record(head.agent, replace(kept, ordinal=ordinal)),
            lambda ordinal: output_record(head.agent, number, replace(output, ordinal=ordinal)),
        )
        content = excerpt
    else:
        draft.say(event, lambda ordinal: turn_record(head.agent, replace(kept, ordinal=ordinal)))
    if turn.message_id is not None:
        draft.put(message_record(head.agent, turn.message_id, seq))
    return turn_of(kept, content)


def draft_output(store: AgentStore, draft: AgentDraft, output: AddOutput) -> Output:
    """Put an output into a draft and return it. Raises InvalidRequest for one that cannot be
    kept.
    """
    require_identifier("tool", output.tool)
    require_bytes("the content of an output", output.content, AGENT_OUTPUT_BYTES_MAX)
    require_bytes("the summary of an output", output.summary or "", OUTPUT_SUMMARY_BYTES_MAX)
    number = draft.head.outputs + 1
    draft.head = replace(draft.head, outputs=number)
    agent, ref = draft.head.agent, output_ref(number)
    payload = ToolResult(call_id=ref, content=settled_text(output.content))
    event = store.gated(output_event_id(agent, number), payload, None, draft.now)
    kept = _kept_output(
        draft,
        number,
        tool=output.tool,
        content=text_of(event.event.payload) or "",
        summary=None if output.summary is None else store.hidden(output.summary),
    )
    draft.say(event, lambda ordinal: output_record(agent, number, replace(kept, ordinal=ordinal)))
    return output_of(kept, is_forgotten=False)


def is_long(text: str) -> bool:
    """Whether a text becomes an output, and how it begins stays in its place."""
    return estimate_tokens(text) > TURN_TOKENS_MAX


def _kept_output(
    draft: AgentDraft, number: int, *, tool: str, content: str, summary: str | None
) -> KeptOutput:
    return KeptOutput(
        ref=output_ref(number),
        tool=tool,
        summary=content[:OUTPUT_SUMMARY_CODE_POINTS] if summary is None else summary,
        length=len(content),
        size=len(content.encode()),
        at=draft.now,
        session=draft.head.session,
        ordinal=0,
    )


def _payload(turn: AddTurn, event_id: str) -> Payload:
    content = settled_text(turn.content)
    match turn.role:
        case "user":
            return Text(role="user", text=content)
        case "assistant":
            return Text(role="model", text=content)
        case "tool":
            return ToolResult(call_id=turn.message_id or event_id, content=content)
        case "system":
            return Note(text=content)


def require_turn(turn: AddTurn) -> None:
    """Raise InvalidRequest for a turn that cannot be kept."""
    if turn.name is not None:
        require_identifier("name", turn.name)
    if turn.message_id is not None:
        require_identifier("message_id", turn.message_id)
    require_bytes("brief", turn.brief, TURN_BRIEF_BYTES_MAX)
    require_bytes("the content of a turn", turn.content, AGENT_OUTPUT_BYTES_MAX)
