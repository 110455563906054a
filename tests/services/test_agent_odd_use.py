"""Agents in odd hands: handlers that answer what they may not, arguments that are spelled another
way, secrets where names go, a session that is forgotten under its agent.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import cast

import msgspec
import pytest

from recense.core.agents.values import StateUpdate
from recense.errors import CredentialShaped, InvalidRequest, NotFound, StoreUnavailable
from recense.limits import AGENT_OUTPUT_BYTES_MAX, DECISION_NOTE_BYTES_MAX
from recense.operations.agents import (
    ActionOutcome,
    ActionView,
    AddOutput,
    AddTurn,
    DecideAction,
    Done,
    EndAction,
    NotDone,
    Probed,
    ResumeAgent,
    SetPointer,
)
from recense.services.agent_reconciling import ActionHandler
from recense.wiring import open_url
from tests.services.agent_world import AgentWorld, begin, statuses

SECRET = "AKIA" + "IOSFODNN7" + "EXAMPLE"


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


def test_the_turn_of_an_outcome_counts_once_by_its_message(office: AgentWorld) -> None:
    with office.resume() as agent:
        begun = begin(agent)
        turn = AddTurn(role="tool", content="sent", message_id="call-7")
        agent.add_turn(turn)
        agent.end_action(EndAction(action=begun.id, result="sent", turn=turn))
        assert [each.content for each in office.here.turns("worker").turns] == ["sent"]
    assert list(statuses(office.here).values()) == ["succeeded"]


def test_a_call_that_is_begun_again_after_it_was_abandoned_is_one_action(
    office: AgentWorld,
) -> None:
    begin(office.resume(), "read", call_id="call-7")
    agent = office.after_a_kill()
    agent.reconcile({})
    again = begin(agent, "read", call_id="call-7")
    assert (again.proceed, again.action.attempts) == (True, 2)
    found = office.here.actions("worker")
    assert (found.total, len(found.actions)) == (1, 1)


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


def test_no_secret_names_an_agent_or_a_pointer(office: AgentWorld) -> None:
    with pytest.raises(CredentialShaped, match="an agent looks like a secret"):
        office.resume(SECRET)
    with office.resume() as agent, pytest.raises(CredentialShaped, match="a pointer looks like"):
        agent.set_pointer(SetPointer(name=SECRET, type="env"))
    assert [each.agent for each in office.here.list().agents] == ["worker"]
    with pytest.raises(NotFound) as unknown:
        office.here.show(SECRET)
    assert SECRET not in str(unknown.value)


def test_what_is_too_long_is_refused_without_its_beginning(office: AgentWorld) -> None:
    agent = office.resume()
    content = SECRET + "x" * AGENT_OUTPUT_BYTES_MAX
    with pytest.raises(InvalidRequest, match=f"{len(content)} bytes") as refused:
        agent.add_output(AddOutput(tool="look", content=content))
    assert SECRET[:8] not in str(refused.value)
    kept_as_three_bytes_each = "\0" * (AGENT_OUTPUT_BYTES_MAX // 3 + 1)
    with pytest.raises(InvalidRequest, match="bytes"):
        agent.add_output(AddOutput(tool="look", content=kept_as_three_bytes_each))


def test_a_decision_is_explained_in_a_bounded_note(office: AgentWorld) -> None:
    with office.resume() as agent:
        begun = begin(agent)
    request = DecideAction(
        agent="worker", action=begun.id, status="failed", note="n" * (DECISION_NOTE_BYTES_MAX + 1)
    )
    with pytest.raises(InvalidRequest, match="note has 4097 bytes; at most 4096"):
        office.here.decide(request)
    assert office.here.decide(msgspec.structs.replace(request, note="n")).note == "n"


def test_an_agent_that_cannot_be_given_back_keeps_no_other(
    office: AgentWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = office.process("there")
    held = [process.resume(ResumeAgent(agent=name)) for name in ("first", "second", "third")]
    release = office.stores.records.release
    seen: list[str] = []

    def failing(lease: object) -> None:
        seen.append(str(lease))
        if "second" in str(lease):
            raise StoreUnavailable("the disk is away")
        release(lease)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(office.stores.records, "release", failing)
    with pytest.raises(StoreUnavailable):
        process.release_all()
    assert len(seen) == len(held)
    for name in ("first", "third"):
        office.resume(name).update_state(StateUpdate(step=1))


FORKED = """
import os, sys
from recense.core.agents.values import StateUpdate
from recense.errors import LeaseLost
from recense.operations.agents import ResumeAgent
from recense.wiring import open_url

memory = open_url(sys.argv[1])
agent = memory.agents.resume(ResumeAgent(agent="worker"))
child = os.fork()
if not child:
    try:
        agent.update_state(StateUpdate(goal="of the child"))
    except LeaseLost as error:
        print(agent.is_lost, "forked" in str(error), flush=True)
    memory.agents.release_all()
    os._exit(0)
os.waitpid(child, 0)
print(agent.update_state(StateUpdate(notes="of the parent")).state)
agent.release()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_process_that_is_forked_from_the_holder_neither_writes_nor_gives_back(
    tmp_path: Path,
) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORKED, f"sqlite:///{tmp_path}/recense.db"],
        env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    of_child, of_parent = done.stdout.splitlines()
    assert of_child == "True True"
    assert "goal=''" in of_parent
    assert "notes='of the parent'" in of_parent


@pytest.mark.parametrize("end", ["", "raise SystemExit(3)", "raise KeyboardInterrupt"])
def test_the_end_of_a_program_gives_its_agents_back(tmp_path: Path, end: str) -> None:
    url = f"sqlite:///{tmp_path}/recense.db"
    program = (
        "import sys; from recense.operations.agents import ResumeAgent;"
        "from recense.wiring import open_url;"
        "held = open_url(sys.argv[1]).agents.resume(ResumeAgent(agent='worker'));" + end
    )
    subprocess.run(
        [sys.executable, "-c", program, url],
        env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        check=False,
        timeout=60,
    )
    with open_url(url) as memory, memory.agents.resume(ResumeAgent(agent="worker")) as agent:
        assert agent.epoch == 2


def test_a_forgotten_session_of_an_agent_leaves_none_of_its_words_in_the_file(
    tmp_path: Path,
) -> None:
    canary = "canary" + "0a1b2c3d" * 4
    with open_url(f"sqlite:///{tmp_path}/recense.db") as memory:
        agent = memory.agents.resume(ResumeAgent(agent="worker"))
        agent.add_turn(AddTurn(role="user", content=canary, brief=canary))
        agent.add_turn(AddTurn(role="user", content=canary + " and so on" * 2_000))
        agent.add_output(AddOutput(tool="look", content=canary))
        agent.add_output(AddOutput(tool="look", content="seen", summary=canary))
        assert any(canary.encode() in each.read_bytes() for each in tmp_path.iterdir())
        assert memory.forget_session("agent:worker").bytes_gone
        assert not any(canary.encode() in each.read_bytes() for each in tmp_path.iterdir())
        agent.release()
        with memory.agents.resume(ResumeAgent(agent="worker")) as again:
            assert again.context.session == "agent:worker~2"
            assert [each.content for each in again.context.turns] == [None, None]
            assert [each.summary for each in again.context.outputs] == [""] * 3
            again.add_turn(AddTurn(role="user", content=canary, brief="kept"))
            memory.forget_session("agent:worker")
            assert memory.agents.turns("worker").turns[-1].brief == "kept"


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
