import json
from pathlib import Path

import pytest

from recense.bench.requests import (
    AgentsRequest,
    ColdRequest,
    FactsRequest,
    ImportRequest,
    NeedlesRequest,
    QualityRequest,
    ScaleRequest,
    SpeedRequest,
)
from recense.cli.commands.bench import with_stdout_named
from recense.cli.main import run
from recense.cli.terminal import Terminal
from tests.bench.invented_sets import write_sets
from tests.cli import samples
from tests.cli.fake_memory import FakeMemory
from tests.cli.running import Ran, Screen, run_here


def run_really(*words: str) -> Ran:
    out, err = Screen(), Screen()
    exit_code = run(words, terminal=Terminal(out, err, {"TERM": "dumb"}, milliseconds=lambda: 0.0))
    return Ran(exit_code=exit_code, out=out.getvalue(), err=err.getvalue())


@pytest.mark.parametrize(
    ("words", "request_made"),
    [
        (("quality",), QualityRequest()),
        (
            ("quality", "--set", "memdaily", "--half", "dev", "--seed", "3", "--data", "d"),
            QualityRequest(sets=("memdaily",), half="dev", seed=3, data="d"),
        ),
        (("import",), ImportRequest()),
        (("import", "--scale", "0.5", "--seed", "1"), ImportRequest(scale=0.5, seed=1)),
        (("import", "--real", "folder"), ImportRequest(real="folder")),
        (("recall", "--scale", "2"), SpeedRequest(scale=2.0)),
        (("recall", "--sessions", "100"), SpeedRequest(sessions=100)),
        (("cold", "--scale", "0.1"), ColdRequest(scale=0.1)),
        (("scale", "--seed", "2"), ScaleRequest(seed=2)),
        (("needles", "--scale", "0.5"), NeedlesRequest(scale=0.5)),
        (("agents",), AgentsRequest()),
        (
            ("agents", "--kills", "40", "--turns", "9", "--seed", "2"),
            AgentsRequest(kills=40, turns=9, seed=2),
        ),
        (("facts", "--facts", "1000", "--seed", "2"), FactsRequest(facts=1000, seed=2)),
    ],
)
def test_a_command_line_is_the_request_it_spells(
    words: tuple[str, ...], request_made: object
) -> None:
    memory = FakeMemory()
    assert run_here("bench", *words, memory=memory).exit_code == 0
    assert memory.asked == [("bench", request_made)]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("quality", "--set", "trivia"), "--set 'trivia' is none of locomo, memdaily, all"),
        (("quality", "--half", "best"), "--half 'best' is none of dev, test, all"),
        (("import", "--scale", "0"), "--scale '0' is no number above 0"),
        (("import", "--scale", "nan"), "--scale 'nan' is no number above 0"),
        (("recall", "--scale", "much"), "--scale 'much' is no number above 0"),
        (("recall", "--sessions", "0"), "--sessions 0 leaves none to make"),
        (("recall", "--sessions", "few"), "'few' is not a whole number from 0 on"),
        (("quality", "--seed", "x"), "'x' is not a whole number from 0 on"),
    ],
)
def test_what_cannot_be_asked_is_bad_usage_and_nothing_runs(
    words: tuple[str, ...], message: str
) -> None:
    memory = FakeMemory()
    ran = run_here("bench", *words, memory=memory)
    assert (ran.exit_code, ran.out, memory.asked) == (2, "", [])
    assert message in ran.err


def test_a_file_that_is_named_gets_the_json_and_stdout_the_table(tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    ran = run_here("bench", "quality", "--json", str(file))
    assert ran.out == run_here("bench", "quality").out
    written = json.loads(file.read_text(encoding="utf-8"))
    assert written == json.loads(run_here("bench", "quality", "--json").out)
    assert list(written) == ["bench", "seed", "machine", "versions", "rows", "asserted"]
    assert {"name", "unit", "value", "runs", "baseline", "ratio"} <= set(written["rows"][0])
    assert written["rows"][1]["paired"]["won"] == samples.MEASURED.rows[1].paired.won  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "words",
    [
        ("bench", "quality", "--json"),
        ("bench", "quality", "--json", "-"),
        ("bench", "quality", "--json", "--half", "dev"),
        ("bench", "--json", "quality"),
        ("--json", "bench", "quality"),
    ],
)
def test_without_a_file_the_json_is_all_there_is_on_stdout(words: tuple[str, ...]) -> None:
    assert json.loads(run_here(*words).out)["bench"] == "quality"


def test_json_that_names_no_file_names_stdout() -> None:
    assert with_stdout_named([]) == []
    assert with_stdout_named(["--json"]) == ["--json", "-"]
    assert with_stdout_named(["--json", "a", "--seed"]) == ["--json", "a", "--seed"]
    assert with_stdout_named(["--json", "--seed", "3"]) == ["--json", "-", "--seed", "3"]


def test_a_file_that_cannot_be_written_is_told_before_anything_runs(tmp_path: Path) -> None:
    memory = FakeMemory()
    ran = run_here("bench", "quality", "--json", str(tmp_path / "no" / "file"), memory=memory)
    assert (ran.exit_code, memory.asked) == (1, [])
    assert json.loads(ran.out)["error"]["code"] == "output_unwritable"


def test_sets_that_are_absent_end_with_where_they_were_looked_for(tmp_path: Path) -> None:
    ran = run_really("bench", "quality", "--data", str(tmp_path))
    assert (ran.exit_code, ran.out) == (1, "")
    assert str(tmp_path) in ran.err
    assert "--data" in ran.err


def test_the_whole_way_from_a_command_line_to_a_table(tmp_path: Path) -> None:
    data = write_sets(tmp_path)
    ran = run_really("bench", "quality", "--set", "locomo", "--data", str(data))
    assert (ran.exit_code, ran.err) == (0, "")
    assert "locomo.hit@1" in ran.out
    assert "asserted: every message of the set arrived" in ran.out


def test_bench_alone_shows_its_help() -> None:
    assert run_here("bench") == run_here("bench", "--help")
