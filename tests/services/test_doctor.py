"""The doctor: each finding names what is wrong and what a person can do about it."""

from pathlib import Path

from recense.adapters.memory.store import MemoryStore
from recense.operations.admin import HealthCheck
from recense.services.importing import Machine
from recense.services.memory import Memory
from recense.testing import FakeClock, SeededChance
from recense.wiring import Importers, join
from tests.end_to_end.worlds import memory_over, with_records
from tests.importers.builders import claude_user, lines


def _without_importers(store: MemoryStore, home: Path) -> Memory:
    machine = Machine(environment={}, home=str(home))
    stores = with_records(store)
    return join(stores, importers=Importers(working={}), clock=FakeClock(), machine=machine)


def _checks(memory: Memory) -> dict[str, HealthCheck]:
    return {check.name: check for check in memory.doctor().checks}


def _archived(tmp_path: Path) -> tuple[MemoryStore, Path]:
    file = tmp_path / "session.jsonl"
    file.write_bytes(lines([claude_user(1, "press the fern")]))
    store = MemoryStore(SeededChance(1))
    memory_over(store, tmp_path).import_sessions(None, [str(file)], archive_only=True)
    return store, file


def test_what_waits_for_conversion_is_named_with_the_command_that_converts_it(
    tmp_path: Path,
) -> None:
    store, _ = _archived(tmp_path)
    memory = memory_over(store, tmp_path)
    check = _checks(memory)["conversion"]
    assert (check.ok, check.fix) == (False, "recense convert")
    memory.convert()
    assert memory.doctor().ok


def test_what_waits_for_a_missing_importer_is_no_matter_of_conversion(tmp_path: Path) -> None:
    store, _ = _archived(tmp_path)
    memory = _without_importers(store, tmp_path)
    checks = _checks(memory)
    assert checks["conversion"].ok
    assert not checks["importers"].ok
    assert "'claude_code'" in checks["importers"].items[0]
    assert checks["importers"].fix == "install what registers the importer 'claude_code'"
    assert memory.convert().sessions_converted == 0


def test_a_failed_file_is_named_with_its_reason(tmp_path: Path) -> None:
    file = tmp_path / "odd.jsonl"
    file.write_text("no JSON\n", encoding="utf-8")
    memory = memory_over(MemoryStore(SeededChance(1)), tmp_path)
    memory.import_sessions("claude_code", [str(file)])
    check = _checks(memory)["imports"]
    assert not check.ok
    assert any(f"{file}: not in a format of" in item for item in check.items)


def test_a_source_that_is_gone_is_counted_and_no_fault(tmp_path: Path) -> None:
    store, file = _archived(tmp_path)
    memory = memory_over(store, tmp_path)
    memory.convert()
    assert memory.doctor().counts["sources_gone"] == 0
    file.unlink()
    assert memory.doctor().counts["sources_gone"] == 1
    assert memory.doctor().ok


def test_secrets_are_reported_by_kind_and_session_with_most_first_and_without_a_value(
    tmp_path: Path,
) -> None:
    token = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    for session, times in (("one", 1), ("two", 2)):
        records = [
            claude_user(number, f"use {token} here", sessionId=session)
            for number in range(1, times + 1)
        ]
        (tmp_path / f"{session}.jsonl").write_bytes(lines(records))
    memory = memory_over(MemoryStore(SeededChance(1)), tmp_path)
    memory.import_sessions("claude_code", [str(tmp_path)])
    health = memory.doctor()
    assert [(each.session, sum(each.kinds.values())) for each in health.secrets] == [
        ("claude_code:two", 2),
        ("claude_code:one", 1),
    ]
    check = {check.name: check for check in health.checks}["secrets"]
    assert check.ok
    assert check.detail.startswith("sessions with redacted secrets: 2; 3 ")
    assert token not in repr(health)


def test_a_store_without_secrets_says_so(tmp_path: Path) -> None:
    store, _ = _archived(tmp_path)
    assert _checks(memory_over(store, tmp_path))["secrets"].detail == "none was redacted"
