"""Actions: written down before a tool is called, and again when it answered.

Law of order: the intent is durable before `begin` answers, so before the call is made; the outcome
is one commit with the turn that tells of it, and comes before the working state that builds on it.
Killed between any two of these, an agent finds the act open, or its outcome recorded: never
nothing. A step that is repeated because its state was not written yet meets the action of its call
id, and is answered with what that came to.
"""

from typing import Final, assert_never

from msgspec.structs import replace

from recense.core.agents.beginning import (
    AlreadyCalled,
    AskedAction,
    CalledOtherwise,
    Proceed,
    StandsInTheWay,
    beginning,
)
from recense.core.agents.identity import act_id, called_id, canonical_json, occurring_id
from recense.core.agents.values import (
    Action,
    ClosedStatus,
    OutcomeStatus,
    SettledBy,
    Settlement,
)
from recense.core.text.quoting import quoted
from recense.errors import InvalidRequest, NotFound
from recense.limits import (
    ACTION_JSON_BYTES_MAX,
    TURN_EXCERPT_CODE_POINTS,
    UNSETTLED_ACTIONS_MAX,
)
from recense.operations.agents import (
    ActionView,
    AddOutput,
    AddTurn,
    BeginAction,
    BegunAction,
    EndAction,
)
from recense.ports.records import RecordReader
from recense.services.admission import (
    require_identifier,
    require_json_bytes,
    require_no_credential,
    typed,
)
from recense.services.agent_records import (
    Act,
    act_record,
    action_record,
    read_act,
    read_action,
)
from recense.services.agent_store import AgentDraft, AgentStore
from recense.services.agent_turns import (
    draft_output,
    draft_turn,
    is_long,
    known_turn,
    require_turn,
)
from recense.services.agent_views import action_view
from recense.services.agent_writer import AgentWriter


class AgentActions:
    """Writes what an agent is about to do, and what became of it."""

    def __init__(self, writer: AgentWriter) -> None:
        self._writer: Final = writer
        self._store: Final = writer.store

    def begin(self, request: BeginAction) -> BegunAction:
        """Return whether to make a call, which then is written down as open.

        Asking again for a call that was begun makes nothing of it: the answer is what became of it.
        Raises InvalidRequest for a call that cannot be written down, for a call id that belongs to
        another act, and where UNSETTLED_ACTIONS_MAX actions are unsettled.
        """
        request = typed(request, BeginAction)
        args = canonical_json("args", request.args)
        _require_action(request, args)
        with self._writer.writing() as draft:
            agent = draft.head.agent
            act = act_id(self._store.key(), agent, request.tool, args)
            with self._store.reading() as reader:
                known = read_act(reader, agent, act)
                called = self._called(reader, request.call_id)
                found = beginning(
                    AskedAction(
                        act=act, action_class=request.action_class, call_id=request.call_id
                    ),
                    called,
                    _oldest(reader, agent, known),
                    known.settled,
                )
            match found:
                case Proceed(occurrence=occurrence):
                    action = self._begun(draft, request, args, act, occurrence, before=called)
                    unsettled = (*known.unsettled, action.action_id)
                    draft.put(
                        action_record(agent, action),
                        act_record(agent, act, replace(known, unsettled=unsettled)),
                    )
                case AlreadyCalled() | StandsInTheWay():
                    return _held_back(agent, found)
                case CalledOtherwise(action=other):
                    raise InvalidRequest(
                        f"call id {quoted(request.call_id or '')} of agent {agent!r} belongs to "
                        f"action {other.action_id}, another call of {quoted(other.tool)}",
                        hint="give each call an id of its own, and a retry that of its call",
                    )
                case _:
                    assert_never(found)
        return BegunAction(id=action.action_id, proceed=True, action=action_view(agent, action))

    def end(self, request: EndAction) -> ActionView:
        """Keep what became of an action, and return it. Ending one that is settled changes nothing,
        and returns what was kept: the first answer holds. A turn of a message that is there already
        is not kept twice.

        Raises NotFound for an unknown action, InvalidRequest for a result or a turn that cannot be
        kept.
        """
        request = typed(request, EndAction)
        if request.turn is not None:
            require_turn(request.turn)
        with self._writer.writing() as draft:
            action = self._required(draft.head.agent, request.action)
            if not action.is_settled:
                action = settle(
                    self._store,
                    draft,
                    action,
                    status=request.status,
                    settled_by="agent",
                    result=request.result,
                )
                if request.turn is not None and not known_turn(
                    self._store, draft.head.agent, request.turn
                ):
                    draft_turn(self._store, draft, request.turn)
        return action_view(self._writer.agent, action)

    def decide(self, action_id: str, status: ClosedStatus, note: str) -> ActionView:
        """Keep what a person says became of an action, with a turn that tells of it, and return it.

        Raises NotFound for an unknown action, InvalidRequest for one that is settled.
        """
        with self._writer.writing() as draft:
            agent = draft.head.agent
            action = self._required(agent, action_id)
            if action.is_settled:
                raise InvalidRequest(
                    f"action {action.action_id} of agent {agent!r} is settled: {action.status}",
                    hint="only what is open or unknown needs a decision",
                )
            action = settle(
                self._store,
                draft,
                action,
                status=status,
                settled_by="person",
                result=None,
                note=self._store.hidden(note),
            )
            draft_turn(self._store, draft, outcome_turn(action))
        return action_view(agent, action)

    def _required(self, agent: str, action_id: str) -> Action:
        with self._store.reading() as reader:
            return required_action(reader, agent, action_id)

    def _called(self, reader: RecordReader, call_id: str | None) -> Action | None:
        if call_id is None:
            return None
        agent = self._writer.agent
        return read_action(reader, agent, called_id(self._store.key(), agent, call_id))

    def _begun(
        self,
        draft: AgentDraft,
        request: BeginAction,
        args: bytes,
        act: str,
        occurrence: int,
        *,
        before: Action | None,
    ) -> Action:
        """Return an action that begins now, and count it; one that was abandoned ``before``, and is
        made again under its call id, was counted then, and keeps what persons decided of it.
        """
        head = draft.head
        if head.unsettled >= UNSETTLED_ACTIONS_MAX:
            raise InvalidRequest(
                f"agent {head.agent!r} has {head.unsettled} actions of which nobody knows the "
                "outcome, and no more are begun",
                hint="reconcile, and decide what nothing can settle: recense agent decide",
            )
        key = self._store.key()
        action_id = (
            occurring_id(key, act, occurrence)
            if request.call_id is None
            else called_id(key, head.agent, request.call_id)
        )
        hidden, is_redacted = self._store.hidden_json(args)
        text, ref = kept_json(self._store, draft, request.tool, hidden.decode())
        is_keyed = request.action_class == "keyed"
        action = Action(
            action_id=action_id,
            tool=request.tool,
            action_class=request.action_class,
            args=text,
            args_ref=ref,
            args_redacted=is_redacted,
            act=act,
            occurrence=occurrence,
            call_id=request.call_id,
            key=request.key or (action_id if is_keyed else None),
            started_at=draft.now,
            epoch=head.epoch,
            step=head.step,
            attempts=1 if before is None else before.attempts + 1,
            decisions=() if before is None else before.decided,
        )
        head = draft.head  # counts the output of long arguments by now
        actions = head.actions + (before is None)
        draft.head = replace(head, actions=actions, unsettled=head.unsettled + 1)
        return action


def settle(
    store: AgentStore,
    draft: AgentDraft,
    action: Action,
    *,
    status: OutcomeStatus,
    settled_by: SettledBy,
    result: object,
    note: str = "",
) -> Action:
    """Put what became of an action into a draft, and return the action. One of unknown outcome
    stays among the unsettled.
    """
    text, ref = None, None
    if result is not None:
        json, _ = store.hidden_json(canonical_json("result", result))
        _require_json("result", json)
        text, ref = kept_json(store, draft, action.tool, json.decode())
    agent = draft.head.agent
    settled = replace(
        action,
        outcome=Settlement(
            status=status,
            result=text,
            result_ref=ref,
            ended_at=draft.now,
            settled_by=settled_by,
            note=note,
        ),
    )
    draft.put(action_record(agent, settled))
    if settled.is_settled:
        with store.reading() as reader:
            act = read_act(reader, agent, action.act)
        unsettled = tuple(each for each in act.unsettled if each != action.action_id)
        act = replace(act, settled=act.settled + 1, unsettled=unsettled)
        draft.put(act_record(agent, action.act, act))
        draft.head = replace(draft.head, unsettled=draft.head.unsettled - 1)
    return settled


def outcome_turn(action: Action) -> AddTurn:
    """Return the turn that tells what became of an action which nobody else tells of."""
    outcome = action.outcome
    if outcome is None:
        told = "open"
    else:
        because = f": {outcome.note}" if outcome.note else ""
        result = "" if outcome.result is None else f"\n{outcome.result}"
        told = f"{outcome.status}, as {outcome.settled_by} says{because}{result}"
    return AddTurn(
        role="tool", name=action.tool, content=f"action {action.action_id} of {action.tool}: {told}"
    )


def kept_json(store: AgentStore, draft: AgentDraft, tool: str, json: str) -> tuple[str, str | None]:
    """Return JSON as an action keeps it: whole, or how it begins with the output it lies in."""
    if not is_long(json):
        return json, None
    output = draft_output(store, draft, AddOutput(tool=tool, content=json))
    return json[:TURN_EXCERPT_CODE_POINTS], output.ref


def required_action(reader: RecordReader, agent: str, action_id: str) -> Action:
    """Return an action; raises NotFound."""
    action = read_action(reader, agent, action_id)
    if action is None:
        raise NotFound(
            f"agent {agent!r} has no action {quoted(action_id)}",
            hint=f"see which it has: recense agent actions {agent}",
        )
    return action


def _oldest(reader: RecordReader, agent: str, act: Act) -> Action | None:
    """Return the oldest of equal actions that are open or of unknown outcome."""
    return read_action(reader, agent, act.unsettled[0]) if act.unsettled else None


def _held_back(agent: str, found: AlreadyCalled | StandsInTheWay) -> BegunAction:
    action = found.action
    match found:
        case AlreadyCalled():
            reason = f"this call was begun before, and is {action.status}"
        case StandsInTheWay():
            reason = (
                f"an equal call is {action.status}: reconcile it, or have a person decide"
                if action.status == "unknown"
                else "an equal call is open: nobody knows yet what became of it"
            )
    return BegunAction(
        id=action.action_id, proceed=False, action=action_view(agent, action), reason=reason
    )


def _require_action(request: BeginAction, args: bytes) -> None:
    require_identifier("tool", request.tool)
    if request.call_id is not None:
        require_identifier("call_id", request.call_id)
    if request.key is not None:
        if request.action_class != "keyed":
            raise InvalidRequest(
                f"a call of class {request.action_class!r} has a key",
                hint="a key is what a call of class 'keyed' is safe with",
            )
        require_identifier("key", request.key)
        require_no_credential("key", request.key)
    _require_json("args", args)


def _require_json(what: str, json: bytes) -> None:
    """Refuse arguments or a result that are too long."""
    require_json_bytes(what, json, ACTION_JSON_BYTES_MAX, hint="keep it outside, and name it")
