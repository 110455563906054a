"""Agents resume from what they wrote down: states, turns, outputs, pointers."""

import threading
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from typing import cast

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recense.conformance.material import next_page
from recense.core.agents.values import FoundMemory, StateUpdate, TurnRole
from recense.core.ids import anchor
from recense.core.text.json_text import settled_text
from recense.errors import (
    CredentialShaped,
    InvalidRequest,
    NotFound,
    StoreCorrupt,
    StoreUnavailable,
    Unsupported,
)
from recense.limits import (
    AGENT_OUTPUT_BYTES_MAX,
    POINTERS_MAX,
    TURN_EXCERPT_CODE_POINTS,
    TURNS_LISTED_MAX,
)
from recense.operations.agents import (
    AddOutput,
    AddTurn,
    ReadOutput,
    ResumeAgent,
    SetPointer,
)
from recense.ports.records import Lease, Listing, Record, RecordReader, RecordStore, Where
from recense.services.agent_records import AGENTS, turn_event_id
from recense.testing import Boundary, FakeClock, FakeUptime, Fault, FaultyStore
from tests.conformance.joint_openers import OpenStores, in_memory
from tests.services.agent_world import SECRET, T0, AgentWorld, begin


def say(content: str, message_id: str | None = None, **fields: object) -> AddTurn:
    turn = AddTurn(role="user", content=content, message_id=message_id)
    return msgspec.structs.replace(turn, **fields)


def test_who_resumes_is_given_what_was_written_down(office: AgentWorld) -> None:
    with office.resume() as agent:
        assert (agent.context.turns_total, agent.context.state.version) == (0, 0)
        agent.update_state(StateUpdate(goal="move the lights", plan=("look", "lift"), step=1))
        agent.update_state(StateUpdate(progress="looked", step=2))
        agent.add_turn(say("please move the lights"))
        agent.add_turn(say("on it", role="assistant"))
        agent.set_pointer(SetPointer(name="branch", type="git_ref", fields={"ref": "main"}))
    with office.resume() as agent:
        context = agent.context
        assert context.epoch == agent.epoch == 2
        assert context.state.version == 2
        state = context.state.state
        assert (state.goal, state.plan, state.progress, state.step) == (
            "move the lights",
            ("look", "lift"),
            "looked",
            2,
        )
        assert [(each.seq, each.content) for each in context.turns] == [
            (1, "please move the lights"),
            (2, "on it"),
        ]
        assert [each.fields for each in context.pointers] == [{"ref": "main"}]
        for text in ("move the lights", "1. look", "looked", "on it", "ref: main"):
            assert f"{text}\n" in context.briefing.text


def test_every_version_of_a_working_state_is_kept(office: AgentWorld) -> None:
    with office.resume() as agent:
        for step in range(4):
            assert agent.update_state(StateUpdate(step=step)).version == step + 1
    found = [office.here.state("worker", version).state.step for version in (1, 2, 3, 4)]
    assert found == [0, 1, 2, 3]
    assert office.here.state("worker").version == 4
    with pytest.raises(NotFound, match="no version 5"):
        office.here.state("worker", 5)


def test_a_message_counts_once_and_its_first_words_hold(office: AgentWorld) -> None:
    with office.resume() as agent:
        first = agent.add_turn(say("hello", "m1"))
        again = agent.add_turn(say("other words", "m1"))
        assert (first.is_new, again.is_new) == (True, False)
        assert again.turn == first.turn
        agent.add_turn(say("no id"))
        agent.add_turn(say("no id"))
    with office.after_a_kill() as agent:
        assert not agent.add_turn(say("hello", "m1")).is_new
        assert agent.brief().turns_total == 3


def test_a_message_whose_turn_is_missing_is_damage_and_said_so(office: AgentWorld) -> None:
    turn = AddTurn(role="user", content="one", message_id="m1")
    with office.resume() as agent:
        agent.add_turn(turn)
        office.stores.records.delete(AGENTS, ["worker/turn/0000000001"])
        with pytest.raises(StoreCorrupt, match="turn 1 of agent 'worker' is not there"):
            agent.add_turn(turn)


def test_turns_come_in_pages_from_the_newest_back(office: AgentWorld) -> None:
    with office.resume() as agent:
        for number in range(1, 8):
            agent.add_turn(say(f"turn {number}"))
    found, before = list[int](), None
    while True:
        page = office.here.turns("worker", before=before, limit=3)
        assert page.total == 7
        found = [each.seq for each in page.turns] + found
        assert all(each.content == f"turn {each.seq}" for each in page.turns)
        before = page.before
        if before is None:
            break
    assert found == list(range(1, 8))
    for limit in (0, TURNS_LISTED_MAX + 1):
        with pytest.raises(InvalidRequest):
            office.here.turns("worker", limit=limit)


def test_long_content_becomes_an_output_and_leaves_how_it_begins(office: AgentWorld) -> None:
    text = "".join(f"line {number}\n" for number in range(2_000))
    with office.resume() as agent:
        added = agent.add_turn(say(text, role="tool", name="logs"))
        assert added.turn.content == text[:TURN_EXCERPT_CODE_POINTS]
        assert added.turn.output_ref == "o1"
        assert agent.add_turn(say("x" * 8_000)).turn.output_ref is None
        assert agent.add_turn(say("x" * 8_001)).turn.output_ref == "o2"
    context = office.here.show("worker")
    assert context.turns[0] == added.turn
    assert [(each.ref, each.tool) for each in context.outputs] == [("o2", "user"), ("o1", "logs")]
    assert read_whole(office, "o1", 4_321) == text


def read_whole(office: AgentWorld, ref: str, length: int) -> str:
    parts, offset = list[str](), 0
    while True:
        request = ReadOutput(agent="worker", ref=ref, offset=offset, length=length)
        piece = office.here.read_output(request)
        parts.append(piece.text)
        if piece.next_offset is None:
            return "".join(parts)
        offset = piece.next_offset


def test_an_output_is_read_in_pieces_and_shows_how_it_begins(office: AgentWorld) -> None:
    text = "数据库 and more, " * 100
    with office.resume() as agent:
        kept = agent.add_output(AddOutput(tool="query", content=text))
        assert (kept.summary, kept.length) == (text[:200], len(text))
        assert kept.bytes == len(text.encode())
        short = agent.add_output(AddOutput(tool="query", content=text, summary="rows"))
        assert (short.ref, short.summary) == ("o2", "rows")
    for length in (1, 7, 1_000_000):
        assert read_whole(office, "o1", length) == text
    beyond = office.here.read_output(ReadOutput(agent="worker", ref="o1", offset=9_999))
    assert (beyond.text, beyond.next_offset) == ("", None)
    for ref in ("o3", "o0", "1", "", "o" * 99, "o-1"):
        with pytest.raises(NotFound, match="no output"):
            office.here.read_output(ReadOutput(agent="worker", ref=ref))


def test_what_is_too_long_is_refused_unsaid_and_nothing_of_it_kept(office: AgentWorld) -> None:
    content = SECRET + "x" * AGENT_OUTPUT_BYTES_MAX
    kept_as_three_bytes_each = "\0" * (AGENT_OUTPUT_BYTES_MAX // 3 + 1)
    says = f"{len(content)} bytes; at most {AGENT_OUTPUT_BYTES_MAX}"
    with office.resume() as agent:
        with pytest.raises(InvalidRequest, match=says) as refused:
            agent.add_output(AddOutput(tool="logs", content=content))
        assert SECRET[:8] not in str(refused.value)
        with pytest.raises(InvalidRequest, match=says):
            agent.add_turn(say(content))
        with pytest.raises(InvalidRequest, match="bytes"):
            agent.add_output(AddOutput(tool="logs", content=kept_as_three_bytes_each))
        assert agent.brief().outputs_total == 0


def test_a_removed_pointer_is_gone_and_may_come_again(office: AgentWorld) -> None:
    pointer = SetPointer(name="job", type="process", fields={"id": "4711"}, note="the build")
    with office.resume() as agent:
        agent.set_pointer(pointer)
        agent.set_pointer(msgspec.structs.replace(pointer, note="again"))
        assert [each.note for each in agent.brief().pointers] == ["again"]
        assert agent.remove_pointer("job")
        assert not agent.remove_pointer("job")
        assert agent.brief().pointers == ()
        agent.set_pointer(pointer)
        assert [each.name for each in agent.brief().pointers] == ["job"]
        assert office.here.list().agents[0].pointers == 1
        with pytest.raises(InvalidRequest):
            agent.set_pointer(msgspec.structs.replace(pointer, name="no good"))
        with pytest.raises(InvalidRequest, match="bytes of JSON"):
            agent.set_pointer(msgspec.structs.replace(pointer, note="x" * 5_000))


def test_a_pointer_too_many_is_refused(office: AgentWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recense.services.agent_turns.POINTERS_MAX", 2)
    with office.resume() as agent:
        for name in ("a", "b", "b"):
            agent.set_pointer(SetPointer(name=name, type="env"))
        with pytest.raises(InvalidRequest, match="'worker' has 2 pointers"):
            agent.set_pointer(SetPointer(name="c", type="env"))
    assert POINTERS_MAX == 1_000


def test_what_is_too_much_for_a_working_state_is_refused(office: AgentWorld) -> None:
    with office.resume() as agent:
        agent.update_state(StateUpdate(goal="stay"))
        with pytest.raises(InvalidRequest, match="'worker' would have"):
            agent.update_state(StateUpdate(notes="x" * 70_000))
        assert agent.brief().state.state.goal == "stay"


def test_secrets_are_hidden_in_everything_that_is_written_down(office: AgentWorld) -> None:
    with office.resume() as agent:
        agent.update_state(StateUpdate(notes=f"key {SECRET}", plan=(f"use {SECRET}",)))
        agent.add_turn(say(f"it is {SECRET}", brief=SECRET))
        agent.add_output(AddOutput(tool="env", content=f"K={SECRET}", summary=SECRET))
        agent.set_pointer(SetPointer(name="p", type="env", fields={"v": SECRET}, note=SECRET))
        begun = begin(agent, args={"header": SECRET})
        assert begun.action.args_redacted
    with office.after_a_kill() as agent:
        shown = msgspec.json.encode(agent.context).decode()
        assert SECRET not in shown
    with office.stores.records.snapshot() as reader:
        for record in reader.list("_agents").records:
            assert SECRET.encode() not in record.body
    whole = office.process("open", redact_secrets=False)
    with whole.resume(ResumeAgent(agent="frank")) as agent:
        assert agent.add_turn(say(SECRET)).turn.content == SECRET


def test_memories_are_asked_for_by_focus_and_open_questions_alone(office: AgentWorld) -> None:
    office.remember(
        "pgbouncer why now",
        FoundMemory(kind="fact", name="f1", text="Mira runs pgbouncer 1.21"),
        FoundMemory(kind="passage", name="a1", text="user: it timed out", session="codex:1"),
    )
    with office.resume() as agent:
        assert agent.context.memories == ()
        agent.update_state(StateUpdate(focus="pgbouncer", open_questions=("why now",), goal="x"))
        context = agent.brief()
    assert [each.kind for each in context.memories] == ["fact", "passage"]
    assert "| Mira runs pgbouncer 1.21\n" in context.briefing.text


def test_the_newest_turns_are_no_memories_of_themselves(office: AgentWorld) -> None:
    own = anchor("agent:worker", turn_event_id("worker", 1))
    office.remember(
        "boats", FoundMemory(kind="passage", name=own, text="boats", session="agent:worker")
    )
    with office.resume() as agent:
        agent.update_state(StateUpdate(focus="boats"))
        agent.add_turn(say("boats"))
        assert agent.brief().memories == ()


def test_equal_records_give_an_equal_briefing_whoever_resumes_and_when(office: AgentWorld) -> None:
    with office.resume() as agent:
        agent.update_state(StateUpdate(goal="g", focus="f"))
        agent.add_turn(say("hello"))
        begin(agent)
    office.remember("f", FoundMemory(kind="fact", name="f1", text="a fact"))
    texts = {office.here.show("worker").briefing.text}
    for hours in range(3):
        office.clock.advance(hours * 3_600_000)
        with office.after_a_kill() as agent:
            texts.add(agent.context.briefing.text)
    assert len(texts) == 1


@settings(max_examples=15)
@given(budgets=st.lists(st.integers(1, 4_000), min_size=1, max_size=4))
def test_what_is_left_out_and_what_is_shown_add_up(budgets: list[int]) -> None:
    uptime = FakeUptime()
    office = AgentWorld(in_memory(uptime), uptime)
    office.remember("f", *(FoundMemory(kind="fact", name=f"f{n}", text="w" * 90) for n in range(9)))
    with office.resume() as agent:
        agent.update_state(StateUpdate(focus="f"))
        for number in range(12):
            agent.add_turn(say("w" * 10 * number))
            if number % 2:
                agent.add_output(AddOutput(tool="t", content="o" * 99))
        for budget in budgets:
            briefing = agent.brief(budget).briefing
            omitted = briefing.omitted
            assert briefing.turns + omitted.turns == 12
            assert briefing.memories + omitted.memories == 9
            assert briefing.outputs + omitted.outputs == 6
            assert min(msgspec.structs.astuple(omitted)) >= 0
    office.end()


def test_what_many_threads_of_one_holder_write_is_all_kept(office: AgentWorld) -> None:
    with office.resume() as agent:

        def write(thread: int) -> None:
            for number in range(6):
                agent.add_turn(say(f"{thread}/{number}", f"{thread}/{number}"))
                name = f"p{thread}-{number}"
                agent.set_pointer(SetPointer(name=name, type="env", note=name))

        threads = [threading.Thread(target=write, args=(thread,)) for thread in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=120)
        context = agent.brief(100_000)
    assert sorted(each.seq for each in context.turns) == list(range(1, 25))
    assert len({each.content for each in context.turns}) == 24
    assert len(context.pointers) == 24
    assert office.here.list().agents[0].pointers == 24


def test_agents_are_listed_by_id_and_one_that_is_not_there_is_not_found(
    office: AgentWorld,
) -> None:
    for name in ("b", "a", "c"):
        with office.resume(name) as agent:
            agent.update_state(StateUpdate(goal=f"goal of {name}", milestone="first"))
            agent.add_turn(say("hello"))
    listed = office.here.list()
    assert [each.agent for each in listed.agents] == ["a", "b", "c"]
    assert listed.agents[0].goal == "goal of a"
    assert (listed.agents[0].turns, listed.agents[0].state_version) == (1, 1)
    assert [each.agent for each in office.here.list(limit=1, offset=1).agents] == ["b"]
    assert office.here.list(limit=1).total == 3
    for look in (office.here.show, office.here.turns, office.here.actions, office.here.state):
        with pytest.raises(NotFound, match="no agent 'd'"):
            look("d")
        with pytest.raises(InvalidRequest, match="an agent is"):
            look("no/agent")


def test_looking_writes_nothing(office: AgentWorld) -> None:
    with office.resume() as agent:
        agent.add_turn(say("hello"))
    with office.stores.records.snapshot() as reader:
        before = reader.list("_agents").records
    office.here.show("worker")
    office.here.list()
    office.here.turns("worker")
    office.here.actions("worker")
    with office.stores.records.snapshot() as reader:
        assert reader.list("_agents").records == before


def test_turns_are_what_recall_reads(office: AgentWorld) -> None:
    with office.resume() as agent:
        agent.add_turn(say("hello there"))
        agent.add_turn(say("the log", role="tool"))
        agent.add_output(AddOutput(tool="t", content="output"))
    with office.stores.transcripts.snapshot() as reader:
        session = reader.session("agent:worker")
        assert session is not None
        assert (session.origin, session.title, session.events) == ("agent", "Agent worker", 3)
        assert b"hello there" in next(iter(reader.events("agent:worker"))).payload


def test_a_forgotten_session_takes_its_texts_along_and_the_agent_goes_on_in_another(
    office: AgentWorld,
) -> None:
    with office.resume() as agent:
        agent.add_turn(say("to be forgotten, " * 900, brief="to be forgotten"))
        office.here.read_output(ReadOutput(agent="worker", ref="o1"))
        agent.update_state(StateUpdate(goal="stays"))
        office.stores.transcripts.forget(["agent:worker"])
        with pytest.raises(NotFound, match=r"'agent:worker' of agent 'worker' was forgotten"):
            agent.add_turn(say("into nothing"))
        agent.update_state(StateUpdate(step=1))  # what is no turn goes on
    with office.resume() as agent:
        assert agent.context.session == "agent:worker~2"
        assert agent.context.turns[0].content is None
        assert "its text was forgotten" in agent.context.briefing.text
        assert agent.add_turn(say("a new beginning")).turn.seq == 2
        assert [each.content for each in agent.brief().turns] == [None, "a new beginning"]
        assert not any(each.summary for each in agent.context.outputs)
        assert "to be forgotten" not in agent.context.briefing.text
    with pytest.raises(NotFound, match="no output 'o1'"):
        office.here.read_output(ReadOutput(agent="worker", ref="o1"))
    with office.resume() as agent:
        assert agent.context.session == "agent:worker~2"


def test_a_session_that_somebody_closed_is_followed_by_another(office: AgentWorld) -> None:
    with office.resume() as agent:
        agent.add_turn(say("one"))
        page = next_page(office.stores.transcripts, "agent:worker")
        office.stores.transcripts.append(msgspec.structs.replace(page, closed=True))
        with pytest.raises(NotFound, match="'worker' was forgotten or closed"):
            agent.add_turn(say("two"))
    with office.resume() as agent:
        agent.add_turn(say("two"))
        assert [each.content for each in agent.brief().turns] == ["one", "two"]
        assert agent.context.session == "agent:worker~2"


def test_what_cannot_be_kept_is_refused_by_its_name(office: AgentWorld) -> None:
    with office.resume() as agent:
        for turn in (
            say("x", name=""),
            say("x", message_id="\n"),
            say("x", brief="b" * 5_000),
            say("x", at="yesterday"),
            say("x", role="nobody"),
        ):
            with pytest.raises(InvalidRequest):
                agent.add_turn(turn)
        for budget in (0, 300_000):
            with pytest.raises(InvalidRequest, match="token_budget"):
                agent.brief(budget)
        assert agent.brief().turns_total == 0
    for fields in ({"agent": "a b"}, {"ttl_ms": 1}, {"holder": ""}, {"token_budget": 0}):
        with pytest.raises(InvalidRequest):
            office.here.resume(msgspec.convert({"agent": "other", **fields}, ResumeAgent))
    with office.resume("other") as agent:
        assert agent.epoch == 1  # what was refused took nothing


@settings(max_examples=30)
@given(st.text(max_size=40), st.sampled_from(["user", "assistant", "tool", "system"]))
def test_any_text_comes_back_as_it_was_said(text: str, role: TurnRole) -> None:
    """But for what no store keeps: NUL and lone surrogates."""
    uptime = FakeUptime()
    office = AgentWorld(in_memory(uptime), uptime)
    agents = office.process("open", redact_secrets=False)
    with agents.resume(ResumeAgent(agent="worker")) as agent:
        agent.add_turn(AddTurn(role=role, content=text))
        agent.add_output(AddOutput(tool="t", content=text))
        agent.update_state(StateUpdate(goal=text, plan=(text,)))
        agent.set_pointer(SetPointer(name="p", type="env", fields={"v": text}, note=text))
        context = agent.brief()
    kept = settled_text(text)
    assert [each.content for each in context.turns] == [kept]
    assert (context.state.state.goal, context.state.state.plan) == (kept, (kept,))
    assert (context.pointers[0].fields, context.pointers[0].note) == ({"v": kept}, kept)
    assert read_whole(office, "o1", 7) == kept
    office.end()


def test_a_lost_acknowledgement_is_found_out_before_the_next_write(office: AgentWorld) -> None:
    """The commit was kept, and the holder was told that it failed."""
    lost = Fault.raising(
        Boundary(method="append", call=2, moment="after"), StoreUnavailable("the wire was cut")
    )
    faulty = FaultyStore(office.stores.transcripts, [lost])
    with office.process("unlucky", transcripts=faulty).resume(ResumeAgent(agent="worker")) as agent:
        agent.add_turn(say("one", "m1"))
        with pytest.raises(StoreUnavailable):
            agent.add_turn(say("two", "m2"))
        assert agent.epoch == 1
        assert not agent.add_turn(say("two", "m2")).is_new
        assert agent.add_turn(say("three", "m3")).turn.seq == 3
    contents = [each.content for each in office.here.turns("worker").turns]
    assert contents == ["one", "two", "three"]


class Counting:
    """A store of records that counts the records that are read from it, and may tear a batch."""

    def __init__(self, records: RecordStore) -> None:
        self._records = records
        self._kept: int | None = None
        self.read = 0

    def tear(self, kept: int) -> None:
        """Keep so many records of each batch from now on, and fail."""
        self._kept = kept

    def __getattr__(self, name: str) -> object:
        return getattr(self._records, name)

    def fenced_put(self, lease: Lease, records: Iterable[Record]) -> None:
        """Keep the first records of a batch alone, and fail, where that is asked for."""
        given = list(records)
        if self._kept is None or len(given) <= self._kept:
            self._records.fenced_put(lease, given)
            return
        self._records.fenced_put(lease, given[: self._kept])
        raise StoreUnavailable("killed in the middle of a batch")

    @contextmanager
    def snapshot(self) -> Generator[RecordReader]:
        with self._records.snapshot() as reader:
            yield cast("RecordReader", CountingReader(reader, self))


class CountingReader:
    """A reader that counts for its store."""

    def __init__(self, reader: RecordReader, store: Counting) -> None:
        self._reader = reader
        self._store = store

    def get(self, collection: str, record_ids: Iterable[str]) -> dict[str, Record]:
        found = self._reader.get(collection, record_ids)
        self._store.read += len(found)
        return found

    def list(self, collection: str, where: Where, **rest: object) -> Listing:
        found = cast("Callable[..., Listing]", self._reader.list)(collection, where, **rest)
        self._store.read += len(found.records)
        return found


def test_who_resumes_reads_no_more_of_an_agent_that_said_more(office: AgentWorld) -> None:
    counting = Counting(office.stores.records)
    agents = office.process("here", records=cast("RecordStore", counting))
    read = list[int]()
    with agents.resume(ResumeAgent(agent="worker", token_budget=300)) as agent:
        for more in (90, 90, 180):
            for _ in range(more):
                agent.add_turn(say("word " * 20))
            before = counting.read
            agent.brief()
            read.append(counting.read - before)
        before = counting.read
        agent.add_turn(say("one more", "m1"))
        assert counting.read == before
    assert read[0] == read[1] == read[2] < 100


def test_a_batch_that_is_torn_leaves_the_working_state_of_before(office: AgentWorld) -> None:
    """A store that keeps commits from the front only: the version stands before the head."""
    with office.resume() as agent:
        agent.update_state(StateUpdate(goal="before"))
    for kept in (0, 1):
        torn = Counting(office.stores.records)
        agents = office.process("torn", records=cast("RecordStore", torn))
        agent = agents.resume(ResumeAgent(agent="worker"))
        torn.tear(kept)
        with pytest.raises(StoreUnavailable):
            agent.update_state(StateUpdate(goal="torn"))
        with office.after_a_kill() as agent:
            assert (agent.context.state.version, agent.context.state.state.goal) == (1, "before")
    with office.resume() as agent:
        assert agent.update_state(StateUpdate(goal="after")).version == 2
        assert agent.brief().state.state.goal == "after"


def test_a_store_without_leases_keeps_no_agents() -> None:
    uptime = FakeUptime()
    stores = in_memory(uptime)

    class Leaseless:
        capabilities = frozenset({"get"})

    world = AgentWorld(OpenStores(stores.transcripts, stores.records), uptime)
    agents = world.process("here", records=cast("RecordStore", Leaseless()), clock=FakeClock(T0))
    with pytest.raises(Unsupported, match="no fenced_put and no lease, and agent 'a'"):
        agents.resume(ResumeAgent(agent="a"))


def test_no_secret_names_an_agent_or_a_pointer(office: AgentWorld) -> None:
    with pytest.raises(CredentialShaped, match="an agent looks like a secret"):
        office.resume(SECRET)
    with office.resume() as agent, pytest.raises(CredentialShaped, match="a pointer looks like"):
        agent.set_pointer(SetPointer(name=SECRET, type="env"))
    assert [each.agent for each in office.here.list().agents] == ["worker"]
    with pytest.raises(NotFound) as unknown:
        office.here.show(SECRET)
    assert SECRET not in str(unknown.value)
