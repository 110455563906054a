"""Every agent of a store: listed, refused, forgotten, and without a secret."""

from typing import cast

import msgspec
import pytest

from recense.conformance.material import next_page
from recense.core.agents.values import StateUpdate
from recense.errors import CredentialShaped, InvalidRequest, NotFound, Unsupported
from recense.limits import ACTIONS_LISTED_MAX, AGENTS_LISTED_MAX, TURNS_LISTED_MAX
from recense.operations.agents import AddOutput, AgentList, ReadOutput, ResumeAgent, SetPointer
from recense.ports.records import RecordStore
from recense.testing import FakeClock, FakeUptime
from tests.conformance.joint_openers import OpenStores, in_memory
from tests.services.agent_world import SECRET, T0, AgentWorld, begin, say


def test_secrets_are_hidden_in_everything_that_is_written_down(office: AgentWorld) -> None:
    with office.resume() as agent:
        agent.update_state(StateUpdate(notes=f"key {SECRET}", plan=(f"use {SECRET}",)))
        agent.add_turn(say(f"it is {SECRET}", brief=SECRET))
        agent.add_output(AddOutput(tool="env", content=f"K={SECRET}", summary=SECRET))
        agent.set_pointer(SetPointer(name="p", type="env", fields={"v": SECRET}, note=SECRET))
        begun = begin(agent, args={"header": SECRET})
        assert begun.action.args_redacted
    with office.after_a_kill() as agent:
        shown = msgspec.json.encode(agent.context).decode()
        assert SECRET not in shown
    with office.stores.records.snapshot() as reader:
        for record in reader.list("_agents").records:
            assert SECRET.encode() not in record.body
    whole = office.process("open", redact_secrets=False)
    with whole.resume(ResumeAgent(agent="frank")) as agent:
        assert agent.add_turn(say(SECRET)).turn.content == SECRET


def test_agents_are_listed_by_id_and_one_that_is_not_there_is_not_found(office: AgentWorld) -> None:
    for name in ("b", "a", "c"):
        with office.resume(name) as agent:
            agent.update_state(StateUpdate(goal=f"goal of {name}", milestone="first"))
            agent.add_turn(say("hello"))
    listed = office.here.list()
    assert [each.agent for each in listed.agents] == ["a", "b", "c"]
    assert listed.agents[0].goal == "goal of a"
    assert (listed.agents[0].turns, listed.agents[0].state_version) == (1, 1)
    assert [each.agent for each in office.here.list(limit=1, offset=1).agents] == ["b"]
    assert office.here.list(limit=1).total == 3
    assert office.here.list(offset=3) == AgentList(agents=(), total=3)
    for look in (office.here.show, office.here.turns, office.here.actions, office.here.state):
        with pytest.raises(NotFound, match="no agent 'd'"):
            look("d")
        with pytest.raises(InvalidRequest, match="an agent is"):
            look("no/agent")


@pytest.mark.parametrize("limit", [-1, 0, 1_001])
def test_no_list_is_longer_than_its_bound(office: AgentWorld, limit: int) -> None:
    with office.resume():
        pass
    assert {AGENTS_LISTED_MAX, ACTIONS_LISTED_MAX, TURNS_LISTED_MAX} == {1_000}
    says = f"limit is {limit}; expected 1 to 1000"
    with pytest.raises(InvalidRequest, match=says):
        office.here.list(limit=limit)
    with pytest.raises(InvalidRequest, match=says):
        office.here.actions("worker", limit=limit)
    with pytest.raises(InvalidRequest, match=says):
        office.here.turns("worker", limit=limit)
    with pytest.raises(InvalidRequest, match="offset is -1"):
        office.here.list(offset=-1)


def test_looking_writes_nothing(office: AgentWorld) -> None:
    with office.resume() as agent:
        agent.add_turn(say("hello"))
    with office.stores.records.snapshot() as reader:
        before = reader.list("_agents").records
    office.here.show("worker")
    office.here.list()
    office.here.turns("worker")
    office.here.actions("worker")
    with office.stores.records.snapshot() as reader:
        assert reader.list("_agents").records == before


def test_a_forgotten_session_takes_its_texts_along_and_the_agent_goes_on_in_another(
    office: AgentWorld,
) -> None:
    with office.resume() as agent:
        agent.add_turn(say("to be forgotten, " * 900, brief="to be forgotten"))
        office.here.read_output(ReadOutput(agent="worker", ref="o1"))
        agent.update_state(StateUpdate(goal="stays"))
        office.stores.transcripts.forget(["agent:worker"])
        with pytest.raises(NotFound, match=r"'agent:worker' of agent 'worker' was forgotten"):
            agent.add_turn(say("into nothing"))
        agent.update_state(StateUpdate(step=1))  # what is no turn goes on
    with office.resume() as agent:
        assert agent.context.session == "agent:worker~2"
        assert agent.context.turns[0].content is None
        assert "its text was forgotten" in agent.context.briefing.text
        assert agent.add_turn(say("a new beginning")).turn.seq == 2
        assert [each.content for each in agent.brief().turns] == [None, "a new beginning"]
        assert not any(each.summary for each in agent.context.outputs)
        assert "to be forgotten" not in agent.context.briefing.text
    with pytest.raises(NotFound, match="no output 'o1'"):
        office.here.read_output(ReadOutput(agent="worker", ref="o1"))
    with office.resume() as agent:
        assert agent.context.session == "agent:worker~2"


def test_a_session_that_somebody_closed_is_followed_by_another(office: AgentWorld) -> None:
    with office.resume() as agent:
        agent.add_turn(say("one"))
        page = next_page(office.stores.transcripts, "agent:worker")
        office.stores.transcripts.append(msgspec.structs.replace(page, closed=True))
        with pytest.raises(NotFound, match="'worker' was forgotten or closed"):
            agent.add_turn(say("two"))
    with office.resume() as agent:
        agent.add_turn(say("two"))
        assert [each.content for each in agent.brief().turns] == ["one", "two"]
        assert agent.context.session == "agent:worker~2"


def test_what_cannot_be_kept_is_refused_by_its_name(office: AgentWorld) -> None:
    with office.resume() as agent:
        for turn in (
            say("x", name=""),
            say("x", message_id="\n"),
            say("x", brief="b" * 5_000),
            say("x", at="yesterday"),
            say("x", role="nobody"),
        ):
            with pytest.raises(InvalidRequest):
                agent.add_turn(turn)
        for budget in (0, 300_000):
            with pytest.raises(InvalidRequest, match="token_budget"):
                agent.brief(budget)
        assert agent.brief().turns_total == 0
    for fields in ({"agent": "a b"}, {"ttl_ms": 1}, {"holder": ""}, {"token_budget": 0}):
        with pytest.raises(InvalidRequest):
            office.here.resume(msgspec.convert({"agent": "other", **fields}, ResumeAgent))
    with office.resume("other") as agent:
        assert agent.epoch == 1  # what was refused took nothing


def test_a_store_without_leases_keeps_no_agents() -> None:
    uptime = FakeUptime()
    stores = in_memory(uptime)

    class Leaseless:
        capabilities = frozenset({"get"})

    world = AgentWorld(OpenStores(stores.transcripts, stores.records), uptime)
    agents = world.process("here", records=cast("RecordStore", Leaseless()), clock=FakeClock(T0))
    with pytest.raises(Unsupported, match="no fenced_put and no lease, and agent 'a'"):
        agents.resume(ResumeAgent(agent="a"))


def test_no_secret_names_an_agent_or_a_pointer(office: AgentWorld) -> None:
    with pytest.raises(CredentialShaped, match="an agent looks like a secret"):
        office.resume(SECRET)
    with office.resume() as agent, pytest.raises(CredentialShaped, match="a pointer looks like"):
        agent.set_pointer(SetPointer(name=SECRET, type="env"))
    assert [each.agent for each in office.here.list().agents] == ["worker"]
    with pytest.raises(NotFound) as unknown:
        office.here.show(SECRET)
    assert SECRET not in str(unknown.value)
