"""Agents whose holders are elsewhere: each call names its agent and the epoch that it holds.

Law: nothing is kept here between two calls. Who holds an agent is what the store says, so servers
may begin anew, or be several, and an agent whose holder is dead is free when its time is over. A
call that does not hold its epoch changes nothing, nor does one by another than who took it: an
epoch can be guessed. What a call does is what `Agent` does; of two at once under one epoch, which
servers cannot keep apart, each builds on what the other kept.
"""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import Final, TypeVar

import msgspec
from msgspec.structs import replace

from recense.core.agents.values import StateUpdate
from recense.core.text.tokens import estimate_tokens
from recense.errors import InvalidRequest
from recense.limits import (
    BRIEFING_TOKENS_DEFAULT,
    DECISION_NOTE_BYTES_MAX,
    LEASE_TTL_MS,
    UNSETTLED_ACTIONS_MAX,
)
from recense.operations.agent_calls import (
    AcquireAgent,
    AgentLease,
    BeginAgentAction,
    EndAgentAction,
    ReconcileActions,
    RecordTurn,
    ReleaseAgent,
    ReleasedAgent,
    RemovedPointer,
    RemovePointer,
    RenewAgent,
    SetAgentPointer,
    StoreOutput,
    UpdateWorkingState,
)
from recense.operations.agents import (
    ActionView,
    AddedTurn,
    AddOutput,
    AddTurn,
    AgentContext,
    BeginAction,
    BegunAction,
    CannotTell,
    DecideAction,
    EndAction,
    OutputView,
    PointerView,
    Probed,
    Reconciled,
    ResumeAgent,
    SetPointer,
    StateView,
)
from recense.services.admission import require_bytes, typed
from recense.services.agent import Agent
from recense.services.agent_actions import AgentActions, required_action
from recense.services.agent_briefing import AgentBriefing, require_token_budget
from recense.services.agent_leases import (
    AskedLease,
    asked_from_elsewhere,
    held_elsewhere,
    require_askable,
)
from recense.services.agent_reading import AgentReading, required_head
from recense.services.agent_reconciling import ActionHandler
from recense.services.agent_records import Head, read_seen_head
from recense.services.agent_store import AgentStore
from recense.services.agent_writer import AgentWriter
from recense.services.conflicts import in_spite_of_conflicts

_Kind = TypeVar("_Kind", bound=msgspec.Struct)
_Answer = TypeVar("_Answer")

_WHO_ASKS: Final = ("agent", "epoch")
"""The fields of a request that say who asks, and not for what."""


class AgentCalls:
    """What holders elsewhere ask for. Methods are safe to call from several threads.

    Each that names an epoch raises LeaseLost where that does not hold, and says who has the agent
    and for how long; InvalidRequest for what the method of `Agent` refuses. ``holder`` is who asks,
    where the request does not say.
    """

    def __init__(
        self,
        store: AgentStore,
        reading: AgentReading,
        briefing: AgentBriefing,
        *,
        holder: str,
        taker: str = "",
    ) -> None:
        """``taker`` is who asks, by what a server knows of its caller and no caller can say of
        itself; empty is who has the store itself.
        """
        self._store: Final = store
        self._reading: Final = reading
        self._briefing: Final = briefing
        self._holder: Final = holder
        self._taker: Final = taker

    def asked_by(self, taker: str) -> "AgentCalls":
        """Return the calls as another than who has the store itself makes them."""
        return AgentCalls(
            self._store, self._reading, self._briefing, holder=self._holder, taker=taker
        )

    def resume(self, request: ResumeAgent, *, holder: str | None = None) -> AgentContext:
        """Take an agent, and return what it goes on from; its epoch is to be sent along with each
        write. With ``defer_lease`` it is not taken, and the epoch is 0: `acquire` takes it.

        Raises LeaseHeld, which says who has it and for how long, and InvalidRequest.
        """
        request = typed(request, ResumeAgent)
        require_token_budget(request.token_budget)
        asked = self._asked(request, holder)
        if request.defer_lease:
            require_askable(self._store, asked)
            with self._store.reading() as reader:
                head = read_seen_head(reader, request.agent).head
                context = self._briefing.context(
                    reader, head, request.token_budget, estimate_tokens
                )
            return replace(context, epoch=0)
        with self._taken(asked) as writer:
            return self._agent(writer, request.token_budget).brief()

    def acquire(self, request: AcquireAgent, *, holder: str | None = None) -> AgentLease:
        """Take an agent, and return its lease. Raises LeaseHeld and InvalidRequest."""
        request = typed(request, AcquireAgent)
        asked = self._asked(request, holder)
        with self._taken(asked) as writer:
            return self._lease(writer)

    def renew(self, request: RenewAgent) -> AgentLease:
        """Let an agent be held for its time from now, and return its lease."""
        request = typed(request, RenewAgent)
        writer = self._writer(request.agent, request.epoch)
        with writer.losing():
            writer.lease.renew()
        return self._lease(writer)

    def release(self, request: ReleaseAgent) -> ReleasedAgent:
        """Give an agent back. A second call does nothing. Raises LeaseLost while another has it."""
        request = typed(request, ReleaseAgent)
        writer = self._writer(request.agent, request.epoch)
        with writer.losing():
            writer.lease.release()
        return ReleasedAgent(agent=request.agent, epoch=request.epoch)

    def update_state(self, request: UpdateWorkingState) -> StateView:
        """Write the next version of the working state; see `AgentState.update_state`."""
        update = _asked_for(request, StateUpdate)
        return self._as(request.agent, request.epoch, lambda agent: agent.update_state(update))

    def record_turn(self, request: RecordTurn) -> AddedTurn:
        """Keep a turn; see `AgentTurns.add_turn`."""
        turn = _asked_for(request, AddTurn)
        return self._as(request.agent, request.epoch, lambda agent: agent.add_turn(turn))

    def store_output(self, request: StoreOutput) -> OutputView:
        """Keep an output; see `AgentTurns.add_output`."""
        output = _asked_for(request, AddOutput)
        return self._as(request.agent, request.epoch, lambda agent: agent.add_output(output))

    def set_pointer(self, request: SetAgentPointer) -> PointerView:
        """Keep a pointer; see `AgentState.set_pointer`."""
        pointer = _asked_for(request, SetPointer)
        return self._as(request.agent, request.epoch, lambda agent: agent.set_pointer(pointer))

    def remove_pointer(self, request: RemovePointer) -> RemovedPointer:
        """Remove a pointer; see `AgentState.remove_pointer`."""
        request = typed(request, RemovePointer)
        name = request.name
        was_there = self._as(request.agent, request.epoch, lambda agent: agent.remove_pointer(name))
        return RemovedPointer(agent=request.agent, name=name, was_there=was_there)

    def begin_action(self, request: BeginAgentAction) -> BegunAction:
        """Write down a call that is about to be made; see `AgentActions.begin`."""
        action = _asked_for(request, BeginAction)
        return self._as(request.agent, request.epoch, lambda agent: agent.begin_action(action))

    def end_action(self, request: EndAgentAction) -> ActionView:
        """Write down what a call came to; see `AgentActions.end`."""
        end = _asked_for(request, EndAction)
        return self._as(request.agent, request.epoch, lambda agent: agent.end_action(end))

    def reconcile(self, request: ReconcileActions) -> Reconciled:
        """Settle what holders before left open; see `AgentReconciling.reconcile`. The caller has
        looked things up beforehand, and nothing here makes a call again.

        Raises NotFound for an action that is not there, and InvalidRequest for one that is open and
        none of those that are looked up: then nothing is settled.
        """
        request = typed(request, ReconcileActions)
        if len(request.looked_up) > UNSETTLED_ACTIONS_MAX:
            raise InvalidRequest(
                f"looked_up has {len(request.looked_up)} actions; at most {UNSETTLED_ACTIONS_MAX} "
                "are unsettled at once"
            )
        writer = self._writer(request.agent, request.epoch)
        with writer.losing():
            writer.lease.required()
        handlers = self._handlers(request)
        return self._agent(writer).reconcile(handlers)

    def _handlers(self, request: ReconcileActions) -> Mapping[str, ActionHandler]:
        """Return handlers that answer what a caller found out."""
        found = {each.action: each.answer for each in request.looked_up}
        with self._store.reading() as reader:
            actions = [required_action(reader, request.agent, each) for each in found]
        for action in actions:
            is_of_before = action.action_class == "checkable" and action.epoch < request.epoch
            if action.outcome is None and not is_of_before:
                raise InvalidRequest(
                    f"action {action.action_id} is {action.action_class}, begun under epoch "
                    f"{action.epoch}; expected a checkable one of an epoch before",
                    hint="end_action says what an action came to",
                )

        def probe(action: ActionView) -> Probed:
            return found.get(action.id, CannotTell())

        return {action.tool: ActionHandler(probe=probe) for action in actions}

    def decide(self, request: DecideAction, *, holder: str | None = None) -> ActionView:
        """Keep what a person says became of an action, and return it. Without an epoch the agent
        is taken for this moment; with one it is decided beside its holder, whoever took it: who
        decides looks after the store. Raises LeaseHeld while it runs, NotFound, and InvalidRequest
        for an action that is settled.
        """
        request = typed(request, DecideAction)
        require_bytes("note", request.note, DECISION_NOTE_BYTES_MAX)
        with self._store.reading() as reader:
            required_head(reader, request.agent)
            required_action(reader, request.agent, request.action)
        if request.epoch is not None:
            lease = held_elsewhere(self._store, request.agent, request.epoch)
            writer = AgentWriter(self._store, lease, request.agent)
            return in_spite_of_conflicts(lambda: _decided(writer, request))
        by = self._by(holder)
        asked = AskedLease(agent=request.agent, holder=by, ttl_ms=LEASE_TTL_MS)
        with self._taken(asked) as writer:
            decided = _decided(writer, request)
            writer.lease.release()
            return decided

    def _as(self, agent: str, epoch: int, act: Callable[[Agent], _Answer]) -> _Answer:
        """Return what an agent's holder does, done again on what there is then where the same
        holder wrote meanwhile by another call.
        """
        return in_spite_of_conflicts(lambda: act(self._agent(self._writer(agent, epoch))))

    def _agent(self, writer: AgentWriter, token_budget: int = BRIEFING_TOKENS_DEFAULT) -> Agent:
        return Agent(
            writer,
            self._reading,
            self._briefing,
            token_budget=token_budget,
            tokens=estimate_tokens,
            on_release=_let_go,
        )

    def _asked(self, request: ResumeAgent | AcquireAgent, holder: str | None) -> AskedLease:
        named = self._by(holder) if request.holder is None else request.holder
        return AskedLease(agent=request.agent, holder=named, ttl_ms=request.ttl_ms)

    def _by(self, holder: str | None) -> str:
        return self._holder if holder is None else holder

    @contextmanager
    def _taken(self, asked: AskedLease) -> Generator[AgentWriter]:
        """Hold the writer of an agent that is taken now; it is given back where the block fails:
        nobody is told of its epoch then.
        """
        lease = asked_from_elsewhere(self._store, asked)
        writer = AgentWriter(self._store, lease, asked.agent, taker=self._taker)
        writer.take()
        try:
            yield writer
        except BaseException:
            writer.lease.release()
            raise

    def _writer(self, agent: str, epoch: int) -> AgentWriter:
        """Return the writer of who holds an agent under an epoch. Raises LeaseLost where another
        took it under that, or nobody was told of that yet.
        """
        lease = held_elsewhere(self._store, agent, epoch)
        with self._store.reading() as reader:
            seen = read_seen_head(reader, agent)
        head = seen.head
        writer = AgentWriter(self._store, lease, agent, seen=seen)
        if head.epoch < epoch or (head.epoch == epoch and not self._is_taker(head)):
            with writer.losing():
                raise lease.of_another()
        return writer

    def _is_taker(self, head: Head) -> bool:
        return head.taker is None or head.taker == self._taker

    def _lease(self, writer: AgentWriter) -> AgentLease:
        with writer.losing():
            lease = writer.lease.required()
        with self._store.reading() as reader:
            head = read_seen_head(reader, writer.agent).head
        return AgentLease(
            agent=writer.agent,
            epoch=lease.epoch,
            holder=lease.holder,
            ttl_ms=lease.ttl_ms,
            state_version=head.state_version,
            turns=head.turns,
        )


def _asked_for(request: msgspec.Struct, kind: type[_Kind]) -> _Kind:
    """Return what a request asks for, without who asks."""
    return typed(typed(request, type(request)), kind, leave_out=_WHO_ASKS)


def _decided(writer: AgentWriter, request: DecideAction) -> ActionView:
    return AgentActions(writer).decide(request.action, request.status, request.note)


def _let_go(_agent: Agent) -> None:
    """Do nothing: nobody here holds it."""
