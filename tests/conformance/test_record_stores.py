"""Every store of records of ours passes every check."""

from pathlib import Path

import pytest

from recense.conformance import RecordCheck, all_record_checks, run_check
from tests.conformance.record_openers import OPENERS, MemoryOpener

STATEFUL = "after any sequence of calls its records are those of the reference"

# The machine compares with the reference itself.
PAIRS = [
    pytest.param(kind, check, id=f"{kind}: {check.sentence}")
    for check in all_record_checks()
    for kind in OPENERS
    if check.sentence != STATEFUL or kind != "memory"
]


@pytest.mark.parametrize(("kind", "check"), PAIRS)
def test_a_store_of_records_passes(kind: str, check: RecordCheck, tmp_path: Path) -> None:
    outcome = run_check(check, "store", OPENERS[kind](tmp_path), MemoryOpener())
    assert outcome.verdict == "passed", outcome.detail
