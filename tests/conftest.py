"""What every test may ask for: the shared data, and how hard Hypothesis tries.

`HYPOTHESIS_PROFILE=deep make test` runs each law on ten times the examples.
"""

import gc
import os
from pathlib import Path

import pytest
from hypothesis import settings

PROJECT = Path(__file__).resolve().parent.parent

settings.register_profile("ci", max_examples=100, deadline=None, print_blob=True)
settings.register_profile("deep", max_examples=1000, deadline=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def pytest_collection_finish() -> None:
    """Let no later garbage collection walk through what collecting made: it stays to the end."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real transcripts and evaluation sets; skips, saying why, where it is absent.

    It is `RECENSE_TEST_DATA` where that is set, else `shared/data` beside the project. Tests may
    assert counts and hashes of what lies there, never its text.
    """
    named = os.environ.get("RECENSE_TEST_DATA")
    folder = Path(named) if named else PROJECT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"no shared data at {folder}: set RECENSE_TEST_DATA to the folder that has it")
    return folder
