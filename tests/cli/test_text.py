"""What a person reads, as golden files, and that it is complete."""

import re
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from recense.cli.render_recall import LABELS, counted, gap_words, title_words
from recense.core.transcript.messages import MessageKind
from recense.operations.admin import NO_SOURCE, ImportFailure, ImportReport, SourceReport
from recense.operations.recall import BudgetDropped, Gap, SessionsSearched, TermScore
from tests.cli import agent_words, extraction_words, samples
from tests.cli.answered import ANSWERED, Case, golden_text
from tests.cli.fact_pages import FACT_PAGES
from tests.cli.fake_memory import FakeMemory
from tests.cli.running import run_here

GOLDEN = Path(__file__).with_name("golden_text")

PAGES: dict[str, Case] = {
    **ANSWERED,
    **FACT_PAGES,
    **{
        name: (agent_words.WORDS[words], FakeMemory(agents=answers))
        for name, (words, answers) in agent_words.ANSWERS.items()
    },
    **{
        name: (extraction_words.WORDS[words], FakeMemory(extraction=answers))
        for name, (words, answers) in extraction_words.ANSWERS.items()
    },
    "doctor": (("doctor",), FakeMemory()),
    "doctor_unhealthy": (("doctor",), FakeMemory(health=samples.UNHEALTHY)),
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_as_its_golden_file(name: str) -> None:
    words, memory = PAGES[name]
    page = run_here(*words, memory=memory).out
    assert page == golden_text(GOLDEN / f"{name}.txt", page)


def test_there_is_no_golden_page_without_a_test() -> None:
    assert {file.stem for file in GOLDEN.iterdir()} == set(PAGES)


def test_every_gap_has_words_of_its_own() -> None:
    assert {type(gap) for gap in samples.GAPS} == set(get_args(Gap))
    words = [gap_words(gap) for gap in samples.GAPS]
    assert len(set(words)) == len(words)
    assert all(text.endswith(".") for text in words)


def test_every_part_of_a_full_gap_is_said() -> None:
    words = gap_words(BudgetDropped(n=2, materials=3))
    assert "2 passages" in words
    assert "3 materials" in words
    assert "passage" not in gap_words(BudgetDropped(n=0, materials=3))
    assert "material" not in gap_words(BudgetDropped(n=2))


def test_what_an_explanation_prints_adds_up_to_its_score() -> None:
    page = run_here("recall", "timetable").out
    (score,) = re.findall(r"^ +score ([\d.]+),", page, re.MULTILINE)
    parts = re.findall(r"^ {5}.*: ([\d.]+)(?: \(.* weight .*\))?$", page, re.MULTILINE)
    assert len(parts) == 7
    assert sum(map(float, parts)) == pytest.approx(float(score), abs=1e-3)


def test_terms_together_are_said_and_that_they_count_in_full() -> None:
    sample = samples.ANSWER.passages[0]
    assert sample.explanation is not None
    near = TermScore(
        of="together",
        term="timetable + 时区",
        tf=0.75,
        df=2,
        idf=2.0,
        length_norm=1.0,
        weight=1.0,
        score=1.5,
    )
    terms = (sample.explanation.terms[0], near)
    explanation = msgspec.structs.replace(sample.explanation, terms=terms, kind_weight=0.5)
    passage = msgspec.structs.replace(sample, explanation=explanation)
    answer = msgspec.structs.replace(samples.ANSWER, passages=(passage,))
    page = run_here("recall", "timetable", memory=FakeMemory(answer=answer)).out
    assert 'terms together "timetable + 时区": 1.5000 (near by 0.75; in 2 of the best' in page
    assert "already multiplied by 0.5, but for terms together\n" in page


def test_every_kind_of_message_has_a_label() -> None:
    assert set(LABELS) == set(get_args(MessageKind))


def test_an_empty_answer_is_told_from_an_unsearched_corpus() -> None:
    empty = msgspec.structs.replace(samples.ANSWER, facts=(), passages=())
    searched, unsearched = (
        run_here("recall", "x", memory=FakeMemory(answer=answer)).out
        for answer in (
            msgspec.structs.replace(empty, gaps=(SessionsSearched(n=12, oldest=None),)),
            msgspec.structs.replace(empty, gaps=(SessionsSearched(n=0, oldest=None),)),
        )
    )
    assert "No passage.\n" in searched
    assert "Searched 12 sessions." in searched
    assert "No session was searched" in unsearched


def test_materials_of_a_turn_that_no_shown_message_has_are_listed_once() -> None:
    elsewhere = msgspec.structs.replace(samples.SCREENSHOT, id="m9", name="later.png")
    answer = msgspec.structs.replace(samples.ANSWER, materials=(samples.SCREENSHOT, elsewhere))
    page = run_here("recall", "x", memory=FakeMemory(answer=answer)).out
    assert page.count("recense material m1\n") == 1
    _, _, below = page.partition("Also in these turns\n")
    assert below.startswith("   [image: later.png, image/png, 2,931 bytes]\n")
    assert "recense material m9\n" in below


def test_grep_shows_each_line_of_a_message_once_and_where_some_are_left_out() -> None:
    match = samples.GREPPED.matches[0]
    near = msgspec.structs.replace(
        match, line=3, text="timetable", offset=0, length=9, columns=(), before=("the line",)
    )
    grepped = msgspec.structs.replace(samples.GREPPED, matches=(match, near), total=2)
    page = run_here("grep", "x", memory=FakeMemory(grepped=grepped)).out
    rows = [row.strip() for row in page.splitlines() if re.match(r" +\d+[:-] ", row)]
    assert rows == [
        "1- The first line.",
        "2: ...the timetable, and again the Timetable...",
        "3: timetable",
        "4- 时区 is lost in parse_row.",
    ]
    assert "2 matches, in 4 ms" in page


def test_grep_without_a_match_says_so_and_what_was_searched() -> None:
    grepped = msgspec.structs.replace(samples.GREPPED, matches=(), total=0)
    page = run_here("grep", "x", memory=FakeMemory(grepped=grepped)).out
    assert page.startswith("No match, in 4 ms\nSearched 12 sessions")


def test_numbers_take_the_singular_and_the_plural() -> None:
    assert counted(1, "session") == "1 session"
    assert counted(1_204, "session") == "1,204 sessions"
    assert counted(0, "match", "matches") == "0 matches"
    assert gap_words(BudgetDropped(n=1)).startswith("1 passage more")


def test_an_import_that_found_nothing_says_so_and_what_to_do() -> None:
    report = ImportReport(
        messages_new=0,
        sessions_new=0,
        sources=(SourceReport(source="codex"),),
        secrets_redacted={},
        took_ms=1.0,
    )
    ran = run_here("import", memory=FakeMemory(imported=report))
    assert ran.exit_code == 0
    assert "No session file was found: none of codex." in ran.out
    assert "recense import PATH" in ran.out


def test_an_import_from_a_wrong_path_says_that_and_no_more() -> None:
    wrong = ImportFailure(path="/nowhere", reason="no such file or directory")
    report = ImportReport(
        messages_new=0,
        sessions_new=0,
        sources=(
            SourceReport(source="codex"),
            SourceReport(source=NO_SOURCE, files_failed=1, failures=(wrong,)),
        ),
        secrets_redacted={},
        took_ms=1.0,
    )
    ran = run_here("import", memory=FakeMemory(imported=report))
    assert ran.exit_code == 1
    assert ran.out.splitlines()[1:] == [
        "  failed /nowhere: no such file or directory",
        "  no file of codex",
    ]


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("Bookings through an outbox", "Bookings through an outbox"),
        ("seats " * 19 + "timeta", "seats " * 19 + "..."),
        ("时" * 120, "时" * 120 + " ..."),
    ],
)
def test_a_title_that_was_cut_ends_with_a_whole_word_and_dots(title: str, shown: str) -> None:
    assert title_words(title) == shown


def test_a_person_gets_the_first_failures_and_the_number_of_the_others() -> None:
    failures = tuple(ImportFailure(path=f"/f{n}", reason="no") for n in range(100))
    source = SourceReport(source="codex", files_found=100, files_failed=100, failures=failures)
    report = ImportReport(
        messages_new=0, sessions_new=0, sources=(source,), secrets_redacted={}, took_ms=1.0
    )
    ran = run_here("import", memory=FakeMemory(imported=report))
    assert ran.out.count("failed /f") == 20
    assert "and 80 more (--json lists all)" in ran.out
