"""Agents over a wire: who does not hold an epoch changes nothing, and the store alone knows."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest

from recense.core.agents.values import ActionClass, FoundMemory
from recense.errors import InvalidRequest, LeaseHeld, LeaseLost, NotFound
from recense.limits import LEASE_TTL_MS, UNSETTLED_ACTIONS_MAX
from recense.operations.agent_calls import (
    AcquireAgent,
    AgentLease,
    BeginAgentAction,
    EndAgentAction,
    LookedUpAction,
    ReconcileActions,
    RecordTurn,
    ReleaseAgent,
    RemovePointer,
    RenewAgent,
    SetAgentPointer,
    StoreOutput,
    UpdateWorkingState,
)
from recense.operations.agents import (
    AddTurn,
    CannotTell,
    DecideAction,
    Done,
    NotDone,
    Probed,
    ReadOutput,
    ResumeAgent,
)
from recense.services.agent_calls import AgentCalls
from recense.testing import FakeClock
from tests.services.agent_world import SECRET, T0, AgentWorld, say

THIRD_MS = LEASE_TTL_MS // 3


def acquired(calls: AgentCalls, holder: str = "client", agent: str = "worker") -> AgentLease:
    return calls.acquire(AcquireAgent(agent=agent, holder=holder))


def turn(epoch: int, content: str = "hello", message_id: str | None = None) -> RecordTurn:
    return RecordTurn(
        agent="worker", epoch=epoch, role="user", content=content, message_id=message_id
    )


def contents(office: AgentWorld) -> list[str | None]:
    return [each.content for each in office.here.turns("worker").turns]


WRITES: dict[str, Callable[[AgentCalls, int], object]] = {
    "state": lambda calls, epoch: calls.update_state(
        UpdateWorkingState(agent="worker", epoch=epoch, step=9)
    ),
    "turn": lambda calls, epoch: calls.record_turn(turn(epoch, "late")),
    "turn that is there": lambda calls, epoch: calls.record_turn(turn(epoch, "late", "m1")),
    "output": lambda calls, epoch: calls.store_output(
        StoreOutput(agent="worker", epoch=epoch, tool="t", content="late")
    ),
    "pointer": lambda calls, epoch: calls.set_pointer(
        SetAgentPointer(agent="worker", epoch=epoch, name="late", type="env")
    ),
    "removal": lambda calls, epoch: calls.remove_pointer(
        RemovePointer(agent="worker", epoch=epoch, name="there")
    ),
    "begin": lambda calls, epoch: calls.begin_action(
        BeginAgentAction(agent="worker", epoch=epoch, tool="late", action_class="read")
    ),
    "end": lambda calls, epoch: calls.end_action(
        EndAgentAction(agent="worker", epoch=epoch, action="no such action")
    ),
    "reconciling": lambda calls, epoch: calls.reconcile(
        ReconcileActions(agent="worker", epoch=epoch)
    ),
    "renewal": lambda calls, epoch: calls.renew(RenewAgent(agent="worker", epoch=epoch)),
}

NOT_HELD: dict[str, Callable[[AgentCalls, int], object]] = {
    "release": lambda calls, epoch: calls.release(ReleaseAgent(agent="worker", epoch=epoch))
}


@pytest.mark.parametrize("name", [*WRITES, *NOT_HELD])
def test_who_does_not_hold_an_agent_can_neither_write_nor_release_it(
    office: AgentWorld, name: str
) -> None:
    """The epoch of before, and one that nobody was given, at another server of the same store."""
    mine, theirs = office.process("server 1").calls, office.process("server 2").calls
    before = acquired(mine, "before").epoch
    mine.record_turn(turn(before, "there", "m1"))
    mine.set_pointer(SetAgentPointer(agent="worker", epoch=before, name="there", type="env"))
    mine.release(ReleaseAgent(agent="worker", epoch=before))
    assert acquired(mine, "mine").epoch == 2
    shown = office.here.show("worker")
    for epoch in (1, 3, 99):
        with pytest.raises(LeaseLost) as lost:
            {**WRITES, **NOT_HELD}[name](theirs, epoch)
        assert f"agent 'worker' is not held under epoch {epoch}" in lost.value.message
        assert "epoch 2 is that of 'mine'" in lost.value.message
        assert "resume the agent again" in lost.value.hint
    with pytest.raises(LeaseLost, match=f"'mine' has it for another {LEASE_TTL_MS} ms"):
        {**WRITES, **NOT_HELD}[name](theirs, 1)
    for epoch in (0, -1):
        with pytest.raises(InvalidRequest, match=f"epoch is {epoch}"):
            {**WRITES, **NOT_HELD}[name](theirs, epoch)
    assert office.here.show("worker") == shown
    mine.record_turn(turn(2, "still mine"))


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.parametrize("end", ["its time is over", "it was given back"])
def test_an_epoch_that_is_over_writes_nothing_though_nobody_took_the_agent(
    office: AgentWorld, name: str, end: str
) -> None:
    calls = office.here.calls
    epoch = acquired(calls).epoch
    if end == "it was given back":
        calls.release(ReleaseAgent(agent="worker", epoch=epoch))
    else:
        office.uptime.advance(LEASE_TTL_MS)
    shown = office.here.show("worker")
    with pytest.raises(LeaseLost, match="it was given back, or its time is over"):
        WRITES[name](calls, epoch)
    assert office.here.show("worker") == shown


def test_a_dead_clients_agent_is_free_when_its_time_is_over_and_not_before(
    office: AgentWorld,
) -> None:
    """Nobody renews for it: no thread, and no call of anybody else."""
    dead, next_one = office.process("server 1").calls, office.process("server 2").calls
    acquired(dead, "dead")
    for ms in (THIRD_MS, THIRD_MS, LEASE_TTL_MS - 2 * THIRD_MS - 1):
        office.uptime.advance(ms)
        office.clock.advance(ms)
        with pytest.raises(LeaseHeld, match="'dead'"):
            acquired(next_one)
        with pytest.raises(LeaseLost):
            dead.record_turn(turn(7))
        office.here.show("worker")
    with pytest.raises(LeaseHeld, match="for another 1 ms"):
        next_one.resume(ResumeAgent(agent="worker"))
    office.uptime.advance(1)
    assert next_one.resume(ResumeAgent(agent="worker")).epoch == 2


@pytest.mark.parametrize("name", [each for each in WRITES if each != "end"])
def test_a_holder_that_speaks_keeps_its_agent(office: AgentWorld, name: str) -> None:
    calls = office.here.calls
    epoch = acquired(calls).epoch
    for _ in range(6):
        office.uptime.advance(THIRD_MS + 1)
        WRITES[name](calls, epoch)
    with pytest.raises(LeaseHeld):
        acquired(office.process("another").calls)


def test_a_call_renews_when_a_third_of_the_time_is_over_and_renew_always(
    office: AgentWorld,
) -> None:
    calls = office.here.calls
    epoch = acquired(calls).epoch

    def left_ms() -> int:
        newest = office.stores.records.newest_lease("agent:worker")
        assert newest is not None
        return newest.left_ms

    office.uptime.advance(THIRD_MS - 1)
    calls.record_turn(turn(epoch))
    assert left_ms() == LEASE_TTL_MS - THIRD_MS + 1
    office.uptime.advance(1)
    calls.record_turn(turn(epoch))
    assert left_ms() == LEASE_TTL_MS
    office.uptime.advance(1)
    calls.renew(RenewAgent(agent="worker", epoch=epoch))
    assert left_ms() == LEASE_TTL_MS


def test_servers_begin_anew_and_lose_nothing(office: AgentWorld) -> None:
    """Each call is at a server of its own, with a clock that says something else."""

    def server(number: int) -> AgentCalls:
        clock = FakeClock(T0 - number * 3_600_000_000)
        return office.process(f"server {number}", clock=clock).calls

    context = server(0).resume(ResumeAgent(agent="worker", holder="client"))
    epoch = context.epoch
    server(1).record_turn(turn(epoch, "one"))
    begun = server(2).begin_action(
        BeginAgentAction(agent="worker", epoch=epoch, tool="pay", action_class="unsafe")
    )
    server(3).end_action(
        EndAgentAction(
            agent="worker",
            epoch=epoch,
            action=begun.id,
            result=7,
            turn=AddTurn(role="tool", content="paid"),
        )
    )
    server(4).update_state(UpdateWorkingState(agent="worker", epoch=epoch, goal="pay", step=2))
    assert contents(office) == ["one", "paid"]
    assert server(5).renew(RenewAgent(agent="worker", epoch=epoch)) == AgentLease(
        agent="worker",
        epoch=epoch,
        holder="client",
        ttl_ms=LEASE_TTL_MS,
        state_version=1,
        turns=2,
    )
    server(6).release(ReleaseAgent(agent="worker", epoch=epoch))
    assert server(7).resume(ResumeAgent(agent="worker")).state.state.goal == "pay"


def test_equal_calls_do_nothing_twice(office: AgentWorld) -> None:
    calls = office.here.calls
    epoch = acquired(calls).epoch
    first = calls.record_turn(turn(epoch, "hello", "m1"))
    again = calls.record_turn(turn(epoch, "hello", "m1"))
    assert (first.is_new, again.is_new, first.turn) == (True, False, again.turn)
    begin = BeginAgentAction(
        agent="worker", epoch=epoch, tool="pay", action_class="unsafe", call_id="c1"
    )
    begun, begun_again = calls.begin_action(begin), calls.begin_action(begin)
    assert (begun.proceed, begun_again.proceed) == (True, False)
    assert begun.id == begun_again.id
    end = EndAgentAction(
        agent="worker",
        epoch=epoch,
        action=begun.id,
        result="paid",
        turn=AddTurn(role="tool", content="paid"),
    )
    assert calls.end_action(end) == calls.end_action(end)
    removal = RemovePointer(agent="worker", epoch=epoch, name="p")
    calls.set_pointer(SetAgentPointer(agent="worker", epoch=epoch, name="p", type="env"))
    assert [calls.remove_pointer(removal).was_there for _ in range(2)] == [True, False]
    release = ReleaseAgent(agent="worker", epoch=epoch)
    assert calls.release(release) == calls.release(release)
    assert contents(office) == ["hello", "paid"]
    assert office.here.actions("worker").total == 1


def test_a_resume_that_takes_nothing_answers_with_no_epoch_and_the_agent_is_acquired_later(
    office: AgentWorld,
) -> None:
    calls = office.here.calls
    deferred = ResumeAgent(agent="worker", defer_lease=True)
    assert calls.resume(deferred).epoch == 0
    assert office.here.list().total == 0
    epoch = acquired(calls, "other").epoch
    calls.record_turn(turn(epoch, "meanwhile"))
    context = calls.resume(deferred)
    assert (context.epoch, context.turns_total) == (0, 1)
    with pytest.raises(LeaseHeld, match="'other'"):
        acquired(calls)
    calls.record_turn(turn(epoch, "and more"))
    calls.release(ReleaseAgent(agent="worker", epoch=epoch))
    lease = acquired(calls)
    assert (lease.epoch, lease.turns) == (2, 2)


def test_of_eight_that_acquire_at_once_one_wins(office: AgentWorld) -> None:
    begin = threading.Barrier(8, timeout=30)

    def asked(number: int) -> AgentLease | LeaseHeld:
        calls = office.process(f"server {number % 2}").calls
        begin.wait()
        try:
            return acquired(calls, f"client {number}")
        except LeaseHeld as error:
            return error

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(asked, range(8)))
    (won,) = [each for each in answers if isinstance(each, AgentLease)]
    refused = [each for each in answers if isinstance(each, LeaseHeld)]
    assert len(refused) == 7
    assert all(f"'{won.holder}'" in each.message for each in refused)


def test_one_holder_that_calls_many_times_at_once_loses_nothing(office: AgentWorld) -> None:
    """Two servers, eight threads, one epoch: a client that makes its calls side by side."""
    servers = [office.process(f"server {number}").calls for number in range(2)]
    epoch = acquired(servers[0]).epoch
    begin = threading.Barrier(8, timeout=30)

    def wrote(number: int) -> None:
        calls = servers[number % 2]
        begin.wait()
        for each in range(4):
            calls.record_turn(turn(epoch, f"turn {number}/{each}"))
            calls.update_state(
                UpdateWorkingState(agent="worker", epoch=epoch, step=number * 10 + each)
            )
            calls.set_pointer(
                SetAgentPointer(agent="worker", epoch=epoch, name=f"{number}.{each}", type="env")
            )

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(wrote, range(8)))
    turns = office.here.turns("worker").turns
    assert [each.seq for each in turns] == list(range(1, 33))
    assert len({each.content for each in turns}) == 32
    assert office.here.state("worker").version == 32
    pointers = office.here.pointers("worker").pointers
    assert len(pointers) == office.here.list().agents[0].pointers == 32


def test_of_equal_calls_at_once_one_acts(office: AgentWorld) -> None:
    servers = [office.process(f"server {number}").calls for number in range(2)]
    epoch = acquired(servers[0]).epoch
    begin = threading.Barrier(8, timeout=30)

    def called(number: int) -> tuple[bool, bool]:
        begin.wait()
        calls = servers[number % 2]
        action = BeginAgentAction(
            agent="worker", epoch=epoch, tool="pay", action_class="unsafe", call_id="c1"
        )
        is_new = calls.record_turn(turn(epoch, "once", "m1")).is_new
        return is_new, calls.begin_action(action).proceed

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(called, range(8)))
    assert sum(is_new for is_new, _ in answers) == 1
    assert sum(proceed for _, proceed in answers) == 1
    assert office.here.turns("worker").total == 1


def test_an_embedded_holder_and_a_wire_meet_at_the_same_lease(office: AgentWorld) -> None:
    with office.resume() as agent:
        agent.add_turn(say("mine"))
        with pytest.raises(LeaseHeld, match="'here'"):
            acquired(office.process("server").calls)
    calls = office.process("server").calls
    epoch = acquired(calls).epoch
    calls.record_turn(turn(epoch, "theirs"))
    with pytest.raises(LeaseHeld, match="'client'"):
        office.resume()
    assert contents(office) == ["mine", "theirs"]


def test_a_person_decides_while_nobody_holds_the_agent_or_through_who_does(
    office: AgentWorld,
) -> None:
    calls = office.here.calls
    epoch = acquired(calls).epoch
    ids = [
        calls.begin_action(
            BeginAgentAction(
                agent="worker", epoch=epoch, tool="pay", action_class="unsafe", args=number
            )
        ).id
        for number in range(2)
    ]
    decision = DecideAction(agent="worker", action=ids[0], status="abandoned")
    with pytest.raises(LeaseHeld, match="'client'"):
        calls.decide(decision, holder="a person")
    with pytest.raises(LeaseLost):
        calls.decide(msgspec.structs.replace(decision, epoch=9))
    decided = calls.decide(msgspec.structs.replace(decision, epoch=epoch))
    assert (decided.status, decided.settled_by) == ("abandoned", "person")
    calls.record_turn(turn(epoch, "still mine"))
    calls.release(ReleaseAgent(agent="worker", epoch=epoch))
    other = msgspec.structs.replace(decision, action=ids[1], status="succeeded")
    assert calls.decide(other, holder="a person").status == "succeeded"
    assert acquired(calls).epoch == epoch + 2  # it was taken for a moment, and given back


def test_what_a_wire_hands_over_is_refused_and_hidden_as_everywhere(office: AgentWorld) -> None:
    calls = office.here.calls
    epoch = acquired(calls).epoch
    with pytest.raises(InvalidRequest, match="RecordTurn cannot be read"):
        calls.record_turn(msgspec.structs.replace(turn(epoch), epoch="1"))
    with pytest.raises(InvalidRequest, match="brief"):
        calls.record_turn(msgspec.structs.replace(turn(epoch), brief="b" * 5_000))
    for fields in ({"agent": "a b"}, {"ttl_ms": 1}, {"holder": ""}):
        with pytest.raises(InvalidRequest):
            calls.acquire(msgspec.convert({"agent": "other", **fields}, AcquireAgent))
    with pytest.raises(InvalidRequest, match="token_budget"):
        calls.resume(ResumeAgent(agent="other", token_budget=0))
    with pytest.raises(InvalidRequest, match="an agent is"):
        calls.resume(ResumeAgent(agent="a b", defer_lease=True))
    assert calls.record_turn(turn(epoch, f"it is {SECRET}")).turn.content != f"it is {SECRET}"
    output = calls.store_output(
        StoreOutput(agent="worker", epoch=epoch, tool="log", content="line\n" * 10)
    )
    piece = office.here.read_output(ReadOutput(agent="worker", ref=output.ref, length=4))
    assert piece.text == "line"
    assert office.here.list().total == 1  # what was refused began no agent


def test_a_resume_that_cannot_be_briefed_gives_the_agent_back(
    office: AgentWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.remember("harbour", FoundMemory(kind="fact", name="f1", text="the harbour is open"))
    agents = office.process("server")
    contexts = agents.calls._briefing  # pyright: ignore[reportPrivateUsage] - to fail inside
    with monkeypatch.context() as patched:
        patched.setattr(contexts, "context", _unavailable)
        with pytest.raises(NotFound):
            agents.calls.resume(ResumeAgent(agent="worker"))
    epoch = agents.calls.resume(ResumeAgent(agent="worker")).epoch
    agents.calls.update_state(UpdateWorkingState(agent="worker", epoch=epoch, focus="harbour"))
    agents.calls.release(ReleaseAgent(agent="worker", epoch=epoch))
    context = agents.calls.resume(ResumeAgent(agent="worker"))
    assert [each.text for each in context.memories] == ["the harbour is open"]


def _unavailable(*_arguments: object) -> None:
    raise NotFound("nothing to be had")


def test_an_agent_of_an_earlier_release_is_written_on(office: AgentWorld) -> None:
    """Its head was written without what this release counts there."""
    calls = office.here.calls
    epoch = acquired(calls).epoch
    with office.stores.records.snapshot() as reader:
        head = reader.get("_agents", ("worker/head",))["worker/head"]
    body = msgspec.json.decode(head.body, type=dict[str, object])
    del body["writes"]
    office.stores.records.put([msgspec.structs.replace(head, body=msgspec.json.encode(body))])
    calls.record_turn(turn(epoch, "one"))
    calls.update_state(UpdateWorkingState(agent="worker", epoch=epoch, step=1))
    assert contents(office) == ["one"]


def begun(calls: AgentCalls, epoch: int, action_class: ActionClass, call_id: str) -> str:
    """Return the id of an action that begins now."""
    asked = BeginAgentAction(
        agent="worker", epoch=epoch, tool="act", action_class=action_class, call_id=call_id
    )
    answer = calls.begin_action(msgspec.structs.replace(asked, args={"of": call_id}))
    assert answer.proceed
    return answer.id


def looked_up(epoch: int, **answers: Probed) -> ReconcileActions:
    return ReconcileActions(
        agent="worker",
        epoch=epoch,
        looked_up=tuple(
            LookedUpAction(action=action.removeprefix("_"), answer=answer)
            for action, answer in answers.items()
        ),
    )


def test_who_is_elsewhere_reconciles_by_rule_and_by_what_it_looked_up(office: AgentWorld) -> None:
    calls = office.here.calls
    before = acquired(calls).epoch
    read = begun(calls, before, "read", "a")
    unsafe = begun(calls, before, "unsafe", "b")
    done, undone, unclear, unnamed = (begun(calls, before, "checkable", each) for each in "cdef")
    keyed = begun(calls, before, "keyed", "g")
    calls.release(ReleaseAgent(agent="worker", epoch=before))
    epoch = acquired(calls).epoch
    mine = begun(calls, epoch, "unsafe", "h")
    asked = looked_up(
        epoch,
        **{f"_{done}": Done(result=7), f"_{undone}": NotDone(), f"_{unclear}": CannotTell()},
    )
    answer = calls.reconcile(asked)
    assert {each.action.id: (each.rule, each.action.status) for each in answer.settled} == {
        read: ("abandoned", "abandoned"),
        unsafe: ("unknown", "unknown"),
        done: ("found_done", "succeeded"),
        undone: ("found_not_done", "abandoned"),
    }
    assert {each.id for each in answer.unsettled} == {unsafe, unclear, unnamed, keyed, mine}
    again = calls.reconcile(asked)
    assert (again.settled, again.unsettled) == ((), answer.unsettled)
    assert begun(calls, epoch, "checkable", "d") == undone


def test_what_nobody_looks_up_is_refused_and_nothing_is_settled(office: AgentWorld) -> None:
    calls = office.here.calls
    before = acquired(calls).epoch
    read, keyed = begun(calls, before, "read", "a"), begun(calls, before, "keyed", "b")
    calls.release(ReleaseAgent(agent="worker", epoch=before))
    epoch = acquired(calls).epoch
    mine = begun(calls, epoch, "checkable", "c")
    for action, refusal in ((keyed, InvalidRequest), (mine, InvalidRequest), ("none", NotFound)):
        with pytest.raises(refusal):
            calls.reconcile(looked_up(epoch, **{f"_{action}": Done()}))
    too_many = (LookedUpAction(action=read, answer=NotDone()),) * (UNSETTLED_ACTIONS_MAX + 1)
    with pytest.raises(InvalidRequest, match=f"looked_up has {UNSETTLED_ACTIONS_MAX + 1}"):
        calls.reconcile(ReconcileActions(agent="worker", epoch=epoch, looked_up=too_many))
    open_now = {each.id for each in office.here.show("worker").actions}
    assert open_now == {read, keyed, mine}
