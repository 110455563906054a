"""The benchmark of agents, at a size at which only its rows and what it asserts are looked at."""

import pytest

from recense.bench import agents
from recense.bench.agents import run_agents
from recense.bench.requests import AgentsRequest
from recense.bench.results import BenchResult, Row


@pytest.fixture(scope="module")
def result() -> BenchResult:
    with pytest.MonkeyPatch.context() as patch:
        for name, small in {"RESUMES": 2, "PAGES": 2, "ACTIONS": 3, "STATES": 3}.items():
            patch.setattr(agents, name, small)
        patch.setattr(agents, "AGENT_OUTPUT_BYTES_MAX", 2_000_000)
        return run_agents(AgentsRequest(kills=2, turns=20), lambda _: None)


def by_name(result: BenchResult) -> dict[str, Row]:
    return {row.name: row for row in result.rows}


def test_agents_are_measured_by_the_rows_that_scripts_rely_on(result: BenchResult) -> None:
    rows = by_name(result)
    for name in (
        "append_ms",
        "append_ms.at_2",
        "append_ms.at_20.p95",
        "resume_ms",
        "resume_500_tokens_ms",
        "resume_without_focus_ms",
        "resume_50000_tokens_ms.at_20",
        "page_of_1000_ms.at_20",
        "begin_action_ms",
        "end_action_ms",
        "output_8mb_ms",
        "output_piece_ms",
        "store_mb",
        "kill_ms",
    ):
        assert rows[name].value > 0
    assert rows["kills_survived"].value == 2
    assert rows["lives"].value >= 3


def test_what_was_asserted_is_said(result: BenchResult) -> None:
    for sentence in (
        "a message that is handed over twice is one turn",
        "what a briefing shows and what it leaves out add up",
        "equal records give an equal briefing, byte for byte",
        "the first MiB of an output is found by recall, and the rest is a gap",
        "every step is one action: nothing is lost, and nothing is there twice",
    ):
        assert sentence in result.asserted


def test_the_seed_says_where_it_ran(result: BenchResult) -> None:
    assert result.seed == 7
    assert {"python", "sqlite", "recense"} <= result.versions.keys()
