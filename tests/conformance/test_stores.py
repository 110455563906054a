"""Every store of ours passes every check."""

from collections.abc import Callable
from pathlib import Path

import pytest

from recense.conformance import Check, Opener, all_checks, run_check
from tests.conformance.openers import memory_opener, reopening_opener, sqlite_opener

OPENERS: dict[str, Callable[[Path], Opener]] = {
    "memory": lambda _: memory_opener(),
    "sqlite": sqlite_opener,
    "sqlite opened anew for each call": reopening_opener,
}

STATEFUL = "after any sequence of calls it tells what the reference tells"


# The machine compares with the reference and opens the subject anew itself: one kind is enough.
PAIRS = [
    pytest.param(kind, check, id=f"{kind}: {check.sentence}")
    for check in all_checks()
    for kind in OPENERS
    if check.sentence != STATEFUL or kind == "sqlite"
]


@pytest.mark.parametrize(("kind", "check"), PAIRS)
def test_a_store_passes(kind: str, check: Check, tmp_path: Path) -> None:
    outcome = run_check(check, "store", OPENERS[kind](tmp_path), memory_opener())
    assert outcome.verdict == "passed", outcome.detail
