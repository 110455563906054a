"""What the commands that read sessions ask of a memory, what a person is told, and exit codes."""

import json
import re
from typing import get_args

import pytest
from msgspec.structs import replace

from recense.errors import InvalidRequest, MissingExtra, NotFound, SettingsInvalid
from recense.operations.admin import Progress
from recense.operations.extraction import ExtractRequest, FilingOutcome, RunEnd, SessionRun
from tests.cli import extraction_samples
from tests.cli.fact_asking import asked_by
from tests.cli.fake_extraction import ExtractionAnswers
from tests.cli.fake_memory import FakeMemory
from tests.cli.running import run_here

SESSION = extraction_samples.HARBOUR
STRANGE = "\x1b[2J\u202e\nrecense: forged"


def test_extract_alone_asks_for_the_status_and_reads_nothing() -> None:
    assert asked_by("extract") == [("open", {}, False), ("extraction_status", ())]
    assert asked_by("extract", "status") == asked_by("extract")


def test_a_status_may_be_that_of_some_sessions() -> None:
    assert asked_by("extract", "status", "a", "b")[1] == ("extraction_status", ("a", "b"))


def test_a_run_names_its_sessions_or_all_and_its_budget() -> None:
    assert asked_by("extract", "run", "a", "b")[1] == (
        "extract",
        ExtractRequest(sessions=("a", "b")),
    )
    assert asked_by("extract", "run", "--all", "--budget", "200000")[1] == (
        "extract",
        ExtractRequest(every=True, budget_tokens=200_000),
    )
    assert asked_by("extract", "run", "--all", "--budget", "0")[1] == (
        "extract",
        ExtractRequest(every=True, budget_tokens=0),
    )


@pytest.mark.parametrize("budget", ["-1", "many", "1.5"])
def test_a_budget_that_is_none_is_refused_before_anything_is_opened(budget: str) -> None:
    memory = FakeMemory()
    ran = run_here("extract", "run", "--all", f"--budget={budget}", memory=memory)
    assert (ran.exit_code, ran.out, memory.asked) == (2, "", [])
    assert "--budget" in ran.err
    assert budget in ran.err


@pytest.mark.parametrize("end", [end for end in get_args(RunEnd) if end != "complete"])
def test_a_run_that_left_something_exits_with_1_and_still_answers(end: RunEnd) -> None:
    run = SessionRun(session=SESSION, end=end, reason="why it ended")
    report = replace(extraction_samples.ALL_READ, sessions=(run,))
    memory = FakeMemory(extraction=ExtractionAnswers(report=report))
    ran = run_here("extract", "run", SESSION, memory=memory)
    assert (ran.exit_code, ran.err) == (1, "")
    assert "why it ended" in ran.out
    assert "another run goes on from here" in ran.out
    document = run_here("extract", "run", SESSION, "--json", memory=memory)
    assert document.exit_code == 1
    assert json.loads(document.out)["sessions"][0]["end"] == end


@pytest.mark.parametrize("words", [("status", "nowhere"), ("run", "nowhere")])
@pytest.mark.parametrize(
    ("error", "exit_code"),
    [
        (NotFound("no session 'nowhere'", hint="recense sessions"), 1),
        (InvalidRequest("'nowhere' names 2 sessions", hint="type more of it"), 2),
        (SettingsInvalid("extractor is openai, and no model is named", hint="name one"), 1),
        (MissingExtra("models need httpx2", hint="pip install 'recense[models]'"), 1),
    ],
)
def test_what_is_refused_is_said_with_its_way_out(
    words: tuple[str, ...], error: InvalidRequest, exit_code: int
) -> None:
    ran = run_here("extract", *words, memory=FakeMemory(error=error))
    assert (ran.exit_code, ran.out) == (exit_code, "")
    assert error.message in ran.err
    assert error.hint in ran.err


def test_a_person_sees_how_far_a_run_has_come_and_a_script_does_not() -> None:
    reports = [Progress(phase="extracting", done=1, total=9, unit="sessions", label="4000 tokens")]
    for words in (("status",), ("run", SESSION)):
        ran = run_here("extract", *words, "--json", memory=FakeMemory(reports=reports))
        assert ran.err == ""


def test_the_samples_hold_every_outcome_and_every_end() -> None:
    reports = (extraction_samples.ALL_READ, extraction_samples.NOT_ALL_READ)
    runs = [run for report in reports for run in report.sessions]
    assert {run.end for run in runs} == set(get_args(RunEnd))
    outcomes = {each.outcome for run in runs for each in run.proposals}
    assert outcomes == set(get_args(FilingOutcome))


def test_what_waits_for_a_person_says_where_it_stands_and_how_it_is_confirmed() -> None:
    page = run_here("extract", "status").out
    assert "to confirm: mira works at Fjord Lines\n" in page
    assert f"recense more {extraction_samples.TO_CONFIRM.anchor}\n" in page
    assert "recense fact set SUBJECT PREDICATE VALUE\n" in page


def test_the_next_command_of_a_status_is_one_that_reads_what_is_left() -> None:
    page = run_here("extract", "status").out
    (budget,) = re.findall(r"^recense extract run --all --budget (\d+)$", page, re.MULTILINE)
    assert int(budget) == extraction_samples.STATUS.cost.tokens
    unread = ExtractionAnswers(status=extraction_samples.ONE_UNREAD)
    page = run_here("extract", memory=FakeMemory(extraction=unread)).out
    assert f"recense extract run {SESSION}\n" in page


def test_what_stands_in_a_session_or_came_from_a_model_cannot_steer_a_terminal() -> None:
    proposal = replace(
        extraction_samples.TO_CONFIRM.proposal, subject=STRANGE, predicate=STRANGE, value=STRANGE
    )
    waiting = replace(extraction_samples.TO_CONFIRM, proposal=proposal, reason=STRANGE)
    session = replace(
        extraction_samples.STATUS.sessions[0],
        title=STRANGE,
        workspace=STRANGE,
        failures=(replace(extraction_samples.STATUS.sessions[0].failures[0], reason=STRANGE),),
        to_confirm=(waiting,),
    )
    status = replace(
        extraction_samples.STATUS,
        extractor=STRANGE,
        sessions=(session,),
        workspaces={STRANGE: extraction_samples.STATUS.total, "b": extraction_samples.STATUS.total},
    )
    run = SessionRun(
        session=STRANGE, end="part", reason=STRANGE, proposals=(waiting,), dropped=(STRANGE,)
    )
    report = replace(extraction_samples.ALL_READ, extractor=STRANGE, sessions=(run,))
    memory = FakeMemory(extraction=ExtractionAnswers(status=status, report=report))
    for words in (("status",), ("run", SESSION)):
        page = run_here("extract", *words, memory=memory).out
        assert "\x1b" not in page
        assert "\u202e" not in page
        assert "\nrecense: forged" not in page
        assert "x1b[2J" in page


def test_of_many_failures_a_person_gets_the_first_and_the_number_of_the_others() -> None:
    session = extraction_samples.STATUS.sessions[0]
    many = replace(session, failures=session.failures * 100)
    status = replace(extraction_samples.STATUS, sessions=(many,))
    memory = FakeMemory(extraction=ExtractionAnswers(status=status))
    page = run_here("extract", "status", memory=memory).out
    assert page.count("failed 2 times") == 5
    assert "and 95 more that failed (--json lists all)\n" in page
    document = json.loads(run_here("extract", "status", "--json", memory=memory).out)
    assert len(document["sessions"][0]["failures"]) == 100
