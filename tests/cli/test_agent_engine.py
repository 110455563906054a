"""A person and an agent, over the engine itself: what is shown, decided, and refused."""

import os
from pathlib import Path

import msgspec
import pytest

import recense
from recense.operations.agents import ActionList, ActionView, AgentContext, AgentList
from tests.cli.running import NOT_INHERITED, Ran
from tests.cli.test_fact_engine import said, told

CLERK = recense.ResumeAgent(agent="clerk", holder="the clerk's process")
MAIL = recense.BeginAction(tool="send_mail", action_class="unsafe", args={"to": "mira"})


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith(NOT_INHERITED):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("RECENSE_STORE", str(tmp_path / "recense.db"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def left_open() -> str:
    """An agent that left a mail open; the id of that act."""
    with recense.open() as memory, memory.agents.resume(CLERK) as agent:
        agent.update_state(recense.StateUpdate(goal="close the day", step=3))
        agent.add_turn(recense.AddTurn(role="user", content="Tell Mira."))
        return agent.begin_action(MAIL).id


def refused(*words: str) -> Ran:
    ran = said(*words)
    assert (ran.exit_code, ran.out) == (1, "")
    return ran


def test_a_person_sees_what_an_agent_left_open_and_says_what_became_of_it(left_open: str) -> None:
    (summary,) = told(AgentList, "agent").agents
    assert (summary.agent, summary.goal, summary.unsettled) == ("clerk", "close the day", 1)
    (action,) = told(ActionList, "agent", "actions", "clerk", "--unsettled").actions
    assert (action.id, action.status) == (left_open, "open")
    assert left_open in said("agent", "show", "clerk").out
    briefing = said("agent", "resume", "clerk", "--tokens", "500").out
    assert briefing.index(left_open) < briefing.index("close the day")
    decided = told(ActionView, "agent", "decide", "clerk", left_open, "abandoned", "--note", "no")
    assert (decided.status, decided.settled_by, decided.note) == ("abandoned", "person", "no")
    assert told(ActionList, "agent", "actions", "clerk", "--unsettled").actions == ()
    again = said("agent", "decide", "clerk", left_open, "failed")
    assert (again.exit_code, again.out) == (2, "")
    assert left_open in again.err


def test_what_a_rule_can_settle_asks_nobody_and_what_needs_a_person_is_named(
    left_open: str,
) -> None:
    charge = recense.BeginAction(tool="charge", action_class="keyed", args={"cents": 1200})
    cashier = recense.ResumeAgent(agent="cashier")
    with recense.open() as memory:
        with memory.agents.resume(cashier) as agent:
            agent.begin_action(charge)
        with memory.agents.resume(CLERK) as agent:
            agent.begin_action(charge)
    assert "can settle this by the rule of its class" in said("agent", "show", "cashier").out
    both = said("agent", "show", "clerk").out
    assert "by the rule of its class" not in both
    assert f"recense agent decide clerk {left_open} OUTCOME" in both


def test_a_person_who_resumes_holds_nothing_afterwards(left_open: str) -> None:
    first, second = (told(AgentContext, "agent", "resume", "clerk") for _ in range(2))
    assert (first.epoch, second.epoch) == (2, 3)
    assert second.holder == "recense agent"
    with recense.open() as memory, memory.agents.resume(CLERK) as agent:
        assert agent.epoch == 4
        assert [action.id for action in agent.context.actions] == [left_open]


def test_while_an_agent_runs_a_person_may_look_and_neither_take_it_nor_decide(
    left_open: str,
) -> None:
    with recense.open() as memory, memory.agents.resume(CLERK) as agent:
        assert told(AgentContext, "agent", "show", "clerk").holder == CLERK.holder
        for words in (("resume", "clerk"), ("decide", "clerk", left_open, "failed")):
            error = refused("agent", *words).err
            assert "'clerk'" in error
            assert "the clerk's process" in error
            assert "hint: " in error
        agent.renew()


@pytest.mark.parametrize(
    "words",
    [
        ("show", "clark"),
        ("resume", "clark"),
        ("actions", "clark"),
        ("actions", "clark", "ID"),
        ("decide", "clark", "ID", "failed"),
    ],
)
def test_an_agent_that_is_not_there_is_refused_by_its_name_and_not_begun(
    left_open: str, words: tuple[str, ...]
) -> None:
    assert "clark" in refused("agent", *words).err
    assert [each.agent for each in told(AgentList, "agent", "list").agents] == ["clerk"]


def test_where_nothing_was_kept_there_is_no_agent_and_no_file_is_made(tmp_path: Path) -> None:
    assert refused("agent", "list").err
    assert not (tmp_path / "recense.db").exists()


def test_a_document_is_the_same_struct_that_the_library_gives(left_open: str) -> None:
    shown = told(AgentContext, "agent", "show", "clerk")
    with recense.open() as memory:
        assert msgspec.to_builtins(memory.agents.show("clerk")) == msgspec.to_builtins(shown)
