"""An agent that is killed with SIGKILL, again and again, does nothing twice and loses nothing."""

import os
import random
from pathlib import Path

import pytest

from recense.bench.agent_judge import Judge
from recense.bench.agent_kills import planned, survive
from recense.bench.agent_script import CLASSES, POINTS, Point, ScriptedStep, line_of, script
from recense.bench.agent_worker import memory_of
from recense.bench.agent_world import Hands, counting_server
from recense.bench.measuring import Assertions
from recense.core.agents.values import ACTION_CLASSES
from recense.limits import LEASE_TTL_MS
from recense.operations.agents import BeginAction, ResumeAgent
from recense.testing import FakeUptime

KILLS = int(os.environ.get("RECENSE_TEST_KILLS", "48"))
"""Kills in one run; `recense bench agents` makes 500."""

INSIDE: tuple[Point, ...] = ("begin_commit", "begun", "within", "done", "end_commit", "ended")


def test_an_agent_survives_being_killed_at_every_point_of_every_kind_of_act(
    tmp_path: Path,
) -> None:
    asserted = Assertions()
    survived = survive(tmp_path, KILLS, 20261130, asserted, lambda _: None)
    assert survived.kills >= KILLS
    assert set(INSIDE) < survived.at.keys()
    assert survived.at["random"] + survived.at.get("random_at_start", 0) >= KILLS // 8
    for sentence in (
        "every open action is in the next briefing, and nothing else",
        "an unsafe request is never sent twice",
        "a keyed charge counts exactly once, and twice where it was made twice on purpose",
        "an order that was made and not recorded is settled by the probe",
        "every step is one action: nothing is lost, and nothing is there twice",
    ):
        assert sentence in asserted.sentences()


def test_a_round_of_kills_is_every_named_point_with_every_tool() -> None:
    plan = planned(500, random.Random(7))
    named = {(kill.point, kill.tool) for kill in plan if kill.tool is not None}
    assert named >= {(point, tool) for point in INSIDE for tool in CLASSES}
    assert {kill.point for kill in plan} == set(POINTS)
    assert sum(kill.point == "random" for kill in plan) == 200
    assert set(CLASSES.values()) == set(ACTION_CLASSES)


def test_some_steps_do_on_purpose_what_one_before_them_did() -> None:
    acts = [(step.tool, step.label) for step in script(8)]
    assert [acts.count(act) for act in acts] == [1, 1, 2, 2, 1, 1, 2, 2]
    assert len({step.call_id for step in script(8)}) == 8


def _did_twice(hands: Hands, step: ScriptedStep) -> None:
    hands.do(step.tool, step.label, "its-key")
    hands.do(step.tool, step.label, "its-key")


@pytest.mark.parametrize("tool", ["append_line", "send", "order"])
def test_the_judge_notices_what_was_done_twice(tmp_path: Path, tool: str) -> None:
    step = next(step for step in script(6) if step.tool == tool)
    with (
        counting_server() as server,
        memory_of(tmp_path / "recense.db", FakeUptime(LEASE_TTL_MS)) as memory,
    ):
        hands = Hands(tmp_path, server.server_port)
        hands.prepare()
        judge = Judge(memory, "twice", server, hands, Assertions())
        judge.after_a_life()
        with memory.agents.resume(ResumeAgent(agent="twice")) as agent:
            for each in script(6):
                action_class = CLASSES[each.tool]
                agent.begin_action(
                    BeginAction(
                        tool=each.tool,
                        action_class=action_class,
                        args=each.args,
                        call_id=each.call_id,
                    )
                )
        _did_twice(hands, step)
        with pytest.raises(AssertionError, match=r"twice|once"):
            judge.after_a_life()


def test_the_judge_notices_what_was_acknowledged_and_is_not_there(tmp_path: Path) -> None:
    with (
        counting_server() as server,
        memory_of(tmp_path / "recense.db", FakeUptime()) as memory,
    ):
        hands = Hands(tmp_path, server.server_port)
        hands.prepare()
        judge = Judge(memory, "lost", server, hands, Assertions())
        (tmp_path / "journal.txt").write_text("begun 0\n", encoding="utf-8")
        with pytest.raises(AssertionError, match="no action is lost"):
            judge.after_a_life()


def test_half_a_line_is_told_from_a_whole_one(tmp_path: Path) -> None:
    hands = Hands(tmp_path, 0)
    hands.prepare()
    assert hands.appended("label-4") == (0, False)
    hands.lines.write_text(line_of("label-4")[:20], encoding="utf-8")
    assert hands.appended("label-4") == (1, False)
    hands.lines.write_text(line_of("label-4"), encoding="utf-8")
    assert hands.appended("label-4") == (1, True)
