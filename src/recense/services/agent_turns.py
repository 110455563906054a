"""Turns and outputs: what an agent says, and what it is told.

A turn is an event of the agent's session, so that what a briefing shows and what recall finds is
the same text; its record says where. Long content is an output as well: it stays whole in the
event, and the turn shows how it begins.
"""

from typing import Final

from msgspec.structs import replace

from recense.core.agents.values import Output, Turn
from recense.core.text.json_text import settled_text
from recense.core.text.tokens import estimate_tokens
from recense.core.transcript.events import Note, Payload, Text, ToolResult
from recense.limits import (
    AGENT_OUTPUT_BYTES_MAX,
    OUTPUT_SUMMARY_BYTES_MAX,
    OUTPUT_SUMMARY_CODE_POINTS,
    TURN_BRIEF_BYTES_MAX,
    TURN_EXCERPT_CODE_POINTS,
    TURN_TOKENS_MAX,
)
from recense.operations.agents import (
    AddedTurn,
    AddOutput,
    AddTurn,
    OutputView,
)
from recense.services.admission import (
    require_bytes,
    require_identifier,
    typed,
)
from recense.services.agent_reading import with_contents
from recense.services.agent_records import (
    KeptOutput,
    KeptTurn,
    message_record,
    output_event_id,
    output_record,
    output_ref,
    read_message,
    required_turn,
    turn_event_id,
    turn_record,
)
from recense.services.agent_store import AgentDraft, AgentStore, text_of
from recense.services.agent_views import (
    output_of,
    output_view,
    turn_of,
    turn_view,
)
from recense.services.agent_writer import AgentWriter


class AgentTurns:
    """Writes what an agent says, and what its tools gave."""

    def __init__(self, writer: AgentWriter) -> None:
        self._writer: Final = writer
        self._store: Final = writer.store

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
