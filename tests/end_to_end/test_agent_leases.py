"""Leases of agents on one SQLite file, between processes: whoever has lost one writes nothing, and
whoever died keeps nobody waiting for longer than its time.
"""

import os
import re
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from recense.adapters.system import SystemUptime
from recense.errors import LeaseHeld
from recense.limits import LEASE_TTL_MS, LEASE_TTL_MS_MIN
from recense.operations.agent_calls import RecordTurn
from recense.operations.agents import ResumeAgent
from tests.conftest import PROJECT
from tests.end_to_end.agent_lease_child import SharedUptime, memory_in, said

WAIT_SECONDS_MAX = 120
AGENTS = int(os.environ.get("RECENSE_TEST_AGENTS_ON_ONE_FILE", "50"))
PROCESSES = 8
AGENT = "harbour"
HOUR = 3_600_000_000


@contextmanager
def child(*arguments: str) -> "Generator[subprocess.Popen[str]]":
    environment = {name: it for name, it in os.environ.items() if not name.startswith("PYTHONWARN")}
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.end_to_end.agent_lease_child", *arguments],
        cwd=PROJECT,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    watchdog = threading.Timer(WAIT_SECONDS_MAX, process.kill)  # a line that is waited for ends too
    watchdog.start()
    try:
        yield process
    finally:
        watchdog.cancel()
        process.kill()
        process.communicate(timeout=WAIT_SECONDS_MAX)


def told(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, process.communicate(timeout=WAIT_SECONDS_MAX)[1]
    return line.strip()


def tell(process: "subprocess.Popen[str]") -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


def resumed(
    agent: str = AGENT, holder: str = "the next", ttl_ms: int = LEASE_TTL_MS
) -> ResumeAgent:
    return ResumeAgent(agent=agent, holder=holder, ttl_ms=ttl_ms)


def stopped(pid: int) -> bool:
    """Wait until a process has stopped itself, or ended."""
    _, status = os.waitpid(pid, os.WUNTRACED)
    return os.WIFSTOPPED(status)


@pytest.mark.parametrize(
    ("write", "is_resumed"), [("turn", True), ("state", False), ("action", True)]
)
def test_who_stalled_inside_a_write_past_its_lease_is_refused_by_the_write_itself(
    tmp_path: Path, write: str, is_resumed: bool
) -> None:
    uptime = SharedUptime(tmp_path)
    with child("stall", str(tmp_path), AGENT, "1000", write) as slow, memory_in(tmp_path) as memory:
        assert stopped(slow.pid)
        uptime.set(1_001)
        if is_resumed:
            with memory.agents.resume(resumed()) as agent:
                assert agent.epoch == 2
                said(agent, "meanwhile")
                os.kill(slow.pid, signal.SIGCONT)
                refusal = told(slow)
                said(agent, "and on")
        else:
            os.kill(slow.pid, signal.SIGCONT)
            refusal = told(slow)
        assert re.match(rf"refused .*'{AGENT}'.* 'slow' \(epoch 1\).* True$", refusal)
        contents = [turn.content for turn in memory.agents.turns(AGENT).turns]
        assert contents == ["before it stalled"] + ["meanwhile", "and on"] * is_resumed
        assert memory.agents.state(AGENT).version == 0
        assert memory.agents.actions(AGENT).actions == ()


@pytest.mark.parametrize("write", ["turn", "state"])
def test_a_server_that_stalled_inside_a_call_past_its_callers_lease_keeps_nothing_of_it(
    tmp_path: Path, write: str
) -> None:
    uptime = SharedUptime(tmp_path)
    with child("serve", str(tmp_path), AGENT, "1000", write) as slow, memory_in(tmp_path) as memory:
        assert stopped(slow.pid)
        calls = memory.agents.calls
        uptime.set(999)
        with pytest.raises(LeaseHeld, match="'slow'"):
            calls.resume(resumed())
        uptime.set(1_000)
        epoch = calls.resume(resumed()).epoch
        turn = RecordTurn(agent=AGENT, epoch=epoch, role="user", content="meanwhile")
        calls.record_turn(turn)
        os.kill(slow.pid, signal.SIGCONT)
        refusal = told(slow)
        assert re.match(rf"refused agent '{AGENT}' is not held under epoch 1", refusal)
        assert "epoch 2 is that of 'the next'" in refusal
        calls.record_turn(replace(turn, content="and on"))
        contents = [turn.content for turn in memory.agents.turns(AGENT).turns]
        assert contents == ["before it stalled", "meanwhile", "and on"]
        assert memory.agents.state(AGENT).version == 0


def test_who_stalled_and_is_back_in_time_goes_on(tmp_path: Path) -> None:
    uptime = SharedUptime(tmp_path)
    with (
        child("stall", str(tmp_path), AGENT, "1000", "turn") as slow,
        memory_in(tmp_path) as memory,
    ):
        assert stopped(slow.pid)
        uptime.set(999)
        with pytest.raises(LeaseHeld):
            memory.agents.resume(resumed())
        os.kill(slow.pid, signal.SIGCONT)
        assert told(slow) == "kept"


def test_a_dead_holders_agent_is_free_when_its_time_is_over_and_not_before(tmp_path: Path) -> None:
    uptime = SharedUptime(tmp_path)
    uptime.set(5_000)
    with child("hold", str(tmp_path), AGENT, "1000") as holder, memory_in(tmp_path) as memory:
        assert told(holder) == "held"
        holder.kill()
        holder.wait(timeout=WAIT_SECONDS_MAX)
        uptime.set(5_999)
        with pytest.raises(LeaseHeld) as refused:
            memory.agents.resume(resumed())
        assert AGENT in refused.value.message
        assert "the one that dies" in refused.value.message
        assert "another 1 ms" in refused.value.message
        assert "wait" in refused.value.hint
        uptime.set(6_000)
        with memory.agents.resume(resumed()) as agent:
            assert agent.epoch == 2


def test_a_dead_holders_agent_is_free_by_the_clock_of_this_boot_too(tmp_path: Path) -> None:
    uptime = SystemUptime()
    ttl_ms = 5 * LEASE_TTL_MS_MIN
    began = uptime.uptime_ms()
    with child("hold_really", str(tmp_path), AGENT, str(ttl_ms)) as holder:
        assert told(holder) == "held"
        holder.kill()
        holder.wait(timeout=WAIT_SECONDS_MAX)
    waiting = threading.Event()
    with memory_in(tmp_path, uptime=uptime) as memory:
        while uptime.uptime_ms() < began + WAIT_SECONDS_MAX * 1_000:
            try:
                with memory.agents.resume(resumed()) as agent:
                    assert agent.epoch == 2
                break
            except LeaseHeld:
                waiting.wait(0.01)
        assert began + ttl_ms <= uptime.uptime_ms() < began + WAIT_SECONDS_MAX * 1_000


@pytest.mark.parametrize("end", ["SIGTERM", "stdin is closed"])
def test_who_ends_politely_gives_its_agent_back_and_what_it_was_doing_stays_open(
    tmp_path: Path, end: str
) -> None:
    SharedUptime(tmp_path)  # which stands still: nothing runs out
    with child("hold_politely", str(tmp_path), AGENT) as holder, memory_in(tmp_path) as memory:
        assert told(holder) == "held"
        with pytest.raises(LeaseHeld):
            memory.agents.resume(resumed())
        if end == "SIGTERM":
            holder.terminate()
        else:
            assert holder.stdin is not None
            holder.stdin.close()
            holder.stdin = None
        code = holder.wait(timeout=WAIT_SECONDS_MAX)
        assert code == (128 + signal.SIGTERM if end == "SIGTERM" else 0)
        with memory.agents.resume(resumed()) as agent:
            assert agent.epoch == 2
            assert [turn.content for turn in agent.context.turns] == ["before it ends"]
            assert [action.status for action in agent.context.actions] == ["open"]


def test_unless_it_is_asked_for_sigterm_ends_a_holder_as_it_ends_any_program(
    tmp_path: Path,
) -> None:
    SharedUptime(tmp_path)
    with child("hold", str(tmp_path), AGENT, "1000") as holder, memory_in(tmp_path) as memory:
        assert told(holder) == "held"
        holder.terminate()
        assert holder.wait(timeout=WAIT_SECONDS_MAX) == -signal.SIGTERM
        with pytest.raises(LeaseHeld):
            memory.agents.resume(resumed())


def test_of_two_that_resume_at_once_exactly_one_writes(tmp_path: Path) -> None:
    memory_in(tmp_path).close()
    with (
        child("write", str(tmp_path), AGENT, "5") as one,
        child("write", str(tmp_path), AGENT, "5") as other,
    ):
        tell(one)
        tell(other)
        answers = sorted((told(one), told(other)))
        assert answers[0].startswith("held")
        assert f"'{AGENT}'" in answers[0]
        assert answers[1] == "wrote 1"
        with memory_in(tmp_path) as memory:
            turns = memory.agents.turns(AGENT).turns
            assert len(turns) == 5
            assert len({turn.content for turn in turns}) == 1


def test_many_agents_and_many_processes_share_one_file(tmp_path: Path) -> None:
    memory_in(tmp_path).close()
    with child("crowd", str(tmp_path), str(AGENTS), str(PROCESSES)) as crowd:
        out, errors = crowd.communicate(timeout=WAIT_SECONDS_MAX)
    assert errors == ""
    *paid, ended = out.splitlines()
    assert ended == "ended 0"
    names = [f"agent-{number}" for number in range(AGENTS)]
    assert Counter(paid) == Counter(f"paid {name}" for name in names)
    with memory_in(tmp_path) as memory:
        assert memory.agents.list().total == AGENTS
        for name in names:
            turns = memory.agents.turns(name).turns
            assert Counter(turn.content for turn in turns) == Counter(
                f"process {number}" for number in range(PROCESSES)
            )
            (action,) = memory.agents.actions(name).actions
            assert action.status == "succeeded"
            assert memory.agents.show(name).epoch == PROCESSES
