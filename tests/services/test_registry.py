"""Changing the registry: each change is an event, and one that would do nothing is refused."""

import pytest

from recense.core.facts.changes import Definition
from recense.core.facts.starters import PERSONAL, SALES
from recense.errors import CredentialShaped, InvalidRequest
from recense.limits import (
    ALLOWED_VALUES_MAX,
    DEFINITION_TEXT_CODE_POINTS_MAX,
    DEFINITIONS_LOADED_MAX,
    EXCLUDES_MAX,
)
from tests.services.fact_world import DAY, HOUR, HOUR_MS, T0, FactWorld, text

SECRET = "ghp_" + "a1b2c3d4e5f6" * 3


def _changes(world: FactWorld) -> int:
    return len(world.memory.registry_log().changes)


# --- defining -------------------------------------------------------------------------------------


def test_an_open_registry_begins_with_the_starters_and_notes(world: FactWorld) -> None:
    names = {each.predicate for each in world.memory.registry().definitions}
    assert {"note", "lives_in", "prefers_editor"} <= names
    assert world.memory.registry().is_open


def test_a_definition_is_written_once(world: FactWorld) -> None:
    definition = Definition(predicate="shoe_size", cardinality="single", value_type="number")
    first = world.memory.define_predicate(definition)
    assert first.stored
    assert first.event_id is not None
    count = _changes(world)
    again = world.memory.define_predicate(definition)
    assert (again.stored, again.event_id) == (False, None)
    assert _changes(world) == count


def test_another_definition_of_a_name_is_refused(world: FactWorld) -> None:
    world.define("shoe_size", value_type="number")
    with pytest.raises(InvalidRequest, match="defined already"):
        world.define("shoe_size", value_type="string")
    with pytest.raises(InvalidRequest, match="defined already"):
        world.define("lives_in")


@pytest.mark.parametrize(
    "definition",
    [
        Definition(predicate="note"),
        Definition(predicate="No Name"),
        Definition(predicate="a", excludes=("a",)),
        Definition(predicate="a", excludes=("note",)),
        Definition(predicate="a", excludes=("No Name",)),
        Definition(predicate="a", excludes=tuple(f"p{n}" for n in range(EXCLUDES_MAX + 1))),
        Definition(predicate="a", value_type="enum"),
        Definition(predicate="a", allowed=("x",)),
        Definition(
            predicate="a",
            value_type="enum",
            allowed=tuple(map(str, range(ALLOWED_VALUES_MAX + 1))),
        ),
        Definition(predicate="a", description="x" * (DEFINITION_TEXT_CODE_POINTS_MAX + 1)),
        Definition(predicate="a", template="x" * DEFINITION_TEXT_CODE_POINTS_MAX + "{value}"),
        Definition(predicate="a", template="{subject} says nothing"),
        Definition(
            predicate="a", value_type="enum", allowed=("x" * (DEFINITION_TEXT_CODE_POINTS_MAX + 1),)
        ),
        Definition(
            predicate="a",
            value_type="enum",
            allowed=tuple(f"{number}" + "語" * 400 for number in range(ALLOWED_VALUES_MAX)),
        ),
        Definition(predicate="a", description="\ud800"),
        Definition(predicate="a", description=f"use {SECRET}"),
        Definition(predicate="a", cardinality="both"),  # pyright: ignore[reportArgumentType]
        Definition(predicate="a", value_type="list"),  # pyright: ignore[reportArgumentType]
        Definition(predicate="a", excludes=(1,)),  # pyright: ignore[reportArgumentType]
        Definition(predicate=5),  # pyright: ignore[reportArgumentType]
    ],
    ids=lambda definition: ascii(definition)[:60],
)
def test_rules_that_cannot_be_are_refused(on_memory: FactWorld, definition: Definition) -> None:
    count = _changes(on_memory)
    with pytest.raises(InvalidRequest):
        on_memory.memory.define_predicate(definition)
    with pytest.raises(InvalidRequest):
        on_memory.memory.load_registry([Definition(predicate="fine"), definition])
    if definition.predicate == "a":
        on_memory.define("a")
        with pytest.raises(InvalidRequest):
            on_memory.memory.redefine_predicate(definition)
        count += 1
    assert _changes(on_memory) == count


def test_a_name_that_is_a_secret_is_no_predicate_and_no_subject(on_memory: FactWorld) -> None:
    with pytest.raises(CredentialShaped):
        on_memory.memory.define_predicate(Definition(predicate=SECRET))
    with pytest.raises(CredentialShaped):
        on_memory.memory.merge_subjects(SECRET, "mira")
    with pytest.raises(CredentialShaped):
        on_memory.memory.merge_subjects("mira", SECRET)


def test_loading_is_whole_or_nothing(world: FactWorld) -> None:
    count = _changes(world)
    with pytest.raises(InvalidRequest, match="works_at"):
        world.memory.load_registry(SALES)
    assert _changes(world) == count
    new = [
        Definition(predicate="a"),
        *PERSONAL,
        Definition(predicate="b"),
        Definition(predicate="a"),
    ]
    assert [each.stored for each in world.memory.load_registry(new)] == [True, True]
    assert _changes(world) == count + 2
    assert [each.stored for each in world.memory.load_registry(new)] == [False]
    with pytest.raises(InvalidRequest, match="defined already"):
        world.memory.load_registry(
            [Definition(predicate="c"), Definition(predicate="c", value_type="number")]
        )
    many = [Definition(predicate=f"p{n}") for n in range(DEFINITIONS_LOADED_MAX + 1)]
    with pytest.raises(InvalidRequest, match="at most"):
        world.memory.load_registry(many)


# --- redefining -----------------------------------------------------------------------------------


def test_a_redefinition_covers_what_was_said_before_it(world: FactWorld) -> None:
    world.say("mira", "hometown", "Bergen")
    world.say("mira", "hometown", "Oslo")
    assert world.values("mira", "hometown") == ["Bergen", "Oslo"]
    world.memory.redefine_predicate(Definition(predicate="hometown", cardinality="single"))
    assert world.values("mira", "hometown") == ["Oslo"]


def test_answers_as_of_an_instant_before_a_redefinition_stay_as_they_were(
    world: FactWorld,
) -> None:
    world.say("mira", "hometown", "Bergen")
    world.say("mira", "hometown", "Oslo")
    before = text(T0 + HOUR)
    world.clock.advance(2 * HOUR_MS)
    world.memory.redefine_predicate(Definition(predicate="hometown", cardinality="single"))
    assert world.values("mira", "hometown", as_of=before) == ["Bergen", "Oslo"]
    assert world.memory.registry(before) != world.memory.registry()


def test_a_redefinition_from_now_on_leaves_what_is_held(world: FactWorld) -> None:
    world.say("mira", "hometown", "Bergen")
    world.say("mira", "hometown", "Oslo")
    world.memory.redefine_predicate(
        Definition(predicate="hometown", cardinality="single"), retroactive=False
    )
    assert world.values("mira", "hometown") == ["Bergen", "Oslo"]
    world.say("mira", "hometown", "Rome")
    assert world.values("mira", "hometown") == ["Rome"]
    world.memory.redefine_predicate(Definition(predicate="hometown"), retroactive=False)
    world.say("mira", "hometown", "Pisa")
    assert world.values("mira", "hometown") == ["Rome", "Pisa"]


def test_a_redefinition_that_changes_nothing_is_not_written(world: FactWorld) -> None:
    single = Definition(predicate="hometown", cardinality="single")
    world.memory.define_predicate(single)
    assert not world.memory.redefine_predicate(single).stored
    assert not world.memory.redefine_predicate(single, retroactive=False).stored
    assert world.memory.redefine_predicate(
        Definition(predicate="hometown"), retroactive=False
    ).stored
    assert not world.memory.redefine_predicate(
        Definition(predicate="hometown"), retroactive=False
    ).stored
    assert world.memory.redefine_predicate(Definition(predicate="hometown")).stored
    assert not world.memory.redefine_predicate(Definition(predicate="hometown")).stored


def test_only_a_predicate_of_its_own_is_redefined(world: FactWorld) -> None:
    with pytest.raises(InvalidRequest, match="no predicate of its own"):
        world.memory.redefine_predicate(Definition(predicate="unheard_of"))
    world.say("mira", "like", "tea")
    with pytest.raises(InvalidRequest, match="no predicate of its own"):
        world.memory.redefine_predicate(Definition(predicate="like"))


def test_a_narrowed_enum_leaves_history_readable(world: FactWorld) -> None:
    wide = Definition(
        predicate="mood", cardinality="single", value_type="enum", allowed=("up", "down", "flat")
    )
    world.memory.define_predicate(wide)
    world.say("mira", "mood", "flat")
    world.say("jonas", "mood", "flat")
    world.say("jonas", "mood", "up")
    world.memory.redefine_predicate(
        Definition(
            predicate="mood", cardinality="single", value_type="enum", allowed=("up", "down")
        )
    )
    assert world.values("mira", "mood") == ["flat"]
    assert world.memory.fact_history("jonas", "mood").total == 2
    assert world.found("mood flat") != []
    with pytest.raises(InvalidRequest, match="one of up, down"):
        world.say("mira", "mood", "flat")
    assert world.forget("mira", "mood", "flat") == ["flat"]


# --- merging and splitting ------------------------------------------------------------------------


def test_a_wrong_filing_is_mended_by_one_event_of_the_registry(world: FactWorld) -> None:
    """Two names were used for one thing: one merge, and every read, search and write is right."""
    world.define("home_town", cardinality="single")
    world.define("city", cardinality="single")
    world.say("mira", "home_town", "Bergen", evidence=())
    world.say("mira", "city", "Oslo")
    world.say("jonas", "home_town", "Rome")
    assert world.sentences(subject="mira") == ["mira city Oslo", "mira home town Bergen"]
    count = _changes(world)
    assert world.memory.merge_predicates("home_town", "city").stored
    assert _changes(world) == count + 1
    for name in ("city", "home_town"):
        assert world.values("mira", name) == ["Oslo"]
        assert world.values("jonas", name) == ["Rome"]
        assert world.memory.fact_history("mira", name).total == 2
        assert world.memory.fact_holds("mira", name, "Bergen").holds == "no"
    assert world.sentences(predicate="home_town") == ["jonas city Rome", "mira city Oslo"]
    assert world.found("Bergen") == ["mira city Oslo"]
    said = world.say("mira", "home_town", "Pisa")
    assert [each.value for each in said.superseded] == ["Oslo"]
    pair = world.memory.explain_fact("mira", "home_town").pairs[0]
    assert (pair.predicate, pair.names) == ("city", ("home_town",))
    assert "home_town means the same as city" in [rule.text for rule in pair.rules]


def test_a_merge_is_undone_by_a_split(world: FactWorld) -> None:
    world.define("home_town", cardinality="single")
    world.define("city", cardinality="single")
    world.say("mira", "home_town", "Bergen")
    world.say("mira", "city", "Oslo")
    world.memory.merge_predicates("home_town", "city")
    assert world.memory.split_predicate("home_town").stored
    assert world.values("mira", "home_town") == ["Bergen"]
    assert world.values("mira", "city") == ["Oslo"]
    assert world.memory.registry().names == {}
    with pytest.raises(InvalidRequest, match="nothing to split"):
        world.memory.split_predicate("home_town")


def test_what_was_withdrawn_while_two_were_one_stays_withdrawn(world: FactWorld) -> None:
    world.define("adores")
    world.define("cherishes")
    world.say("mira", "adores", "tea")
    world.memory.merge_predicates("adores", "cherishes")
    assert world.forget("mira", "cherishes", "tea") == ["tea"]
    world.memory.split_predicate("adores")
    assert world.values("mira", "adores") == world.values("mira", "cherishes") == []


def test_only_what_is_alike_is_merged(world: FactWorld) -> None:
    for predicate, fields in {
        "a_number": {"value_type": "number"},
        "historic": {"historical": True},
        "excluding": {"excludes": ("likes",)},
        "plain": {},
        "single": {"cardinality": "single"},
    }.items():
        world.define(predicate, **fields)
    count = _changes(world)
    for other in ("a_number", "historic", "excluding", "note"):
        with pytest.raises(InvalidRequest, match="cannot be one"):
            world.memory.merge_predicates("plain", other)
    for one, other in (("unheard_of", "plain"), ("plain", "unheard_of"), ("No Name", "plain")):
        with pytest.raises(InvalidRequest):
            world.memory.merge_predicates(one, other)
    assert not world.memory.merge_predicates("plain", "plain").stored
    assert _changes(world) == count
    assert world.memory.merge_predicates("single", "plain").stored
    assert not world.memory.merge_predicates("single", "plain").stored
    world.define("third")
    with pytest.raises(InvalidRequest, match="another name"):
        world.memory.merge_predicates("single", "third")
    assert world.memory.merge_predicates("third", "single").stored
    assert world.memory.registry().names == {"plain": ("plain", "single", "third")}


def test_a_template_is_filled_once_whatever_the_subject_and_the_value_are_called(
    world: FactWorld,
) -> None:
    world.define("greets", template="{subject} says {value} to {0}")
    world.say("{value}", "greets", "{subject}")
    assert world.sentences() == ["{value} says {subject} to {0}"]


def test_exclusion_holds_under_every_name(world: FactWorld) -> None:
    world.define("hates", excludes=("likes",))
    world.memory.merge_predicates("hates", "dislikes")
    world.say("mira", "like", "tea")
    assert [each.value for each in world.say("mira", "hates", "Tea").superseded] == ["tea"]
    assert world.values("mira", "likes") == []


def test_subjects_are_merged_and_split(world: FactWorld) -> None:
    world.say("Mira", "lives_in", "Bergen")
    world.say("Mira Holm", "lives_in", "Oslo")
    assert world.memory.merge_subjects("Mira", "Mira Holm").stored
    assert not world.memory.merge_subjects("mira", "mira holm").stored
    for name in ("mira", "MIRA HOLM"):
        assert world.values(name, "lives_in") == ["Oslo"]
        assert world.sentences(subject=name) == ["mira holm lives in Oslo"]
    assert world.memory.registry().subjects == {"mira holm": ("mira", "mira holm")}
    with pytest.raises(InvalidRequest, match="another name"):
        world.memory.merge_subjects("mira", "jonas")
    assert world.memory.split_subject("mira").stored
    assert world.values("mira", "lives_in") == ["Bergen"]
    for name in ("mira", "jonas"):
        with pytest.raises(InvalidRequest, match="nothing to split"):
            world.memory.split_subject(name)
    for name in ("", "recense:registry"):
        with pytest.raises(InvalidRequest):
            world.memory.merge_subjects(name, "mira")


def test_references_are_one_where_their_subjects_are(world: FactWorld) -> None:
    world.define("employer", value_type="ref")
    world.say("mira", "employer", "Acme")
    world.say("mira", "employer", "Acme Inc")
    assert world.values("mira", "employer") == ["Acme", "Acme Inc"]
    world.memory.merge_subjects("Acme Inc", "Acme")
    assert world.values("mira", "employer") == ["Acme Inc"]
    assert world.forget("mira", "employer", "acme") == ["Acme Inc"]
    assert world.values("mira", "employer") == []


# --- log and clock --------------------------------------------------------------------------------


def test_a_change_takes_effect_though_the_clock_jumped_back(world: FactWorld) -> None:
    world.define("home_town", cardinality="single")
    world.define("city", cardinality="single")
    world.clock.jump(T0 - DAY)
    world.memory.merge_predicates("home_town", "city")
    world.say("mira", "home_town", "Bergen")
    assert world.values("mira", "city") == ["Bergen"]
    world.memory.split_predicate("home_town")
    assert world.values("mira", "city") == []


def test_the_log_tells_every_change_in_words(world: FactWorld) -> None:
    begun = _changes(world)
    world.define("home_town", cardinality="single", description="where she is from")
    world.define("city", cardinality="single")
    world.memory.merge_predicates("home_town", "city")
    world.memory.split_predicate("home_town")
    world.memory.merge_subjects("mira", "mira holm")
    world.memory.split_subject("mira")
    world.memory.redefine_predicate(Definition(predicate="city"), retroactive=False)
    changes = world.memory.registry_log().changes[begun:]
    assert [change.text for change in changes] == [
        "home_town holds one value at a time, of type string",
        "city holds one value at a time, of type string",
        "home_town means the same as city",
        "home_town is a predicate of its own again",
        "mira is the same as mira holm",
        "mira is a subject of its own again",
        "city holds any number of values, of type string, from then on",
    ]
    assert all(change.is_effective for change in changes)


def test_another_process_sees_each_change_at_once(world: FactWorld) -> None:
    other = world.another()
    world.say("mira", "likes", "tea")
    assert other.registry().names == {}
    world.say("mira", "like", "cake")
    assert other.registry().names == {"likes": ("like", "likes")}
    other.split_predicate("like")
    assert world.values("mira", "likes") == ["tea"]


def test_the_beginning_is_written_once_however_many_begin(world: FactWorld) -> None:
    count = _changes(world)
    for memory in (world.another(), world.another(is_open=False), world.memory):
        memory.define_predicate(Definition(predicate="shoe_size", value_type="number"))
    world.say("mira", "shoe_size", 40)
    assert _changes(world) == count + 1
