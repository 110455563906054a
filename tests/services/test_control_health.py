"""The control file: whole, its owner's alone, and in step with the files of namespaces."""

import os
from pathlib import Path

import pytest

from recense.limits import KEY_SECONDS_MAX
from recense.operations.admin import HealthCheck
from recense.operations.keys import IssueKey, RevokeKey
from recense.services.control_health import CONTROL_FILE
from recense.services.keys import Keys
from recense.settings.layers import control_file, store_file
from recense.settings.loading import Settings, load_settings
from recense.testing import FakeClock, SeededChance
from recense.wiring import open_memory
from recense.wiring.control import open_control
from recense.wiring.machine import machine_clock


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings({"store": f"sqlite:///{tmp_path}/kept.db"}, {}, "/h", "/h")


def examined(settings: Settings) -> HealthCheck:
    """Return what the doctor says of the control file; the store is ok where that is."""
    with open_memory(settings) as memory:
        health = memory.doctor(everywhere=True)
    check = {each.name: each for each in health.checks}[CONTROL_FILE]
    assert health.ok == check.ok
    return check


def control_of(settings: Settings) -> Path:
    return Path(control_file(settings.store) or "")


def with_namespaces(settings: Settings, *names: str) -> list[Path]:
    """Make namespaces, and return their files."""
    for name in names:
        flags = {"store": settings.store, "namespace": name}
        open_memory(load_settings(flags, {}, "/h", "/h")).close()
    return [Path(store_file(settings.store, name) or "") for name in names]


def test_a_store_of_one_namespace_has_no_control_file_and_the_doctor_makes_none(
    settings: Settings,
) -> None:
    check = examined(settings)
    assert (check.ok, check.items) == (True, ())
    assert not control_of(settings).exists()


def test_keys_are_counted_by_how_they_stand(settings: Settings) -> None:
    day = 86_400
    with open_control(settings, create=True) as control:
        past = FakeClock(machine_clock().now() - 2 * day * 1_000_000)
        keys = Keys(control, past, SeededChance(1))
        for seconds in (day, day, KEY_SECONDS_MAX, None):
            kept = keys.issue(IssueKey(namespace="team-a", expires_in_seconds=seconds))
        keys.revoke(RevokeKey(id=kept.id))
    check = examined(settings)
    assert check.ok
    assert check.detail.endswith("keys that hold: 1, expired: 2, revoked: 1")


def test_a_namespace_whose_file_was_deleted_is_named_and_is_no_fault(settings: Settings) -> None:
    kept, erased = with_namespaces(settings, "team-a", "team-b")
    erased.unlink()
    check = examined(settings)
    assert check.ok
    assert check.items == ("the file of the namespace 'team-b' is not there",)
    assert check.detail.startswith("namespaces beside the default one: 2, without their file: 1;")
    assert kept.exists()


def test_a_file_that_no_namespace_on_the_list_has_is_named(settings: Settings) -> None:
    (kept,) = with_namespaces(settings, "team-a")
    stray = kept.with_name("stray-0.db")
    stray.write_bytes(b"")
    check = examined(settings)
    assert not check.ok
    assert check.items == (f"no namespace on the list has the file {stray}",)
    assert "a server lists one again" in check.fix
    control_of(settings).unlink()
    assert len(examined(settings).items) == 2


@pytest.mark.skipif(os.name == "nt", reason="files there have no mode")
def test_a_control_file_that_others_may_open_is_a_fault(settings: Settings) -> None:
    with_namespaces(settings, "team-a")
    control_of(settings).chmod(0o640)
    check = examined(settings)
    assert not check.ok
    assert check.items == (f"{control_of(settings)} can be opened by others than its owner",)
    assert check.fix == "chmod 600 each of these files"


@pytest.mark.parametrize("damage", ["what stands in it", "all of it"])
def test_a_control_file_that_is_damaged_is_a_fault_and_the_rest_is_examined(
    settings: Settings, damage: str
) -> None:
    with_namespaces(settings, *(f"team-{number}" for number in range(3)))
    path = control_of(settings)
    data = path.read_bytes()
    path.write_bytes(data[:4096] + b"\xff" * (len(data) - 4096) if damage[0] == "w" else b"x" * 99)
    check = examined(settings)
    assert not check.ok
    assert check.items
    assert check.fix.startswith("keep a copy of it")


def test_nobody_is_told_of_other_namespaces_but_who_asks_for_all(settings: Settings) -> None:
    (erased,) = with_namespaces(settings, "team-b")
    erased.unlink()
    with open_memory(settings) as memory:
        assert CONTROL_FILE not in {each.name for each in memory.doctor().checks}
        assert "team-b" not in str(memory.doctor())


def test_a_store_in_no_file_has_nothing_to_examine() -> None:
    check = examined(load_settings({"store": "memory:"}, {}, "/h", "/h"))
    assert (check.ok, check.items) == (True, ())
