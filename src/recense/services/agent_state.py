"""Working states and pointers: where an agent stands, and where things lie that it will need.

Every version of a working state is kept, and is written before the head that names it.
"""

from typing import Final

import msgspec
from msgspec.structs import replace

from recense.core.agents.identity import canonical_json
from recense.core.agents.ids import require_agent_id
from recense.core.agents.values import StateUpdate, WorkingState, merged
from recense.errors import InvalidRequest
from recense.limits import (
    AGENT_STATE_BYTES_MAX,
    POINTER_BYTES_MAX,
    POINTERS_MAX,
    TITLE_CODE_POINTS_MAX,
)
from recense.operations.agents import PointerView, SetPointer, StateView
from recense.services.admission import require_json_bytes, require_no_credential, typed
from recense.services.agent_records import (
    KeptPointer,
    KeptState,
    pointer_record,
    read_pointer,
    read_state,
    state_record,
)
from recense.services.agent_views import pointer_of, pointer_view, state_view
from recense.services.agent_writer import AgentWriter


class AgentState:
    """Writes where an agent stands."""

    def __init__(self, writer: AgentWriter) -> None:
        self._writer: Final = writer
        self._store: Final = writer.store

    def update_state(self, update: StateUpdate) -> StateView:
        """Return the next version of the working state, with the fields that are given; the newest
        where they are as they were.

        Raises InvalidRequest for a state of more than AGENT_STATE_BYTES_MAX bytes of JSON.
        """
        update = typed(update, StateUpdate)
        with self._writer.writing() as draft:
            head = draft.head
            with self._store.reading() as reader:
                before = read_state(reader, head.agent, head.state_version)
            state = merged(WorkingState() if before is None else before.state, update)
            json, _ = self._store.hidden_json(canonical_json("the working state", state))
            require_json_bytes(
                f"the working state of agent {head.agent!r}",
                json,
                AGENT_STATE_BYTES_MAX,
                hint="keep long texts as outputs, and name them in the state",
            )
            state = msgspec.json.decode(json, type=WorkingState)
            if before is not None and state == before.state:
                return state_view(self._writer.agent, before)
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

    def set_pointer(self, pointer: SetPointer) -> PointerView:
        """Keep a pointer in place of one of the same name, and return it. Raises InvalidRequest for
        one that cannot be kept, or that is one too many.
        """
        pointer = typed(pointer, SetPointer)
        require_agent_id("the name of a pointer", pointer.name)
        require_no_credential("the name of a pointer", pointer.name)
        json, _ = self._store.hidden_json(canonical_json("the pointer", pointer))
        require_json_bytes(
            f"pointer {pointer.name!r}",
            json,
            POINTER_BYTES_MAX,
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
