"""The laws of the fold, each over random histories."""

from random import Random

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from recense.core.facts.belief import Belief
from recense.core.facts.changes import Define, Definition, Merge, MergeSubject, Split, SplitSubject
from recense.core.facts.event import FactEvent, Touch, identified
from recense.core.facts.fold import Folded, OpenFold, fold
from recense.core.facts.registry import registry_at
from recense.core.facts.values import value_key
from tests.core.facts.histories import (
    INSTANTS,
    NAMES,
    SUBJECTS,
    TICK,
    VALUES,
    Focus,
    any_change,
    change_event,
    focus_of,
    history,
    shuffled,
    statement,
)
from tests.core.facts.naive import REGISTRY

randoms = st.integers(0, 2**32).map(Random)
sizes = st.integers(0, 25)
LAST = INSTANTS[-1] + 2


def folded(
    events: list[FactEvent], focus: Focus, as_of: int, *, with_steps: bool = False
) -> Folded:
    """Fold the pair of a focus from a history and its own registry."""
    log = [event for event in events if event.subject == REGISTRY]
    said = [event for event in events if event.subject != REGISTRY]
    registry = registry_at(log, as_of)
    return fold(said, registry, focus.subject, focus.predicate, as_of, with_steps=with_steps)


def beliefs(events: list[FactEvent], focus: Focus, as_of: int) -> tuple[Belief, ...]:
    """Return the beliefs of the pair of a focus."""
    return folded(events, focus, as_of).beliefs


def define(name: str, **rules: object) -> FactEvent:
    """Return a first definition at the beginning of time."""
    definition = msgspec.convert({"predicate": name, **rules}, Definition)
    return change_event(Define(definition=definition), -1)


@given(randoms, sizes)
def test_what_is_said_of_a_later_instant_changes_no_answer(random: Random, size: int) -> None:
    focus = focus_of(random)
    before = history(random, focus, size)
    as_of = random.choice(INSTANTS)
    later = [statement(random, focus, before, at=as_of + 1 + each) for each in range(5)]
    assert folded([*later, *before], focus, as_of) == folded(before, focus, as_of)


@given(randoms, sizes)
def test_order_of_arrival_and_repeats_change_nothing(random: Random, size: int) -> None:
    focus = focus_of(random)
    events = history(random, focus, size)
    for as_of in INSTANTS:
        one = folded(events, focus, as_of, with_steps=True)
        assert folded(shuffled(random, events), focus, as_of, with_steps=True) == one


@given(randoms, sizes)
def test_a_fold_that_goes_on_is_the_fold_of_all(random: Random, size: int) -> None:
    focus = focus_of(random)
    events = history(random, focus, size)
    registry = registry_at([each for each in events if each.subject == REGISTRY], LAST)
    said = [each for each in events if each.subject != REGISTRY]
    pair = focus.subject, focus.predicate
    for as_of in INSTANTS:
        begun = OpenFold(said, registry, pair, as_of)
        assert begun.folded == fold(said, registry, *pair, as_of)
        for _ in range(2):
            event = random.choice([*said, statement(random, focus, events, at=as_of)])
            assert begun.then(event) == fold([*said, event], registry, *pair, as_of)


@given(randoms, sizes)
def test_a_retraction_revives_nothing(random: Random, size: int) -> None:
    focus = focus_of(random)
    events = history(random, focus, size)
    held = beliefs(events, focus, LAST)
    value = random.choice((None, *VALUES))
    key = "*" if value is None else value_key(value)
    touch = Touch(subject=focus.subject, predicate=focus.predicate, value_key=key)
    retraction = identified(
        FactEvent(
            subject=focus.subject,
            predicate=focus.predicate,
            value=value,
            value_key=key,
            retraction=True,
            observed_at=LAST,
            touches=(touch,),
        )
    )
    after = beliefs([*events, retraction], focus, LAST)
    left = iter(held)
    assert all(belief in left for belief in after), "what is left was held, in the same order"
    if value is None:
        assert after == ()


@given(randoms, sizes)
def test_one_value_is_held_in_the_place_of_an_assertion_of_a_single_valued_predicate(
    random: Random, size: int
) -> None:
    focus = focus_of(random)
    events = history(random, focus, size)
    as_of = random.choice(INSTANTS)
    log = [event for event in events if event.subject == REGISTRY]
    registry = registry_at(log, as_of)
    steps = folded(events, focus, as_of, with_steps=True).steps
    for number, step in enumerate(steps):
        is_single = registry.is_single_at(focus.predicate, step.event.observed_at)
        if step.stated is None or not is_single:
            continue
        upto = [one.event for one in steps[: number + 1]]
        held = fold(upto, registry, focus.subject, focus.predicate, as_of).beliefs
        assert [belief.last_event_id for belief in held] == [step.event.event_id]


@given(randoms, sizes)
def test_a_registry_change_leaves_every_answer_as_of_an_earlier_instant(
    random: Random, size: int
) -> None:
    focus = focus_of(random)
    before = [*map(define, NAMES[:-1]), *history(random, focus, size)]
    as_of = random.choice(INSTANTS)
    change = change_event(any_change(random, focus), as_of + random.choice((1, TICK)))
    assert folded([change, *before], focus, as_of) == folded(before, focus, as_of)


@given(randoms, sizes)
def test_a_first_definition_is_seen_from_every_instant(random: Random, size: int) -> None:
    focus = Focus("mira", "lives_in")
    said = [one for one in history(random, focus, size) if one.subject != REGISTRY]
    definition = Definition(predicate="lives_in", cardinality="single")
    for as_of in INSTANTS:
        early = change_event(Define(definition=definition), INSTANTS[0] - 1)
        late = change_event(Define(definition=definition), LAST)
        assert folded([*said, early], focus, as_of) == folded([*said, late], focus, as_of)


@given(randoms, sizes)
def test_a_merge_that_is_split_again_leaves_no_trace_in_what_was_written_before_it(
    random: Random, size: int
) -> None:
    """The names are those as at the instant that is asked about, for the whole log. So whatever was
    written while two names were not one is read after the split as if they never had been. What was
    written between keeps the touches of that time: a retraction reaches both names for ever.
    """
    focus = Focus(random.choice(SUBJECTS), random.choice(NAMES[:-1]))
    other = random.choice([name for name in NAMES[:-1] if name != focus.predicate])
    someone = random.choice([name for name in SUBJECTS if name != focus.subject])
    definitions = [define(name, cardinality=random.choice(("single", "multi"))) for name in NAMES]
    said = [*definitions]
    said += [statement(random, focus, definitions) for _ in range(size)]
    merged_and_split = [
        change_event(Merge(predicate=other, into=focus.predicate), LAST),
        change_event(MergeSubject(subject=someone, into=focus.subject), LAST),
        change_event(Split(predicate=other), LAST + 1),
        change_event(SplitSubject(subject=someone), LAST + 1),
    ]
    for pair in (focus, Focus(focus.subject, other), Focus(someone, focus.predicate)):
        never = beliefs(said, pair, LAST + 1)
        assert beliefs([*said, *merged_and_split], pair, LAST + 1) == never


@given(randoms, sizes)
def test_two_merged_names_hold_what_is_said_under_either(random: Random, size: int) -> None:
    focus = Focus("mira", "likes")
    definitions = [define("likes"), define("knows")]
    said = [statement(random, focus, definitions) for _ in range(size)]
    events = [*definitions, *said, change_event(Merge(predicate="knows", into="likes"), LAST)]
    one = beliefs(events, focus, LAST)
    assert one == beliefs(events, Focus("mira", "knows"), LAST)
    assert {belief.predicate for belief in one} <= {"likes"}


@given(randoms, sizes)
def test_beliefs_stand_in_the_order_in_which_their_values_came_to_be_held(
    random: Random, size: int
) -> None:
    focus = focus_of(random)
    events = history(random, focus, size)
    places = {
        event.event_id: (event.observed_at, event.retraction, event.event_id) for event in events
    }
    for as_of in INSTANTS:
        held = beliefs(events, focus, as_of)
        order = [places[belief.event_id] for belief in held]
        assert order == sorted(order)
        for belief in held:
            first, last = places[belief.event_id], places[belief.last_event_id]
            assert first <= last
            assert (belief.since, belief.last_stated) == (first[0], last[0])


@given(randoms, sizes)
def test_a_restatement_keeps_place_and_since(random: Random, size: int) -> None:
    focus = focus_of(random)
    events = history(random, focus, size)
    before = beliefs(events, focus, LAST)
    if not before:
        return
    belief = random.choice(before)
    again = identified(
        FactEvent(
            subject=focus.subject,
            predicate=focus.predicate,
            value=belief.value,
            value_key=belief.value_key,
            confidence=0.25,
            source="imported",
            observed_at=LAST,
        )
    )
    after = beliefs([*events, again], focus, LAST)
    (restated,) = [one for one in after if one.event_id == belief.event_id]
    assert restated.since == belief.since
    assert (restated.last_stated, restated.confidence, restated.source) == (LAST, 0.25, "imported")
    ids = [one.event_id for one in before]
    assert [one.event_id for one in after] in (ids, [belief.event_id])
