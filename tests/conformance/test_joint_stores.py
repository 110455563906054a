"""Stores that lie on one place pass every check, and the suite finds out who breaks their word."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from recense.adapters.memory.records import MemoryRecords
from recense.adapters.memory.store import MemoryStore
from recense.adapters.sqlite.store import open_sqlite
from recense.conformance import JointCheck, all_joint_checks, run_check, run_joint
from recense.core.transcript.records import Counts
from recense.errors import LeaseLost, Unsupported
from recense.ports.commits import FencedRecords, LedgerPage
from recense.ports.records import Lease
from recense.testing import FakeUptime, SeededChance
from tests.conformance.joint_openers import JOINT_OPENERS, MemoryPairs, OpenStores

PAIRS = [
    pytest.param(kind, check, id=f"{kind}: {check.sentence}")
    for check in all_joint_checks()
    for kind in JOINT_OPENERS
]


@pytest.mark.parametrize(("kind", "check"), PAIRS)
def test_stores_on_one_place_pass(kind: str, check: JointCheck, tmp_path: Path) -> None:
    outcome = run_check(check, "store", JOINT_OPENERS[kind](tmp_path), MemoryPairs())
    assert outcome.verdict == "passed", outcome.detail


class ForgetsTheFence(MemoryStore):
    """Appends whatever the lease says, and puts the records."""

    def append(self, page: LedgerPage) -> int:
        if page.fenced is not None and self._records is not None:
            self._records.put(page.fenced.records)
        return super().append(replace(page, fenced=None))


class LooksBeforeTheCommit(MemoryStore):
    """Puts the records under the lease, and then appends: in two commits."""

    def append(self, page: LedgerPage) -> int:
        if page.fenced is not None and self._records is not None:
            self._records.fenced_put(page.fenced.lease, page.fenced.records)
        return super().append(replace(page, fenced=None))


class ForgetsWhatWasRead(MemoryStore):
    """Looks at the lease, and not whether the record is as it was read."""

    def append(self, page: LedgerPage) -> int:
        if page.fenced is not None:
            page = replace(page, fenced=replace(page.fenced, unchanged=None))
        return super().append(page)


class LosesTheRecords(MemoryStore):
    """Looks at the lease, and keeps the events alone."""

    def append(self, page: LedgerPage) -> int:
        if page.fenced is not None:
            page = replace(page, fenced=FencedRecords(lease=page.fenced.lease))
        return super().append(page)


class AsksForALeaseAlways(MemoryStore):
    """Takes nothing that comes without a lease."""

    def append(self, page: LedgerPage) -> int:
        if page.fenced is None:
            raise LeaseLost("no lease")
        return super().append(page)


PLANTS: dict[type[MemoryStore], str] = {
    ForgetsTheFence: "who holds a lease no longer appends nothing",
    LooksBeforeTheCommit: "a page that is refused keeps none",
    LosesTheRecords: "events and records that are written under a lease",
    ForgetsWhatWasRead: "a page whose record changed since it was read",
    AsksForALeaseAlways: "what is written without a lease",
}


def opener_of(kind: type[MemoryStore]) -> MemoryPairs:
    def made(uptime: FakeUptime) -> OpenStores:
        records = MemoryRecords(uptime)
        return OpenStores(kind(SeededChance(), records), records)

    return MemoryPairs(made)


@pytest.mark.parametrize("kind", PLANTS, ids=lambda kind: getattr(kind, "__name__", kind))
def test_a_planted_fault_fails_the_check_that_is_for_it(kind: type[MemoryStore]) -> None:
    (check,) = [each for each in all_joint_checks() if each.sentence.startswith(PLANTS[kind])]
    assert run_check(check, "planted", opener_of(kind), MemoryPairs()).verdict == "failed"


def test_every_check_is_run() -> None:
    report = run_joint(MemoryPairs(), MemoryPairs())
    assert report.passed
    assert len(report.outcomes) == len(all_joint_checks())


def test_a_store_of_transcripts_that_stands_alone_refuses_what_asks_for_a_lease(
    tmp_path: Path,
) -> None:
    page = LedgerPage(
        session_id="alpha",
        expected_events=0,
        expected_through=0,
        events=(),
        counts=Counts(),
        projection_state=b"",
        fenced=FencedRecords(lease=Lease(name="index", holder="ada", epoch=1, ttl_ms=1)),
    )
    in_file = open_sqlite(
        tmp_path / "alone.sqlite", synchronous="normal", chance=SeededChance(), create=True
    )
    for store in (MemoryStore(SeededChance()), in_file):
        with pytest.raises(Unsupported):
            store.append(page)
    in_file.close()
