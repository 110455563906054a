"""Actions: written down before they are done, never done twice for not knowing."""

from collections.abc import Callable, Iterator
from typing import cast

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recense.core.agents.values import (
    ACTION_CLASSES,
    ActionClass,
    ClosedStatus,
    StateUpdate,
)
from recense.errors import CredentialShaped, InvalidRequest, NotFound, StoreUnavailable
from recense.limits import ACTIONS_LISTED_MAX, DECISION_NOTE_BYTES_MAX
from recense.operations.agents import (
    ActionList,
    ActionOutcome,
    ActionView,
    AddTurn,
    BeginAction,
    DecideAction,
    Done,
    EndAction,
    NotDone,
    ResumeAgent,
)
from recense.ports.records import RecordStore
from recense.services.agent_reconciling import ActionHandler
from recense.testing import Boundary, FakeUptime, Fault, FaultyStore
from tests.conformance.joint_openers import in_memory
from tests.services.agent_world import SECRET, AgentWorld, begin, statuses
from tests.services.counting_records import Counting


def test_a_call_is_written_down_before_it_is_made_and_again_when_it_answered(
    office: AgentWorld,
) -> None:
    with office.resume() as agent:
        agent.update_state(StateUpdate(step=5))
        begun = begin(agent, args={"to": "mira", "n": 1})
        assert begun.proceed
        opened = office.here.action("worker", begun.id)
        assert opened == begun.action
        assert (opened.status, opened.epoch, opened.step) == ("open", 1, 5)
        assert opened.args == {"to": "mira", "n": 1}
        turn = AddTurn(role="tool", content="sent", message_id="m1")
        ended = agent.end_action(EndAction(action=begun.id, result={"id": 7}, turn=turn))
        assert (ended.status, ended.result, ended.settled_by) == ("succeeded", {"id": 7}, "agent")
        assert office.here.action("worker", begun.id) == ended
        assert [each.content for each in agent.brief().turns] == ["sent"]
        again = agent.end_action(EndAction(action=begun.id, status="failed", turn=turn))
        assert again == ended
        assert agent.brief().actions == ()


def test_the_same_call_is_not_made_twice_by_accident_and_is_on_purpose(office: AgentWorld) -> None:
    with office.resume() as agent:
        first = begin(agent, args={"a": 1, "b": 2})
        second = begin(agent, args={"b": 2.0, "a": 1})
        assert (second.proceed, second.id) == (False, first.id)
        assert "open" in second.reason
        agent.end_action(EndAction(action=first.id, status="unknown"))
        assert not begin(agent, args={"a": 1, "b": 2}, call_id="new").proceed
        assert begin(agent, args={"a": 1, "b": 3}).proceed
        agent.end_action(EndAction(action=first.id))
        third = begin(agent, args={"a": 1, "b": 2})
        assert third.proceed
        assert third.id != first.id
        assert (first.action.occurrence, third.action.occurrence) == (0, 1)


def test_a_retry_of_a_call_is_answered_with_what_the_call_came_to(office: AgentWorld) -> None:
    with office.resume() as agent:
        begun = begin(agent, call_id="c1")
        agent.end_action(EndAction(action=begun.id, result="sent"))
    with office.after_a_kill() as agent:
        again = begin(agent, call_id="c1")
        assert (again.proceed, again.action.status, again.action.result) == (
            False,
            "succeeded",
            "sent",
        )
        assert begin(agent, call_id="c2").proceed
        with pytest.raises(InvalidRequest, match="'c1' of agent 'worker' belongs to"):
            begin(agent, call_id="c1", args="others")


@pytest.mark.parametrize("action_class", ACTION_CLASSES)
def test_after_a_kill_an_open_action_is_in_the_briefing_and_stands_in_the_way(
    office: AgentWorld, action_class: ActionClass
) -> None:
    begun = begin(office.resume(), action_class, args={"to": "mira"})
    with office.after_a_kill() as agent:
        assert [each.id for each in agent.context.actions] == [begun.id]
        assert agent.context.briefing.text.startswith("## Actions of which nobody knows")
        assert begun.id in agent.context.briefing.text
        assert '| arguments: {"to":"mira"}' in agent.context.briefing.text
        assert not begin(agent, action_class, args={"to": "mira"}).proceed


@pytest.mark.parametrize("status", ["succeeded", "failed", "abandoned", "compensated"])
def test_a_person_settles_what_nobody_knows_and_then_it_may_be_done_on_purpose(
    office: AgentWorld, status: ClosedStatus
) -> None:
    begun = begin(office.resume())
    with office.after_a_kill() as agent:
        agent.reconcile({})
        assert not begin(agent).proceed
    person = office.process("person")
    request = DecideAction(agent="worker", action=begun.id, status=status, note="I looked")
    decided = person.decide(request)
    assert (decided.status, decided.settled_by, decided.note) == (status, "person", "I looked")
    with pytest.raises(InvalidRequest, match="'worker' is settled"):
        person.decide(request)
    with office.resume() as agent:
        assert agent.context.actions == ()
        assert "I looked" in (agent.context.turns[-1].content or "")
        assert begin(agent).proceed


def test_an_action_that_is_not_there_is_not_found(office: AgentWorld) -> None:
    with office.resume() as agent:
        agent.update_state(StateUpdate(step=1))
        for call in (
            lambda: agent.end_action(EndAction(action="none")),
            lambda: office.here.action("worker", "none"),
        ):
            with pytest.raises(NotFound, match="agent 'worker' has no action 'none'"):
                call()
    with pytest.raises(NotFound):
        office.here.decide(DecideAction(agent="worker", action="none", status="failed"))


def test_what_cannot_be_an_action_is_refused(office: AgentWorld) -> None:
    with office.resume() as agent:
        for request, error in (
            (BeginAction(tool="", action_class="read"), InvalidRequest),
            (BeginAction(tool="t", action_class="read", args=float("nan")), InvalidRequest),
            (BeginAction(tool="t", action_class="unsafe", key="k"), InvalidRequest),
            (BeginAction(tool="t", action_class="keyed", key=SECRET), CredentialShaped),
            (BeginAction(tool="t", action_class="keyed", call_id="\t"), InvalidRequest),
        ):
            with pytest.raises(error):
                agent.begin_action(request)
        assert agent.brief().actions == ()


def test_too_many_unsettled_actions_are_not_begun(
    office: AgentWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recense.services.agent_actions.UNSETTLED_ACTIONS_MAX", 2)
    with office.resume() as agent:
        begin(agent, args=1)
        begun = begin(agent, args=2)
        with pytest.raises(InvalidRequest, match="'worker' has 2 actions"):
            begin(agent, args=3)
        agent.end_action(EndAction(action=begun.id))
        assert begin(agent, args=3).proceed


def test_another_equal_read_reads_no_more_of_those_that_are_open(office: AgentWorld) -> None:
    counting = Counting(office.stores.records)
    agents = office.process("here", records=cast("RecordStore", counting))
    read = list[int]()
    with agents.resume(ResumeAgent(agent="worker")) as agent:
        for number in range(40):
            before = counting.read
            assert begin(agent, "read", call_id=f"c{number}").proceed
            read.append(counting.read - before)
    assert max(read[2:]) <= read[1]


def test_actions_are_listed_newest_first(office: AgentWorld) -> None:
    with office.resume() as agent:
        ids = list[str]()
        for number in range(5):
            office.clock.advance(1)
            ids.append(begin(agent, args=number).id)
        agent.end_action(EndAction(action=ids[1]))
    listed = office.here.actions("worker", limit=3)
    assert [each.id for each in listed.actions] == ids[:1:-1]
    assert listed.total == 5
    unsettled = office.here.actions("worker", unsettled=True)
    assert [each.id for each in unsettled.actions] == [ids[4], ids[3], ids[2], ids[0]]
    assert unsettled.total == 4


def test_actions_come_in_pages_from_the_newest_back(office: AgentWorld) -> None:
    with office.resume() as agent:
        ids = [begin(agent, args=number).id for number in range(7)]
        every = office.here.actions("worker").actions
        assert {each.id for each in every} == set(ids)
        for limit in (1, 3, 7, ACTIONS_LISTED_MAX):
            for unsettled in (False, True):
                pages = list(pages_of(office, limit, unsettled=unsettled))
                assert [each for page in pages for each in page.actions] == list(every)
                assert {page.total for page in pages} == {7}
                assert len(pages) == -(-7 // limit)
        agent.end_action(EndAction(action=every[2].id))
    with pytest.raises(NotFound, match="is not in this listing"):
        office.here.actions("worker", unsettled=True, after=every[2].id)
    assert office.here.actions("worker", after=every[2].id).actions == every[3:]
    with pytest.raises(NotFound):
        office.here.actions("worker", after="no/such")


def pages_of(office: AgentWorld, limit: int, *, unsettled: bool) -> Iterator[ActionList]:
    after = None
    while True:
        page = office.here.actions("worker", unsettled=unsettled, limit=limit, after=after)
        yield page
        after = page.next_after
        if after is None:
            return


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


def test_what_a_person_decided_stays_with_a_call_that_is_begun_again(office: AgentWorld) -> None:
    person = office.process("person")
    begun = begin(office.resume(), call_id="c1")
    for note in ("the bank shows nothing", "nor a day later"):
        with office.after_a_kill() as agent:
            agent.reconcile({})
        person.decide(DecideAction(agent="worker", action=begun.id, status="abandoned", note=note))
        with office.resume() as agent:
            assert begin(agent, call_id="c1").proceed
            assert note in agent.brief().briefing.text
    action = office.here.action("worker", begun.id)
    assert (action.status, action.attempts) == ("open", 3)
    assert [(each.status, each.note) for each in action.decisions] == [
        ("abandoned", "the bank shows nothing"),
        ("abandoned", "nor a day later"),
    ]


def test_what_no_person_decided_is_not_kept_of_a_call_that_is_begun_again(
    office: AgentWorld,
) -> None:
    begin(office.resume(), "read", call_id="c1")
    with office.after_a_kill() as agent:
        agent.reconcile({})
        again = begin(agent, "read", call_id="c1")
        assert (again.proceed, again.action.decisions) == (True, ())


def test_a_decision_is_explained_in_a_bounded_note(office: AgentWorld) -> None:
    with office.resume() as agent:
        begun = begin(agent)
    request = DecideAction(
        agent="worker", action=begun.id, status="failed", note="n" * (DECISION_NOTE_BYTES_MAX + 1)
    )
    with pytest.raises(InvalidRequest, match="note has 4097 bytes; at most 4096"):
        office.here.decide(request)
    assert office.here.decide(msgspec.structs.replace(request, note="n")).note == "n"


# --- the order of what is written -----------------------------------------------------------------


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("kind", ["end", "decide", "reconcile"])
def test_an_outcome_and_the_turn_that_tells_of_it_are_kept_together_or_not_at_all(
    office: AgentWorld, moment: str, kind: str
) -> None:
    """The process dies on either side of the one commit."""
    begun = begin(office.resume())
    office.uptime.advance(60_001)
    at = Boundary(method="append", call=1, moment="before" if moment == "before" else "after")
    dies = Fault.raising(at, StoreUnavailable("killed"))
    faulty = FaultyStore(office.stores.transcripts, [dies])
    process = office.process("dies", transcripts=faulty)
    turn = AddTurn(role="tool", content="sent")
    resumed = ResumeAgent(agent="worker")
    decided = DecideAction(agent="worker", action=begun.id, status="succeeded")
    ended = EndAction(action=begun.id, turn=turn)
    calls: dict[str, Callable[[], object]] = {
        "end": lambda: process.resume(resumed).end_action(ended),
        "decide": lambda: process.decide(decided),
        "reconcile": lambda: process.resume(resumed).reconcile({}),
    }
    with pytest.raises(StoreUnavailable):
        calls[kind]()
    assert faulty.passed[-1].moment == moment
    kept = moment == "after"
    expected = "unknown" if kind == "reconcile" else "succeeded"
    assert statuses(office.here) == {begun.id: expected if kept else "open"}
    assert office.here.show("worker").turns_total == int(kept)


def test_killed_between_outcome_and_state_a_step_that_is_repeated_does_nothing_twice(
    office: AgentWorld,
) -> None:
    """Hazard: the checkpoint is older than the writes, so that the step runs again."""
    done = list[str]()

    def step(agents: AgentWorld, *, dies_before_its_state: bool) -> None:
        agent = agents.after_a_kill()
        agent.reconcile({})
        begun = begin(agent, call_id="step-1-call-1")
        if begun.proceed:
            done.append("sent")
            agent.end_action(EndAction(action=begun.id, result="sent"))
        assert office.here.action("worker", begun.id).result == "sent"
        if not dies_before_its_state:
            agent.update_state(StateUpdate(step=1))

    step(office, dies_before_its_state=True)
    assert office.here.show("worker").state.version == 0
    step(office, dies_before_its_state=False)
    assert done == ["sent"]
    assert office.here.show("worker").state.state.step == 1


class Kills:
    """An agent that is killed again and again, and the world it acts upon."""

    def __init__(self) -> None:
        uptime = FakeUptime()
        self.office = AgentWorld(in_memory(uptime), uptime)
        self.agent = self.office.resume()
        self.done: list[str] = []
        self.keys: set[str] = set()
        self.intents: list[tuple[str, ActionClass]] = []
        self._handler = ActionHandler(
            run_again=self.act,
            probe=lambda action: Done() if action.id in self.done else NotDone(),
            when_not_done="run_again",
        )

    def act(self, action: ActionView) -> ActionOutcome:
        if action.key is not None:
            self.keys.add(action.key)
        self.done.append(action.id)
        return ActionOutcome(result="done")

    def decide(self) -> None:
        """Have a person decide upon all that is unsettled."""
        self.agent.release()
        for each in self.unsettled():
            request = DecideAction(agent="worker", action=each.id, status="compensated")
            self.office.here.decide(request)
        self.agent = self.office.resume()

    def call(self, action_class: ActionClass, killed: str) -> None:
        """Make a call, and be killed before the act, after it, or not at all."""
        begun = begin(self.agent, action_class, args=action_class)
        if begun.proceed:
            self.intents.append((begun.id, action_class))
            if killed != "before":
                self.act(begun.action)
            if killed == "never":
                self.agent.end_action(EndAction(action=begun.id))
        if killed != "never":
            self.agent = self.office.after_a_kill()
            if begun.proceed:
                assert begun.id in [each.id for each in self.agent.context.actions]
                assert begun.id in self.agent.context.briefing.text
            self.agent.reconcile({"send": self._handler})

    def unsettled(self) -> tuple[ActionView, ...]:
        return self.office.here.actions("worker", unsettled=True).actions


@settings(max_examples=25)
@given(
    st.lists(
        st.none()
        | st.tuples(st.sampled_from(ACTION_CLASSES), st.sampled_from(["never", "before", "after"])),
        max_size=14,
    )
)
def test_however_often_it_is_killed_nothing_is_done_twice_for_not_knowing(
    steps: list[tuple[ActionClass, str] | None],
) -> None:
    """The world counts: an unsafe call that was begun once is done at most once, a keyed one
    counts once however often it is made, and each open action is in the next briefing.
    """
    kills = Kills()
    for step in steps:
        if step is None:
            kills.decide()
        else:
            kills.call(*step)
    assert len(set(kills.intents)) == len(kills.intents)
    for action_id, action_class in kills.intents:
        if action_class in {"unsafe", "checkable"}:
            assert kills.done.count(action_id) <= 1
        if action_class in {"idempotent", "keyed", "checkable"}:
            assert action_id in kills.done
    assert kills.keys == {name for name, action_class in kills.intents if action_class == "keyed"}
    assert {each.action_class for each in kills.unsettled()} <= {"unsafe"}
    kills.office.end()
