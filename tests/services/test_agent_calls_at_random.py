"""Any interleaving of two clients at two servers does what one lease and one list would do."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.errors import LeaseHeld, LeaseLost
from recense.limits import LEASE_TTL_MS_MIN
from recense.operations.agent_calls import (
    AcquireAgent,
    BeginAgentAction,
    EndAgentAction,
    RecordTurn,
    ReleaseAgent,
    RenewAgent,
    UpdateWorkingState,
)
from recense.operations.agents import AddTurn
from tests.services.agent_world import AgentWorld, agent_world

TTL_MS = LEASE_TTL_MS_MIN
CLIENTS = ("ada", "bob")

Verb = Literal[
    "acquire", "release", "renew", "say", "say again", "write", "begin", "end", "wait", "reboot"
]


class Step(msgspec.Struct, frozen=True):
    """What a client does at a server; ``number`` is what it says, or how long it waits."""

    verb: Verb
    client: str
    server: int
    number: int


STEPS = st.lists(
    st.builds(
        Step,
        verb=st.sampled_from(
            (
                "acquire",
                "acquire",
                "release",
                "renew",
                "say",
                "say again",
                "write",
                "begin",
                "end",
                "wait",
                "wait",
                "reboot",
            )
        ),
        client=st.sampled_from(CLIENTS),
        server=st.integers(0, 1),
        number=st.integers(0, TTL_MS),
    ),
    max_size=25,
)


class Model:
    """One lease, one list, in plain words."""

    def __init__(self) -> None:
        self.now = 0
        self.epoch = 0
        self.until = 0
        self.known: dict[str, int] = dict.fromkeys(CLIENTS, 1)
        self.turns: list[str] = []
        self.messages: set[str] = set()
        self.steps: list[int] = []
        self.open: dict[str, bool] = {}

    def acquire(self, client: str) -> bool:
        if self.now < self.until:
            return False
        self.epoch += 1
        self.until = self.now + TTL_MS
        self.known[client] = self.epoch
        return True

    def write(self, step: int) -> None:
        """A state that is as the newest is no other version."""
        if self.steps[-1:] != [step]:
            self.steps.append(step)

    def holds(self, client: str) -> bool:
        return self.known[client] == self.epoch and self.now < self.until

    def speaks(self, client: str) -> bool:
        """Whether the client may write; its lease is renewed then where that is due."""
        if not self.holds(client):
            return False
        if 3 * (TTL_MS - (self.until - self.now)) >= TTL_MS:
            self.until = self.now + TTL_MS
        return True


class Walk:
    """The same steps on servers and in the model."""

    def __init__(self, office: AgentWorld) -> None:
        self.office = office
        self.model = Model()
        self.servers = [office.process(f"server {number}").calls for number in range(2)]

    def take(self, step: Step) -> None:
        match step.verb:
            case "wait":
                self.office.uptime.advance(step.number)
                self.office.clock.advance(step.number)
                self.model.now += step.number
            case "reboot":
                self.office.uptime.reboot()
                self.model.until = 0
            case "acquire":
                self._acquire(step)
            case "release":
                self._release(step)
            case _:
                self._write(step, step.verb)

    def _acquire(self, step: Step) -> None:
        request = AcquireAgent(agent="worker", holder=step.client, ttl_ms=TTL_MS)
        holder = self.model.epoch
        if self.model.acquire(step.client):
            lease = self.servers[step.server].acquire(request)
            assert lease.epoch == self.model.epoch
            assert lease.turns == len(self.model.turns)
        else:
            with pytest.raises(LeaseHeld):
                self.servers[step.server].acquire(request)
            assert self.model.epoch == holder

    def _release(self, step: Step) -> None:
        calls, model = self.servers[step.server], self.model
        request = ReleaseAgent(agent="worker", epoch=model.known[step.client])
        is_refused = not model.epoch or (request.epoch < model.epoch and model.now < model.until)
        if is_refused:
            with pytest.raises(LeaseLost):
                calls.release(request)
            return
        calls.release(request)
        if request.epoch == model.epoch:
            model.until = 0

    def _write(self, step: Step, verb: str) -> None:
        may = self.model.speaks(step.client)
        if not may:
            with pytest.raises(LeaseLost):
                self._call(step, verb)
            return
        self._call(step, verb)
        if verb == "renew":
            self.model.until = self.model.now + TTL_MS

    def _call(self, step: Step, verb: str) -> None:
        calls, model = self.servers[step.server], self.model
        epoch, number = model.known[step.client], step.number
        if verb == "renew":
            calls.renew(RenewAgent(agent="worker", epoch=epoch))
        elif verb.startswith("say"):
            message = f"message {number % 3}" if verb == "say again" else None
            turn = RecordTurn(
                agent="worker",
                epoch=epoch,
                role="user",
                content=f"{step.client} {number}",
                message_id=message,
            )
            added = calls.record_turn(turn)
            assert added.is_new == (message not in model.messages)
            if added.is_new:
                model.turns.append(turn.content)
                model.messages |= {message} if message else set()
        elif verb == "write":
            calls.update_state(UpdateWorkingState(agent="worker", epoch=epoch, step=number))
            model.write(number)
        elif verb == "begin":
            self._begin(epoch, f"call {number % 3}", step)
        else:
            self._end(epoch, step)

    def _begin(self, epoch: int, call_id: str, step: Step) -> None:
        action = BeginAgentAction(
            agent="worker",
            epoch=epoch,
            tool="pay",
            action_class="unsafe",
            args=call_id,
            call_id=call_id,
        )
        begun = self.servers[step.server].begin_action(action)
        assert begun.proceed == (begun.id not in self.model.open)
        self.model.open.setdefault(begun.id, True)

    def _end(self, epoch: int, step: Step) -> None:
        """End the oldest that is open; where there is none, write all the same."""
        calls, model = self.servers[step.server], self.model
        action = next((each for each, is_open in model.open.items() if is_open), None)
        if action is None:
            calls.update_state(UpdateWorkingState(agent="worker", epoch=epoch, step=step.number))
            model.write(step.number)
            return
        turn = AddTurn(role="tool", content=f"ended {step.number}")
        end = EndAgentAction(agent="worker", epoch=epoch, action=action, turn=turn)
        calls.end_action(end)
        model.open[action] = False
        model.turns.append(turn.content)

    def compare(self) -> None:
        """The store says what the model says."""
        agents, model = self.office.here, self.model
        if not model.epoch:
            assert agents.list().total == 0
            return
        turns = agents.turns("worker", limit=1_000)
        assert [each.content for each in turns.turns] == model.turns
        state = agents.state("worker")
        assert (state.version, state.state.step) == (
            len(model.steps),
            model.steps[-1] if model.steps else 0,
        )
        actions = agents.actions("worker", limit=1_000).actions
        assert {each.id: each.status == "open" for each in actions} == model.open
        (summary,) = agents.list().agents
        assert summary.unsettled == sum(model.open.values())
        assert summary.epoch == model.epoch


@given(STEPS)
def test_any_interleaving_of_two_clients_is_that_of_one_lease_and_one_list(
    steps: list[Step],
) -> None:
    with TemporaryDirectory() as folder, agent_world("memory", Path(folder)) as office:
        walk = Walk(office)
        for step in steps:
            walk.take(step)
            walk.compare()
