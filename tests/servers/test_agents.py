"""Agents through the one way in: whose they may be, and what a caller that ends leaves behind."""

from collections.abc import Generator
from contextlib import suppress

import pytest
from msgspec.structs import replace

from recense.core.values import Value
from recense.errors import IdentityMismatch, LeaseHeld, LeaseLost, RecenseError, ScopeMissing
from recense.limits import LEASE_TTL_MS
from recense.operations.agent_calls import (
    AcquireAgent,
    AgentLease,
    BeginAgentAction,
    EndAgentAction,
    ListActions,
    ListAgents,
    ListPointers,
    RecentTurns,
    ReconcileActions,
    RecordTurn,
    ReleaseAgent,
    RemovePointer,
    RenewAgent,
    SetAgentPointer,
    ShowAgent,
    StoreOutput,
    UpdateWorkingState,
)
from recense.operations.agent_operations import AGENT_OPERATIONS
from recense.operations.agents import (
    AgentContext,
    AgentList,
    BegunAction,
    DecideAction,
    ReadOutput,
    ResumeAgent,
)
from recense.operations.keys import LOCAL
from recense.ports.records import RecordStore
from recense.servers.acquired_agents import AcquiredAgents
from recense.servers.catalogue import HANDLED, answer
from recense.servers.handling import OperationCall
from recense.services.importing import Machine
from recense.services.memory import Memory
from recense.testing import FakeClock, FakeUptime
from recense.wiring import Importers, Stores, join
from tests.conformance.joint_openers import in_memory

MINE, OTHERS = "mine", "others"

REQUESTS: dict[str, Value] = {
    "agent_resume": ResumeAgent(agent=MINE),
    "agent_acquire": AcquireAgent(agent=MINE),
    "agent_renew": RenewAgent(agent=MINE, epoch=1),
    "agent_release": ReleaseAgent(agent=MINE, epoch=1),
    "update_working_state": UpdateWorkingState(agent=MINE, epoch=1, goal="g"),
    "record_turn": RecordTurn(agent=MINE, epoch=1, role="user", content="c"),
    "recent_turns": RecentTurns(agent=MINE),
    "store_output": StoreOutput(agent=MINE, epoch=1, tool="t", content="c"),
    "fetch_output": ReadOutput(agent=MINE, ref="o1"),
    "set_pointer": SetAgentPointer(agent=MINE, epoch=1, name="p", type="env"),
    "remove_pointer": RemovePointer(agent=MINE, epoch=1, name="p"),
    "list_pointers": ListPointers(agent=MINE),
    "begin_action": BeginAgentAction(agent=MINE, epoch=1, tool="t", action_class="unsafe"),
    "end_action": EndAgentAction(agent=MINE, epoch=1, action="a"),
    "reconcile_actions": ReconcileActions(agent=MINE, epoch=1),
    "list_actions": ListActions(agent=MINE),
    "list_agents": ListAgents(agent=MINE),
    "show_agent": ShowAgent(agent=MINE),
    "decide_action": DecideAction(agent=MINE, action="a", status="failed"),
}
"""A request of each operation, as the holder of the agent's first epoch makes it."""


class Served:
    """A memory that is asked as a server asks it."""

    def __init__(self) -> None:
        self.uptime = FakeUptime()
        self.stores = in_memory(self.uptime)
        self.memory = self.opened(self.stores.records)
        self.call = OperationCall(memory=self.memory, credential=LOCAL)

    def opened(self, records: RecordStore) -> Memory:
        return join(
            Stores(self.stores.transcripts, records),
            importers=Importers(working={}),
            clock=FakeClock(1_700_000_000_000_000),
            machine=Machine(environment={}, home="/nowhere"),
        )

    def ask(self, name: str, **fields: object) -> Value:
        return answer(name, self.call, replace(REQUESTS[name], **fields))

    def as_key(self, agent: str | None = None, key_id: str | None = "k1") -> OperationCall:
        credential = replace(LOCAL, agent=agent, key_id=key_id)
        return OperationCall(memory=self.memory, credential=credential)


@pytest.fixture
def served() -> Generator[Served]:
    served = Served()
    try:
        yield served
    finally:
        served.memory.close()


def test_every_operation_of_agents_is_handled_and_asks_for_its_agent() -> None:
    assert [each.name for each in AGENT_OPERATIONS] == list(REQUESTS)
    for operation in AGENT_OPERATIONS:
        assert HANDLED[operation.name].operation is operation
        assert "agent" in operation.request.__struct_fields__
        assert isinstance(REQUESTS[operation.name], operation.request)


def test_every_write_of_a_holder_names_its_epoch() -> None:
    taking = {"agent_resume", "agent_acquire"}
    for operation in AGENT_OPERATIONS:
        has_epoch = "epoch" in operation.request.__struct_fields__
        assert has_epoch == (operation.changes and operation.name not in taking)


@pytest.mark.parametrize("name", REQUESTS)
def test_a_key_for_one_agent_can_do_nothing_to_another(served: Served, name: str) -> None:
    served.ask("agent_acquire", agent=OTHERS)
    shown = served.memory.agents.show(OTHERS)
    with pytest.raises(IdentityMismatch):
        answer(name, served.as_key(MINE), replace(REQUESTS[name], agent=OTHERS))
    assert served.memory.agents.show(OTHERS) == shown


def test_a_key_for_one_agent_lists_that_agent_alone(served: Served) -> None:
    for agent in (MINE, OTHERS):
        served.ask("agent_acquire", agent=agent)
    listed = answer("list_agents", served.as_key(MINE), ListAgents(agent=MINE))
    assert isinstance(listed, AgentList)
    assert ([each.agent for each in listed.agents], listed.total) == ([MINE], 1)
    with pytest.raises(IdentityMismatch):
        answer("list_agents", served.as_key(MINE), ListAgents())
    everybody = served.ask("list_agents", agent=None)
    assert isinstance(everybody, AgentList)
    assert everybody.total == 2


def test_a_key_that_may_only_read_takes_no_agent_and_a_persons_decision_needs_more(
    served: Served,
) -> None:
    served.ask("agent_acquire")
    reading = replace(LOCAL, scopes=LOCAL.scopes | {"read-only"})
    of_an_agent = replace(LOCAL, scopes=frozenset({"agent"}))
    for operation in AGENT_OPERATIONS:
        if operation.changes:
            call = OperationCall(memory=served.memory, credential=reading)
            with pytest.raises(ScopeMissing):
                answer(operation.name, call, REQUESTS[operation.name])
    call = OperationCall(memory=served.memory, credential=of_an_agent)
    with pytest.raises(ScopeMissing, match="admin"):
        answer("decide_action", call, REQUESTS["decide_action"])


def test_who_holds_an_agent_is_named_after_its_key_where_it_has_no_name(served: Served) -> None:
    first = answer("agent_acquire", served.as_key(key_id="k7"), REQUESTS["agent_acquire"])
    assert isinstance(first, AgentLease)
    assert first.holder == "key k7"
    with pytest.raises(LeaseHeld, match="'key k7'"):
        answer("agent_resume", served.as_key(key_id="k8"), REQUESTS["agent_resume"])
    named = answer("agent_acquire", served.as_key(), AcquireAgent(agent=OTHERS, holder="the board"))
    assert isinstance(named, AgentLease)
    assert named.holder == "the board"


OF_A_HOLDER = [
    each.name
    for each in AGENT_OPERATIONS
    if "epoch" in each.request.__struct_fields__ and each.name != "decide_action"
]


@pytest.mark.parametrize("name", OF_A_HOLDER)
def test_an_epoch_that_another_key_was_given_is_no_ones_else(served: Served, name: str) -> None:
    """Epochs are small numbers: whoever may name the agent can guess the one that holds."""
    callers = {
        "k1": served.as_key(),
        "k2": served.as_key(key_id="k2"),
        "of the agent": served.as_key(agent=MINE, key_id="k3"),
        "of the process": served.call,
    }
    for epoch, (taker, call) in enumerate(callers.items(), 1):
        answer("agent_acquire", call, REQUESTS["agent_acquire"])
        before = served.memory.agents.show(MINE)
        for other in callers.keys() - {taker}:
            with pytest.raises(LeaseLost, match=f"under epoch {epoch}: it is another caller"):
                answer(name, callers[other], replace(REQUESTS[name], epoch=epoch))
        assert served.memory.agents.show(MINE) == before
        answer("agent_release", call, ReleaseAgent(agent=MINE, epoch=epoch))


def test_a_guessed_epoch_keeps_no_lease_from_its_end(served: Served) -> None:
    answer("agent_acquire", served.as_key(), REQUESTS["agent_acquire"])
    served.uptime.advance(LEASE_TTL_MS - 1)
    with pytest.raises(LeaseLost):
        answer("agent_renew", served.as_key(key_id="k2"), REQUESTS["agent_renew"])
    served.uptime.advance(1)
    answer("agent_acquire", served.as_key(key_id="k3"), REQUESTS["agent_acquire"])


def test_one_key_goes_on_in_another_process_and_so_does_another_key_of_the_agent(
    served: Served,
) -> None:
    answer("agent_acquire", served.as_key(), REQUESTS["agent_acquire"])
    elsewhere = served.opened(served.stores.records)
    same = replace(served.as_key(), memory=elsewhere)
    answer("record_turn", same, REQUESTS["record_turn"])
    answer("agent_release", same, REQUESTS["agent_release"])
    answer("agent_acquire", served.as_key(agent=MINE, key_id="k2"), REQUESTS["agent_acquire"])
    renewed = replace(served.as_key(agent=MINE, key_id="k3"), memory=elsewhere)
    answer("record_turn", renewed, replace(REQUESTS["record_turn"], epoch=2))
    answer("agent_renew", renewed, replace(REQUESTS["agent_renew"], epoch=2))


def test_who_looks_after_the_store_decides_beside_a_holder(served: Served) -> None:
    answer("agent_acquire", served.as_key(), REQUESTS["agent_acquire"])
    begun = answer("begin_action", served.as_key(), REQUESTS["begin_action"])
    assert isinstance(begun, BegunAction)
    request = replace(REQUESTS["decide_action"], epoch=1, action=begun.id)
    answer("decide_action", served.as_key(key_id="k2"), request)
    answer("record_turn", served.as_key(), REQUESTS["record_turn"])


def test_what_a_key_took_is_given_back_when_its_caller_ends(served: Served) -> None:
    acquired = AcquiredAgents()
    acquired.answer("agent_acquire", served.as_key(), REQUESTS["agent_acquire"])
    acquired.release_all()
    lease = answer("agent_acquire", served.as_key(key_id="k2"), REQUESTS["agent_acquire"])
    assert isinstance(lease, AgentLease)


@pytest.mark.parametrize(
    "name", [each.name for each in AGENT_OPERATIONS if each.changes and each.repeatable]
)
def test_what_is_said_to_be_repeatable_changes_nothing_more(served: Served, name: str) -> None:
    served.ask("agent_acquire")
    served.ask("set_pointer")
    begun = served.memory.agents.calls.begin_action(
        BeginAgentAction(agent=MINE, epoch=1, tool="other", action_class="unsafe")
    )
    request = REQUESTS[name]
    if "action" in request.__struct_fields__:
        request = replace(request, action=begun.id)
    if name == "decide_action":
        request = replace(request, epoch=1)
    answer(name, served.call, request)
    before = served.memory.agents.show(MINE)
    with suppress(RecenseError):  # it may say that it was done already
        answer(name, served.call, request)
    assert served.memory.agents.show(MINE) == before


@pytest.mark.parametrize("takes", ["agent_resume", "agent_acquire"])
def test_what_one_caller_took_is_given_back_when_it_ends(served: Served, takes: str) -> None:
    acquired = AcquiredAgents()
    for agent in (MINE, OTHERS, "third"):
        acquired.answer(takes, served.call, replace(REQUESTS[takes], agent=agent))
    acquired.answer("agent_release", served.call, ReleaseAgent(agent="third", epoch=1))
    served.ask("agent_acquire", agent="third", holder="another")
    acquired.answer("show_agent", served.call, ShowAgent(agent="third"))
    with pytest.raises(LeaseLost):
        acquired.answer("record_turn", served.call, replace(REQUESTS["record_turn"], agent="third"))
    acquired.release_all()
    acquired.release_all()
    for agent in (MINE, OTHERS):
        context = served.ask("agent_resume", agent=agent)
        assert isinstance(context, AgentContext)
        assert context.epoch == 2
    with pytest.raises(LeaseHeld, match="'another'"):
        served.ask("agent_resume", agent="third")


def test_what_was_lost_or_never_taken_is_left_to_whoever_has_it(served: Served) -> None:
    acquired = AcquiredAgents()
    acquired.answer("agent_acquire", served.call, REQUESTS["agent_acquire"])
    acquired.answer("agent_resume", served.call, ResumeAgent(agent=OTHERS, defer_lease=True))
    served.uptime.advance(LEASE_TTL_MS)
    served.ask("agent_acquire", holder="the next")
    served.ask("agent_acquire", agent=OTHERS, holder="the next")
    acquired.release_all()
    for agent in (MINE, OTHERS):
        with pytest.raises(LeaseHeld, match="'the next'"):
            served.ask("agent_acquire", agent=agent)


def test_what_is_taken_while_its_caller_ends_is_given_back_at_once(served: Served) -> None:
    acquired = AcquiredAgents()
    acquired.release_all()
    acquired.answer("agent_acquire", served.call, REQUESTS["agent_acquire"])
    lease = served.ask("agent_acquire")
    assert isinstance(lease, AgentLease)
    assert lease.epoch == 2
