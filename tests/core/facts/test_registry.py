"""The registry: what each change does, and when it does nothing."""

import msgspec
import pytest

from recense.core.facts.changes import (
    NOTE,
    REGISTRY_SUBJECT,
    Change,
    Define,
    Definition,
    Merge,
    MergeSubject,
    Redefine,
    Split,
    SplitSubject,
    change_of,
    change_text,
    registry_event,
)
from recense.core.facts.event import FactEvent, identified
from recense.core.facts.registry import Registry, effects, registry_at
from recense.core.facts.values import value_key
from recense.errors import StoreCorrupt

SINGLE = Definition(predicate="lives_in", cardinality="single")
MULTI = Definition(predicate="lives_in")
OTHER = Definition(predicate="home")
LATER = 1_000


def log_of(*changes: tuple[int, Change]) -> list[FactEvent]:
    """Return the log of changes, each at an instant."""
    return [registry_event(change, at) for at, change in changes]


def after(*changes: Change) -> Registry:
    """Return the registry after changes at the instants 0, 1, 2…"""
    return registry_at(log_of(*enumerate(changes)), LATER)


def effective(*changes: Change) -> list[bool]:
    """Return whether each change had an effect, at the instants 0, 1, 2…"""
    return [logged.is_effective for logged in effects(log_of(*enumerate(changes)), LATER)]


CHANGES: list[Change] = [
    Define(definition=SINGLE),
    Redefine(definition=MULTI, retroactive=False),
    Merge(predicate="home", into="lives_in"),
    Split(predicate="home"),
    MergeSubject(subject="ann", into="bo"),
    SplitSubject(subject="ann"),
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_written_and_read(change: Change) -> None:
    event = registry_event(change, 5)
    assert change_of(event) == change
    assert (event.subject, event.value) == (REGISTRY_SUBJECT, change_text(change))
    assert event.predicate in change_text(change)
    assert event.value_key == value_key(change_text(change))
    assert identified(event) == event


def test_what_is_no_change_is_an_error_that_names_it() -> None:
    event = identified(
        msgspec.structs.replace(registry_event(Split(predicate="a"), 1), value='{"change":"x"}')
    )
    with pytest.raises(StoreCorrupt, match=event.event_id):
        registry_at([event], LATER)
    with pytest.raises(StoreCorrupt):
        change_of(msgspec.structs.replace(event, value=True))


def test_an_empty_log_knows_note_alone() -> None:
    registry = after()
    assert registry.definitions() == (NOTE,)
    assert registry.definition("lives_in") is None
    assert not registry.is_single_at("lives_in", 0)
    assert registry.canonical("lives_in") == "lives_in"
    assert registry.names("lives_in") == {"lives_in"}
    assert registry.subject_names("mira") == {"mira"}


def test_the_first_definition_counts_and_is_seen_from_every_instant() -> None:
    log = log_of((7, Define(definition=MULTI)), (5, Define(definition=SINGLE)))
    for as_of in (-LATER, 5, LATER):
        registry = registry_at(log, as_of)
        assert registry.definition("lives_in") == SINGLE
        assert registry.is_single_at("lives_in", -LATER)
    assert effective(Define(definition=SINGLE), Define(definition=MULTI)) == [True, False]


def test_note_cannot_be_defined_redefined_or_merged() -> None:
    note = Definition(predicate="note", cardinality="single", historical=True)
    changes: list[Change] = [
        Define(definition=note),
        Redefine(definition=note),
        Define(definition=OTHER),
        Merge(predicate="note", into="home"),
        Merge(predicate="home", into="note"),
    ]
    assert effective(*changes) == [False, False, True, False, False]
    assert after(*changes).definition("note") == NOTE


def test_a_retroactive_redefinition_governs_all_that_lies_before_it() -> None:
    log = log_of((0, Define(definition=MULTI)), (5, Redefine(definition=SINGLE)))
    assert registry_at(log, 5).is_single_at("lives_in", -1)
    assert registry_at(log, 5).rules("lives_in").always_single is not None
    assert not registry_at(log, 4).is_single_at("lives_in", -1)
    assert registry_at(log, 4).definition("lives_in") == MULTI


def test_another_redefinition_governs_from_its_own_instant() -> None:
    registry = after(
        Define(definition=MULTI),
        Define(definition=OTHER),
        Redefine(definition=SINGLE, retroactive=False),
    )
    assert [registry.is_single_at("lives_in", at) for at in (1, 2, 3)] == [False, True, True]
    assert registry.rules("lives_in").always_single is None
    assert registry.definition("lives_in") == SINGLE


def test_what_is_not_defined_cannot_be_redefined() -> None:
    assert effective(Redefine(definition=SINGLE)) == [False]
    assert after(Redefine(definition=SINGLE)).definition("lives_in") is None


def test_a_merged_name_has_the_rules_of_the_other() -> None:
    registry = after(
        Define(definition=SINGLE),
        Define(definition=OTHER),
        Merge(predicate="home", into="lives_in"),
    )
    assert registry.canonical("home") == "lives_in"
    assert registry.names("home") == registry.names("lives_in") == {"home", "lives_in"}
    assert registry.predicate_groups() == {"lives_in": frozenset({"home", "lives_in"})}
    assert registry.definition("home") == SINGLE
    assert registry.is_single_at("home", 0)
    assert registry.definitions() == (SINGLE, NOTE)
    assert registry.was_ever_single("home")


@pytest.mark.parametrize(
    "other",
    [
        Definition(predicate="home", historical=True),
        Definition(predicate="home", value_type="ref"),
        Definition(predicate="home", excludes=("likes",)),
    ],
)
def test_names_whose_rules_differ_are_not_merged(other: Definition) -> None:
    changes = (
        Define(definition=SINGLE),
        Define(definition=other),
        Merge(predicate="home", into="lives_in"),
        Redefine(definition=OTHER),
        Merge(predicate="home", into="lives_in"),
    )
    assert effective(*changes) == [True, True, False, True, True]


def test_only_a_canonical_name_merges_and_never_into_its_own_group() -> None:
    defined = [Define(definition=Definition(predicate=name)) for name in ("a", "b", "c")]
    assert effective(
        *defined,
        Merge(predicate="a", into="a"),
        Merge(predicate="a", into="b"),
        Merge(predicate="a", into="c"),
        Merge(predicate="b", into="a"),
        Merge(predicate="c", into="a"),
        Merge(predicate="c", into="missing"),
        Merge(predicate="missing", into="c"),
    ) == [True] * 3 + [False, True, False, False, True, False, False]


def test_a_split_takes_along_what_was_merged_into_the_name() -> None:
    registry = after(
        *[Define(definition=Definition(predicate=name)) for name in ("a", "b", "c", "d")],
        Merge(predicate="a", into="b"),
        Merge(predicate="b", into="c"),
        Merge(predicate="d", into="a"),
        Split(predicate="b"),
    )
    assert registry.names("a") == {"a", "b"}
    assert registry.names("d") == {"c", "d"}, "what was merged into the whole stays with the whole"


def test_what_was_not_merged_is_not_split() -> None:
    assert effective(Define(definition=SINGLE), Split(predicate="lives_in")) == [True, False]
    assert effective(SplitSubject(subject="ann")) == [False]


def test_subjects_are_merged_and_split_the_same_way() -> None:
    changes: list[Change] = [
        MergeSubject(subject="ann", into="bo"),
        MergeSubject(subject="ann", into="mira"),
        MergeSubject(subject="bo", into="ann"),
        MergeSubject(subject="bo", into="mira"),
    ]
    assert effective(*changes) == [True, False, False, True]
    registry = after(*changes)
    assert registry.canonical_subject("ann") == "mira"
    assert registry.subject_names("bo") == {"ann", "bo", "mira"}
    assert registry.subject_groups() == {"mira": frozenset({"ann", "bo", "mira"})}
    split = after(*changes, SplitSubject(subject="bo"))
    assert split.subject_names("ann") == {"ann", "bo"}
    assert split.subject_names("mira") == {"mira"}


def test_a_reference_compares_under_the_names_of_its_subject() -> None:
    knows = Definition(predicate="knows", value_type="ref")
    registry = after(
        Define(definition=knows), Define(definition=OTHER), MergeSubject(subject="ann", into="bo")
    )
    ann, bo = value_key("ann"), value_key("bo")
    assert registry.held_key("knows", ann) == registry.held_key("knows", bo) == bo
    assert registry.keys_of("knows", ann) == {ann, bo}
    assert registry.held_key("home", ann) == ann
    assert registry.keys_of("home", ann) == {ann}


def test_exclusion_reaches_every_name_of_both_and_never_a_name_itself() -> None:
    registry = after(
        Define(definition=Definition(predicate="likes")),
        Define(definition=Definition(predicate="loves")),
        Define(definition=Definition(predicate="dislikes", excludes=("likes", "dislikes"))),
        Define(definition=Definition(predicate="hates", excludes=("dislikes", "likes"))),
        Merge(predicate="likes", into="loves"),
        Merge(predicate="hates", into="dislikes"),
    )
    assert registry.rules("loves").excluding == {"dislikes", "hates"}
    assert registry.rules("likes").excluding == {"dislikes", "hates"}
    assert registry.rules("hates").excluding == frozenset()
    assert registry.rules("hates").excluded == ("loves",)
    assert registry.rules("likes").excluded == ()


def test_a_change_is_seen_from_its_own_instant_on() -> None:
    log = log_of(
        (0, Define(definition=SINGLE)),
        (0, Define(definition=OTHER)),
        (5, Merge(predicate="home", into="lives_in")),
        (6, MergeSubject(subject="ann", into="bo")),
    )
    assert registry_at(log, 4).canonical("home") == "home"
    assert registry_at(log, 5).canonical("home") == "lives_in"
    assert registry_at(log, 5).canonical_subject("ann") == "ann"
    assert [logged.event.observed_at for logged in effects(log, 5)] == [0, 0, 5]


def test_effects_stand_in_the_total_order_with_later_first_definitions() -> None:
    log = log_of((9, Define(definition=SINGLE)), (1, Split(predicate="home")))
    logged = effects(reversed(log), 1)
    assert [(one.event.observed_at, one.is_effective) for one in logged] == [(1, False), (9, True)]


def test_was_ever_single_counts_definitions_without_effect() -> None:
    registry = after(Define(definition=MULTI), Define(definition=SINGLE))
    assert not registry.is_single_at("lives_in", 0)
    assert registry.was_ever_single("lives_in")
    assert not registry.was_ever_single("home")
