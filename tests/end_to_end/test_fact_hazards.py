"""Hazards of facts: duplicates, contradictions and forgetting, on every store of records."""

import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from msgspec.structs import replace

from recense.errors import InvalidRequest, RequestRefused
from recense.limits import RESTATED_MAX
from recense.operations.facts import (
    EvidenceRequest,
    ForgetFact,
    GetFacts,
    RememberFact,
    ReplaceRequest,
    SearchFacts,
)
from recense.operations.texts import ForgetText, HistoryRequest, RememberText, Statement
from tests.core.text.secret_shapes import SHAPES
from tests.services.fact_world import DAY, T0, FactWorld, fact_world, text

THREADS = 32


def _together(what: Callable[[int], object]) -> None:
    """Do something in many threads that begin at the same moment; every fault is raised."""
    gate = threading.Barrier(THREADS, timeout=60)

    def run(number: int) -> object:
        gate.wait()
        return what(number)

    with ThreadPoolExecutor(THREADS) as pool:
        for done in [pool.submit(run, number) for number in range(THREADS)]:
            done.result(timeout=120)


def test_a_preference_said_fifty_times_is_one_fact_with_its_evidence(world: FactWorld) -> None:
    spellings = ("Strong tea", "strong tea", "STRONG TEA")
    for number in range(50):
        world.say(
            "mira",
            "likes",
            spellings[number % 3],
            kind="preference",
            evidence=(EvidenceRequest(excerpt=f"tea, said in session {number}"),),
        )
    beliefs = world.memory.facts(GetFacts(subject="mira")).beliefs
    assert len(beliefs) == 1
    assert len(beliefs[0].evidence) == RESTATED_MAX
    assert len(world.events()) == 1 + RESTATED_MAX
    assert len(world.found("tea")) == 1


def test_remembering_twice_neither_deletes_nor_doubles(world: FactWorld) -> None:
    for _ in range(3):
        world.say("mira", "likes", "tea")
    assert world.values("mira", "likes") == ["tea"]
    assert world.memory.fact_history("mira", "likes").total == 1


def test_the_same_statement_of_two_sessions_is_one_fact_with_two_sources(
    world: FactWorld,
) -> None:
    for anchor in ("s-one:3", "s-two:8"):
        world.say(
            "mira",
            "lives_in",
            "Oslo",
            evidence=(EvidenceRequest(excerpt=f"I live in Oslo ({anchor})", anchor=anchor),),
        )
    belief = world.memory.facts(GetFacts(subject="mira", predicate="lives_in")).beliefs[0]
    assert [piece.anchor for piece in belief.evidence] == ["s-two:8", "s-one:3"]


def test_an_update_ends_nothing_but_what_its_pair_held(world: FactWorld) -> None:
    for number in range(20):
        world.say(f"person {number}", "lives_in", "Bergen")
        world.say(f"person {number}", "likes", "Bergen")
        world.say("mira", "note", f"Bergen, fact {number}")
        world.say("mira", "likes", f"Bergen, place {number}")
    world.say("mira", "lives_in", "Bergen")
    before = set(world.sentences(limit=1_000))
    said = world.say("mira", "lives_in", "Oslo")
    assert [each.sentence for each in said.superseded] == ["mira lives in Bergen"]
    after = set(world.sentences(limit=1_000))
    assert before - after == {"mira lives in Bergen"}
    assert after - before == {"mira lives in Oslo"}


@pytest.mark.parametrize(
    ("predicate", "old", "new"),
    [
        ("lives_in", "Bergen", "Oslo"),
        ("works_at", "the harbour", "the museum"),
        ("assigned_to", "project X", "project Y"),
        ("status", "away", "back"),
    ],
)
def test_what_displaces_is_ruled_by_cardinality_and_by_no_mood(
    world: FactWorld, predicate: str, old: str, new: str
) -> None:
    world.say("mira", predicate, old, cardinality="single")
    world.say("mira", predicate, new)
    assert world.values("mira", predicate) == [new]
    history = world.memory.fact_history("mira", predicate)
    assert [event.value for event in history.events] == [old, new]
    thread = world.memory.history(HistoryRequest(question=f"mira {new}")).threads[0]
    assert [step.until is None for step in thread.steps] == [False, True]


def test_the_same_text_added_twice_is_one_episode(world: FactWorld) -> None:
    request = RememberText(text="We sail on Friday.")
    first, again = world.memory.remember(request), world.memory.remember(request)
    assert first.episode == again.episode
    with world.store.snapshot() as reader:
        assert reader.list("_episodes").total == 1


def test_two_values_of_one_place_from_two_writers_are_a_visible_conflict(
    world: FactWorld,
) -> None:
    world.define("married_to", cardinality="single", value_type="ref")
    world.say("mira", "married_to", "Jonas", writer="one", observed_at=text(T0))
    said = world.say("mira", "married_to", "Lea", writer="two", observed_at=text(T0 + 1_000))
    assert world.values("mira", "married_to") == ["Lea"]
    assert said.belief is not None
    assert said.belief.contested is not None
    assert said.belief.contested.value == "Jonas"


def test_likes_and_dislikes_in_one_batch_leave_the_later(world: FactWorld) -> None:
    for predicate in ("likes", "dislikes", "likes", "dislikes"):
        world.memory.remember_fact(
            RememberFact(subject="mira", predicate=predicate, value="coffee")
        )
    assert world.values("mira", "likes") == []
    assert world.values("mira", "dislikes") == ["coffee"]


def test_a_correction_leaves_only_the_new(world: FactWorld) -> None:
    world.say("mira", "plans", "sail on Friday")
    said = world.memory.remember(
        RememberText(
            text="Not Friday: we sail on Sunday.",
            statements=(
                Statement(
                    subject="mira",
                    predicate="plans",
                    value="sail on Sunday",
                    evidence="we sail on Sunday",
                    replaces=("sail on Friday",),
                ),
            ),
        )
    )
    assert said.ended == ("mira plans sail on Friday",)
    assert world.found("sail") == ["mira plans sail on Sunday"]
    assert world.values("mira", "plans") == ["sail on Sunday"]


def test_updates_from_many_threads_leave_exactly_one_current(world: FactWorld) -> None:
    def update(number: int) -> object:
        return world.memory.remember_fact(
            RememberFact(subject="mira", predicate="lives_in", value=f"town {number}")
        )

    _together(update)
    assert len(world.values("mira", "lives_in")) == 1
    assert world.memory.fact_history("mira", "lives_in").total == THREADS
    observed = [event.observed_at for event in world.events()]
    assert len(set(observed)) == THREADS


def test_many_threads_remembering_one_fact_write_one_event(world: FactWorld) -> None:
    request = RememberFact(subject="mira", predicate="likes", value="tea")
    _together(lambda _: world.memory.remember_fact(request))
    assert len(world.events()) == 1
    assert world.values("mira", "likes") == ["tea"]


def test_one_key_used_at_once_by_many_is_one_event_and_one_answer(world: FactWorld) -> None:
    request = RememberFact(
        subject="mira", predicate="plans", value="run", idempotency_key="request 1"
    )
    answers: list[object] = []
    _together(lambda _: answers.append(world.memory.remember_fact(request)))
    assert len(answers) == THREADS
    assert all(answer == answers[0] for answer in answers)
    assert len(world.events()) == 1


def test_forgetting_reaches_what_it_names_and_nothing_beside_it(world: FactWorld) -> None:
    for subject in ("mira", "mira holm", "jonas"):
        for predicate in ("likes", "owns"):
            world.say(subject, predicate, "tea")
            world.say(subject, predicate, "cake")
    assert world.forget("mira", "likes") == ["tea", "cake"]
    assert world.values("mira", "likes") == []
    assert len(world.sentences()) == 10
    with pytest.raises(InvalidRequest, match="not clear"):
        world.memory.forget_fact(ForgetFact(subject="mira", predicate="owns"))
    with pytest.raises(InvalidRequest):
        world.memory.forget_fact(ForgetFact(subject="", predicate="owns", all_values=True))
    assert len(world.sentences()) == 10


def test_what_was_forgotten_is_gone_from_every_read(world: FactWorld) -> None:
    world.say("mira", "likes", "marzipan")
    world.say("mira", "owns", "marzipan")
    world.values("mira", "likes")
    world.forget("mira", "likes", "marzipan")
    other = world.another()
    for memory in (world.memory, other):
        pair = GetFacts(subject="mira", predicate="likes")
        assert memory.facts(pair).beliefs == ()
        broad = memory.facts(GetFacts(subject="mira")).beliefs
        assert [(each.predicate, each.elsewhere) for each in broad] == [("owns", ())]
        found = memory.search_facts(SearchFacts(text="likes marzipan")).beliefs
        assert [each.predicate for each in found] == ["owns"]
        assert memory.fact_holds("mira", "likes", "marzipan").holds == "no"
        offers = memory.forget(ForgetText(text="likes marzipan")).offers
        assert [each.text for each in offers] == ["mira owns marzipan"]
        explained = {pair.predicate: pair for pair in memory.explain_fact("mira").pairs}
        assert explained["likes"].beliefs == ()
    assert world.say("mira", "plans", "marzipan").related != ()
    assert all("likes" not in each.text for each in world.remembering.recalled("marzipan"))
    assert all("likes" not in each.text for each in world.remembering.recalled(None))


def test_forgetting_what_is_not_held_counts_nothing(world: FactWorld) -> None:
    answer = world.memory.forget_fact(ForgetFact(subject="mira", predicate="likes", value="gravel"))
    assert (answer.withdrawn, answer.event_id) == ((), None)
    assert world.memory.forget(ForgetText(facts=("e-nothing",))).not_held == ("e-nothing",)
    assert world.events() == []


def test_as_of_is_honoured_by_every_read_that_takes_it(world: FactWorld) -> None:
    world.say("mira", "lives_in", "Bergen")
    world.say("mira", "likes", "tea")
    then = text(T0 + DAY)
    world.clock.advance(2 * 86_400_000)
    world.say("mira", "lives_in", "Oslo")
    world.forget("mira", "likes", "tea")
    memory = world.memory
    assert world.values("mira", "lives_in", as_of=then) == ["Bergen"]
    assert sorted(world.sentences(subject="mira", as_of=then)) == [
        "mira likes tea",
        "mira lives in Bergen",
    ]
    assert world.found("tea", as_of=then) == ["mira likes tea"]
    assert world.found("Oslo", as_of=then) == []
    assert memory.fact_holds("mira", "lives_in", "Oslo", as_of=then).holds == "no"
    assert memory.fact_holds("mira", "likes", "tea", as_of=then).holds == "yes"
    assert memory.fact_history("mira", "lives_in", as_of=then).total == 1
    shown = {pair.predicate: pair for pair in memory.explain_fact("mira", as_of=then).pairs}
    assert [each.value for each in shown["lives_in"].beliefs] == ["Bergen"]
    assert [each.value for each in shown["likes"].beliefs] == ["tea"]
    for ask in (
        lambda: memory.facts(GetFacts(as_of="then")),
        lambda: memory.search_facts(SearchFacts(text="tea", as_of="then")),
        lambda: memory.fact_holds("mira", "likes", "tea", as_of="then"),
        lambda: memory.fact_history("mira", "likes", as_of="then"),
        lambda: memory.explain_fact("mira", as_of="then"),
        lambda: memory.registry("then"),
    ):
        with pytest.raises(InvalidRequest, match="RFC 3339"):
            ask()


def test_what_is_withdrawn_leaves_its_history_and_no_ghost(world: FactWorld) -> None:
    world.say("mira", "likes", "tea")
    before = text(T0 + 1_000_000)
    world.clock.advance(1_000)
    world.forget("mira", "likes", "tea")
    assert world.values("mira", "likes") == []
    assert world.values("mira", "likes", as_of=before) == ["tea"]
    assert [event.retraction for event in world.memory.fact_history("mira", "likes").events] == [
        False,
        True,
    ]


def test_no_secret_survives_remembering_in_any_byte_of_the_store(tmp_path: Path) -> None:
    with fact_world("sqlite", tmp_path) as world:
        for shape in SHAPES:
            _tell(world, shape.text)
        kept = b"".join(path.read_bytes() for path in tmp_path.iterdir()).lower()
        with world.store.snapshot() as reader:
            for collection in ("memory", "_episodes", "_control"):
                kept += str(reader.list(collection).records).lower().encode()
    assert [shape.name for shape in SHAPES if shape.secret.lower().encode() in kept] == []


def _tell(world: FactWorld, words: str) -> None:
    """Put words wherever a fact can have them; what is refused is not kept."""
    evidence = (EvidenceRequest(excerpt=words),)
    request = RememberFact(subject="mira", predicate="note", value=words, evidence=evidence)
    world.memory.remember_fact(request)
    statement = Statement(subject="mira", predicate="likes", value=words, evidence=words)
    unknown = Statement(subject="mira", predicate=words, value=words, evidence=words)
    world.memory.remember(RememberText(text=words, statements=(statement, unknown)))
    piece = evidence[0]
    for refused in (
        replace(request, subject=words),
        replace(request, writer=words),
        replace(request, idempotency_key=words),
        replace(request, evidence=(replace(piece, anchor=words),)),
        replace(request, evidence=(replace(piece, episode=words),)),
        replace(request, replaces=(ReplaceRequest(subject=words, value=words),)),
        replace(request, replaces=(ReplaceRequest(event_id=words),)),
    ):
        with contextlib.suppress(RequestRefused):
            world.memory.remember_fact(refused)
    with contextlib.suppress(RequestRefused):
        world.memory.merge_subjects(words, "mira")


def test_unknown_is_not_false(world: FactWorld) -> None:
    world.say("mira", "likes", "tea")
    world.say("mira", "likes", "cake")
    world.forget("mira", "likes", "cake")
    holds = {
        value: world.memory.fact_holds("mira", "likes", value).holds
        for value in ("tea", "cake", "rain")
    }
    assert holds == {"tea": "yes", "cake": "no", "rain": "unknown"}


def test_a_rule_about_replacing_comes_from_the_caller_alone(world: FactWorld) -> None:
    """Nothing is ended by likeness: only what a statement names, or its own pair's rule."""
    world.say("mira", "plans", "sail on Friday")
    world.say("mira", "plans", "sail on Friday evening")
    world.say("mira", "plans", "sail on friday night")
    assert len(world.values("mira", "plans")) == 3
    said = world.say("mira", "plans", "stay", replaces=(ReplaceRequest(value="sail on Friday"),))
    assert [each.value for each in said.superseded] == ["sail on Friday"]
