"""Which predicate a name means that nobody defined: one that says the same, or a new one."""

import pytest

from recense.core.facts.values import FactValue
from tests.services.fact_world import FactWorld


def _meant(world: FactWorld, name: str, value: FactValue = "one") -> str:
    """Return the predicate under which a statement is filed."""
    belief = world.say("mira", name, value).belief
    assert belief is not None
    return belief.predicate


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("like", "likes"),
        ("live_in", "lives_in"),
        ("lives__in", "lives_in"),
        ("prefer_editor", "prefers_editor"),
        ("goals", "goal"),
        ("use_technologies", "uses_technology"),
    ],
)
def test_a_name_with_the_same_words_means_what_is_defined(
    on_memory: FactWorld, name: str, meant: str
) -> None:
    assert _meant(on_memory, name) == meant


@pytest.mark.parametrize(("now", "once"), [("works_at", "worked_at"), ("lives_in", "lived_in")])
def test_what_was_so_once_takes_the_place_of_nothing_that_is_so(
    world: FactWorld, now: str, once: str
) -> None:
    world.say("mira", now, "Oslo")
    said = world.say("mira", once, "Bergen")
    assert said.superseded == ()
    assert world.values("mira", now) == ["Oslo"]
    assert world.values("mira", once) == ["Bergen"]


@pytest.mark.parametrize("name", ["owned", "planned", "owning", "liked", "disliking"])
def test_a_name_in_another_tense_is_a_predicate_of_its_own(on_memory: FactWorld, name: str) -> None:
    assert _meant(on_memory, name) == name


def test_a_plural_of_what_holds_one_value_holds_several(world: FactWorld) -> None:
    for role in ("admin", "editor"):
        world.say("mira", "roles", role)
    assert world.values("mira", "roles") == ["admin", "editor"]
    assert world.values("mira", "role") == []


@pytest.mark.parametrize("name", ["in_lives", "lives", "like_likes", "at", "as", "detail_s"])
def test_a_name_with_other_words_is_a_predicate_of_its_own(on_memory: FactWorld, name: str) -> None:
    assert _meant(on_memory, name) == name
