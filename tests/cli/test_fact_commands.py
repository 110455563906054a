"""What the commands of facts ask of a memory."""

import pytest

from recense.core.facts.changes import Definition
from recense.errors import StoreConflict
from recense.operations.facts import (
    EvidenceRequest,
    FactTruth,
    ForgetFact,
    GetFacts,
    RegistryView,
    RememberFact,
    ReplaceRequest,
    SearchFacts,
)
from tests.cli import fact_samples
from tests.cli.fact_asking import asked_by, refused
from tests.cli.fake_facts import FactAnswers
from tests.cli.fake_memory import FakeMemory
from tests.cli.running import Screen, run_here


def test_a_fact_is_set_with_all_that_is_said_about_it() -> None:
    words = (
        "fact set Mira lives_in Oslo --observed-at 2026-05-01 --source agent_inferred --replaces a"
        " --replaces b --confidence 0.5 --kind preference --single --key k"
    )
    assert asked_by(*words.split(), "--evidence", "in Oslo now", "--evidence", "Oslo") == [
        ("open", {}, True),
        ("registry", None),
        (
            "remember_fact",
            RememberFact(
                subject="Mira",
                predicate="lives_in",
                value="Oslo",
                kind="preference",
                confidence=0.5,
                source="agent_inferred",
                observed_at="2026-05-01",
                evidence=(
                    EvidenceRequest(excerpt="in Oslo now"),
                    EvidenceRequest(excerpt="Oslo"),
                ),
                replaces=(ReplaceRequest(event_id="a"), ReplaceRequest(event_id="b")),
                cardinality="single",
                idempotency_key="k",
            ),
        ),
    ]


def test_a_fact_is_set_with_nothing_else_said() -> None:
    assert asked_by("fact", "set", "mira", "drinks", "8000")[2] == (
        "remember_fact",
        RememberFact(subject="mira", predicate="drinks", value="8000"),
    )


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("budget 8000", 8_000),
        ("budget 8e3", 8_000.0),
        ("drives yes", True),
        ("drives FALSE", False),
        ("size 10", "10"),
        ("lives_in 10", "10"),
        ("resides_in 10", "10"),
        ("unheard_of 10", "10"),
        ("unheard_of 10 --number", 10),
        ("unheard_of no --boolean", False),
        ("budget 10 --text", "10"),
    ],
)
def test_a_value_is_read_by_the_type_of_its_predicate_or_by_a_flag(
    words: str, value: str | float
) -> None:
    predicate, *_ = given = words.split()
    asked: list[object] = [] if "--" in words else [("registry", None)]
    for verb, question in (
        ("holds", ("fact_holds", "mira", predicate, value, None, None)),
        ("set", ("remember_fact", RememberFact(subject="mira", predicate=predicate, value=value))),
        ("forget", ("forget_fact", ForgetFact(subject="mira", predicate=predicate, value=value))),
    ):
        expected: list[object] = [("open", {}, verb == "set"), *asked, question]
        assert repr(asked_by("fact", verb, "mira", *given)) == repr(expected)


def test_a_name_that_was_merged_has_the_type_of_what_it_was_merged_into() -> None:
    view = RegistryView(
        definitions=(Definition(predicate="budget", value_type="number"),),
        names={"budget": ("budget", "means")},
        subjects={},
        is_open=True,
    )
    asked = asked_by("fact", "holds", "mira", "means", "5", facts=FactAnswers(view=view))
    assert asked[2] == ("fact_holds", "mira", "means", 5, None, None)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("fact set mira budget much", "'much'; budget takes a number"),
        ("fact set mira drives maybe", "drives takes true or false, yes or no"),
        ("fact set mira budget 1_000 --number", "--number takes a number"),
        ("fact set mira drives 1 --boolean", "--boolean takes true or false"),
        ("fact set mira size 1 --text --number", "--text and --number are given"),
        ("fact set mira size 1 --source guessed", "--source 'guessed' is none of user_stated"),
        ("fact set mira size 1 --kind note", "--kind 'note' is none of fact, preference"),
        ("fact set mira size 1 --confidence 1.5", "no number from 0 to 1"),
        ("fact set mira size 1 --confidence nan", "no number from 0 to 1"),
        ("fact list --min-confidence high", "no number from 0 to 1"),
        ("fact list --kind note", "--kind 'note' is none of"),
        ("fact list --predicate budget --at-most much", "budget has numbers"),
        ("fact forget mira size", "expected either VALUE or --all"),
        ("fact forget mira size small --all", "expected either VALUE or --all"),
        ("registry define size --type list", "--type 'list' is none of string"),
        ("registry redefine size --type list", "--type 'list' is none of string"),
        ("registry redefine size --single --multi", "--single and --multi are given"),
        (
            "registry redefine did --historical --not-historical",
            "--historical and --not-historical are given",
        ),
        ("registry load", "FILE and --starter are missing"),
        ("registry load --starter cooking", "--starter 'cooking' is none of coding"),
    ],
)
def test_words_that_say_nothing_clear_are_refused(words: str, why: str) -> None:
    assert why in refused(*words.split())


def test_facts_are_read_with_their_filters() -> None:
    words = "fact get mira lives_in --as-of 2025-12-31 --known-by 2026-01-01 --follow-refs"
    assert asked_by(*words.split(), "--limit", "5", "--after", "e") == [
        ("open", {}, False),
        (
            "facts",
            GetFacts(
                subject="mira",
                predicate="lives_in",
                as_of="2025-12-31",
                known_by="2026-01-01",
                follow_refs=True,
                limit=5,
                after="e",
            ),
        ),
    ]
    words = (
        "fact list --predicate budget --kind fact --refers-to mira --at-least 5000 --at-most 9e3"
        " --min-confidence 0.25 --since 2026-01-01 --until 2026-02-01 --limit 7 --after e"
    )
    assert asked_by(*words.split())[-1] == (
        "facts",
        GetFacts(
            predicate="budget",
            kind="fact",
            refers_to="mira",
            value_at_least=5_000,
            value_at_most=9_000.0,
            min_confidence=0.25,
            stated_since="2026-01-01",
            stated_until="2026-02-01",
            limit=7,
            after="e",
        ),
    )
    assert (
        asked_by("fact") == asked_by("fact", "list") == [("open", {}, False), ("facts", GetFacts())]
    )
    assert asked_by("fact", "search", "home", "--subject", "mira", "--limit", "3")[1] == (
        "search_facts",
        SearchFacts(text="home", subject="mira", limit=3),
    )


def test_a_bound_is_read_as_the_values_of_its_predicate_are() -> None:
    assert asked_by("fact", "list", "--predicate", "size", "--at-least", "2026")[-1] == (
        "facts",
        GetFacts(predicate="size", value_at_least="2026"),
    )
    assert asked_by("fact", "list", "--at-least", "2026", "--at-most", "2026-05")[-1] == (
        "facts",
        GetFacts(value_at_least=2_026, value_at_most="2026-05"),
    )


def test_what_is_asked_about_a_pair_names_it_and_the_instants() -> None:
    when = ("--as-of", "2025-12-31", "--known-by", "2026-01-01")
    pair = ("mira", "lives_in")
    assert asked_by("fact", "history", *pair, *when, "--limit", "5")[1] == (
        "fact_history",
        *pair,
        "2025-12-31",
        "2026-01-01",
        5,
    )
    assert asked_by("fact", "explain", "mira", *when)[1] == (
        "explain_fact",
        "mira",
        None,
        "2025-12-31",
        "2026-01-01",
    )
    assert asked_by("fact", "holds", *pair, "Oslo", *when)[2] == (
        "fact_holds",
        *pair,
        "Oslo",
        "2025-12-31",
        "2026-01-01",
    )
    assert asked_by("fact", "timeline", *pair)[1] == ("fact_timeline", *pair)
    assert asked_by("fact", "diff", "2025", "2026", "--subject", "mira")[1] == (
        "fact_difference",
        "2025",
        "2026",
        "mira",
    )


@pytest.mark.parametrize(
    "truth", [fact_samples.HOLDS, fact_samples.HOLDS_NOT, fact_samples.UNKNOWN]
)
def test_whether_a_value_holds_is_the_first_line_and_no_failure(truth: FactTruth) -> None:
    memory = FakeMemory(facts=FactAnswers(truth=truth))
    ran = run_here("fact", "holds", "mira", "lives_in", "Oslo", memory=memory)
    assert (ran.exit_code, ran.out.splitlines()[0]) == (0, truth.holds)


def test_withdrawing_names_a_value_or_all_and_says_when_nothing_was_held() -> None:
    words = "fact forget mira budget 8000 --source tool_result --observed-at 2026-05-01 --key k"
    assert asked_by(*words.split())[2] == (
        "forget_fact",
        ForgetFact(
            subject="mira",
            predicate="budget",
            value=8_000,
            source="tool_result",
            observed_at="2026-05-01",
            idempotency_key="k",
        ),
    )
    assert asked_by("fact", "forget", "mira", "budget", "--all") == [
        ("open", {}, False),
        ("forget_fact", ForgetFact(subject="mira", predicate="budget", all_values=True)),
    ]
    nothing = FakeMemory(facts=FactAnswers(forgotten=fact_samples.NOTHING_WITHDRAWN))
    ran = run_here("fact", "forget", "mira", "budget", "--all", memory=nothing)
    assert (ran.exit_code, ran.out) == (0, "Nothing of it was held, so nothing was withdrawn.\n")


def test_a_conflict_is_an_error_as_any_other() -> None:
    memory = FakeMemory(error=StoreConflict("the key is used", hint="take another"))
    ran = run_here("fact", "set", "mira", "note", "x", "--text", memory=memory)
    assert (ran.exit_code, ran.err) == (1, "recense: the key is used\nhint: take another\n")


def test_a_negative_number_stands_after_two_dashes() -> None:
    assert asked_by("fact", "set", "--number", "--", "oslo", "coldest_day", "-27")[1] == (
        "remember_fact",
        RememberFact(subject="oslo", predicate="coldest_day", value=-27),
    )


def test_the_length_of_a_timeline_is_that_of_the_terminal() -> None:
    for columns in (60, 80, 120):
        out = Screen()
        run_here(
            "fact",
            "timeline",
            "mira",
            out=out,
            environment={"COLUMNS": str(columns), "NO_COLOR": "1"},
        )
        assert max(len(row) for row in out.getvalue().splitlines()) <= columns
