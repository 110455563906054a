"""How an agent's records lie in a store, all of them in the collection ``_agents``.

| id | what |
|---|---|
| ``A/agent`` | that there is the agent A; it is never written anew |
| ``A/head`` | where the agent stands: how much there is of what, who had it last |
| ``A/state/N`` | version N of its working state; every version is kept |
| ``A/turn/N`` | the N-th turn: all but its text, which is an event of the agent's session |
| ``A/message/M`` | which turn the message M is |
| ``A/output/N`` | the N-th output: all but its content, which is an event too |
| ``A/pointer/P`` | the pointer P; of one that was removed that it was |
| ``A/action/I`` | the action I |
| ``A/act/D`` | how many equal actions were settled, and which are not |

An agent's id has no slash, so no id of one agent is another's. What is read is read by its id; the
few lists there are go by the field that every store lists by at once.

Law of order: what a record refers to is written before it or with it. A version stands before the
head that names it in every commit, and an event is in the commit of its turn; so a store that keeps
commits whole never shows a half, and one that keeps them from the front shows the state before.
"""

from collections.abc import Iterable
from typing import Final, TypeVar

import msgspec

from recense.core.agents.ids import SESSION_NUMBER_MARK
from recense.core.agents.values import (
    Action,
    PointerType,
    TurnRole,
    WorkingState,
)
from recense.core.ids import event_id
from recense.core.transcript.records import AGENT_SOURCE, session_id_of
from recense.core.values import Value
from recense.errors import StoreCorrupt
from recense.ports.records import ContainsAny, Record, RecordReader, Where

AGENTS: Final = "_agents"

LISTS: Final = "touches"
"""The field that says which lists a record is in."""

KNOWN_AGENTS: Final = "agents"
"""The list of all agents."""

STARTED: Final = "observed_at"
"""The field by which actions are ordered."""

_HEAD: Final = "head"

_DIGITS: Final = 10
"""Digits of a number in an id, so that the order of ids is the order of numbers."""

_Body = TypeVar("_Body", bound=msgspec.Struct)


class KnownAgent(Value, kw_only=True):
    """That there is an agent."""

    agent: str


class Head(Value, kw_only=True):
    """Where an agent stands. ``taker`` is who took it under ``epoch``, by what a server knows of
    its caller: empty for who has the store itself, None where an earlier release wrote it.
    ``session`` holds its turns from now on: another after each time that its session was forgotten.
    ``goal``, ``step`` and ``milestone`` are those of its working state, for lists, and may be cut.
    ``writes`` counts its commits, so that no head is like one before.
    """

    agent: str
    session: str
    epoch: int = 0
    holder: str | None = None
    taker: str | None = None
    state_version: int = 0
    goal: str = ""
    step: int = 0
    milestone: str = ""
    turns: int = 0
    outputs: int = 0
    actions: int = 0
    unsettled: int = 0
    pointers: int = 0
    writes: int = 0
    last_at: int | None = None


class SeenHead(Value, kw_only=True):
    """Where an agent stands, and the record that said so; None where it wrote nothing yet."""

    head: Head
    record: Record | None = None


class KeptState(Value, kw_only=True):
    """A version of a working state."""

    version: int
    at: int
    state: WorkingState


class KeptTurn(Value, kw_only=True):
    """A turn, and where its text is. ``excerpt`` is how the text of an output begins."""

    seq: int
    role: TurnRole
    name: str | None = None
    message_id: str | None = None
    brief: str = ""
    output_ref: str | None = None
    excerpt: str | None = None
    at: int
    session: str
    ordinal: int


class MessageTurn(Value, kw_only=True):
    """Which turn a message is."""

    seq: int


class KeptOutput(Value, kw_only=True):
    """An output, and where its content is."""

    ref: str
    tool: str
    summary: str
    length: int
    size: int
    at: int
    session: str
    ordinal: int


class KeptPointer(Value, kw_only=True):
    """A pointer; one that was ``removed`` holds no more, and says so."""

    name: str
    type: PointerType
    fields: dict[str, str]
    note: str
    at: int
    removed: bool = False


class Act(Value, kw_only=True):
    """Equal actions: how many were settled, and the ids of those that are not, oldest first."""

    settled: int = 0
    unsettled: tuple[str, ...] = ()


def first_head(agent: str) -> Head:
    """Return where an agent stands that wrote nothing yet."""
    return Head(agent=agent, session=session_id_of(AGENT_SOURCE, agent))


def next_session(head: Head) -> str:
    """Return the session that follows the head's, which was forgotten or closed."""
    base = session_id_of(AGENT_SOURCE, head.agent)
    number = head.session.removeprefix(base).removeprefix(SESSION_NUMBER_MARK)
    return f"{base}{SESSION_NUMBER_MARK}{int(number or 1) + 1}"


def source_of(session: str) -> tuple[str, str]:
    """Return the source of an agent's session, and its id in the source's words."""
    source, _, name = session.partition(":")
    return source, name


def pointers_list(agent: str) -> str:
    """Return the name of the list of an agent's pointers that hold."""
    return f"{agent}/pointers"


def actions_list(agent: str) -> str:
    """Return the name of the list of an agent's actions."""
    return f"{agent}/actions"


def unsettled_list(agent: str) -> str:
    """Return the name of the list of an agent's actions that are open or of unknown outcome."""
    return f"{agent}/unsettled"


def listed(name: str) -> Where:
    """Return the condition that a record is in a list."""
    return (ContainsAny(field=LISTS, values=(name,)),)


def head_record(head: Head) -> Record:
    """Return the record of a head."""
    return _record(head.agent, _HEAD, head)


def head_records(head: Head) -> tuple[Record, ...]:
    """Return the records of a head that may be the first of its agent."""
    known = _record(head.agent, "agent", KnownAgent(agent=head.agent), KNOWN_AGENTS)
    return known, head_record(head)


def state_record(agent: str, state: KeptState) -> Record:
    """Return the record of a version of a working state."""
    return _record(agent, f"state/{_number(state.version)}", state)


def turn_record(agent: str, turn: KeptTurn) -> Record:
    """Return the record of a turn."""
    return _record(agent, f"turn/{_number(turn.seq)}", turn)


def message_record(agent: str, message_id: str, seq: int) -> Record:
    """Return the record of which turn a message is."""
    return _record(agent, f"message/{message_id}", MessageTurn(seq=seq))


def output_record(agent: str, number: int, output: KeptOutput) -> Record:
    """Return the record of an output."""
    return _record(agent, f"output/{_number(number)}", output)


def pointer_record(agent: str, pointer: KeptPointer) -> Record:
    """Return the record of a pointer; one that was removed is in no list."""
    lists = () if pointer.removed else (pointers_list(agent),)
    return _record(agent, f"pointer/{pointer.name}", pointer, *lists)


def action_record(agent: str, action: Action) -> Record:
    """Return the record of an action."""
    unsettled = () if action.is_settled else (unsettled_list(agent),)
    record = _record(agent, f"action/{action.action_id}", action, actions_list(agent), *unsettled)
    fields = {**record.fields, STARTED: action.started_at}
    return msgspec.structs.replace(record, fields=fields)


def action_record_id(agent: str, action_id: str) -> str:
    """Return the id of the record of an action, for a page that begins behind it."""
    return f"{agent}/action/{action_id}"


def act_record(agent: str, act_id: str, act: Act) -> Record:
    """Return the record of what is known of equal actions."""
    return _record(agent, f"act/{act_id}", act)


def read_head(reader: RecordReader, agent: str) -> Head | None:
    """Return where an agent stands, or None for one that wrote nothing."""
    seen = read_seen_head(reader, agent)
    return None if seen.record is None else seen.head


def read_seen_head(reader: RecordReader, agent: str) -> SeenHead:
    """Return where an agent stands, with the record that says so."""
    record_id = f"{agent}/{_HEAD}"
    record = reader.get(AGENTS, (record_id,)).get(record_id)
    head = first_head(agent) if record is None else decoded(record, Head)
    return SeenHead(head=head, record=record)


def read_heads(reader: RecordReader, agents: Iterable[str]) -> list[Head]:
    """Return where agents stand, in the order given."""
    return _many(reader, [f"{agent}/{_HEAD}" for agent in agents], Head)


def turn_event_id(agent: str, seq: int) -> str:
    """Return the id of the event that is a turn."""
    return event_id(AGENT_SOURCE, f"{agent}/turn", seq)


def output_event_id(agent: str, number: int) -> str:
    """Return the id of the event that is an output."""
    return event_id(AGENT_SOURCE, f"{agent}/output", number)


def read_state(reader: RecordReader, agent: str, version: int) -> KeptState | None:
    """Return a version of a working state."""
    return _one(reader, f"{agent}/state/{_number(version)}", KeptState)


def read_message(reader: RecordReader, agent: str, message_id: str) -> MessageTurn | None:
    """Return which turn a message is."""
    return _one(reader, f"{agent}/message/{message_id}", MessageTurn)


def read_turns(reader: RecordReader, agent: str, first: int, last: int) -> list[KeptTurn]:
    """Return the turns with these numbers that there are, in order."""
    ids = [f"{agent}/turn/{_number(seq)}" for seq in range(max(1, first), last + 1)]
    return _many(reader, ids, KeptTurn)


def required_turn(reader: RecordReader, agent: str, seq: int) -> KeptTurn:
    """Return the turn of a number that another record names. Raises StoreCorrupt where it is not
    there.
    """
    turn = _one(reader, f"{agent}/turn/{_number(seq)}", KeptTurn)
    if turn is None:
        raise StoreCorrupt(
            f"turn {seq} of agent {agent!r} is not there, and a message is said to be that turn",
            hint="run recense doctor; give the message another id to keep it again",
        )
    return turn


def read_outputs(reader: RecordReader, agent: str, first: int, last: int) -> list[KeptOutput]:
    """Return the outputs with these numbers that there are, in order."""
    ids = [f"{agent}/output/{_number(each)}" for each in range(max(1, first), last + 1)]
    return _many(reader, ids, KeptOutput)


def read_pointer(reader: RecordReader, agent: str, name: str) -> KeptPointer | None:
    """Return a pointer, also one that was removed."""
    return _one(reader, f"{agent}/pointer/{name}", KeptPointer)


def read_action(reader: RecordReader, agent: str, action_id: str) -> Action | None:
    """Return an action."""
    return _one(reader, action_record_id(agent, action_id), Action)


def read_act(reader: RecordReader, agent: str, act_id: str) -> Act:
    """Return what is known of equal actions."""
    return _one(reader, f"{agent}/act/{act_id}", Act) or Act()


def output_ref(number: int) -> str:
    """Return the reference to the output of a number."""
    return f"o{number}"


def output_number(ref: str) -> int | None:
    """Return the number of an output, or None for what is no reference to one."""
    digits = ref.removeprefix("o")
    is_ref = ref.startswith("o") and digits.isascii() and digits.isdigit()
    return int(digits) if is_ref and len(digits) <= _DIGITS else None


def decoded(record: Record, kind: type[_Body]) -> _Body:
    """Return what a record says. Raises StoreCorrupt for one that says nothing of the kind."""
    try:
        return msgspec.json.decode(record.body, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise StoreCorrupt(
            f"record {record.record_id!r} of {record.collection!r} cannot be read: {error}",
            hint="run recense doctor",
        ) from error


def _one(reader: RecordReader, record_id: str, kind: type[_Body]) -> _Body | None:
    record = reader.get(AGENTS, (record_id,)).get(record_id)
    return None if record is None else decoded(record, kind)


def _many(reader: RecordReader, record_ids: list[str], kind: type[_Body]) -> list[_Body]:
    found = reader.get(AGENTS, record_ids)
    return [decoded(found[each], kind) for each in record_ids if each in found]


def _record(agent: str, name: str, body: msgspec.Struct, *lists: str) -> Record:
    return Record(
        collection=AGENTS,
        record_id=f"{agent}/{name}",
        body=msgspec.json.encode(body),
        fields={LISTS: lists} if lists else {},
    )


def _number(number: int) -> str:
    return f"{number:0{_DIGITS}}"
