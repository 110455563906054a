"""What the commands of the registry ask of a memory."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from recense.core.facts.changes import Definition
from recense.core.facts.starters import STARTERS
from recense.operations.facts import RegistryView
from tests.cli import fact_samples
from tests.cli.fact_asking import asked_by
from tests.cli.fake_facts import FactAnswers
from tests.cli.fake_memory import FakeMemory
from tests.cli.running import run_here


def test_the_registry_is_listed_as_at_an_instant() -> None:
    assert asked_by("registry") == [("open", {}, False), ("registry", None)]
    assert asked_by("registry", "list", "--as-of", "2025")[1] == ("registry", "2025")
    assert asked_by("registry", "log")[1] == ("registry_log",)


def test_a_predicate_is_defined_by_its_options() -> None:
    words = (
        "registry define size --single --type enum --allowed small --allowed large --excludes a"
        " --excludes b --historical --description how --template {subject}:{value}"
    )
    assert asked_by(*words.split()) == [
        ("open", {}, True),
        (
            "define_predicate",
            Definition(
                predicate="size",
                cardinality="single",
                value_type="enum",
                description="how",
                allowed=("small", "large"),
                excludes=("a", "b"),
                historical=True,
                template="{subject}:{value}",
            ),
        ),
    ]
    assert asked_by("registry", "define", "did")[1] == (
        "define_predicate",
        Definition(predicate="did"),
    )


LARGE = Definition(
    predicate="size",
    cardinality="single",
    value_type="enum",
    description="how large",
    allowed=("small", "large"),
    excludes=("weight",),
    historical=True,
    template="{subject} is {value}",
)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((), LARGE),
        (("--multi",), replace(LARGE, cardinality="multi")),
        (("--not-historical",), replace(LARGE, historical=False)),
        (("--allowed", "huge"), replace(LARGE, allowed=("huge",))),
        (("--excludes", "", "--template", ""), replace(LARGE, excludes=(), template=None)),
        (
            ("--description", "x", "--type", "string", "--allowed", ""),
            replace(LARGE, description="x", value_type="string", allowed=()),
        ),
    ],
)
def test_redefining_changes_what_is_given_and_leaves_the_rest(
    options: tuple[str, ...], expected: Definition
) -> None:
    view = RegistryView(definitions=(LARGE,), names={}, subjects={}, is_open=False)
    words = ("registry", "redefine", "size", *options)
    assert asked_by(*words, facts=FactAnswers(view=view)) == [
        ("open", {}, False),
        ("registry", None),
        ("redefine_predicate", expected, True),
    ]
    assert asked_by(*words, "--from-now", facts=FactAnswers(view=view))[2] == (
        "redefine_predicate",
        expected,
        False,
    )


def test_redefining_a_name_that_is_not_there_is_left_to_the_memory_to_refuse() -> None:
    assert asked_by("registry", "redefine", "unheard_of", "--single")[2] == (
        "redefine_predicate",
        Definition(predicate="unheard_of", cardinality="single"),
        True,
    )


def test_names_are_merged_and_split() -> None:
    assert asked_by("registry", "merge", "a", "b")[1] == ("merge_predicates", "a", "b")
    assert asked_by("registry", "split", "a")[1] == ("split_predicate", "a")
    assert asked_by("registry", "merge-subject", "a", "b")[1] == ("merge_subjects", "a", "b")
    assert asked_by("registry", "split-subject", "a")[1] == ("split_subject", "a")


def test_a_note_is_promoted_with_its_own_words_or_with_a_value() -> None:
    assert asked_by("registry", "promote", "e", "decided") == [
        ("open", {}, False),
        ("promote", "e", "decided", None),
    ]
    assert asked_by("registry", "promote", "e", "budget", "8000")[2] == (
        "promote",
        "e",
        "budget",
        8_000,
    )


def test_a_file_and_starters_are_loaded_in_one_go(tmp_path: Path) -> None:
    file = tmp_path / "registry.json"
    file.write_text(
        json.dumps([{"predicate": "plan", "value_type": "number"}, {"predicate": "berth"}]),
        encoding="utf-8",
    )
    words = ("registry", "load", str(file), "--starter", "support", "--starter", "voice")
    empty = RegistryView(definitions=(), names={}, subjects={}, is_open=False)
    of_file = (
        Definition(predicate="plan", value_type="number"),
        Definition(predicate="berth"),
    )
    support = tuple(each for each in STARTERS["support"] if each.predicate != "plan")
    known = {each.predicate for each in support}
    voice = tuple(each for each in STARTERS["voice"] if each.predicate not in known)
    assert asked_by(*words, facts=FactAnswers(view=empty)) == [
        ("open", {}, True),
        ("registry", None),
        ("load_registry", (*of_file, *support, *voice)),
    ]


def test_a_starter_leaves_alone_what_is_defined_otherwise_and_says_so() -> None:
    present = Definition(predicate="works_at", cardinality="single")
    view = RegistryView(
        definitions=(present, Definition(predicate="name", cardinality="single")),
        names={},
        subjects={},
        is_open=True,
    )
    memory = FakeMemory(facts=FactAnswers(view=view))
    ran = run_here("registry", "load", "--starter", "sales", memory=memory)
    assert ran.exit_code == 0
    assert ran.out.endswith("   Defined otherwise already, and left as they are: works_at\n")
    fitting = tuple(each for each in STARTERS["sales"] if each.predicate != "works_at")
    assert memory.asked[-1] == ("load_registry", fitting)


def test_a_change_that_says_what_is_so_already_says_that() -> None:
    memory = FakeMemory(facts=FactAnswers(changed=fact_samples.UNCHANGED))
    ran = run_here("registry", "merge", "a", "b", memory=memory)
    assert (ran.exit_code, ran.out) == (0, "already so: a means the same as b.\n")
