"""Agents on one SQLite file: processes that meet, stall and are killed; what recall finds of them;
how much is read.
"""

import os
import random
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import replace

from recense.core.agents.values import StateUpdate
from recense.errors import LeaseHeld
from recense.limits import AGENT_OUTPUT_BYTES_MAX
from recense.operations.agents import (
    AddOutput,
    AddTurn,
    ReadOutput,
    ResumeAgent,
)
from recense.operations.facts import RememberFact
from recense.operations.recall import RecallRequest, TextBeyondLimit
from tests.conftest import PROJECT
from tests.end_to_end.agent_child import World, memory_in, resumed

WAIT_SECONDS_MAX: Final = 240
PROCESSES: Final = int(os.environ.get("RECENSE_TEST_AGENT_PROCESSES", "2"))
AGENTS: Final = int(os.environ.get("RECENSE_TEST_AGENTS", "3"))
"""Agents that all processes write as; 50 by 8 processes is the full measure."""
KILLS: Final = int(os.environ.get("RECENSE_TEST_AGENT_KILLS", "2"))
TTL_MS: Final = 1_500


def _child(*arguments: str) -> subprocess.Popen[str]:
    # A library asks for the locale's encoding, which is its own affair: a child says nothing of it.
    environment = {name: it for name, it in os.environ.items() if not name.startswith("PYTHONWARN")}
    return subprocess.Popen(
        [sys.executable, "-m", "tests.end_to_end.agent_child", *arguments],
        cwd=PROJECT,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


def _line(child: subprocess.Popen[str]) -> str:
    assert child.stdout is not None
    return child.stdout.readline().strip()


def test_a_process_that_is_stopped_past_its_lease_is_refused_when_it_goes_on(
    tmp_path: Path,
) -> None:
    child = _child("stall", str(tmp_path), "1000")
    assert _line(child) == "held", child.communicate(timeout=WAIT_SECONDS_MAX)
    with memory_in(tmp_path) as memory:
        with pytest.raises(LeaseHeld, match="'stalled'"):
            memory.agents.resume(ResumeAgent(agent="worker"))
        child.send_signal(signal.SIGSTOP)
        with resumed(memory, ResumeAgent(agent="worker", holder="next")) as agent:
            assert agent.epoch == 2
            child.send_signal(signal.SIGCONT)
            out, err = child.communicate("write\n", timeout=WAIT_SECONDS_MAX)
            assert out.startswith("lease_lost agent 'worker' is no longer held by 'stalled'"), err
            assert agent.brief().turns_total == 0


def test_many_processes_write_as_many_agents_one_at_a_time_and_nothing_is_lost(
    tmp_path: Path,
) -> None:
    with memory_in(tmp_path):
        pass  # the store is there
    children = [
        _child("write", str(tmp_path), f"writer-{number}", str(AGENTS))
        for number in range(PROCESSES)
    ]
    for child in children:
        out, err = child.communicate(timeout=WAIT_SECONDS_MAX)
        assert child.returncode == 0, out + err
    writers = {f"writer-{number}" for number in range(PROCESSES)}
    with memory_in(tmp_path) as memory:
        listed = memory.agents.list(limit=AGENTS + 1)
        assert listed.total == AGENTS
        for each in listed.agents:
            assert each.epoch == PROCESSES
            turns = memory.agents.turns(each.agent).turns
            assert {turn.content for turn in turns} == writers
            assert [turn.seq for turn in turns] == list(range(1, PROCESSES + 1))


def test_killed_at_random_moments_nothing_is_done_twice_and_nothing_is_lost(
    tmp_path: Path,
) -> None:
    chance = random.Random(7)
    acknowledged = list[str]()
    for _ in range(KILLS):
        child = _child("work", str(tmp_path), str(TTL_MS))
        assert _line(child) == "reconciled", child.communicate(timeout=WAIT_SECONDS_MAX)
        acknowledged += [_line(child) for _ in range(chance.randrange(6))]
        child.kill()
        rest, _ = child.communicate(timeout=WAIT_SECONDS_MAX)
        acknowledged += rest.split("\n")[:-1]
    times = Counter(World(tmp_path).lines())
    with memory_in(tmp_path) as memory:
        agent = resumed(memory, ResumeAgent(agent="worker", token_budget=1_000))
        actions = {each.id: each for each in memory.agents.actions("worker", limit=1_000).actions}
        assert set(acknowledged) - {""} <= set(actions)
        for each in actions.values():
            if each.action_class in {"unsafe", "keyed", "checkable"}:
                assert times[each.key or each.id] <= 1, each
            if each.action_class != "read" and each.status == "succeeded":
                assert times[each.key or each.id] >= 1, each
        unsettled = [each for each in actions.values() if each.status in {"open", "unknown"}]
        assert {each.id for each in unsettled} == {each.id for each in agent.context.actions}
        assert all(each.id in agent.context.briefing.text for each in unsettled)
        agent.release()


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
    long = f"{words}, " * 400
    with memory_in(tmp_path) as memory:
        with memory.agents.resume(ResumeAgent(agent="keeper")) as agent:
            agent.add_turn(AddTurn(role="user", content=words, brief=words))
            agent.add_turn(AddTurn(role="tool", content=long))
            agent.add_output(AddOutput(tool="t", content=words, summary=words))
            agent.update_state(StateUpdate(goal="keep the light"))
            agent.brief()
            memory.forget_session("agent:keeper")
            assert memory.agents.forget_texts(["agent:keeper"]) == 0
        with memory.agents.resume(ResumeAgent(agent="keeper")) as agent:
            assert agent.context.state.state.goal == "keep the light"
            assert [each.content for each in agent.context.turns] == [None, None]
    left = b"".join(file.read_bytes() for file in tmp_path.iterdir() if file.is_file())
    assert b"keep the light" in left
    assert words.encode() not in left


def _filled(lines: Iterable[str], size: int) -> str:
    found, length = list[str](), 0
    for line in lines:
        found.append(line)
        length += len(line)
        if length >= size:
            break
    return "".join(found)[:size]
