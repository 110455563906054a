"""The benchmark of reading sessions, at a size at which only its rows and what it asserts count."""

import pytest

from recense.bench import extracting
from recense.bench.extracting import LENGTHS, RATIO_MAX, run_extracting
from recense.bench.requests import GrowingRequest
from recense.bench.results import BenchResult, Row


@pytest.fixture(scope="module")
def result() -> BenchResult:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(extracting, "_RULES_MESSAGES", 5)
        return run_extracting(GrowingRequest(tokens=500), lambda _: None)


def by_name(result: BenchResult) -> dict[str, Row]:
    return {row.name: row for row in result.rows}


def test_reading_is_measured_by_the_rows_that_scripts_rely_on(result: BenchResult) -> None:
    rows = by_name(result)
    for lengths in LENGTHS:
        assert 0 < rows[f"tokens_sent_ratio_{lengths}x"].value <= RATIO_MAX
        assert rows[f"tokens_sent_{lengths}x"].baseline == f"whole_session.tokens_sent_{lengths}x"
        assert rows[f"instruction_tokens_{lengths}x"].value > 0
        assert rows[f"read_processor_ms_{lengths}x"].value > 0
    assert rows["rules_processor_ms_per_mb"].value > 0


def test_what_is_sent_grows_as_the_session_does_and_reading_it_whole_as_its_square(
    result: BenchResult,
) -> None:
    rows = by_name(result)
    sent = rows["tokens_sent_8x"].value / rows["tokens_sent_1x"].value
    whole = rows["whole_session.tokens_sent_8x"].value / rows["whole_session.tokens_sent_1x"].value
    assert 4 < sent < 12
    assert whole > 2 * sent


def test_what_was_asserted_is_said(result: BenchResult) -> None:
    for sentence in (
        "what was stated is filed after each growth, each statement once",
        "each message is shown once, and once more where a late result changed it",
        "rules find what a person states, and nothing in what a tool prints",
    ):
        assert sentence in result.asserted


def test_an_extractor_that_is_shown_too_much_fails_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extracting, "RATIO_MAX", 0.9)
    with pytest.raises(AssertionError, match="is sent"):
        run_extracting(GrowingRequest(tokens=100), lambda _: None)
