"""Working states and pointers: every version, and what holds."""

from typing import cast

import msgspec
import pytest

from recense.core.agents.values import StateUpdate
from recense.errors import InvalidRequest, NotFound, StoreUnavailable
from recense.limits import POINTERS_MAX
from recense.operations.agents import ResumeAgent, SetPointer
from recense.ports.records import RecordStore
from tests.services.agent_world import AgentWorld
from tests.services.counting_records import Counting


def test_every_version_of_a_working_state_is_kept(office: AgentWorld) -> None:
    with office.resume() as agent:
        for step in range(4):
            assert agent.update_state(StateUpdate(step=step)).version == step + 1
    found = [office.here.state("worker", version).state.step for version in (1, 2, 3, 4)]
    assert found == [0, 1, 2, 3]
    assert office.here.state("worker").version == 4
    with pytest.raises(NotFound, match="no version 5"):
        office.here.state("worker", 5)


def test_a_removed_pointer_is_gone_and_may_come_again(office: AgentWorld) -> None:
    pointer = SetPointer(name="job", type="process", fields={"id": "4711"}, note="the build")
    with office.resume() as agent:
        agent.set_pointer(pointer)
        agent.set_pointer(msgspec.structs.replace(pointer, note="again"))
        assert [each.note for each in agent.brief().pointers] == ["again"]
        assert agent.remove_pointer("job")
        assert not agent.remove_pointer("job")
        assert agent.brief().pointers == ()
        agent.set_pointer(pointer)
        assert [each.name for each in agent.brief().pointers] == ["job"]
        assert office.here.list().agents[0].pointers == 1
        with pytest.raises(InvalidRequest):
            agent.set_pointer(msgspec.structs.replace(pointer, name="no good"))
        with pytest.raises(InvalidRequest, match="bytes of JSON"):
            agent.set_pointer(msgspec.structs.replace(pointer, note="x" * 5_000))


def test_a_pointer_too_many_is_refused(office: AgentWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recense.services.agent_state.POINTERS_MAX", 2)
    with office.resume() as agent:
        for name in ("a", "b", "b"):
            agent.set_pointer(SetPointer(name=name, type="env"))
        with pytest.raises(InvalidRequest, match="'worker' has 2 pointers"):
            agent.set_pointer(SetPointer(name="c", type="env"))
    assert POINTERS_MAX == 1_000


def test_what_is_too_much_for_a_working_state_is_refused(office: AgentWorld) -> None:
    with office.resume() as agent:
        agent.update_state(StateUpdate(goal="stay"))
        with pytest.raises(InvalidRequest, match="'worker' has 70"):
            agent.update_state(StateUpdate(notes="x" * 70_000))
        assert agent.brief().state.state.goal == "stay"


def test_a_batch_that_is_torn_leaves_the_working_state_of_before(office: AgentWorld) -> None:
    """A store that keeps commits from the front only: the version stands before the head."""
    with office.resume() as agent:
        agent.update_state(StateUpdate(goal="before"))
    for kept in (0, 1):
        torn = Counting(office.stores.records)
        agents = office.process("torn", records=cast("RecordStore", torn))
        agent = agents.resume(ResumeAgent(agent="worker"))
        torn.tear(kept)
        with pytest.raises(StoreUnavailable):
            agent.update_state(StateUpdate(goal="torn"))
        with office.after_a_kill() as agent:
            assert (agent.context.state.version, agent.context.state.state.goal) == (1, "before")
    with office.resume() as agent:
        assert agent.update_state(StateUpdate(goal="after")).version == 2
        assert agent.brief().state.state.goal == "after"
