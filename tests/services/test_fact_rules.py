"""The rules of an explanation: which of them count, and what became of the others."""

from recense.core.facts.changes import Definition
from tests.services.fact_world import SECOND, T0, FactWorld, text


def _rules(world: FactWorld, subject: str, predicate: str, as_of: str | None = None) -> list[str]:
    """Return the rules in an explanation of a pair, without those of the beginning."""
    (pair,) = world.memory.explain_fact(subject, predicate, as_of=as_of).pairs
    return [rule.text for rule in pair.rules if rule.since is not None]


def test_a_rule_that_was_redefined_for_all_that_was_said_counts_no_longer(world: FactWorld) -> None:
    world.define("berth")
    world.memory.redefine_predicate(Definition(predicate="berth", cardinality="single"))
    world.memory.redefine_predicate(Definition(predicate="berth"), retroactive=False)
    assert _rules(world, "skerry", "berth") == [
        "no longer: berth holds any number of values, of type string",
        "berth holds one value at a time, of type string, for all that was ever said",
        "berth holds any number of values, of type string, from then on",
    ]


def test_rules_that_were_written_later_do_not_count_yet(world: FactWorld) -> None:
    world.define("berth")
    world.say("skerry", "berth", "4")
    world.say("skerry", "berth", "5")
    then = text(world.clock.now())
    world.clock.advance(1_000)
    world.memory.redefine_predicate(Definition(predicate="berth", cardinality="single"))
    assert world.values("skerry", "berth") == ["5"]
    assert world.values("skerry", "berth", as_of=then) == ["4", "5"]
    assert _rules(world, "skerry", "berth", as_of=then) == [
        "berth holds any number of values, of type string",
        "not yet: berth holds one value at a time, of type string, for all that was ever said",
    ]


def test_the_first_rules_of_a_predicate_count_before_they_were_written(world: FactWorld) -> None:
    world.define("berth", cardinality="single")
    assert _rules(world, "skerry", "berth", as_of=text(T0 - SECOND)) == [
        "berth holds one value at a time, of type string"
    ]


def test_of_a_merged_predicate_the_rules_of_the_other_count(world: FactWorld) -> None:
    world.define("resides_in")
    world.memory.merge_predicates("resides_in", "lives_in")
    merged = [
        "no longer: resides_in holds any number of values, of type string",
        "resides_in means the same as lives_in",
    ]
    assert _rules(world, "mira", "lives_in") == merged
    assert _rules(world, "mira", "resides_in") == merged


def test_a_split_is_told_on_both_sides(world: FactWorld) -> None:
    world.define("resides_in")
    world.memory.merge_predicates("resides_in", "lives_in")
    world.memory.split_predicate("resides_in")
    world.memory.merge_subjects("mira okafor", "mira")
    world.memory.split_subject("mira okafor")
    told = [
        "no longer: resides_in means the same as lives_in",
        "resides_in is a predicate of its own again",
        "no longer: mira okafor is the same as mira",
        "mira okafor is a subject of its own again",
    ]
    assert _rules(world, "mira", "lives_in") == told
    assert _rules(world, "mira okafor", "resides_in") == [
        "resides_in holds any number of values, of type string",
        *told,
    ]


def test_an_event_without_effect_says_why(world: FactWorld) -> None:
    world.say("mira", "dislikes", "tea")
    world.say("mira", "plans", "a move")
    world.say("mira", "cancelled", "a move")
    world.forget("mira", "plans")
    (likes,) = world.memory.explain_fact("mira", "likes").pairs
    (plans,) = world.memory.explain_fact("mira", "plans").pairs
    assert [step.effect for step in likes.steps] == [
        "changes nothing here: what it would end does not hold here"
    ]
    assert [step.effect for step in plans.steps] == [
        "also holds from here on: a move",
        "ends a move, since cancelled excludes plans",
    ]


def test_an_explanation_says_by_when_it_was_known(world: FactWorld) -> None:
    world.say("mira", "likes", "tea")
    explained = world.memory.explain_fact("mira", "likes", known_by=text(T0 - SECOND))
    assert explained.known_by == text(T0 - SECOND)
    assert [pair.steps for pair in explained.pairs] == [()]
    assert world.memory.explain_fact("mira", "likes").known_by is None
