"""What the commands of agents ask of a memory, and what a person is told."""

import pytest

from recense.errors import LeaseHeld, NotFound
from recense.limits import AGENTS_LISTED_DEFAULT, BRIEFING_TOKENS_DEFAULT
from recense.operations.agents import ActionList, DecideAction, ResumeAgent
from tests.cli import agent_samples
from tests.cli.fact_asking import asked_by
from tests.cli.fake_agents import AgentAnswers
from tests.cli.fake_memory import FakeMemory
from tests.cli.running import run_here

AGENT = agent_samples.AGENT


def test_agents_are_listed_a_page_at_a_time() -> None:
    assert asked_by("agent") == [("open", {}, False), ("agents", AGENTS_LISTED_DEFAULT, 0)]
    assert asked_by("agent", "list", "--limit", "2", "--offset", "4")[1] == ("agents", 2, 4)
    assert "recense agent list --offset 2\n" in run_here("agent").out


def test_an_agent_is_shown_without_being_taken() -> None:
    assert asked_by("agent", "show", AGENT)[1:] == [("show_agent", AGENT, BRIEFING_TOKENS_DEFAULT)]
    assert asked_by("agent", "show", AGENT, "--tokens", "500")[1] == ("show_agent", AGENT, 500)


@pytest.mark.parametrize("command", ["show", "resume"])
@pytest.mark.parametrize("tokens", ["0", "200001"])
def test_a_budget_that_no_briefing_has_is_refused_by_the_name_of_its_option(
    command: str, tokens: str
) -> None:
    memory = FakeMemory()
    ran = run_here("agent", command, AGENT, "--tokens", tokens, memory=memory)
    assert (ran.exit_code, ran.out, memory.asked) == (2, "", [])
    assert "--tokens" in ran.err
    assert "200000" in ran.err
    assert "token_budget" not in ran.err


def test_an_agent_that_is_resumed_by_a_person_is_given_back() -> None:
    assert asked_by("agent", "resume", AGENT, "--tokens", "500")[1:] == [
        ("show_agent", AGENT, 500),
        ("resume", ResumeAgent(agent=AGENT, holder="recense agent", token_budget=500)),
        ("release", AGENT),
    ]


def test_a_briefing_is_printed_as_the_agent_gets_it() -> None:
    page = run_here("agent", "resume", AGENT).out
    assert page.startswith(agent_samples.BRIEFING_TEXT)


def test_a_name_that_is_not_there_begins_no_agent() -> None:
    memory = FakeMemory(error=NotFound(f"no agent {'deploier'!r}", hint="recense agent list"))
    ran = run_here("agent", "resume", "deploier", memory=memory)
    assert ran.exit_code == 1
    assert [asked[0] for asked in memory.asked if isinstance(asked, tuple)] == [
        "open",
        "show_agent",
    ]
    assert "deploier" in ran.err
    assert "recense agent list" in ran.err


def test_actions_are_listed_or_one_of_them_is_shown() -> None:
    assert asked_by("agent", "actions", AGENT)[1] == ("actions", AGENT, False, 50, None)
    page = ("--unsettled", "--limit", "3", "--after", "act-0")
    assert asked_by("agent", "actions", AGENT, *page)[1] == ("actions", AGENT, True, 3, "act-0")
    assert asked_by("agent", "actions", AGENT, "act-1")[1:] == [("action", AGENT, "act-1")]


@pytest.mark.parametrize("status", ["succeeded", "failed", "abandoned", "compensated"])
def test_a_person_decides_with_a_word_and_a_note(status: str) -> None:
    asked = asked_by("agent", "decide", AGENT, "act-1", status, "--note", "seen at the bank")
    assert asked[1:] == [
        (
            "decide",
            DecideAction(agent=AGENT, action="act-1", status=status, note="seen at the bank"),  # type: ignore[arg-type]
            "recense agent",
        )
    ]


def test_an_outcome_that_is_none_is_refused_before_anything_is_opened() -> None:
    memory = FakeMemory()
    ran = run_here("agent", "decide", AGENT, "act-1", "done", memory=memory)
    assert (ran.exit_code, ran.out, memory.asked) == (2, "", [])
    assert "'done' is none of succeeded, failed, abandoned, compensated" in ran.err


@pytest.mark.parametrize("words", [("resume", AGENT), ("decide", AGENT, "act-1", "failed")])
def test_an_agent_that_runs_is_refused_by_its_name_its_holder_and_the_way_out(
    words: tuple[str, ...],
) -> None:
    held = LeaseHeld(
        "agent 'deployer' is held by 'harbour:4711' for 41 s more",
        hint="stop it, or wait; recense agent show deployer looks without taking it",
    )
    ran = run_here("agent", *words, memory=FakeMemory(error=held))
    assert (ran.exit_code, ran.out) == (1, "")
    for part in ("deployer", "harbour:4711", "41 s", "recense agent show"):
        assert part in ran.err


def test_an_act_that_nobody_knows_the_outcome_of_comes_first_and_says_how_to_decide() -> None:
    page = run_here("agent", "show", AGENT).out
    assert page.index("Nobody knows yet what became of this") < page.index("Working state")
    assert f"recense agent decide {AGENT} {agent_samples.UNKNOWN_ID} OUTCOME\n" in page


def test_what_an_agent_wrote_cannot_steer_a_terminal_nor_begin_a_line() -> None:
    strange = "\x1b[2J\u202e"
    action = agent_samples.strange_action(strange)
    answers = AgentAnswers(
        context=agent_samples.with_words(strange),
        actions=ActionList(agent=AGENT, actions=(action,), total=1),
    )
    for words in (("show", AGENT), ("resume", AGENT), ("actions", AGENT)):
        page = run_here("agent", *words, memory=FakeMemory(agents=answers)).out
        assert "\x1b" not in page
        assert "\u202e" not in page
        assert "x1b[2J" in page
