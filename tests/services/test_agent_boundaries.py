"""An agent is killed at every commit boundary of its work, on either side, and resumed by another
process: nothing is done twice, nothing is lost, nothing is half there.
"""

from pathlib import Path
from typing import Final, Literal, NamedTuple

import pytest

from recense.core.agents.values import StateUpdate
from recense.errors import StoreUnavailable
from recense.operations.agents import (
    ActionOutcome,
    ActionView,
    AddOutput,
    AddTurn,
    BeginAction,
    Done,
    EndAction,
    NotDone,
    Probed,
    ResumeAgent,
    SetPointer,
)
from recense.ports.records import RecordStore
from recense.services.agent import Agent
from recense.services.agent_reconciling import ActionHandler
from recense.services.agents import Agents
from recense.testing import Boundary, Fault, FaultyRecords, FaultyStore
from tests.services.agent_world import STORES, AgentWorld, agent_world

CALLS: Final[tuple[BeginAction, ...]] = (
    BeginAction(tool="look", action_class="read", args=1, call_id="call-1"),
    BeginAction(tool="save", action_class="idempotent", args=2, call_id="call-2"),
    BeginAction(tool="pay", action_class="keyed", args=3, call_id="call-3"),
    BeginAction(tool="book", action_class="checkable", args=4, call_id="call-4"),
    BeginAction(tool="mail", action_class="unsafe", args=5, call_id="call-5"),
    BeginAction(tool="mail", action_class="unsafe", args=6, call_id="call-6"),
)


class Outside:
    """What the tools have done: how often each call was made, and which keys were taken."""

    def __init__(self) -> None:
        self.made: list[str] = []
        self.keys: set[str] = set()

    def act(self, action: ActionView) -> ActionOutcome:
        if action.key is not None:
            self.keys.add(action.key)
        self.made.append(action.tool if action.call_id is None else action.call_id)
        return ActionOutcome(result=f"{action.tool} is done")

    def probe(self, action: ActionView) -> Probed:
        return Done(result="found") if action.call_id in self.made else NotDone()

    def handlers(self) -> dict[str, ActionHandler]:
        handler = ActionHandler(run_again=self.act, probe=self.probe, when_not_done="run_again")
        return {call.tool: handler for call in CALLS}


def work(agent: Agent, outside: Outside) -> None:
    """Do what is left to do: a step is over when the working state says so."""
    agent.reconcile(outside.handlers())
    agent.set_pointer(SetPointer(name="branch", type="git_ref", fields={"ref": "main"}))
    for step, call in enumerate(CALLS, start=1):
        if step <= agent.brief().state.state.step:
            continue
        begun = agent.begin_action(call)
        if begun.proceed:
            result = outside.act(begun.action).result
            turn = AddTurn(role="tool", content=f"{call.tool} answered", message_id=call.call_id)
            agent.end_action(EndAction(action=begun.id, result=result, turn=turn))
        agent.update_state(StateUpdate(step=step))
    agent.add_output(AddOutput(tool="look", content="the end"))


class Where(NamedTuple):
    """A boundary of one of the two stores."""

    store: Literal["transcripts", "records"]
    boundary: Boundary

    def __str__(self) -> str:
        return f"{self.store}: {self.boundary.moment} {self.boundary.method} {self.boundary.call}"


def process_with(
    office: AgentWorld, where: Where | None = None
) -> tuple[Agents, FaultyStore, FaultyRecords]:
    """Return a process that dies at a boundary, and its stores."""

    def faults(store: str) -> list[Fault]:
        if where is None or where.store != store:
            return []
        return [Fault.raising(where.boundary, StoreUnavailable("killed"))]

    transcripts = FaultyStore(office.stores.transcripts, faults("transcripts"))
    records: RecordStore = FaultyRecords(office.stores.records, faults("records"))
    agents = office.process("dies", transcripts=transcripts, records=records)
    assert isinstance(records, FaultyRecords)
    return agents, transcripts, records


def every_boundary() -> list[Where]:
    """Return the boundaries that the work passes, but for those of letting go."""
    found = list[Where]()
    with agent_world("memory", Path()) as office:
        agents, transcripts, records = process_with(office)
        with agents.resume(ResumeAgent(agent="worker")) as agent:
            work(agent, Outside())
            found += [Where("transcripts", each) for each in transcripts.passed]
            found += [Where("records", each) for each in records.passed]
    return [each for each in found if each.boundary.method not in {"mend_index", "write_index"}]


@pytest.mark.parametrize("where", every_boundary(), ids=str)
def test_killed_at_a_boundary_the_work_is_finished_by_another_and_nothing_done_twice(
    where: Where, tmp_path: Path
) -> None:
    kind = STORES[where.boundary.call % len(STORES)]
    with agent_world(kind, tmp_path) as office:
        outside = Outside()
        dies, _, _ = process_with(office, where)
        with pytest.raises(StoreUnavailable):
            work(dies.resume(ResumeAgent(agent="worker")), outside)
        acted = len(outside.made)
        agent = office.after_a_kill()
        check_after_the_kill(office, agent, acted)
        work(agent, outside)
        check_at_the_end(office, agent, outside)


def check_after_the_kill(office: AgentWorld, agent: Agent, acted: int) -> None:
    """What was done is on record; what is open is in the briefing; no state is ahead of it."""
    context = agent.context
    known = {each.call_id: each for each in office.here.actions("worker").actions}
    assert len(known) in {acted, acted + 1}
    settled = [each for each in known.values() if each.status == "succeeded"]
    assert context.state.state.step <= len(settled)
    assert len(context.actions) == len(known) - len(settled) <= 1
    assert all(each.id in context.briefing.text for each in context.actions)
    assert context.turns_total == len(settled)


def check_at_the_end(office: AgentWorld, agent: Agent, outside: Outside) -> None:
    times = {call.call_id: outside.made.count(call.call_id or "") for call in CALLS}
    actions = {each.call_id: each for each in office.here.actions("worker").actions}
    assert set(actions) == set(times)
    for call in CALLS:
        action = actions[call.call_id]
        if call.action_class == "unsafe":
            assert times[call.call_id] <= 1
            assert action.status in {"succeeded", "unknown"}
            assert action.status == "unknown" or times[call.call_id] == 1
        elif call.action_class == "checkable":
            assert (times[call.call_id], action.status) == (1, "succeeded")
        else:
            assert times[call.call_id] in {1, 2}
            assert action.status == "succeeded"
    assert len(outside.keys) == 1
    context = agent.brief()
    assert context.state.state.step == len(CALLS)
    assert [each.status for each in context.actions] == (
        ["unknown"] if any(each.status == "unknown" for each in actions.values()) else []
    )
    messages = [each.message_id for each in context.turns if each.message_id]
    assert len(messages) == len(set(messages))
    assert context.outputs_total in {1, 2}
    abandoned = [each for each in context.turns if "abandoned" in (each.content or "")]
    assert context.turns_total == len(CALLS) + len(abandoned)  # a read that was told, and repeated
    assert len(abandoned) <= 1
