"""Writing facts: what each kind of write answers, and what it makes of beliefs."""

import pytest

from recense.core.facts.changes import Definition
from recense.core.facts.event import Source
from recense.core.facts.values import FactValue, value_key
from recense.errors import InvalidRequest, NotFound
from recense.limits import RESTATED_MAX
from recense.operations.facts import EvidenceRequest, ForgetFact, RememberFact, ReplaceRequest
from recense.services.fact_records import value_counter
from tests.services.fact_world import DAY, HOUR, HOUR_MS, SECOND, T0, FactWorld, text


def _read_in(*excerpts: str) -> tuple[EvidenceRequest, ...]:
    return tuple(EvidenceRequest(excerpt=excerpt) for excerpt in excerpts)


def test_a_statement_is_stored_and_current(world: FactWorld) -> None:
    said = world.say("Mira", "lives_in", "Bergen", evidence=_read_in("I live in Bergen"))
    assert (said.stored, said.already_known, said.current) == (True, False, True)
    assert said.belief is not None
    assert said.belief.sentence == "mira lives in Bergen"
    assert said.belief.event_id == said.belief.last_event_id == said.event_id
    assert [piece.excerpt for piece in said.belief.evidence] == ["I live in Bergen"]
    assert said.superseded == said.outranked_by == said.unreplaced == said.related == ()
    assert said.defined is None
    assert world.values("mira", "lives_in") == ["Bergen"]


def test_a_value_has_a_counter_of_its_own_only_where_it_is_a_unit(world: FactWorld) -> None:
    names = {
        predicate: value_counter("mira", predicate, value_key("Bergen"))
        for predicate in ("lives_in", "likes")
    }
    for predicate in names:
        world.say("Mira", predicate, "Bergen")
    with world.store.snapshot() as reader:
        counts = reader.counters(names.values())
    assert [counts[name] for name in names.values()] == [0, 1]


def test_the_same_value_again_is_known_and_writes_nothing(world: FactWorld) -> None:
    first = world.say("Mira", "lives_in", "Bergen")
    again = world.say("mira", "lives_in", "Bergen")
    assert (again.stored, again.already_known, again.current) == (False, True, True)
    assert again.event_id == first.event_id
    assert len(world.events()) == 1


@pytest.mark.parametrize(
    ("value", "fields"),
    [
        ("bergen", {}),
        ("Bergen", {"evidence": _read_in("still in Bergen")}),
        ("Bergen", {"source": "tool_result"}),
        ("Bergen", {"confidence": 0.9}),
    ],
    ids=["other case", "new evidence", "other source", "higher confidence"],
)
def test_what_is_new_about_a_held_value_is_written_and_keeps_its_beginning(
    world: FactWorld, value: str, fields: dict[str, object]
) -> None:
    first = world.say("mira", "lives_in", "Bergen", confidence=0.5)
    fields = {"confidence": 0.5, **fields}
    again = world.say("mira", "lives_in", value, **fields)
    assert (again.stored, again.current) == (True, True)
    assert again.superseded == ()
    assert again.belief is not None
    assert again.belief.event_id == first.event_id
    assert again.belief.last_event_id == again.event_id
    assert again.belief.value == value
    assert world.say("mira", "lives_in", value, **fields).already_known
    assert len(world.events()) == 2


def test_lower_confidence_and_known_evidence_say_nothing_new(world: FactWorld) -> None:
    world.say("mira", "lives_in", "Bergen", evidence=_read_in("I live in Bergen"))
    again = world.say(
        "mira", "lives_in", "Bergen", confidence=0.2, evidence=_read_in("I live in Bergen")
    )
    assert again.already_known


def test_a_held_value_is_restated_at_most_so_many_times(world: FactWorld) -> None:
    for number in range(RESTATED_MAX + 10):
        said = world.say("mira", "likes", "tea", evidence=_read_in(f"tea, said {number} times"))
        assert said.stored == (number <= RESTATED_MAX)
        assert said.current
    assert len(world.events()) == 1 + RESTATED_MAX


def test_a_new_run_of_a_value_may_be_restated_anew(world: FactWorld) -> None:
    for number in range(RESTATED_MAX + 2):
        world.say("mira", "likes", "tea", evidence=_read_in(f"first run {number}"))
    assert world.forget("mira", "likes", "tea") == ["tea"]
    assert world.say("mira", "likes", "tea").stored
    assert world.say("mira", "likes", "tea", evidence=_read_in("second run")).stored


def test_restatements_of_a_reference_count_together_under_every_name(world: FactWorld) -> None:
    world.define("works_for", value_type="ref")
    world.memory.merge_subjects("Acme Inc", "Acme")
    for number in range(2 * RESTATED_MAX):
        world.say(
            "mira",
            "works_for",
            ("Acme", "Acme Inc")[number % 2],
            evidence=_read_in(f"badge {number}"),
        )
    assert len(world.events()) == 1 + RESTATED_MAX
    assert len(world.values("mira", "works_for")) == 1


def test_a_single_valued_pair_holds_the_newest_value_alone(world: FactWorld) -> None:
    bergen = world.say("mira", "lives_in", "Bergen")
    oslo = world.say("mira", "lives_in", "Oslo")
    assert [(each.value, each.event_id) for each in oslo.superseded] == [
        ("Bergen", bergen.event_id)
    ]
    assert oslo.belief is not None
    assert [each.value for each in oslo.belief.replaced] == ["Bergen"]
    assert world.values("mira", "lives_in") == ["Oslo"]


def test_a_back_dated_statement_is_stored_and_says_what_outranks_it(world: FactWorld) -> None:
    world.say("mira", "lives_in", "Oslo")
    before = world.say("mira", "lives_in", "Bergen", observed_at=text(T0 - DAY))
    assert (before.stored, before.current, before.belief) == (True, False, None)
    assert [each.value for each in before.outranked_by] == ["Oslo"]
    assert before.superseded == ()
    assert world.values("mira", "lives_in") == ["Oslo"]
    assert world.values("mira", "lives_in", as_of=text(T0 - HOUR)) == ["Bergen"]


@pytest.mark.parametrize("predicate", ["lives_in", "likes"])
def test_a_back_dated_statement_of_what_is_held_ends_nothing(
    world: FactWorld, predicate: str
) -> None:
    world.say("mira", predicate, "Oslo")
    earlier = world.say("mira", predicate, "oslo", observed_at=text(T0 - DAY))
    assert (earlier.stored, earlier.current, earlier.superseded) == (True, True, ())
    assert world.values("mira", predicate) == ["Oslo"]


@pytest.mark.parametrize("is_excluded", [False, True])
def test_a_statement_that_something_withdrew_later_says_what(
    world: FactWorld, *, is_excluded: bool
) -> None:
    world.say("mira", "likes", "tea")
    if is_excluded:
        later = world.say("mira", "dislikes", "tea").event_id
    else:
        world.forget("mira", "likes", "tea")
        later = next(event.event_id for event in world.events() if event.retraction)
    said = world.say("mira", "likes", "tea", observed_at=text(T0 - DAY))
    assert (said.stored, said.current) == (True, False)
    assert str(later) in str(said)


def test_what_is_held_again_after_a_back_dated_statement_is_not_said_to_have_ended(
    world: FactWorld,
) -> None:
    for days in (3, 1):
        said = world.say("mira", "lives_in", "Oslo", observed_at=text(T0 - days * DAY), writer="a")
        assert said.current
    world.say("mira", "lives_in", "Oslo", source="tool_result")
    between = world.say("mira", "lives_in", "Bergen", observed_at=text(T0 - 2 * DAY))
    assert (between.stored, between.current, between.superseded) == (True, False, ())
    assert [each.value for each in between.outranked_by] == ["Oslo"]


def test_a_back_dated_statement_that_is_repeated_is_known_and_still_outranked(
    world: FactWorld,
) -> None:
    world.say("mira", "lives_in", "Oslo")
    world.say("mira", "lives_in", "Bergen", observed_at=text(T0 - DAY))
    again = world.say("mira", "lives_in", "Bergen", observed_at=text(T0 - DAY))
    assert (again.stored, again.already_known, again.current) == (False, True, False)
    assert [each.value for each in again.outranked_by] == ["Oslo"]


def test_a_back_dated_statement_of_what_was_withdrawn_since_is_not_current(
    world: FactWorld,
) -> None:
    world.say("mira", "likes", "tea", observed_at=text(T0 - 3 * DAY))
    world.forget("mira", "likes", "tea")
    said = world.say(
        "mira", "likes", "tea", observed_at=text(T0 - 2 * DAY), evidence=_read_in("tea, please")
    )
    assert (said.stored, said.current) == (True, False)
    assert said.outranked_by == ()
    assert world.values("mira", "likes") == []


def test_an_excluding_statement_ends_the_same_value_alone(world: FactWorld) -> None:
    world.say("mira", "likes", "Tea")
    world.say("mira", "likes", "coffee")
    said = world.say("mira", "dislikes", "tea")
    assert [each.sentence for each in said.superseded] == ["mira likes Tea"]
    assert world.values("mira", "likes") == ["coffee"]
    assert world.values("mira", "dislikes") == ["tea"]


def test_a_restatement_that_excludes_is_written_though_it_says_nothing_new(
    world: FactWorld,
) -> None:
    world.say("mira", "owns", "a kayak")
    gave = world.say("mira", "gave_away", "a kayak")
    assert [each.value for each in gave.superseded] == ["a kayak"]
    world.say("mira", "owns", "a kayak")
    again = world.say("mira", "gave_away", "a kayak")
    assert again.stored
    assert [each.sentence for each in again.superseded] == ["mira owns a kayak"]
    assert world.values("mira", "owns") == []


# --- replaces -------------------------------------------------------------------------------------


def test_a_correction_names_what_it_replaces_by_event_id(world: FactWorld) -> None:
    old = world.say("mira", "plans", "sail to Bergen")
    said = world.say(
        "mira", "plans", "sail to Oslo", replaces=(ReplaceRequest(event_id=old.event_id),)
    )
    assert [each.event_id for each in said.superseded] == [old.event_id]
    assert said.unreplaced == ()
    assert said.belief is not None
    assert [each.value for each in said.belief.replaced] == ["sail to Bergen"]
    assert world.values("mira", "plans") == ["sail to Oslo"]


def test_a_correction_by_the_id_of_a_restatement_replaces_the_value(world: FactWorld) -> None:
    world.say("mira", "plans", "sail to Bergen")
    newer = world.say("mira", "plans", "Sail to Bergen")
    said = world.say("mira", "plans", "walk", replaces=(ReplaceRequest(event_id=newer.event_id),))
    assert [each.value for each in said.superseded] == ["Sail to Bergen"]
    assert world.values("mira", "plans") == ["walk"]


def test_a_correction_names_what_it_replaces_by_value(world: FactWorld) -> None:
    world.say("mira", "plans", "sail to Bergen")
    said = world.say("mira", "plans", "walk", replaces=(ReplaceRequest(value="SAIL to bergen"),))
    assert [each.value for each in said.superseded] == ["sail to Bergen"]
    assert world.values("mira", "plans") == ["walk"]


def test_a_correction_reaches_other_predicates_and_subjects(world: FactWorld) -> None:
    world.say("mira", "plans", "sail to Bergen")
    world.say("the boat", "owns", "a red sail")
    said = world.say(
        "mira",
        "goal",
        "stay home",
        replaces=(
            ReplaceRequest(predicate="plans", value="sail to Bergen"),
            ReplaceRequest(subject="The Boat", predicate="owns", value="a red sail"),
        ),
    )
    assert [each.sentence for each in said.superseded] == [
        "mira plans sail to Bergen",
        "the boat owns a red sail",
    ]
    assert world.values("mira", "plans") == world.values("the boat", "owns") == []
    history = world.memory.fact_history("the boat", "owns")
    assert [event.event_id for event in history.events][-1] == said.event_id


def test_a_correction_is_one_event(world: FactWorld) -> None:
    for value in ("a", "b", "c"):
        world.say("mira", "plans", value)
    world.say(
        "mira",
        "plans",
        "d",
        replaces=tuple(ReplaceRequest(value=value) for value in ("a", "b", "c")),
    )
    assert len(world.events()) == 4
    assert world.values("mira", "plans") == ["d"]


def test_what_could_not_be_replaced_is_listed_with_its_reason(world: FactWorld) -> None:
    note = world.say("mira", "note", "the harbour is closed")
    world.say("mira", "did", "a marathon")
    withdrawn = world.say("mira", "plans", "run")
    world.forget("mira", "plans", "run")
    retraction = world.events()[-1]
    said = world.say(
        "mira",
        "plans",
        "swim",
        replaces=(
            ReplaceRequest(value="Swim"),
            ReplaceRequest(predicate="did", value="a marathon"),
            ReplaceRequest(event_id=note.event_id),
            ReplaceRequest(event_id=withdrawn.event_id),
            ReplaceRequest(value="never said"),
            ReplaceRequest(event_id="e-unknown"),
            ReplaceRequest(event_id=retraction.event_id if retraction.retraction else "e-none"),
        ),
    )
    assert said.stored
    assert [(each.position, each.reason) for each in said.unreplaced] == [
        (0, "it is what the statement says itself"),
        (1, "what has happened stays so; it can be forgotten explicitly"),
        (2, "a note gives way only to being filed under a predicate"),
        (3, "it is not held"),
        (4, "it is not held"),
        (5, "no such fact is known"),
        (6, "no such fact is known"),
    ]
    assert world.values("mira", "did") == ["a marathon"]
    assert world.values("mira", "note") == ["the harbour is closed"]


def test_a_belief_to_replace_is_named_somehow(world: FactWorld) -> None:
    with pytest.raises(InvalidRequest, match="neither an event's id nor a value"):
        world.say("mira", "plans", "swim", replaces=(ReplaceRequest(predicate="plans"),))
    assert world.events() == []


def test_a_known_value_that_replaces_another_is_written(world: FactWorld) -> None:
    world.say("mira", "plans", "swim")
    world.say("mira", "plans", "run")
    said = world.say("mira", "plans", "swim", replaces=(ReplaceRequest(value="run"),))
    assert said.stored
    assert world.values("mira", "plans") == ["swim"]
    again = world.say("mira", "plans", "swim", replaces=(ReplaceRequest(value="run"),))
    assert again.already_known
    assert [each.reason for each in again.unreplaced] == ["it is not held"]


# --- forgetting -----------------------------------------------------------------------------------


def test_a_value_is_withdrawn_and_said_to_be(world: FactWorld) -> None:
    world.say("mira", "likes", "tea")
    world.say("mira", "likes", "coffee")
    assert world.forget("mira", "likes", "TEA") == ["tea"]
    assert world.values("mira", "likes") == ["coffee"]


def test_every_value_is_withdrawn_only_when_that_is_said(world: FactWorld) -> None:
    world.say("mira", "likes", "tea")
    world.say("mira", "likes", "coffee")
    request = ForgetFact(subject="mira", predicate="likes")
    with pytest.raises(InvalidRequest, match="not clear"):
        world.memory.forget_fact(request)
    with pytest.raises(InvalidRequest, match="not clear"):
        world.memory.forget_fact(
            ForgetFact(subject="mira", predicate="likes", value="tea", all_values=True)
        )
    assert world.forget("mira", "likes") == ["tea", "coffee"]
    assert world.values("mira", "likes") == []
    assert world.forget("mira", "likes") == []


def test_forgetting_what_is_not_held_writes_nothing(world: FactWorld) -> None:
    world.say("mira", "likes", "tea")
    assert world.forget("mira", "likes", "water") == []
    assert world.forget("mira", "unheard_of", "tea") == []
    assert len(world.events()) == 1


def test_a_historical_fact_can_be_forgotten_explicitly(world: FactWorld) -> None:
    world.say("mira", "did", "a marathon")
    assert world.forget("mira", "did", "a marathon") == ["a marathon"]
    assert world.values("mira", "did") == []


# --- promoting ------------------------------------------------------------------------------------


def test_a_note_is_filed_under_a_predicate_and_withdrawn_as_one_event(world: FactWorld) -> None:
    note = world.say(
        "mira", "note", "Bergen", kind="preference", confidence=0.7, source="tool_result"
    )
    said = world.memory.promote(str(note.event_id), "lives_in")
    assert said.belief is not None
    assert (said.belief.value, said.belief.kind, said.belief.confidence, said.belief.source) == (
        "Bergen",
        "preference",
        0.7,
        "tool_result",
    )
    assert [each.event_id for each in said.superseded] == [note.event_id]
    assert world.values("mira", "note") == []
    assert len(world.events()) == 2


def test_a_note_is_filed_as_another_value(world: FactWorld) -> None:
    note = world.say("mira", "note", "she lives in Bergen now")
    world.memory.promote(str(note.event_id), "lives_in", "Bergen")
    assert world.values("mira", "lives_in") == ["Bergen"]
    assert world.values("mira", "note") == []


def test_the_evidence_of_a_note_goes_with_it(world: FactWorld) -> None:
    note = world.say("mira", "note", "Bergen", evidence=_read_in("Bergen it is"))
    said = world.memory.promote(str(note.event_id), "lives_in")
    assert said.belief is not None
    assert [piece.excerpt for piece in said.belief.evidence] == ["Bergen it is"]


def test_only_a_note_is_promoted(world: FactWorld) -> None:
    fact = world.say("mira", "likes", "tea")
    for event_id in (str(fact.event_id), "e-unknown"):
        with pytest.raises(NotFound):
            world.memory.promote(event_id, "lives_in")


# --- clocks ---------------------------------------------------------------------------------------


def test_what_is_observed_more_than_a_minute_ahead_is_refused(world: FactWorld) -> None:
    with pytest.raises(InvalidRequest, match="ahead of the clock"):
        world.say("mira", "lives_in", "Oslo", observed_at=text(T0 + 62 * SECOND))
    assert world.say("mira", "lives_in", "Oslo", observed_at=text(T0 + 61 * SECOND)).current
    with pytest.raises(InvalidRequest, match="RFC 3339"):
        world.say("mira", "lives_in", "Oslo", observed_at="yesterday")


def test_a_correction_takes_effect_though_the_clock_jumped_back_an_hour(world: FactWorld) -> None:
    world.say("mira", "lives_in", "Bergen")
    world.say("mira", "likes", "tea")
    world.clock.jump(T0 - HOUR)
    said = world.say("mira", "lives_in", "Oslo")
    assert said.current
    assert [each.value for each in said.superseded] == ["Bergen"]
    assert world.values("mira", "lives_in") == ["Oslo"]
    assert [each.value for each in world.say("mira", "dislikes", "tea").superseded] == ["tea"]
    assert world.values("mira", "likes") == []
    assert world.forget("mira", "lives_in", "Oslo") == ["Oslo"]
    assert world.values("mira", "lives_in") == []
    world.clock.advance(2 * HOUR_MS)
    assert world.values("mira", "lives_in") == []


def test_a_new_predicate_works_though_the_clock_jumped_back(world: FactWorld) -> None:
    world.say("mira", "speed", 3.5, cardinality="single")
    world.clock.jump(T0 - HOUR)
    world.say("mira", "colour", "red", cardinality="single")
    world.say("mira", "colour", "blue")
    assert world.values("mira", "colour") == ["blue"]


def test_a_given_instant_is_kept(world: FactWorld) -> None:
    said = world.say("mira", "did", "a marathon", observed_at="2019-04-28T10:00:00+02:00")
    assert said.belief is not None
    assert said.belief.since == "2019-04-28T08:00:00.000000Z"


# --- contested ------------------------------------------------------------------------------------


def test_two_writers_within_a_second_are_shown_to_contradict_each_other(world: FactWorld) -> None:
    world.say("mira", "lives_in", "Bergen", writer="one")
    said = world.say("mira", "lives_in", "Oslo", writer="two", observed_at=text(T0 + SECOND + 5))
    assert said.belief is not None
    assert said.belief.contested is not None
    assert (said.belief.contested.value, said.belief.contested.writer) == ("Bergen", "one")


@pytest.mark.parametrize("source", ["agent_inferred", "imported"])
def test_related_beliefs_are_shown_and_never_acted_on(world: FactWorld, source: Source) -> None:
    world.say("mira", "owns", "a red kayak")
    world.say("mira", "likes", "opera")
    said = world.say("mira", "plans", "paddle the kayak", source=source)
    assert [each.sentence for each in said.related] == ["mira owns a red kayak"]
    assert world.values("mira", "owns") == ["a red kayak"]


def test_what_a_statement_ended_is_not_related(world: FactWorld) -> None:
    world.say("mira", "likes", "strong tea")
    said = world.say("mira", "dislikes", "strong tea")
    assert said.related == ()
    assert said.belief is not None
    assert said.belief.elsewhere == ()


def _request(value: FactValue, *, idempotency_key: str) -> RememberFact:
    return RememberFact(
        subject="mira", predicate="lives_in", value=value, idempotency_key=idempotency_key
    )


# --- requests with a key --------------------------------------------------------------------------


def test_a_request_with_a_key_is_done_once_and_answers_the_same(world: FactWorld) -> None:
    first = world.memory.remember_fact(_request("Bergen", idempotency_key="r1"))
    world.say("mira", "lives_in", "Oslo")
    again = world.memory.remember_fact(_request("Bergen", idempotency_key="r1"))
    assert again == first
    assert world.values("mira", "lives_in") == ["Oslo"]
    assert len(world.events()) == 2


def test_a_key_that_wrote_nothing_answers_the_same_too(world: FactWorld) -> None:
    world.say("mira", "lives_in", "Bergen")
    first = world.memory.remember_fact(_request("Bergen", idempotency_key="r1"))
    assert first.already_known
    world.say("mira", "lives_in", "Oslo")
    assert world.memory.remember_fact(_request("Bergen", idempotency_key="r1")) == first
    assert world.values("mira", "lives_in") == ["Oslo"]


def test_a_key_is_refused_for_another_request(world: FactWorld) -> None:
    world.memory.remember_fact(_request("Bergen", idempotency_key="r1"))
    with pytest.raises(InvalidRequest, match="used for another request"):
        world.memory.remember_fact(_request("Oslo", idempotency_key="r1"))
    with pytest.raises(InvalidRequest, match="used for another request"):
        world.memory.forget_fact(
            ForgetFact(subject="mira", predicate="lives_in", value="Bergen", idempotency_key="r1")
        )
    assert world.values("mira", "lives_in") == ["Bergen"]


def test_a_key_of_forgetting_answers_the_same(world: FactWorld) -> None:
    world.say("mira", "likes", "tea")
    request = ForgetFact(subject="mira", predicate="likes", value="tea", idempotency_key="f1")
    first = world.memory.forget_fact(request)
    world.say("mira", "likes", "tea")
    assert world.memory.forget_fact(request) == first
    assert world.values("mira", "likes") == ["tea"]
    nothing = ForgetFact(subject="mira", predicate="likes", value="gin", idempotency_key="f2")
    assert world.memory.forget_fact(nothing) == world.memory.forget_fact(nothing)


def test_a_key_is_bounded_and_one_line(world: FactWorld) -> None:
    for key in ("", "x" * 257, "a\nb", "\ud800"):
        with pytest.raises(InvalidRequest, match="idempotency key"):
            world.memory.remember_fact(_request("Bergen", idempotency_key=key))
    assert world.events() == []


def test_a_definition_written_with_a_keyed_request_is_written_once(world: FactWorld) -> None:
    request = RememberFact(subject="mira", predicate="speed", value=3, idempotency_key="r1")
    first = world.memory.remember_fact(request)
    assert first.defined == Definition(predicate="speed", value_type="number")
    assert world.memory.remember_fact(request) == first
    log = world.memory.registry_log().changes
    assert sum("speed holds" in change.text for change in log) == 1
