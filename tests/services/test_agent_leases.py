"""One holder at a time: taken, renewed, tolerated, lost, given back, deferred."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from recense.core.agents.values import StateUpdate
from recense.errors import (
    LeaseHeld,
    LeaseLost,
    StoreBusy,
    StoreUnavailable,
)
from recense.limits import LEASE_TTL_MS
from recense.operations.agents import (
    AddOutput,
    AddTurn,
    DecideAction,
    EndAction,
    ResumeAgent,
    SetPointer,
)
from recense.ports.records import Lease, RecordStore
from recense.services.agent import Agent
from recense.services.held_lease import HeldLease, keep_renewed
from recense.testing import FakeClock, FakeUptime
from recense.wiring import open_url
from tests.conformance.joint_openers import in_memory
from tests.services.agent_world import T0, AgentWorld, begin

HOUR_MS = 3_600_000


def test_an_agent_is_one_holders_and_the_error_names_agent_holder_and_the_way_out(
    office: AgentWorld,
) -> None:
    with office.resume():
        with pytest.raises(LeaseHeld) as refused:
            office.process("there").resume(ResumeAgent(agent="worker"))
        assert "'worker'" in refused.value.message
        assert "'here'" in refused.value.message
        assert f"{LEASE_TTL_MS} ms" in refused.value.message
        assert "wait until then" in refused.value.hint
        with office.resume("another"):
            pass
    with office.process("there").resume(ResumeAgent(agent="worker")) as agent:
        assert agent.epoch == 2


def test_a_dead_holders_agent_is_free_when_its_time_is_over_and_not_before(
    office: AgentWorld,
) -> None:
    office.resume()
    there = office.process("there")
    office.uptime.advance(LEASE_TTL_MS - 1)
    with pytest.raises(LeaseHeld, match="another 1 ms"):
        there.resume(ResumeAgent(agent="worker"))
    office.uptime.advance(1)
    assert there.resume(ResumeAgent(agent="worker")).epoch == 2


WRITES: dict[str, Callable[[Agent], object]] = {
    "state": lambda agent: agent.update_state(StateUpdate(step=9)),
    "turn": lambda agent: agent.add_turn(AddTurn(role="user", content="late")),
    "output": lambda agent: agent.add_output(AddOutput(tool="t", content="late")),
    "pointer": lambda agent: agent.set_pointer(SetPointer(name="late", type="env")),
    "removal": lambda agent: agent.remove_pointer("there"),
    "begin": lambda agent: begin(agent, tool="late"),
    "end": lambda agent: agent.end_action(EndAction(action=agent.context.actions[0].id)),
    "reconcile": lambda agent: agent.reconcile({}),
    "renew": lambda agent: agent.renew(),
}


@pytest.mark.parametrize("name", WRITES)
def test_a_stalled_holder_is_refused_in_the_write_itself_whatever_its_own_clock_says(
    office: AgentWorld, name: str
) -> None:
    """Its clock stands still, so that it takes its lease for fresh: the store alone knows."""
    with office.resume() as agent:
        agent.set_pointer(SetPointer(name="there", type="env"))
        begin(agent, "read")
    stalled = office.process("stalled", clock=FakeClock(T0)).resume(ResumeAgent(agent="worker"))
    stalled.add_turn(AddTurn(role="user", content="in time"))
    with office.after_a_kill() as agent:
        before = agent.brief()
        for _ in range(2):  # what is lost stays lost
            with pytest.raises(LeaseLost) as lost:
                WRITES[name](stalled)
            assert "'worker'" in lost.value.message
            assert "'stalled'" in lost.value.message
            assert "resume the agent again" in lost.value.hint
        assert stalled.is_lost
        assert agent.brief() == before
        stalled.release()
        agent.add_turn(AddTurn(role="user", content="the new holder's"))


def test_who_lost_it_is_told_who_has_it(office: AgentWorld) -> None:
    stalled = office.process("stalled", clock=FakeClock(T0)).resume(ResumeAgent(agent="worker"))
    with office.after_a_kill(), pytest.raises(LeaseLost, match="epoch 2 is that of 'another'"):
        stalled.add_turn(AddTurn(role="user", content="late"))


def test_an_expired_lease_writes_nothing_though_nobody_took_it(office: AgentWorld) -> None:
    stalled = office.process("stalled", clock=FakeClock(T0)).resume(ResumeAgent(agent="worker"))
    office.uptime.advance(LEASE_TTL_MS)
    with pytest.raises(LeaseLost):
        stalled.update_state(StateUpdate(step=1))
    assert office.here.show("worker").state.version == 0


def test_clocks_that_jump_by_an_hour_change_nothing(office: AgentWorld) -> None:
    with office.resume() as agent:
        for step, jump in enumerate((HOUR_MS, -2 * HOUR_MS, HOUR_MS)):
            office.clock.jump(T0 + jump * 1_000)
            agent.update_state(StateUpdate(step=step))
            with pytest.raises(LeaseHeld):
                office.process("there").resume(ResumeAgent(agent="worker"))
    assert office.here.show("worker").state.version == 3


def test_with_another_boot_the_agent_is_free_and_its_holder_of_before_lost(
    office: AgentWorld,
) -> None:
    agent = office.resume()
    office.uptime.reboot()
    with office.process("there").resume(ResumeAgent(agent="worker")) as later:
        assert later.epoch == 2
        with pytest.raises(LeaseLost):
            agent.update_state(StateUpdate(step=1))


def test_of_two_that_resume_at_once_exactly_one_writes(office: AgentWorld) -> None:
    start = threading.Barrier(8, timeout=30)
    won, lost = list[Agent](), list[LeaseHeld]()

    def try_it(number: int) -> None:
        agents = office.process(f"process {number}")
        start.wait()
        try:
            won.append(agents.resume(ResumeAgent(agent="worker")))
        except LeaseHeld as held:
            lost.append(held)

    threads = [threading.Thread(target=try_it, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert (len(won), len(lost)) == (1, 7)
    won[0].update_state(StateUpdate(step=1))
    assert office.here.show("worker").epoch == 1


def test_a_deferred_lease_is_taken_before_the_first_write_on_what_is_there_then(
    office: AgentWorld,
) -> None:
    with office.resume() as agent:
        agent.add_turn(AddTurn(role="user", content="one"))
    deferred = office.process("late").resume(ResumeAgent(agent="worker", defer_lease=True))
    assert deferred.context.turns_total == 1
    assert deferred.epoch == 0
    with office.resume() as agent:
        agent.add_turn(AddTurn(role="user", content="two"))
        with pytest.raises(LeaseHeld):
            deferred.add_turn(AddTurn(role="user", content="too early"))
    assert deferred.add_turn(AddTurn(role="user", content="three")).turn.seq == 3
    assert deferred.epoch == 3
    deferred.release()
    assert [each.content for each in office.here.turns("worker").turns] == ["one", "two", "three"]
    with pytest.raises(LeaseLost):
        deferred.update_state(StateUpdate(step=1))


def test_a_deferred_lease_that_is_never_needed_is_never_taken(office: AgentWorld) -> None:
    with office.resume("worker", defer_lease=True), office.resume("worker", defer_lease=True):
        assert office.here.list().agents == ()


def test_what_was_given_back_is_written_no_more(office: AgentWorld) -> None:
    agent = office.resume()
    agent.release()
    agent.release()
    with pytest.raises(LeaseLost, match="it was given back"):
        agent.update_state(StateUpdate(step=1))


def test_a_person_decides_only_while_nobody_holds_the_agent(office: AgentWorld) -> None:
    with office.resume() as agent:
        begun = begin(agent)
        request = DecideAction(agent="worker", action=begun.id, status="abandoned")
        with pytest.raises(LeaseHeld, match="'here'"):
            office.process("person").decide(request)
    decided = office.process("person").decide(request)
    assert (decided.status, decided.settled_by) == ("abandoned", "person")
    with office.resume():
        pass  # it was given back at once


class Shaky:
    """A store of records whose leases cannot be renewed for a while."""

    def __init__(self, records: RecordStore) -> None:
        self._records = records
        self.is_busy = False
        self.renewed = 0

    def __getattr__(self, name: str) -> object:
        return getattr(self._records, name)

    def acquire(self, name: str, holder: str, *, ttl_ms: int) -> Lease:
        return self._records.acquire(name, holder, ttl_ms=ttl_ms)

    def renew(self, lease: Lease) -> None:
        self.renewed += 1
        if self.is_busy:
            raise StoreBusy("somebody else is writing")
        self._records.renew(lease)

    def release(self, lease: Lease) -> None:
        self._records.release(lease)


class Held:
    """A lease, its store and the clocks of both."""

    def __init__(self, ttl_ms: int = 900) -> None:
        self.uptime = FakeUptime()
        self.clock = FakeClock(T0)
        self.store = Shaky(in_memory(self.uptime).records)
        self.lease = HeldLease(
            cast("RecordStore", self.store),
            self.clock,
            name="agent:worker",
            what="agent 'worker'",
            again="resume the agent",
            holder="here",
            ttl_ms=ttl_ms,
        )
        self.lease.acquire()

    def pass_time(self, ms: int) -> None:
        self.uptime.advance(ms)
        self.clock.advance(ms)


def test_a_lease_is_renewed_when_a_third_of_its_time_is_over_and_not_before() -> None:
    held = Held()
    held.pass_time(299)
    assert held.lease.keep()
    assert held.store.renewed == 0
    held.pass_time(1)
    assert held.lease.keep()
    assert held.store.renewed == 1
    for _ in range(10):
        held.pass_time(300)
        assert held.lease.keep()
    assert held.store.renewed == 11


def test_renewals_may_fail_until_two_thirds_are_over_and_what_is_lost_stays_lost() -> None:
    held = Held()
    held.store.is_busy = True
    held.pass_time(300)
    assert held.lease.keep()
    held.pass_time(299)
    assert held.lease.required().epoch == 1
    held.pass_time(1)
    assert not held.lease.keep()
    held.store.is_busy = False
    with pytest.raises(LeaseLost, match="it could not be renewed in time"):
        held.lease.required()
    with pytest.raises(LeaseLost):
        held.lease.renew()
    with pytest.raises(LeaseLost):
        held.lease.acquire()


def test_a_renewal_that_works_in_between_begins_the_time_anew() -> None:
    held = Held()
    held.store.is_busy = True
    held.pass_time(500)
    assert held.lease.keep()
    held.store.is_busy = False
    assert held.lease.keep()
    held.store.is_busy = True
    held.pass_time(599)
    assert held.lease.keep()


def test_the_time_counts_from_before_the_request_left() -> None:
    """A slow store: the lease it gives is as old as the request for it."""
    held = Held()
    slow = held.store.renew

    def renew(lease: Lease) -> None:
        slow(lease)
        held.pass_time(250)

    held.store.renew = renew
    held.pass_time(300)
    assert held.lease.keep()
    held.store.renew = slow
    held.pass_time(49)
    held.lease.keep()
    assert held.store.renewed == 1
    held.pass_time(1)
    held.lease.keep()
    assert held.store.renewed == 2


def test_a_thread_renews_until_the_lease_is_given_back() -> None:
    asked, over = threading.Semaphore(0), threading.Event()

    def keep() -> bool:
        asked.release()
        return True

    thread = threading.Thread(target=keep_renewed, args=(keep, over, 0.001))
    thread.start()
    for _ in range(3):
        assert asked.acquire(timeout=30)
    over.set()
    thread.join(timeout=30)
    assert not thread.is_alive()
    keep_renewed(lambda: False, threading.Event(), 0.001)  # and until it is lost


def test_a_reader_is_not_kept_from_reading(office: AgentWorld) -> None:
    with office.resume() as agent:
        agent.add_turn(AddTurn(role="user", content="hello"))
        assert office.process("there").show("worker").turns_total == 1


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
        encoding="utf-8",
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
