"""What the commands of facts ask of a memory."""

import io
import json
import sys
from pathlib import Path

import pytest

from recense.core.facts.registry import Definition
from recense.core.facts.starters import STARTERS
from recense.errors import StoreConflict
from recense.limits import INPUT_BYTES_MAX
from recense.operations.facts import (
    EvidenceRequest,
    ForgetFact,
    GetFacts,
    RegistryView,
    RememberFact,
    ReplaceRequest,
    SearchFacts,
)
from recense.operations.recall import RecallRequest
from recense.operations.texts import (
    ForgetText,
    HistoryRequest,
    RememberText,
    Statement,
    TextMessage,
)
from tests.cli import fact_samples
from tests.cli.fake_facts import FactAnswers
from tests.cli.fake_memory import FakeMemory
from tests.cli.running import Screen, run_here


def asked_by(*words: str, facts: FactAnswers | None = None) -> list[object]:
    memory = FakeMemory(facts=facts)
    ran = run_here(*words, memory=memory)
    assert (ran.exit_code, ran.err) == (0, "")
    return memory.asked


def refused(*words: str) -> str:
    """Return why a command line is refused, before a memory is asked anything but its registry."""
    memory = FakeMemory()
    ran = run_here(*words, memory=memory)
    assert (ran.exit_code, ran.out) == (2, "")
    questions = [asked for asked in memory.asked if asked != ("registry", None)]
    assert questions in ([], [("open", {}, False)], [("open", {}, True)])
    return ran.err


# --- texts ----------------------------------------------------------------------------------------


def test_a_text_is_remembered_in_a_store_that_is_made_for_it() -> None:
    words = ("remember", "Mira moved.", "--observed-at", "2026-05-01")
    assert asked_by(*words) == [
        ("open", {}, True),
        ("remember", RememberText(text="Mira moved.", observed_at="2026-05-01")),
    ]


class Stdin(io.TextIOWrapper):
    def __init__(self, content: bytes, *, is_terminal: bool = False) -> None:
        super().__init__(io.BytesIO(content), encoding="ascii")
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal


@pytest.mark.parametrize("words", [("remember",), ("remember", "-")])
def test_what_is_piped_in_is_remembered_without_the_line_breaks_at_its_end(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", Stdin("\ufeffMira\nmoved 时区.\r\n\n".encode()))
    assert asked_by(*words)[1] == ("remember", RememberText(text="Mira\nmoved 时区."))


def test_a_terminal_is_read_only_when_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Stdin(b"typed\n", is_terminal=True))
    assert "nothing is piped in" in refused("remember")
    assert asked_by("remember", "-")[1] == ("remember", RememberText(text="typed"))


@pytest.mark.parametrize(
    ("content", "why"),
    [(b"Mira \xff", "byte 5"), (b"x" * (INPUT_BYTES_MAX + 1), f"more than {INPUT_BYTES_MAX}")],
    ids=["no UTF-8", "too long"],
)
def test_a_pipe_that_holds_no_text_to_keep_is_refused(
    content: bytes, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", Stdin(content))
    assert why in refused("remember")


def test_without_a_stdin_a_text_has_to_be_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert "TEXT is missing" in refused("remember", "-")


def test_statements_and_messages_come_from_files(tmp_path: Path) -> None:
    statements, messages = tmp_path / "statements.json", tmp_path / "messages.json"
    stated = {"subject": "mira", "predicate": "lives_in", "value": "Oslo", "evidence": "in Oslo"}
    statements.write_text(json.dumps([{**stated, "replaces": ["Bergen"]}]), encoding="utf-8")
    messages.write_text(json.dumps([{"role": "user", "text": "I live in Oslo"}]), encoding="utf-8")
    words = ("remember", "--messages", str(messages), "--statements", str(statements))
    assert asked_by(*words)[1] == (
        "remember",
        RememberText(
            messages=(TextMessage(role="user", text="I live in Oslo"),),
            statements=(
                Statement(
                    subject="mira",
                    predicate="lives_in",
                    value="Oslo",
                    evidence="in Oslo",
                    replaces=("Bergen",),
                ),
            ),
        ),
    )
    assert "expected one of them" in refused("remember", "Mira", "--messages", str(messages))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"[1]",
        b'[{"subject": "mira"}]',
        b'[{"subject": "m", "predicate": "p", "value": [], "evidence": ""}]',
        b'[{"subject": "m", "predicate": "p", "value": 1, "evidence": "", "extra": 1}]',
        b'["\xff"]',
        b"[" * 100_000,
    ],
)
def test_a_file_that_holds_something_else_is_refused_by_its_name(
    content: bytes, tmp_path: Path
) -> None:
    file = tmp_path / "statements.json"
    file.write_bytes(content)
    assert "statements.json' does not hold a list of statements: " in refused(
        "remember", "x", "--statements", str(file)
    )


def test_a_file_that_cannot_be_read_or_is_too_long_is_said_to_be_so(tmp_path: Path) -> None:
    long = tmp_path / "long.json"
    long.write_bytes(b" " * (INPUT_BYTES_MAX + 1))
    for path, why in (
        (str(tmp_path / "none"), "cannot be read"),
        (str(tmp_path), "cannot be read"),
        ("a\0b", "no path of a file"),
        (str(long), f"is longer than {INPUT_BYTES_MAX} bytes"),
    ):
        memory = FakeMemory()
        ran = run_here("registry", "load", path, memory=memory)
        assert (ran.exit_code, ran.out, memory.asked) == (1, "", [])
        assert why in ran.err


def test_a_text_whose_statements_are_filed_in_part_exits_with_1_and_its_report() -> None:
    memory = FakeMemory(facts=FactAnswers(text_remembered=fact_samples.TEXT_IN_PART))
    ran = run_here("remember", "x", memory=memory)
    assert (ran.exit_code, ran.err) == (1, "")
    assert "not filed: statement 1: its evidence is not in the text\n" in ran.out


def test_forgetting_finds_by_words_and_withdraws_what_is_named() -> None:
    assert asked_by("forget", "where Mira lives", "--limit", "3") == [
        ("open", {}, False),
        ("forget", ForgetText(text="where Mira lives", limit=3)),
    ]
    assert asked_by("forget", "--fact", "a", "--fact", "b")[1] == (
        "forget",
        ForgetText(facts=("a", "b")),
    )


@pytest.mark.parametrize("words", [("forget",), ("forget", "where", "--fact", "a")])
def test_forgetting_needs_either_words_or_names(words: tuple[str, ...]) -> None:
    assert "expected either TEXT or --fact ID" in refused(*words)


def test_what_may_be_meant_is_offered_with_what_to_type() -> None:
    page = run_here("forget", "where Mira lives").out
    assert page.startswith("Nothing is withdrawn yet.")
    assert f"   recense forget --fact {fact_samples.OSLO_ID}\n" in page


def test_history_asks_a_question_and_recall_without_words_asks_for_a_profile() -> None:
    assert asked_by("history", "where?", "--limit", "2")[1] == (
        "history",
        HistoryRequest(question="where?", limit=2),
    )
    assert asked_by("recall")[1] == ("recall", RecallRequest(), False)


# --- facts ----------------------------------------------------------------------------------------


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
    for verb in ("set", "holds", "forget"):
        asked = asked_by("fact", verb, "mira", *words.split())
        assert ("registry", None) in asked or "--" in words
        request = asked[-1]
        assert isinstance(request, tuple)
        given = request[3] if verb == "holds" else request[1].value
        assert (given, type(given)) == (value, type(value))


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
def test_whether_a_value_holds_is_the_first_line_and_no_failure(truth: object) -> None:
    assert isinstance(truth, type(fact_samples.HOLDS))
    ran = run_here(
        "fact",
        "holds",
        "mira",
        "lives_in",
        "Oslo",
        memory=FakeMemory(facts=FactAnswers(truth=truth)),
    )
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


# --- the registry ---------------------------------------------------------------------------------


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
    ("options", "changed", "retroactive"),
    [
        ("", {}, True),
        ("--from-now --multi", {"cardinality": "multi"}, False),
        ("--not-historical", {"historical": False}, True),
        ("--allowed huge", {"allowed": ("huge",)}, True),
        ("--excludes '' --template ''", {"excludes": (), "template": None}, True),
        (
            "--description x --type string --allowed ''",
            {"description": "x", "value_type": "string", "allowed": ()},
            True,
        ),
    ],
)
def test_redefining_changes_what_is_given_and_leaves_the_rest(
    options: str, changed: dict[str, object], *, retroactive: bool
) -> None:
    view = RegistryView(definitions=(LARGE,), names={}, subjects={}, is_open=False)
    given = [word.replace("''", "") for word in options.split()]
    asked = asked_by("registry", "redefine", "size", *given, facts=FactAnswers(view=view))
    expected = {name: getattr(LARGE, name) for name in LARGE.__struct_fields__} | changed
    assert asked == [
        ("open", {}, False),
        ("registry", None),
        ("redefine_predicate", Definition(**expected), retroactive),
    ]


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
    opened, _, loaded = asked_by(*words, facts=FactAnswers(view=empty))
    assert opened == ("open", {}, True)
    assert isinstance(loaded, tuple)
    name, definitions = loaded
    assert name == "load_registry"
    assert definitions[:2] == (
        Definition(predicate="plan", value_type="number"),
        Definition(predicate="berth"),
    )
    names = [each.predicate for each in definitions]
    assert len(names) == len(set(names))
    wanted = {each.predicate for each in (*STARTERS["support"], *STARTERS["voice"])}
    assert set(names) == wanted | {"plan", "berth"}


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
    loaded = memory.asked[-1]
    assert isinstance(loaded, tuple)
    assert {each.predicate for each in loaded[1]} == {
        each.predicate for each in STARTERS["sales"] if each.predicate != "works_at"
    }


def test_a_change_that_says_what_is_so_already_says_that() -> None:
    memory = FakeMemory(facts=FactAnswers(changed=fact_samples.UNCHANGED))
    ran = run_here("registry", "merge", "a", "b", memory=memory)
    assert (ran.exit_code, ran.out) == (0, "as it was: a means the same as b.\n")


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
