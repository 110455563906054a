import pytest

from recense.operations.grep import GrepRequest
from recense.operations.recall import MoreRequest, RecallRequest
from tests.cli import samples
from tests.cli.fake_memory import FakeMemory
from tests.cli.running import run_here


def asked_by(*words: str) -> list[object]:
    memory = FakeMemory()
    ran = run_here(*words, memory=memory)
    assert (ran.exit_code, ran.err) == (0, "")
    return memory.asked


def test_recall_asks_with_its_terms_and_filters() -> None:
    words = (
        "recall timetable 时区 -q why --limit 3 --session s --workspace /w --origin all --explain"
    )
    assert asked_by(*words.split(), "--since", "2026-03-01", "--until", "2026-03-02") == [
        ("open", {}, False),
        (
            "recall",
            RecallRequest(
                terms=("timetable", "时区"),
                question="why",
                limit=3,
                session="s",
                workspace="/w",
                since="2026-03-01",
                until="2026-03-02",
                origin="all",
                explain=True,
            ),
        ),
    ]


def test_recall_takes_a_term_that_looks_like_an_option_after_two_dashes() -> None:
    asked = asked_by("recall", "--", "--json", "-q")
    assert asked[1] == ("recall", RecallRequest(terms=("--json", "-q")))


def test_recall_takes_a_term_that_is_the_name_of_a_command() -> None:
    asked = asked_by("recall", "import", "sessions")
    assert asked[1] == ("recall", RecallRequest(terms=("import", "sessions")))


def test_recall_with_a_question_alone_asks_it() -> None:
    asked = asked_by("recall", "-q", "why did we drop it?")
    assert asked[1] == ("recall", RecallRequest(question="why did we drop it?"))


def test_more_asks_for_both_sides_and_an_offset() -> None:
    asked = asked_by("more", samples.ANCHOR, "--before", "0", "--after", "2", "--offset", "4000")
    assert asked[1] == (
        "more",
        MoreRequest(anchor=samples.ANCHOR, before=0, after=2, offset=4_000),
    )


@pytest.mark.parametrize(
    ("words", "source", "paths"),
    [
        ((), None, ()),
        (("codex",), "codex", ()),
        (("codex", "/backup"), "codex", ("/backup",)),
        (("codex", "codex"), "codex", ("codex",)),
        (("./codex",), None, ("./codex",)),
        (("/backup", "codex"), None, ("/backup", "codex")),
        (("C:\\Users\\Mira Okafor\\sessions",), None, ("C:\\Users\\Mira Okafor\\sessions",)),
    ],
)
def test_the_first_word_of_import_is_a_source_if_there_is_one_of_that_name(
    words: tuple[str, ...], source: str | None, paths: tuple[str, ...]
) -> None:
    assert asked_by("import", *words) == [
        ("open", {}, True),
        ("import", source, paths, False),
    ]


def test_a_word_that_is_neither_a_source_nor_a_path_is_refused_with_the_sources() -> None:
    memory = FakeMemory()
    ran = run_here("import", "claude-code", memory=memory)
    assert (ran.exit_code, ran.out) == (2, "")
    assert "the sources are claude_code, codex" in ran.err
    assert memory.asked == [("open", {}, True)]


def test_import_can_stop_after_archiving() -> None:
    assert asked_by("import", "--archive-only")[1] == ("import", None, (), True)


def test_sessions_lists_and_its_options_narrow_the_list() -> None:
    words = "sessions list --source codex --workspace /w --origin subagent --limit 5 --offset 10"
    assert asked_by(*words.split())[1] == ("sessions", "codex", "/w", "subagent", False, 5, 10)


def test_sessions_alone_lists() -> None:
    assert asked_by("sessions")[1] == ("sessions", None, None, "all", False, 20, 0)


def test_sessions_show_pages_a_transcript() -> None:
    words = ("sessions", "show", samples.SESSION, "--first", "50", "--count", "7", "--all")
    assert asked_by(*words)[1] == ("transcript", samples.SESSION, 50, 7, True)


def test_grep_asks_with_its_pattern_and_filters() -> None:
    words = (
        "grep ferry.*late --regex --case -C 3 --limit 7 --session s --workspace /w --origin all"
        " --since 2026-03-01 --until 2026-03-02 --all"
    )
    assert asked_by(*words.split()) == [
        ("open", {}, False),
        (
            "grep",
            GrepRequest(
                pattern="ferry.*late",
                regex=True,
                case=True,
                context=3,
                limit=7,
                session="s",
                workspace="/w",
                since="2026-03-01",
                until="2026-03-02",
                origin="all",
                everything=True,
            ),
        ),
    ]
    assert asked_by("grep", "--", "--force")[1] == ("grep", GrepRequest(pattern="--force"))


def test_convert_converts_and_doctor_examines() -> None:
    assert asked_by("convert") == [("open", {}, False), ("convert",)]
    assert asked_by("index") == [("open", {}, False), ("index", False)]
    assert asked_by("index", "--anew") == [("open", {}, False), ("index", True)]
    assert asked_by("doctor") == [("open", {}, False), ("doctor", True)]
    assert asked_by("doctor", "--digest") == [("open", {}, False), ("digest",)]


def test_verifying_compares_and_fails_where_the_answers_differ() -> None:
    words = ("recall", "timetable", "--verify-scan")
    assert asked_by(*words) == [
        ("open", {}, False),
        ("verify", RecallRequest(terms=("timetable",))),
    ]
    assert run_here(*words).exit_code == 0
    differing = run_here(*words, memory=FakeMemory(difference=samples.DIFFERENCE))
    assert differing.exit_code == 1
    assert samples.DIFFERENCE in differing.out


@pytest.mark.parametrize(
    "words",
    [
        "--store sqlite:///a.db --namespace team recall x",
        "recall --store sqlite:///a.db x --namespace team",
        "--store sqlite:///b.db recall x --store sqlite:///a.db --namespace team",
        "sessions --store sqlite:///a.db list --namespace team",
    ],
)
def test_the_store_and_the_namespace_may_be_named_anywhere(words: str) -> None:
    asked = asked_by(*words.split())
    assert asked[0] == ("open", {"store": "sqlite:///a.db", "namespace": "team"}, False)


def test_a_partial_import_exits_with_1_and_prints_its_report() -> None:
    memory = FakeMemory(imported=samples.PARTLY_IMPORTED)
    ran = run_here("import", memory=memory)
    assert ran.exit_code == 1
    assert "failed /backup/rollout.jsonl: permission denied" in ran.out
    assert ran.err == ""


def test_a_doctor_who_finds_something_wrong_exits_with_1_and_says_what_to_do() -> None:
    ran = run_here("doctor", memory=FakeMemory(health=samples.UNHEALTHY))
    assert ran.exit_code == 1
    assert "do: recense convert" in ran.out


def test_a_session_is_hidden_and_shown_again() -> None:
    assert asked_by("sessions", "hide", "s")[1] == ("hide", "s")
    assert asked_by("sessions", "unhide", "s")[1] == ("unhide", "s")


def test_forgetting_asks_nothing_with_yes() -> None:
    asked = asked_by("sessions", "forget", "s", "--with-forks", "--yes")
    assert asked[1:] == [("forget", "s", True)]


def test_forgetting_without_a_terminal_or_yes_is_refused_and_names_who_holds_copies() -> None:
    memory = FakeMemory()
    ran = run_here("sessions", "forget", "s", memory=memory)
    assert ran.exit_code == 1
    assert "claude_code:77aa (12 records)" in ran.err
    assert "--yes" in ran.err
    assert memory.asked[1:] == [("plan", "s", False)]


def test_sessions_that_were_put_away_are_listed_when_asked_for() -> None:
    assert asked_by("sessions", "list")[1] == ("sessions", None, None, "all", False, 20, 0)
    asked = asked_by("sessions", "list", "--shelved")
    assert asked[1] == ("sessions", None, None, "all", True, 20, 0)
