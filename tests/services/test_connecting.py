"""Connecting a client, twice, otherwise, and back; and what happens with something in the way."""

import json
import sys
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, given, settings

from recense.adapters.system import SystemClock
from recense.core.connect.clients import CLIENTS, System
from recense.errors import (
    ClientFileChanged,
    ClientFileUnusable,
    ConnectionUnproven,
    InvalidRequest,
)
from recense.operations.connecting import ConnectClient, ConnectReport
from recense.services.connecting import Connecting, Installation
from recense.services.connection_proof import ConnectionProof
from recense.services.connection_receipts import Receipts
from recense.testing.clock import FakeClock
from tests.core.connect.documents import json_documents
from tests.services.test_client_files import everything

STUB: Final = str(Path(__file__).with_name("mcp_stub.py"))
HOOK: Final = "/opt/a b/recense-hook"


class Machine:
    """A home of its own, with what connects clients in it; `words` are those that were tried."""

    def __init__(
        self,
        folder: Path,
        *,
        system: System = "linux",
        prove: Callable[[Sequence[str]], int] | None = None,
        **chosen: str,
    ) -> None:
        self.home = folder / "home é"
        self.home.mkdir(parents=True, exist_ok=True)
        self.words: list[tuple[str, ...]] = []
        self._prove = prove
        installation = Installation(
            system=system,
            home=str(self.home),
            environment={},
            program=("/opt/a b/recense",),
            hook=(HOOK,),
            chosen=chosen,
        )
        receipts = Receipts(str(folder / "data" / "connections"))
        self.connecting = Connecting(installation, receipts, FakeClock(), self._tools)

    def _tools(self, words: Sequence[str]) -> int:
        self.words.append(tuple(words))
        return 6 if self._prove is None else self._prove(words)

    def connect(self, client: str, **more: object) -> ConnectReport:
        return self.connecting.connect(
            ConnectClient(client=client, **more)  # pyright: ignore[reportArgumentType] -- of a test
        )

    def write(self, name: str, text: str) -> Path:
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8"))
        return path


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.mark.parametrize("client", CLIENTS)
def test_connecting_makes_files_and_removing_leaves_no_trace(client: str, tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    report = machine.connect(client, options=("--typed",))
    assert {file.change for file in report.files} == {"made"}
    assert report.tools == 6
    assert machine.words == [("/opt/a b/recense", "mcp", "--typed")]
    again = machine.connect(client, options=("--typed",))
    assert {file.change for file in again.files} == {"unchanged"}
    back = machine.connect(client, remove=True)
    assert {file.change for file in back.files} == {"removed"}
    assert everything(tmp_path) == {"home é": None}


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize(
    "text", ["", "\n", "\ufeff", "# {}\r\n\tx = 1", '{\r\n\t"x": 1\r\n}', "{}"]
)
def test_a_file_that_was_there_is_the_same_after_removing(
    client: str, text: str, tmp_path: Path
) -> None:
    machine = Machine(tmp_path)
    if text.startswith("#") != (client == "codex") and text.strip("\ufeff\n"):
        return  # of the other form
    before = {}
    for file in machine.connect(client, show=True).files:
        machine.write(str(Path(file.path).relative_to(machine.home)), text)
    before = everything(tmp_path)
    report = machine.connect(client)
    assert {file.change for file in report.files} == {"changed"}
    copies = {Path(file.backup) for file in report.files}
    assert {copy.read_bytes() for copy in copies} == {text.encode()}
    machine.connect(client, remove=True)
    for copy in copies:
        copy.unlink()
    assert everything(tmp_path) == before


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(text=json_documents([("context_servers", "recense")]))
def test_any_file_is_the_same_after_connecting_and_removing(text: str, tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    path = machine.write(".config/zed/settings.json", text)
    machine.connect("zed")
    assert path.read_bytes() != text.encode()
    machine.connect("zed", remove=True)
    assert path.read_bytes() == text.encode()


def test_showing_changes_nothing_and_tells_the_lines(machine: Machine, tmp_path: Path) -> None:
    machine.write(".codex/config.toml", 'model = "o9"\n')
    before = everything(tmp_path)
    report = machine.connect("codex", show=True)
    assert (report.done, machine.words, everything(tmp_path)) == (False, [], before)
    assert [splice.line for splice in report.files[0].splices] == [3, 1]
    assert report.files[0].splices[1].text == f'notify = ["{HOOK}"]'


def test_other_options_replace_the_entry_and_one_copy_is_made_each_time(machine: Machine) -> None:
    path = machine.write(".cursor/mcp.json", '{"mcpServers": {"docs": {"command": "docs"}}}')
    before = path.read_bytes()
    machine.connect("cursor")
    machine.connect("cursor", options=("--read-only",))
    servers = json.loads(path.read_bytes())["mcpServers"]
    assert servers["recense"]["args"] == ["mcp", "--read-only"]
    assert list(servers) == ["docs", "recense"]
    assert len(list(path.parent.iterdir())) == 3
    machine.connect("cursor", remove=True)
    assert path.read_bytes() == before


def test_two_names_stand_beside_each_other(machine: Machine) -> None:
    path = machine.write(".cursor/mcp.json", "{}")
    machine.connect("cursor", name="one")
    machine.connect("cursor", name="two", options=("--typed",))
    machine.connect("cursor", name="one", remove=True)
    assert list(json.loads(path.read_bytes())["mcpServers"]) == ["two"]
    machine.connect("cursor", name="one")
    for name in ("one", "two"):
        machine.connect("cursor", name=name, remove=True)
    assert json.loads(path.read_bytes()) == {"mcpServers": {}}


def test_two_names_that_are_removed_in_reverse_leave_no_trace(machine: Machine) -> None:
    path = machine.write(".cursor/mcp.json", "{}")
    for name in ("one", "two"):
        machine.connect("cursor", name=name)
    for name in ("two", "one"):
        machine.connect("cursor", name=name, remove=True)
    assert path.read_bytes() == b"{}"


def test_what_a_client_wrote_meanwhile_stays(machine: Machine) -> None:
    path = machine.write(".claude.json", '{\n  "startups": 1\n}')
    machine.connect("claude-code")
    document = json.loads(path.read_bytes())
    document["startups"] = 2
    document["mcpServers"]["docs"] = {"command": "docs"}
    path.write_text(json.dumps(document), encoding="utf-8")
    machine.connect("claude-code", remove=True)
    assert json.loads(path.read_bytes()) == {
        "startups": 2,
        "mcpServers": {"docs": {"command": "docs"}},
    }


def test_a_store_that_was_chosen_is_written_for_the_server_and_for_the_hook(tmp_path: Path) -> None:
    machine = Machine(tmp_path, store="/x y/é.db", namespace="herbarium")
    machine.connect("codex")
    document = tomllib.loads((machine.home / ".codex" / "config.toml").read_text(encoding="utf-8"))
    assert document["mcp_servers"]["recense"]["args"] == [
        *("mcp", "--store", "/x y/é.db", "--namespace", "herbarium")
    ]
    assert document["notify"] == [
        *("/usr/bin/env", "RECENSE_STORE=/x y/é.db", "RECENSE_NAMESPACE=herbarium", HOOK)
    ]


def test_without_a_hook_that_can_be_written_a_note_says_so(tmp_path: Path) -> None:
    windows = Machine(tmp_path / "a", system="win32", store="C:\\x.db")
    assert "no import hook" in windows.connect("codex", show=True).notes[0]
    taken = Machine(tmp_path / "b")
    taken.write(".codex/config.toml", 'notify = ["say"]')
    assert "has another use" in taken.connect("codex").notes[0]
    asked = Machine(tmp_path / "c").connect("claude-code", hook=False)
    assert (len(asked.files), asked.notes) == (1, ())


def test_a_server_that_runs_is_neither_started_nor_hooked(machine: Machine) -> None:
    report = machine.connect("claude-code", url="https://m.example.com/mcp", key_variable="KEY")
    assert (report.tools, machine.words, len(report.files)) == (None, [], 1)
    text = (machine.home / ".claude.json").read_text(encoding="utf-8")
    assert "Bearer ${KEY}" in text


def test_a_key_in_the_place_of_a_variables_name_is_refused_and_not_repeated(
    machine: Machine, tmp_path: Path
) -> None:
    key = "rcl_" + "a1b2-c3d4"
    with pytest.raises(InvalidRequest) as raised:
        machine.connect("claude-code", url="https://m.example.com/mcp", key_variable=key)
    assert key not in raised.value.message
    assert everything(tmp_path) == {"home é": None}


@pytest.mark.parametrize("client", ["claude-code", "codex"])
def test_a_server_that_does_not_answer_has_everything_put_back(client: str, tmp_path: Path) -> None:
    def silent(words: Sequence[str]) -> int:
        raise ConnectionUnproven("it said nothing")

    machine = Machine(tmp_path, prove=silent)
    machine.write(".claude/settings.json", "{ }")
    machine.write(".codex/config.toml", "# mine")
    before = everything(tmp_path)
    with pytest.raises(ConnectionUnproven, match="it said nothing; every file is as it was"):
        machine.connect(client)
    assert everything(tmp_path) == before


def test_an_older_connection_is_back_where_a_new_one_does_not_answer(tmp_path: Path) -> None:
    def picky(words: Sequence[str]) -> int:
        if "--typed" in words:
            raise ConnectionUnproven("no")
        return 6

    machine = Machine(tmp_path, prove=picky)
    machine.connect("claude-code")
    before = everything(tmp_path)
    with pytest.raises(ConnectionUnproven):
        machine.connect("claude-code", options=("--typed",))
    assert everything(tmp_path) == before
    machine.connect("claude-code", remove=True)
    assert everything(tmp_path) == {"home é": None}


def test_what_somebody_changed_during_the_trial_is_left_and_named(tmp_path: Path) -> None:
    def meddling(words: Sequence[str]) -> int:
        (machine.home / ".cursor" / "mcp.json").write_text("{}", encoding="utf-8")
        raise ConnectionUnproven("no")

    machine = Machine(tmp_path, prove=meddling)
    with pytest.raises(ClientFileChanged, match="was changed meanwhile"):
        machine.connect("cursor")
    assert (machine.home / ".cursor" / "mcp.json").read_text(encoding="utf-8") == "{}"


def test_a_copy_of_what_was_before_is_kept_where_somebody_changed_the_file_during_the_trial(
    tmp_path: Path,
) -> None:
    def meddling(words: Sequence[str]) -> int:
        path.write_text("[]", encoding="utf-8")
        raise ConnectionUnproven("no")

    machine = Machine(tmp_path, prove=meddling)
    path = machine.write(".cursor/mcp.json", "{ }")
    with pytest.raises(ClientFileChanged):
        machine.connect("cursor")
    assert sorted(each.read_text(encoding="utf-8") for each in path.parent.iterdir()) == [
        *("[]", "{ }")
    ]


def test_a_second_file_that_is_refused_leaves_the_first_as_it_was(machine: Machine) -> None:
    servers = machine.write(".claude.json", "{}")
    machine.write(".claude/settings.json", '{"hooks": 3}')
    with pytest.raises(ClientFileUnusable, match=r"settings\.json: hooks is no place"):
        machine.connect("claude-code")
    assert servers.read_text(encoding="utf-8") == "{}"
    hooks = machine.write(".claude/settings.json", "{}")
    hooks.chmod(0o400)
    with pytest.raises(ClientFileUnusable, match="read-only"):
        machine.connect("claude-code")
    assert servers.read_text(encoding="utf-8") == "{}"
    assert sorted(path.name for path in machine.home.iterdir()) == [".claude", ".claude.json"]


def test_an_entry_of_somebody_else_is_refused_and_kept(machine: Machine) -> None:
    path = machine.write(".cursor/mcp.json", '{"mcpServers": {"recense": {"command": "x"}}}')
    before = path.read_bytes()
    with pytest.raises(ClientFileUnusable, match="this command did not write it"):
        machine.connect("cursor")
    report = machine.connect("cursor", remove=True)
    assert (report.files, report.notes) == (
        (),
        ("nothing that this command wrote for Cursor was found",),
    )
    assert path.read_bytes() == before


def test_removing_after_the_file_is_gone_forgets_it(machine: Machine, tmp_path: Path) -> None:
    machine.connect("zed")
    (machine.home / ".config" / "zed" / "settings.json").unlink()
    assert machine.connect("zed", remove=True).files[0].change == "unchanged"
    assert not (tmp_path / "data").exists()


def test_opencodes_other_name_is_used_where_it_is_there(machine: Machine) -> None:
    path = machine.write(".config/opencode/opencode.jsonc", "{} // mine\n")
    assert machine.connect("opencode").files[0].path == str(path)
    assert "// mine" in path.read_text(encoding="utf-8")
    machine.write(".config/opencode/opencode.json", "{}")
    machine.connect("opencode", remove=True)
    assert path.read_text(encoding="utf-8") == "{} // mine\n"


def test_an_unknown_client_is_refused_with_the_nearest_name(machine: Machine) -> None:
    with pytest.raises(InvalidRequest) as raised:
        machine.connect("claud-code")
    assert raised.value.hint == "did you mean 'claude-code'?"
    assert "opencode" in raised.value.message


@pytest.mark.parametrize("name", ["", "a b", "a.b", "é", "a" * 65])
def test_a_name_that_not_every_client_can_write_is_refused(machine: Machine, name: str) -> None:
    with pytest.raises(InvalidRequest, match="is not allowed"):
        machine.connect("codex", name=name)


def test_a_client_is_installed_when_there_is_a_trace_of_it(machine: Machine) -> None:
    assert not machine.connecting.is_installed("gemini")
    machine.write(".gemini/history", "")
    assert machine.connecting.is_installed("gemini")


def test_a_receipt_that_was_damaged_is_refused(machine: Machine, tmp_path: Path) -> None:
    machine.connect("zed")
    (receipt,) = (tmp_path / "data" / "connections").iterdir()
    receipt.write_text("{", encoding="utf-8")
    with pytest.raises(ClientFileUnusable, match="no receipt of ours any more"):
        machine.connect("zed", remove=True)


def test_what_was_written_is_what_is_started(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    clock = SystemClock()
    installation = Installation(
        system="linux",
        home=str(home),
        environment={},
        program=(sys.executable, STUB, "answers"),
        hook=(),
        chosen={},
    )
    receipts = Receipts(str(tmp_path / "data"))
    proof = ConnectionProof(clock, {}, str(home))
    connecting = Connecting(installation, receipts, clock, proof.tools)
    assert connecting.connect(ConnectClient(client="zed")).tools == 3
