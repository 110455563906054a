"""Turns and outputs: said once, in order, whole, and read again in pieces."""

import threading
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recense.core.agents.values import StateUpdate, TurnRole
from recense.core.text.json_text import settled_text
from recense.errors import InvalidRequest, NotFound, StoreCorrupt, StoreUnavailable
from recense.limits import AGENT_OUTPUT_BYTES_MAX, TURN_EXCERPT_CODE_POINTS, TURNS_LISTED_MAX
from recense.operations.agents import AddOutput, AddTurn, ReadOutput, ResumeAgent, SetPointer
from recense.ports.records import RecordStore
from recense.services.agent_records import AGENTS
from recense.testing import Boundary, FakeUptime, Fault, FaultyStore
from tests.conformance.joint_openers import in_memory
from tests.services.agent_world import SECRET, AgentWorld, say
from tests.services.counting_records import Counting


def test_a_message_counts_once_and_its_first_words_hold(office: AgentWorld) -> None:
    with office.resume() as agent:
        first = agent.add_turn(say("hello", "m1"))
        again = agent.add_turn(say("other words", "m1"))
        assert (first.is_new, again.is_new) == (True, False)
        assert again.turn == first.turn
        agent.add_turn(say("no id"))
        agent.add_turn(say("no id"))
    with office.after_a_kill() as agent:
        assert not agent.add_turn(say("hello", "m1")).is_new
        assert agent.brief().turns_total == 3


def test_a_message_whose_turn_is_missing_is_damage_and_said_so(office: AgentWorld) -> None:
    turn = AddTurn(role="user", content="one", message_id="m1")
    with office.resume() as agent:
        agent.add_turn(turn)
        office.stores.records.delete(AGENTS, ["worker/turn/0000000001"])
        with pytest.raises(StoreCorrupt, match="turn 1 of agent 'worker' is not there"):
            agent.add_turn(turn)


def test_turns_come_in_pages_from_the_newest_back(office: AgentWorld) -> None:
    with office.resume() as agent:
        for number in range(1, 8):
            agent.add_turn(say(f"turn {number}"))
    found, before = list[int](), None
    while True:
        page = office.here.turns("worker", before=before, limit=3)
        assert page.total == 7
        found = [each.seq for each in page.turns] + found
        assert all(each.content == f"turn {each.seq}" for each in page.turns)
        before = page.before
        if before is None:
            break
    assert found == list(range(1, 8))
    for limit in (0, TURNS_LISTED_MAX + 1):
        with pytest.raises(InvalidRequest):
            office.here.turns("worker", limit=limit)


def test_a_page_reads_no_more_of_an_agent_that_said_more(office: AgentWorld) -> None:
    counting = Counting(office.stores.records)
    agents = office.process("there", records=cast("RecordStore", counting))
    read = list[int]()
    with office.resume() as agent:
        for _ in range(3):
            for _ in range(60):
                agent.add_turn(say("word"))
            before = counting.read
            assert len(agents.turns("worker", limit=20).turns) == 20
            assert len(agents.turns("worker", before=31, limit=20).turns) == 20
            read.append(counting.read - before)
    assert read == [2 * (20 + 1)] * 3  # where the agent stands, and the turns


def test_long_content_becomes_an_output_and_leaves_how_it_begins(office: AgentWorld) -> None:
    text = "".join(f"line {number}\n" for number in range(2_000))
    with office.resume() as agent:
        added = agent.add_turn(say(text, role="tool", name="logs"))
        assert added.turn.content == text[:TURN_EXCERPT_CODE_POINTS]
        assert added.turn.output_ref == "o1"
        assert agent.add_turn(say("x" * 8_000)).turn.output_ref is None
        assert agent.add_turn(say("x" * 8_001)).turn.output_ref == "o2"
    context = office.here.show("worker")
    assert context.turns[0] == added.turn
    assert [(each.ref, each.tool) for each in context.outputs] == [("o2", "user"), ("o1", "logs")]
    assert read_whole(office, "o1", 4_321) == text


def read_whole(office: AgentWorld, ref: str, length: int) -> str:
    parts, offset = list[str](), 0
    while True:
        request = ReadOutput(agent="worker", ref=ref, offset=offset, length=length)
        piece = office.here.read_output(request)
        parts.append(piece.text)
        if piece.next_offset is None:
            return "".join(parts)
        offset = piece.next_offset


def test_an_output_is_read_in_pieces_and_shows_how_it_begins(office: AgentWorld) -> None:
    text = "数据库 and more, " * 100
    with office.resume() as agent:
        kept = agent.add_output(AddOutput(tool="query", content=text))
        assert (kept.summary, kept.length) == (text[:200], len(text))
        assert kept.bytes == len(text.encode())
        short = agent.add_output(AddOutput(tool="query", content=text, summary="rows"))
        assert (short.ref, short.summary) == ("o2", "rows")
    for length in (1, 7, 1_000_000):
        assert read_whole(office, "o1", length) == text
    beyond = office.here.read_output(ReadOutput(agent="worker", ref="o1", offset=9_999))
    assert (beyond.text, beyond.next_offset) == ("", None)
    for ref in ("o3", "o0", "1", "", "o" * 99, "o-1"):
        with pytest.raises(NotFound, match="no output"):
            office.here.read_output(ReadOutput(agent="worker", ref=ref))


def test_what_is_too_long_is_refused_unsaid_and_nothing_of_it_kept(office: AgentWorld) -> None:
    content = SECRET + "x" * AGENT_OUTPUT_BYTES_MAX
    kept_as_three_bytes_each = "\0" * (AGENT_OUTPUT_BYTES_MAX // 3 + 1)
    says = f"{len(content)} bytes; at most {AGENT_OUTPUT_BYTES_MAX}"
    with office.resume() as agent:
        with pytest.raises(InvalidRequest, match=says) as refused:
            agent.add_output(AddOutput(tool="logs", content=content))
        assert SECRET[:8] not in str(refused.value)
        with pytest.raises(InvalidRequest, match=says):
            agent.add_turn(say(content))
        with pytest.raises(InvalidRequest, match="bytes"):
            agent.add_output(AddOutput(tool="logs", content=kept_as_three_bytes_each))
        assert agent.brief().outputs_total == 0


def test_what_many_threads_of_one_holder_write_is_all_kept(office: AgentWorld) -> None:
    with office.resume() as agent:

        def write(thread: int) -> None:
            for number in range(6):
                agent.add_turn(say(f"{thread}/{number}", f"{thread}/{number}"))
                name = f"p{thread}-{number}"
                agent.set_pointer(SetPointer(name=name, type="env", note=name))

        threads = [threading.Thread(target=write, args=(thread,)) for thread in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=120)
        context = agent.brief(100_000)
    assert sorted(each.seq for each in context.turns) == list(range(1, 25))
    assert len({each.content for each in context.turns}) == 24
    assert len(context.pointers) == 24
    assert office.here.list().agents[0].pointers == 24


def test_turns_are_what_recall_reads(office: AgentWorld) -> None:
    with office.resume() as agent:
        agent.add_turn(say("hello there"))
        agent.add_turn(say("the log", role="tool"))
        agent.add_output(AddOutput(tool="t", content="output"))
    with office.stores.transcripts.snapshot() as reader:
        session = reader.session("agent:worker")
        assert session is not None
        assert (session.origin, session.title, session.events) == ("agent", "Agent worker", 3)
        assert b"hello there" in next(iter(reader.events("agent:worker"))).payload


@settings(max_examples=30)
@given(st.text(max_size=40), st.sampled_from(["user", "assistant", "tool", "system"]))
def test_any_text_comes_back_as_it_was_said(text: str, role: TurnRole) -> None:
    """But for what no store keeps: NUL and lone surrogates."""
    uptime = FakeUptime()
    office = AgentWorld(in_memory(uptime), uptime)
    agents = office.process("open", redact_secrets=False)
    with agents.resume(ResumeAgent(agent="worker")) as agent:
        agent.add_turn(AddTurn(role=role, content=text))
        agent.add_output(AddOutput(tool="t", content=text))
        agent.update_state(StateUpdate(goal=text, plan=(text,)))
        agent.set_pointer(SetPointer(name="p", type="env", fields={"v": text}, note=text))
        context = agent.brief()
    kept = settled_text(text)
    assert [each.content for each in context.turns] == [kept]
    assert (context.state.state.goal, context.state.state.plan) == (kept, (kept,))
    assert (context.pointers[0].fields, context.pointers[0].note) == ({"v": kept}, kept)
    assert read_whole(office, "o1", 7) == kept
    office.end()


def test_a_lost_acknowledgement_is_found_out_before_the_next_write(office: AgentWorld) -> None:
    """The commit was kept, and the holder was told that it failed."""
    lost = Fault.raising(
        Boundary(method="append", call=2, moment="after"), StoreUnavailable("the wire was cut")
    )
    faulty = FaultyStore(office.stores.transcripts, [lost])
    with office.process("unlucky", transcripts=faulty).resume(ResumeAgent(agent="worker")) as agent:
        agent.add_turn(say("one", "m1"))
        with pytest.raises(StoreUnavailable):
            agent.add_turn(say("two", "m2"))
        assert agent.epoch == 1
        assert not agent.add_turn(say("two", "m2")).is_new
        assert agent.add_turn(say("three", "m3")).turn.seq == 3
    contents = [each.content for each in office.here.turns("worker").turns]
    assert contents == ["one", "two", "three"]
