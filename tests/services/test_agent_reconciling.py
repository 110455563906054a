"""Reconciling: what a holder before left open is settled by its rule, or stays open and shown."""

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import cast

import pytest

from recense.core.agents.values import (
    ActionClass,
    ActionStatus,
)
from recense.errors import InvalidRequest, LeaseLost
from recense.limits import LEASE_TTL_MS
from recense.operations.agents import (
    ActionOutcome,
    ActionView,
    CannotTell,
    Done,
    EndAction,
    NotDone,
    Probed,
    ResumeAgent,
)
from recense.services.agent_reconciling import ActionHandler
from recense.testing import FakeClock
from tests.services.agent_world import SECRET, AgentWorld, begin, statuses


class Tool:
    """A tool that touches a world, and what of it was asked."""

    def __init__(self, found: Done | NotDone | CannotTell | None = None) -> None:
        self.keys: list[str | None] = []
        self.args: list[object] = []
        self._found = found

    def run(self, action: ActionView) -> ActionOutcome:
        self.keys.append(action.key)
        self.args.append(action.args)
        return ActionOutcome(result="run again")

    def probe(self, action: ActionView) -> Done | NotDone | CannotTell:
        self.args.append(action.args)
        assert self._found is not None
        return self._found

    def handler(self) -> ActionHandler:
        return ActionHandler(
            run_again=self.run,
            probe=self.probe if self._found is not None else None,
            when_not_done="run_again",
        )


TABLE: list[tuple[ActionClass, Done | NotDone | CannotTell | None, ActionStatus, str, int]] = [
    ("read", None, "abandoned", "abandoned", 0),
    ("idempotent", None, "succeeded", "run_again", 1),
    ("keyed", None, "succeeded", "run_again", 1),
    ("checkable", Done(result="found"), "succeeded", "found_done", 0),
    ("checkable", NotDone(), "succeeded", "run_again", 1),
    ("unsafe", None, "unknown", "unknown", 0),
]


@pytest.mark.parametrize(("action_class", "found", "status", "rule", "runs"), TABLE)
def test_an_open_action_is_settled_by_the_rule_of_its_class(
    office: AgentWorld,
    action_class: ActionClass,
    found: Done | NotDone | CannotTell | None,
    status: ActionStatus,
    rule: str,
    runs: int,
) -> None:
    begun = begin(office.resume(), action_class, args={"to": "mira"})
    tool = Tool(found)
    with office.after_a_kill() as agent:
        done = agent.reconcile({"send": tool.handler()})
        (settled,) = done.settled
        assert (settled.action.id, settled.action.status, settled.rule) == (begun.id, status, rule)
        assert len(tool.keys) == runs
        assert settled.action.attempts == 1 + runs
        assert all(args == {"to": "mira"} for args in tool.args)
        told = agent.brief().turns[-1]
        assert begun.id in (told.content or "")
        assert status in (told.content or "")
        assert agent.reconcile({"send": tool.handler()}).settled == ()
        assert len(tool.keys) == runs
    assert [each.id for each in done.unsettled] == ([begun.id] if status == "unknown" else [])


@pytest.mark.parametrize("key", [None, "order-4711"])
def test_a_keyed_call_is_made_again_with_its_recorded_key(
    office: AgentWorld, key: str | None
) -> None:
    begun = begin(office.resume(), "keyed", key=key)
    assert begun.action.key == (key or begun.id)
    tool = Tool()
    with office.after_a_kill() as agent:
        agent.reconcile({"send": tool.handler()})
    assert tool.keys == [begun.action.key]


@pytest.mark.parametrize("action_class", ["idempotent", "keyed", "checkable"])
def test_what_no_handler_can_settle_stays_open(
    office: AgentWorld, action_class: ActionClass
) -> None:
    begun = begin(office.resume(), action_class)
    with office.after_a_kill() as agent:
        done = agent.reconcile({"other": Tool().handler()})
        assert done.settled == ()
        assert [(each.id, each.status) for each in done.unsettled] == [(begun.id, "open")]


def test_a_probe_that_cannot_tell_is_asked_again_next_time(office: AgentWorld) -> None:
    begin(office.resume(), "checkable")
    with office.after_a_kill() as agent:
        doubt = ActionHandler(probe=lambda _: CannotTell())
        assert agent.reconcile({"send": doubt}).settled == ()
        sure = ActionHandler(probe=lambda _: NotDone())
        (settled,) = agent.reconcile({"send": sure}).settled
        assert (settled.action.status, settled.rule) == ("abandoned", "found_not_done")
        assert settled.action.settled_by == "probe"
        assert begin(agent, "checkable").proceed


def test_reconciling_leaves_alone_what_this_holder_is_doing(office: AgentWorld) -> None:
    with office.resume() as agent:
        begun = begin(agent)
        assert agent.reconcile({}).settled == ()
        assert agent.end_action(EndAction(action=begun.id)).status == "succeeded"


def test_a_handler_that_fails_leaves_the_action_open_and_the_error_passes(
    office: AgentWorld,
) -> None:
    begin(office.resume(), "idempotent")

    def fails(_: ActionView) -> ActionOutcome:
        raise TimeoutError("no answer")

    with office.after_a_kill() as agent:
        with pytest.raises(TimeoutError):
            agent.reconcile({"send": ActionHandler(run_again=fails)})
        assert [each.status for each in agent.brief().actions] == ["open"]
        assert len(agent.reconcile({"send": Tool().handler()}).settled) == 1


def test_a_holder_that_stalls_before_it_makes_a_call_again_makes_none(office: AgentWorld) -> None:
    begin(office.resume(), "checkable")
    stalled = office.process("stalled", clock=FakeClock(0))
    office.uptime.advance(LEASE_TTL_MS + 1)
    agent = stalled.resume(ResumeAgent(agent="worker"))
    made = list[str]()

    def probe(_: ActionView) -> NotDone:
        with office.after_a_kill() as later:
            later.reconcile({"send": ActionHandler(probe=lambda _: Done())})
        return NotDone()

    def run(action: ActionView) -> ActionOutcome:
        made.append(action.id)
        return ActionOutcome()

    handler = ActionHandler(probe=probe, run_again=run, when_not_done="run_again")
    with pytest.raises(LeaseLost):
        agent.reconcile({"send": handler})
    assert made == []


def test_long_arguments_are_whole_for_whoever_makes_the_call_again(office: AgentWorld) -> None:
    args = {"text": "word " * 5_000, "n": 3}
    begun = begin(office.resume(), "idempotent", args=args)
    assert begun.action.args_ref == "o1"
    assert isinstance(begun.action.args, str)
    assert office.here.action("worker", begun.id).args == args
    tool = Tool()
    with office.after_a_kill() as agent:
        agent.reconcile({"send": tool.handler()})
        assert tool.args == [args]
        long = agent.end_action(EndAction(action=begin(agent).id, result=["x" * 9_000]))
        assert long.result_ref == "o2"
        assert len(str(long.result)) == 400


@pytest.mark.parametrize("action_class", ["idempotent", "keyed"])
def test_a_call_whose_arguments_held_a_secret_is_not_made_again_with_a_marker(
    office: AgentWorld, action_class: ActionClass
) -> None:
    begin(office.resume(), action_class, args={"text": SECRET})
    tool = Tool()
    with office.after_a_kill() as agent:
        (settled,) = agent.reconcile({"send": tool.handler()}).settled
        assert settled.action.status == "unknown"
        assert "secret" in settled.action.note
    assert tool.args == []


SITUATIONS = ("never started", "started, not done", "done, not recorded", "done, then changed")


@pytest.mark.parametrize("situation", SITUATIONS)
@pytest.mark.parametrize("action_class", ["unsafe", "checkable"])
def test_a_missing_result_has_four_meanings_and_nobody_guesses_which(
    office: AgentWorld, situation: str, action_class: ActionClass
) -> None:
    """Hazard: what is not recorded was taken for not done, and done again."""
    door = "shut"
    begun = begin(office.resume(), action_class, tool="open_door")
    if situation == "done, not recorded":
        door = "open"
    elif situation == "done, then changed":
        door = "broken"

    def probe(_: ActionView) -> Done | NotDone | CannotTell:
        return {"shut": NotDone(), "open": Done(result=door)}.get(door, CannotTell())

    with office.after_a_kill() as agent:
        (opened,) = agent.context.actions
        assert (opened.id, opened.status) == (begun.id, "open")
        agent.reconcile({"open_door": ActionHandler(probe=probe)})
        status = office.here.action("worker", begun.id).status
    expected: dict[str, ActionStatus] = {
        "shut": "abandoned",
        "open": "succeeded",
        "broken": "open",
    }
    assert status == ("unknown" if action_class == "unsafe" else expected[door])


def answering(answer: object) -> Callable[[ActionView], object]:
    """Return what answers so whatever it is asked."""

    def answered(_action: ActionView) -> object:
        return answer

    return answered


@pytest.mark.parametrize(
    "answer",
    [None, "done", {"status": "succeeded"}, ActionOutcome, Done()],
    ids=["nothing", "a text", "a dictionary", "the class", "an answer of a probe"],
)
def test_a_call_made_again_that_answers_no_outcome_leaves_its_action_open(
    office: AgentWorld, answer: object
) -> None:
    begin(office.resume(), "idempotent")
    agent = office.after_a_kill()
    run_again = cast("Callable[[ActionView], ActionOutcome]", answering(answer))
    with pytest.raises(InvalidRequest, match=r"run_again of 'send' answered .* expected Action"):
        agent.reconcile({"send": ActionHandler(run_again=run_again)})
    assert list(statuses(office.here).values()) == ["open"]


@pytest.mark.parametrize("status", ["done", "open", "unknown", None])
def test_an_outcome_of_a_status_that_is_none_is_not_kept(
    office: AgentWorld, status: object
) -> None:
    begin(office.resume(), "keyed")
    agent = office.after_a_kill()
    outcome = ActionOutcome(status=cast("str", status))  # pyright: ignore[reportArgumentType]
    with pytest.raises(InvalidRequest, match="ActionOutcome cannot be read"):
        agent.reconcile({"send": ActionHandler(run_again=lambda _action: outcome)})
    assert list(statuses(office.here).values()) == ["open"]
    assert len(agent.brief().actions) == 1


@pytest.mark.parametrize("answer", [None, True, NotDone, "not_done", ActionOutcome()])
def test_a_probe_that_answers_something_else_is_refused_and_not_taken_for_no_answer(
    office: AgentWorld, answer: object
) -> None:
    begin(office.resume(), "checkable")
    agent = office.after_a_kill()
    probe = cast("Callable[[ActionView], Probed]", answering(answer))
    with pytest.raises(InvalidRequest, match=r"probe of 'send' answered .* expected Done or Not"):
        agent.reconcile({"send": ActionHandler(probe=probe)})
    assert list(statuses(office.here).values()) == ["open"]


def test_a_misspelled_wish_makes_no_call_again(office: AgentWorld) -> None:
    begin(office.resume(), "checkable")
    agent = office.after_a_kill()
    made: list[str] = []

    def run_again(action: ActionView) -> ActionOutcome:
        made.append(action.id)
        return ActionOutcome()

    handler = ActionHandler(
        probe=lambda _action: NotDone(),
        run_again=run_again,
        when_not_done="abandon",  # pyright: ignore[reportArgumentType]
    )
    with pytest.raises(InvalidRequest, match=r"'abandon'.* run_again, close"):
        agent.reconcile({"send": handler})
    with pytest.raises(InvalidRequest, match="'function'"):
        agent.reconcile({"send": run_again})  # pyright: ignore[reportArgumentType]
    assert not made


def test_arguments_that_were_forgotten_hold_nothing_else_up(office: AgentWorld) -> None:
    agent = office.resume()
    long = begin(agent, "idempotent", tool="deploy", args="x" * 10_000).id
    checked = begin(agent, "checkable", tool="order", args="y" * 10_000).id
    short = begin(agent, "idempotent", tool="mark", args=1).id
    office.stores.transcripts.forget([agent.context.session])
    agent = office.after_a_kill()
    handler = ActionHandler(
        run_again=lambda _action: ActionOutcome(), probe=lambda _action: NotDone()
    )
    found = agent.reconcile(dict.fromkeys(("deploy", "order", "mark"), handler))
    assert statuses(office.here) == {long: "unknown", checked: "unknown", short: "succeeded"}
    assert {each.note for each in found.unsettled} == {
        "its arguments were forgotten with their session"
    }
    assert office.here.action("worker", long).args_ref == "o1"


def test_two_threads_that_reconcile_make_no_call_twice(office: AgentWorld) -> None:
    begin(office.resume(), "checkable")
    agent = office.after_a_kill()
    made: list[str] = []
    both_probe = threading.Barrier(2)

    def probe(_action: ActionView) -> Probed:
        with suppress(threading.BrokenBarrierError):
            both_probe.wait(timeout=0.2)
        return Done() if made else NotDone()

    def run_again(action: ActionView) -> ActionOutcome:
        made.append(action.id)
        return ActionOutcome()

    handler = ActionHandler(probe=probe, run_again=run_again, when_not_done="run_again")
    threads = [
        threading.Thread(target=agent.reconcile, args=({"send": handler},)) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert len(made) == 1
    assert list(statuses(office.here).values()) == ["succeeded"]


def test_a_handler_that_reconciles_does_not_make_its_own_call_again(office: AgentWorld) -> None:
    begin(office.resume(), "idempotent")
    agent = office.after_a_kill()
    made: list[str] = []

    def run_again(action: ActionView) -> ActionOutcome:
        made.append(action.id)
        if len(made) == 1:
            assert len(agent.reconcile({"send": handler}).unsettled) == 1
        return ActionOutcome()

    handler = ActionHandler(run_again=run_again)
    assert len(agent.reconcile({"send": handler}).settled) == len(made) == 1
