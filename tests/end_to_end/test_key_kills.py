"""Keys and namespaces over several processes: what was acknowledged survives a kill, and processes
that open one namespace at once find one file.
"""

import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from recense.adapters.system import SystemChance
from recense.core.namespaces import namespace_base_name
from recense.errors import KeyRefused
from recense.limits import KEY_CACHE_MS_MAX
from recense.operations.keys import ListKeys
from recense.operations.recall import RecallRequest
from recense.services.keys import Keys
from recense.settings.loading import Settings, load_settings
from recense.testing import Boundary, FakeClock
from recense.testing.boundaries import Moment
from recense.wiring import open_url
from recense.wiring.control import open_control
from recense.wiring.namespaces import open_namespaces
from tests.cli.running import environment_with
from tests.conftest import PROJECT
from tests.end_to_end.key_child import EVENTS

SECONDS_MAX = 60
PROCESSES = 2


@pytest.fixture
def store(tmp_path: Path) -> str:
    return str(tmp_path / "kept.db")


@pytest.fixture
def settings(store: str, tmp_path: Path) -> Settings:
    return load_settings({"store": store}, {}, str(tmp_path), str(tmp_path))


def _command(*words: str) -> list[str]:
    return [sys.executable, "-m", "tests.end_to_end.key_child", *words]


def _states(settings: Settings, keys: list[str]) -> dict[str, bool]:
    """Return which keys hold, and look whether every record can be read."""
    holds: dict[str, bool] = {}
    with open_control(settings, create=False) as control:
        kept = Keys(control, FakeClock(), SystemChance())
        kept.list(ListKeys())
        for key in keys:
            try:
                holds[key] = bool(kept.check(key))
            except KeyRefused:
                holds[key] = False
    return holds


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("call", [1, 2])
def test_a_kill_on_either_side_of_issuing_or_revoking_leaves_one_or_the_other(
    call: int, moment: Moment, store: str, settings: Settings
) -> None:
    boundary = Boundary(method="append", call=call, moment=moment)
    died = subprocess.run(
        _command(store, msgspec.json.encode(boundary).decode()),
        cwd=PROJECT,
        check=False,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=SECONDS_MAX,
        env=environment_with({}),
    )
    assert died.returncode == -signal.SIGKILL, died.stderr
    keys = died.stdout.split()
    assert len(keys) == call - 1  # the answer of the first call is not given when it dies in it
    assert _states(settings, keys) == dict.fromkeys(keys, moment == "before")
    with open_control(settings, create=False) as control:
        total = Keys(control, FakeClock(), SystemChance()).list(ListKeys()).total
    assert total == (0 if (call, moment) == (1, "before") else 1)


def test_what_was_acknowledged_before_a_kill_holds_after_it(store: str, settings: Settings) -> None:
    with subprocess.Popen(
        _command(store),
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env=environment_with({}),
    ) as child:
        try:
            assert child.stdout is not None
            told = [child.stdout.readline().split() for _ in range(20)]
        finally:
            child.kill()
        told += [line.split() for line in child.stdout.read().splitlines(keepends=True)]
    issued = [key for what, key in told if what == "issued"]
    revoked = {key for what, key in told if what == "revoked"}
    assert len(issued) > 10
    holds = _states(settings, issued)
    assert not any(holds[key] for key in revoked)
    unsure = issued[-1]  # its revocation may have been kept and not told
    assert all(holds[key] for key in issued if key not in revoked and key != unsure)


def test_processes_that_open_a_namespace_at_once_find_one_file(
    store: str, settings: Settings, tmp_path: Path
) -> None:
    name = "a:b"
    children = [
        subprocess.Popen(
            _command(store, "write", name, str(number)),
            cwd=PROJECT,
            stderr=subprocess.PIPE,
            env=environment_with({}),
        )
        for number in range(PROCESSES)
    ]
    try:
        for child in children:
            _, said = child.communicate(timeout=SECONDS_MAX)
            assert (child.returncode, said) == (0, b"")
    finally:
        for child in children:
            child.kill()
    files = [path.name for path in (tmp_path / "kept.db.d").glob("*.db")]
    assert files == [f"{namespace_base_name(name)}.db"]
    with open_url(store, namespace=name, create=False) as memory:
        assert memory.sessions().total == PROCESSES
        found = memory.recall(RecallRequest(terms=("fern",), limit=25))
        assert len({passage.session for passage in found.passages}) == PROCESSES
        assert memory.doctor().counts["messages"] == PROCESSES * EVENTS
    namespaces = open_namespaces(settings)
    try:
        assert namespaces.names() == ("default", name)
    finally:
        namespaces.close()


def _cli(store: str, *words: str) -> dict[str, object]:
    ran = subprocess.run(
        [sys.executable, "-m", "recense", "keys", *words, "--store", store, "--json"],
        check=False,
        capture_output=True,
        timeout=SECONDS_MAX,
        env=environment_with({"HOME": str(Path(store).parent)}),
    )
    assert ran.returncode == 0, ran.stdout
    return msgspec.json.decode(ran.stdout, type=dict[str, object])


def test_the_command_line_issues_what_a_server_takes_and_revokes_it_within_five_seconds(
    store: str, settings: Settings
) -> None:
    assert _cli(store, "list", "--all")["total"] == 0
    assert not Path(store).parent.joinpath("kept.db.control.db").exists()
    issued = _cli(store, "issue", "--namespace", "a.b", "--agent", "deployer", "--expires", "1h")
    key, key_id = str(issued["key"]), str(issued["id"])
    clock = FakeClock()
    with open_control(settings, create=False) as control:
        keys = Keys(control, clock, SystemChance())
        credential = keys.check(key)
        assert (credential.namespace, credential.agent) == ("a.b", "deployer")
        assert _cli(store, "list", "--namespace", "a.b")["total"] == 1
        renewed = _cli(store, "renew", key_id, "--expires", "2d")
        assert str(renewed["expires_at"]) > str(issued["expires_at"])
        assert _cli(store, "revoke", key_id)["state"] == "revoked"
        clock.advance(KEY_CACHE_MS_MAX)
        with pytest.raises(KeyRefused):
            keys.check(key)
