"""What an agent wrote down, read: for whoever resumes it, and for a person who looks."""

from collections.abc import Sequence
from typing import Final

import msgspec

from recense.core.agents.ids import require_agent_id
from recense.core.agents.values import Action, Pointer, Turn
from recense.core.text.quoting import quoted
from recense.errors import InvalidRequest, NotFound
from recense.limits import (
    ACTIONS_LISTED_MAX,
    AGENTS_LISTED_MAX,
    OUTPUT_READ_CODE_POINTS_MAX,
    TURNS_LISTED_MAX,
)
from recense.operations.agent_calls import PointerList
from recense.operations.agents import (
    ActionList,
    AgentList,
    OutputPiece,
    ReadOutput,
    StateView,
    TurnPage,
)
from recense.ports.records import Order, RecordReader
from recense.services.admission import require_counts, typed
from recense.services.agent_records import (
    AGENTS,
    KNOWN_AGENTS,
    STARTED,
    Head,
    KeptPointer,
    KeptTurn,
    KnownAgent,
    action_record_id,
    actions_list,
    decoded,
    listed,
    output_number,
    pointers_list,
    read_head,
    read_heads,
    read_outputs,
    read_state,
    read_turns,
    unsettled_list,
)
from recense.services.agent_store import AgentStore, grouped_contents
from recense.services.agent_views import (
    action_view,
    pointer_of,
    pointer_view,
    state_view,
    summary_view,
    turn_of,
    turn_view,
)

_NEWEST_FIRST: Final = Order(field=STARTED, descending=True)


class AgentReading:
    """Reads what agents wrote down; writes nothing and takes no lease."""

    def __init__(self, store: AgentStore) -> None:
        self._store: Final = store
        self._last_read: tuple[tuple[str, int], str] | None = None

    def list_agents(self, agent: str | None, limit: int, offset: int) -> AgentList:
        """Return at most so many agents, by id, without the first ``offset``; of ``agent`` alone
        where it is given. Raises InvalidRequest for a limit outside 1 to AGENTS_LISTED_MAX.
        """
        require_counts(offset=offset)
        _require_within("limit", limit, AGENTS_LISTED_MAX)
        if agent is not None:
            require_agent_id("an agent", agent)
        with self._store.reading() as reader:
            if agent is not None:
                alone = read_heads(reader, (agent,))
                shown = alone[offset : offset + limit]
                return AgentList(agents=tuple(map(summary_view, shown)), total=len(alone))
            found = reader.list(AGENTS, listed(KNOWN_AGENTS), limit=offset + limit)
            known = [decoded(each, KnownAgent).agent for each in found.records[offset:]]
            heads = read_heads(reader, known)
        return AgentList(agents=tuple(summary_view(head) for head in heads), total=found.total or 0)

    def state(self, agent: str, version: int | None) -> StateView:
        """Return a version of a working state, the newest for None, version 0 where none was
        written. Raises NotFound for an unknown agent or version.
        """
        with self._store.reading() as reader:
            head = required_head(reader, agent)
            asked = head.state_version if version is None else version
            kept = read_state(reader, agent, asked)
        if kept is None and asked:
            raise NotFound(
                f"agent {agent!r} has no version {asked} of its working state",
                hint=f"versions go from 1 to {head.state_version}",
            )
        return state_view(agent, kept)

    def turns(self, agent: str, before: int | None, limit: int) -> TurnPage:
        """Return the newest turns with a seq below ``before``, or of all for None, in order. Raises
        NotFound for an unknown agent, InvalidRequest for a limit outside 1 to TURNS_LISTED_MAX.
        """
        _require_within("limit", limit, TURNS_LISTED_MAX)
        with self._store.reading() as reader:
            head = required_head(reader, agent)
            last = head.turns if before is None else min(before - 1, head.turns)
            kept = read_turns(reader, agent, last - limit + 1, last)
        turns = with_contents(self._store, kept)
        return TurnPage(
            agent=agent,
            turns=tuple(turn_view(each) for each in turns),
            before=kept[0].seq if kept and kept[0].seq > 1 else None,
            total=head.turns,
        )

    def pointers(self, agent: str) -> PointerList:
        """Return the pointers that hold, by name. Raises NotFound for an unknown agent."""
        with self._store.reading() as reader:
            required_head(reader, agent)
            found = pointers_of(reader, agent)
        return PointerList(agent=agent, pointers=tuple(map(pointer_view, found)))

    def read_output(self, request: ReadOutput) -> OutputPiece:
        """Return a piece of an output. Raises NotFound for an unknown one and for one whose session
        was forgotten, InvalidRequest for a length outside 1 to OUTPUT_READ_CODE_POINTS_MAX.
        """
        request = typed(request, ReadOutput)
        require_counts(offset=request.offset)
        _require_within("length", request.length, OUTPUT_READ_CODE_POINTS_MAX)
        text = self.output_text(request.agent, request.ref)
        end = request.offset + request.length
        return OutputPiece(
            ref=request.ref,
            offset=request.offset,
            length=len(text),
            text=text[request.offset : end],
            next_offset=end if end < len(text) else None,
        )

    def output_text(self, agent: str, ref: str) -> str:
        """Return an output's content; raises as `read_output`."""
        number = output_number(ref)
        with self._store.reading() as reader:
            required_head(reader, agent)
            kept = [] if number is None else read_outputs(reader, agent, number, number)
        text = self._text_at((kept[0].session, kept[0].ordinal)) if kept else None
        if text is None:
            raise NotFound(
                f"agent {agent!r} has no output {quoted(ref)}",
                hint="see which it has in its briefing; one of a session that was forgotten is "
                "gone",
            )
        return text

    def _text_at(self, place: tuple[str, int]) -> str | None:
        """Return the text at a place; the last one is kept, for who reads it piece by piece."""
        last = self._last_read
        if last is not None and last[0] == place and self._store.holds(place[0]):
            return last[1]
        text = grouped_contents(self._store, [place])[place]
        self._last_read = None if text is None else (place, text)
        return text

    def actions(self, agent: str, *, unsettled: bool, limit: int, after: str | None) -> ActionList:
        """Return at most so many actions, newest first; of the unsettled alone where that is asked.
        ``after`` is the id of the action after which they begin.

        Raises NotFound for an unknown agent and for an ``after`` that is in the list no more,
        InvalidRequest for a limit outside 1 to ACTIONS_LISTED_MAX.
        """
        _require_within("limit", limit, ACTIONS_LISTED_MAX)
        name = unsettled_list(agent) if unsettled else actions_list(agent)
        with self._store.reading() as reader:
            head = required_head(reader, agent)
            found = reader.list(
                AGENTS,
                listed(name),
                limit=limit + 1,
                order=_NEWEST_FIRST,
                after=None if after is None else action_record_id(agent, after),
                counted=False,
            )
        actions = [decoded(each, Action) for each in found.records[:limit]]
        is_more = len(found.records) > limit
        return ActionList(
            agent=agent,
            actions=tuple(action_view(agent, each) for each in actions),
            total=head.unsettled if unsettled else head.actions,
            next_after=actions[-1].action_id if is_more else None,
        )

    def whole(self, agent: str, action: Action) -> Action:
        """Return an action with its arguments whole, also where they lie in an output; as it is,
        with its ``args_ref``, where the session of that was forgotten.
        """
        if action.args_ref is None:
            return action
        try:
            args = self.output_text(agent, action.args_ref)
        except NotFound:
            return action
        return msgspec.structs.replace(action, args=args, args_ref=None)


def _require_within(what: str, number: int, most: int) -> None:
    """Refuse how much is asked for where it is outside 1 to ``most``."""
    if not 1 <= number <= most:
        raise InvalidRequest(f"{what} is {number}; expected 1 to {most}")


def required_head(reader: RecordReader, agent: str) -> Head:
    """Return where an agent stands. Raises InvalidRequest for what is no id of an agent, NotFound
    for an agent that wrote nothing.
    """
    require_agent_id("an agent", agent)
    head = read_head(reader, agent)
    if head is None:
        raise NotFound(f"no agent {quoted(agent)}", hint="see which there are: recense agent list")
    return head


def with_contents(store: AgentStore, kept: Sequence[KeptTurn]) -> list[Turn]:
    """Return turns with their texts; those of a session that was forgotten have none."""
    places = [(each.session, each.ordinal) for each in kept if each.excerpt is None]
    contents = grouped_contents(store, places)
    held = {session: store.holds(session) for session in {each.session for each in kept}}
    return [
        turn_of(
            each,
            contents.get((each.session, each.ordinal)) if each.excerpt is None else each.excerpt,
            is_forgotten=not held[each.session],
        )
        for each in kept
    ]


def unsettled_actions(reader: RecordReader, agent: str) -> tuple[Action, ...]:
    """Return the actions that are open or of unknown outcome, oldest first."""
    found = reader.list(AGENTS, listed(unsettled_list(agent)), counted=False)
    actions = [decoded(each, Action) for each in found.records]
    return tuple(sorted(actions, key=lambda each: (each.started_at, each.action_id)))


def pointers_of(reader: RecordReader, agent: str) -> tuple[Pointer, ...]:
    """Return the pointers that hold, by name."""
    found = reader.list(AGENTS, listed(pointers_list(agent)), counted=False)
    return tuple(pointer_of(decoded(each, KeptPointer)) for each in found.records)
