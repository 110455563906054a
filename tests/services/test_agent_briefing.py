"""What an agent is given when it resumes."""

from typing import cast

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from recense.core.agents.values import FoundMemory, StateUpdate
from recense.core.ids import anchor
from recense.operations.agents import AddOutput, ResumeAgent, SetPointer
from recense.ports.records import RecordStore
from recense.services.agent_records import turn_event_id
from recense.testing import FakeUptime
from tests.conformance.joint_openers import in_memory
from tests.services.agent_world import AgentWorld, begin, say
from tests.services.counting_records import Counting


def test_who_resumes_is_given_what_was_written_down(office: AgentWorld) -> None:
    with office.resume() as agent:
        assert (agent.context.turns_total, agent.context.state.version) == (0, 0)
        agent.update_state(StateUpdate(goal="move the lights", plan=("look", "lift"), step=1))
        agent.update_state(StateUpdate(progress="looked", step=2))
        agent.add_turn(say("please move the lights"))
        agent.add_turn(say("on it", role="assistant"))
        agent.set_pointer(SetPointer(name="branch", type="git_ref", fields={"ref": "main"}))
    with office.resume() as agent:
        context = agent.context
        assert context.epoch == agent.epoch == 2
        assert context.state.version == 2
        state = context.state.state
        assert (state.goal, state.plan, state.progress, state.step) == (
            "move the lights",
            ("look", "lift"),
            "looked",
            2,
        )
        assert [(each.seq, each.content) for each in context.turns] == [
            (1, "please move the lights"),
            (2, "on it"),
        ]
        assert [each.fields for each in context.pointers] == [{"ref": "main"}]
        for text in ("move the lights", "1. look", "looked", "on it", "ref: main"):
            assert f"{text}\n" in context.briefing.text


def test_memories_are_asked_for_by_focus_and_open_questions_alone(office: AgentWorld) -> None:
    office.remember(
        "pgbouncer why now",
        FoundMemory(kind="fact", name="f1", text="Mira runs pgbouncer 1.21"),
        FoundMemory(kind="passage", name="a1", text="user: it timed out", session="codex:1"),
    )
    with office.resume() as agent:
        assert agent.context.memories == ()
        agent.update_state(StateUpdate(focus="pgbouncer", open_questions=("why now",), goal="x"))
        context = agent.brief()
    assert [each.kind for each in context.memories] == ["fact", "passage"]
    assert "| Mira runs pgbouncer 1.21\n" in context.briefing.text


def test_the_newest_turns_are_no_memories_of_themselves(office: AgentWorld) -> None:
    own = anchor("agent:worker", turn_event_id("worker", 1))
    office.remember(
        "boats", FoundMemory(kind="passage", name=own, text="boats", session="agent:worker")
    )
    with office.resume() as agent:
        agent.update_state(StateUpdate(focus="boats"))
        agent.add_turn(say("boats"))
        assert agent.brief().memories == ()


def test_equal_records_give_an_equal_briefing_whoever_resumes_and_when(office: AgentWorld) -> None:
    with office.resume() as agent:
        agent.update_state(StateUpdate(goal="g", focus="f"))
        agent.add_turn(say("hello"))
        begin(agent)
    office.remember("f", FoundMemory(kind="fact", name="f1", text="a fact"))
    texts = {office.here.show("worker").briefing.text}
    for hours in range(3):
        office.clock.advance(hours * 3_600_000)
        with office.after_a_kill() as agent:
            texts.add(agent.context.briefing.text)
    assert len(texts) == 1


@settings(max_examples=15)
@given(budgets=st.lists(st.integers(1, 4_000), min_size=1, max_size=4))
def test_what_is_left_out_and_what_is_shown_add_up(budgets: list[int]) -> None:
    uptime = FakeUptime()
    office = AgentWorld(in_memory(uptime), uptime)
    office.remember("f", *(FoundMemory(kind="fact", name=f"f{n}", text="w" * 90) for n in range(9)))
    with office.resume() as agent:
        agent.update_state(StateUpdate(focus="f"))
        for number in range(12):
            agent.add_turn(say("w" * 10 * number))
            if number % 2:
                agent.add_output(AddOutput(tool="t", content="o" * 99))
        for budget in budgets:
            briefing = agent.brief(budget).briefing
            omitted = briefing.omitted
            assert briefing.turns + omitted.turns == 12
            assert briefing.memories + omitted.memories == 9
            assert briefing.outputs + omitted.outputs == 6
            assert min(msgspec.structs.astuple(omitted)) >= 0
    office.end()


def test_who_resumes_reads_no_more_of_an_agent_that_said_more(office: AgentWorld) -> None:
    counting = Counting(office.stores.records)
    agents = office.process("here", records=cast("RecordStore", counting))
    read = list[int]()
    with agents.resume(ResumeAgent(agent="worker", token_budget=300)) as agent:
        for more in (90, 90, 180):
            for _ in range(more):
                agent.add_turn(say("word " * 20))
            before = counting.read
            agent.brief()
            read.append(counting.read - before)
        before = counting.read
        agent.add_turn(say("one more", "m1"))
        assert counting.read == before
    assert read[0] == read[1] == read[2] < 100
