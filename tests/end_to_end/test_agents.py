"""Agents on one SQLite file: what recall finds of them, how much is read, what is forgotten."""

from collections.abc import Iterable
from pathlib import Path

from msgspec.structs import replace

from recense.core.agents.values import StateUpdate
from recense.limits import AGENT_OUTPUT_BYTES_MAX
from recense.operations.agents import (
    AddOutput,
    AddTurn,
    ReadOutput,
    ResumeAgent,
)
from recense.operations.facts import RememberFact
from recense.operations.recall import RecallRequest, TextBeyondLimit
from recense.services.memory import Memory
from recense.wiring import open_url


def memory_in(folder: Path) -> Memory:
    """Return the memory in a file in a folder, by the clocks of the system."""
    return open_url(f"sqlite:///{folder}/recense.db")


def test_a_briefing_is_drawn_from_facts_and_from_what_any_session_said(tmp_path: Path) -> None:
    with memory_in(tmp_path) as memory:
        memory.remember_fact(
            RememberFact(subject="lantern", predicate="hangs_at", value="the north pier")
        )
        with memory.agents.resume(ResumeAgent(agent="keeper")) as agent:
            agent.add_turn(AddTurn(role="user", content="the lantern was painted red in spring"))
        with memory.agents.resume(ResumeAgent(agent="worker")) as agent:
            agent.update_state(StateUpdate(focus="where is the lantern painted red"))
            context = agent.brief()
        assert {each.kind for each in context.memories} == {"fact", "passage"}
        assert "the north pier" in context.briefing.text
        assert "painted red in spring" in context.briefing.text
        again = memory.agents.show("worker")
        assert replace(again.briefing, token_budget=0) == replace(context.briefing, token_budget=0)


def test_an_output_of_eight_megabytes_is_kept_read_in_pieces_and_found_by_its_first(
    tmp_path: Path,
) -> None:
    lines = (
        f"{number:07} the tide gauge says {number * 7919 % 1000} mm\n" for number in range(10**9)
    )
    content = _filled(lines, AGENT_OUTPUT_BYTES_MAX)
    head, tail = "heron beneath the bridge\n", "gannet above the bridge\n"
    content = head + content[: -len(head) - len(tail)] + tail
    assert len(content) == AGENT_OUTPUT_BYTES_MAX
    with memory_in(tmp_path) as memory:
        with memory.agents.resume(ResumeAgent(agent="worker")) as agent:
            ref = agent.add_output(AddOutput(tool="gauge", content=content)).ref
        for offset in (0, 4_000_000, AGENT_OUTPUT_BYTES_MAX - 50):
            request = ReadOutput(agent="worker", ref=ref, offset=offset, length=100)
            piece = memory.agents.read_output(request)
            assert piece.text == content[offset : offset + 100]
            assert piece.length == AGENT_OUTPUT_BYTES_MAX
        found = memory.recall(RecallRequest(terms=("heron beneath",)))
        assert [each.session for each in found.passages] == ["agent:worker"]
        beyond = memory.recall(RecallRequest(terms=("gannet above",)))
        assert beyond.passages == ()
        (gap,) = (gap for gap in beyond.gaps if isinstance(gap, TextBeyondLimit))
        assert gap.bytes > 6 * 1024 * 1024


def test_of_an_agents_session_that_is_forgotten_no_byte_is_left(tmp_path: Path) -> None:
    words = "marmalade on the lighthouse stairs"

    def is_in_a_file(text: str) -> bool:
        return any(text.encode() in each.read_bytes() for each in tmp_path.iterdir())

    with memory_in(tmp_path) as memory:
        with memory.agents.resume(ResumeAgent(agent="keeper")) as agent:
            agent.add_turn(AddTurn(role="user", content=words, brief=words))
            agent.add_turn(AddTurn(role="tool", content=f"{words}, " * 400))
            agent.add_output(AddOutput(tool="look", content=words))
            agent.add_output(AddOutput(tool="look", content="seen", summary=words))
            agent.update_state(StateUpdate(goal="keep the light"))
            agent.brief()
            assert is_in_a_file(words)
            assert memory.forget_session("agent:keeper").bytes_gone
            assert not is_in_a_file(words)
            assert memory.agents.forget_texts(["agent:keeper"]) == 0
        with memory.agents.resume(ResumeAgent(agent="keeper")) as agent:
            assert agent.context.session == "agent:keeper~2"
            assert agent.context.state.state.goal == "keep the light"
            assert [each.content for each in agent.context.turns] == [None, None]
            assert [each.summary for each in agent.context.outputs] == [""] * 3
            agent.add_turn(AddTurn(role="user", content=words, brief="kept"))
            memory.forget_session("agent:keeper")
            assert memory.agents.turns("keeper").turns[-1].brief == "kept"
    assert is_in_a_file("keep the light")


def _filled(lines: Iterable[str], size: int) -> str:
    found, length = list[str](), 0
    for line in lines:
        found.append(line)
        length += len(line)
        if length >= size:
            break
    return "".join(found)[:size]
