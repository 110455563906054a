"""What a server does by itself: it follows files of agents, and reads what comes in for facts."""

import json
import os
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Final, cast

import httpx2
import pytest

from recense.core.instants import text_from_instant
from recense.operations.admin import Progress
from recense.servers.http import background, following
from recense.servers.http.background import Background
from recense.servers.http.logs import ServerLog
from recense.servers.http.metrics import Metrics
from recense.servers.http.options import ServeOptions
from recense.wiring.machine import machine_clock
from recense.wiring.namespaces import Namespaces
from tests.cli.running import NOT_INHERITED
from tests.importers.builders import SESSION, claude_assistant, claude_user, line, lines, text_block
from tests.servers.http.serving_world import SECONDS_MAX, Log, RunningServer, running
from tests.servers.http.test_changes import Event, followed

WATCHED: Final = f"claude_code:{SESSION}"
READ: Final = "sessions of the namespace 'default' are read for facts"
LONG: Final = "The reading room was quiet, and the ledger of the herbarium lay open. " * 10


@pytest.fixture
def projects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, environment_names: list[str]) -> Path:
    """The folder where an agent keeps its sessions, on a machine with nothing else on it."""
    for name in environment_names:
        monkeypatch.delenv(name)
    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    for name in ("WATCH_SECONDS_DEFAULT", "BACKGROUND_PAUSE_SECONDS"):
        monkeypatch.setattr(background, name, 0.05)
    # Without a beat, who waits for an event in vain is timed out.
    monkeypatch.setattr(following, "CHANGES_HEARTBEAT_SECONDS", 2 * SECONDS_MAX)
    folder = home / ".claude" / "projects" / "herbarium"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def environment_names() -> list[str]:
    """What of this machine's environment says where things are."""
    return [each for each in os.environ if each.startswith(NOT_INHERITED)]


@contextmanager
def serving(
    folder: Path, *, watch: bool = False, extract: bool = False
) -> Generator[tuple[RunningServer, httpx2.Client, Iterator[Event]]]:
    """Hold a server that works in the background, who asks it, and what that is told."""
    options = ServeOptions(watch=watch, extract=extract)
    with (
        running(folder, options, extraction_chunk_tokens="100") as server,
        server.client(server.key()) as client,
        followed(client) as events,
    ):
        if extract:  # what was said before waits for a person
            server.log.line_with('"extracting"')
        yield server, client, events


def session_with(events: Iterator[Event], session: str, messages: int) -> None:
    """Wait until a session is told to have so many messages."""
    for name, _, data in events:
        if name == "session" and (data["session"], data["messages"]) == (session, messages):
            return


def passages(client: httpx2.Client, term: str) -> list[object]:
    answer = client.post("/v1/recall", json={"terms": [term]})
    assert answer.status_code == 200, answer.text
    assert answer.json()["path"] == "narrowed"
    return answer.json()["passages"]


def now() -> str:
    return text_from_instant(machine_clock().now())


def test_a_session_file_that_appears_and_grows_is_found_by_recall(
    tmp_path: Path, projects: Path
) -> None:
    with serving(tmp_path, watch=True) as (server, client, events):
        file = projects / f"{SESSION}.jsonl"
        file.write_bytes(line(claude_user(1, "the gentian is pressed")))
        session_with(events, WATCHED, 1)
        assert len(passages(client, "gentian")) == 1
        with file.open("ab") as growing:
            growing.write(line(claude_assistant(2, text_block("so is the saxifrage"))))
        session_with(events, WATCHED, 2)
        assert len(passages(client, "saxifrage")) == 1
        said = json.loads(server.log.line_with('"imported"'))
        assert said["counts"] == {"messages": 1, "sessions": 1}
        assert rounds(client, "watch", "done") >= 2


def test_what_comes_in_by_files_is_read_for_facts(tmp_path: Path, projects: Path) -> None:
    with serving(tmp_path, watch=True, extract=True) as (server, client, events):
        said = claude_user(1, f"My favourite tea is fennel. {LONG}", timestamp=now())
        answered = claude_assistant(2, text_block("Noted."), timestamp=now())
        (projects / f"{SESSION}.jsonl").write_bytes(lines([said, answered]))
        assert_tea_is_told(client, events)
        assert server.log.line_with('"read"')
        assert rounds(client, "extract", "done") >= 1


def test_what_comes_in_by_calls_is_read_for_facts_also_where_nothing_is_watched(
    tmp_path: Path, projects: Path
) -> None:
    with serving(tmp_path, extract=True) as (_, client, events):
        client.post("/v1/open_session", json={"session": "tea"})
        words = [("user", f"My favourite tea is fennel. {LONG}"), ("model", "Noted.")]
        sent = [
            {
                "event_id": role,
                "payload": {"kind": "text", "role": role, "text": text},
            }
            for role, text in words
        ]
        body = {"session": "api:tea", "events": sent}
        answer = client.post("/v1/append_session", json=body)
        assert answer.status_code == 200, answer.text
        assert_tea_is_told(client, events)


def test_a_server_that_reads_and_does_not_watch_says_that_nothing_is_imported(
    tmp_path: Path, projects: Path
) -> None:
    with running(tmp_path, ServeOptions(extract=True)) as server:
        said = server.log.line_with('"extracting"').decode()
    assert READ in said
    assert "none is imported from agents on this machine without --watch" in said


def test_a_server_that_watches_says_what_it_does_besides_answering(
    tmp_path: Path, projects: Path
) -> None:
    with running(tmp_path, ServeOptions(watch=True, extract=True)) as server:
        watching = server.log.line_with('"watching"').decode()
        extracting = server.log.line_with('"extracting"').decode()
    assert "comes to the namespace 'default'" in watching
    assert READ in extracting
    assert "--watch" not in extracting


def test_a_server_that_only_answers_says_of_nothing_else(tmp_path: Path) -> None:
    with running(tmp_path) as server:
        server.log.line_with('"listening"')
    said = server.log.getvalue()
    assert b"extracting" not in said
    assert b"watching" not in said


def assert_tea_is_told(client: httpx2.Client, events: Iterator[Event]) -> None:
    assert next(name for name, _, _ in events if name == "fact")
    answer = client.post("/v1/search_facts", json={"text": "favourite tea"})
    assert "fennel" in answer.text


def test_a_file_that_fails_is_said_and_serving_goes_on(tmp_path: Path, projects: Path) -> None:
    with serving(tmp_path, watch=True) as (server, client, events):
        (projects / "broken-gentian.jsonl").write_bytes(b"no line of any agent: gentian\n")
        said = server.log.line_with('"import_failed"')
        assert json.loads(said)["counts"] == {"files": 1}
        assert json.loads(said)["level"] == "warning"
        assert b"gentian" not in said
        (projects / f"{SESSION}.jsonl").write_bytes(line(claude_user(1, "a sound file")))
        session_with(events, WATCHED, 1)
        assert len(passages(client, "sound")) == 1
        assert rounds(client, "watch", "file_failed") == 1


def test_serving_stops_in_time_while_files_are_followed_and_read(
    tmp_path: Path, projects: Path
) -> None:
    for number in range(20):
        session = f"{number:08x}{SESSION[8:]}"
        (projects / f"{session}.jsonl").write_bytes(
            line(claude_user(1, f"page {number}", sessionId=session))
        )
    with running(tmp_path, ServeOptions(watch=True, extract=True)) as server:
        server.log.line_with('"listening"')
    assert b"all is closed" in server.log.line_with('"stopped"')


def rounds(client: httpx2.Client, work: str, ended: str) -> float:
    """Return how many rounds of work in the background ended so."""
    name = f'recense_background_rounds_total{{ended="{ended}",work="{work}"}} '
    found = [each for each in client.get("/metrics").text.splitlines() if each.startswith(name)]
    return float(found[0].removeprefix(name)) if found else 0.0


class EndlessMemory:
    """Imports and indexes for ever, and says how far it is."""

    def __init__(self) -> None:
        self.began = threading.Event()

    def index(self, progress: Callable[[Progress], None]) -> None:
        self._go_on(progress)

    def watch_sessions(
        self, *_of: object, progress: Callable[[Progress], None], **_how: object
    ) -> None:
        self._go_on(progress)

    def _go_on(self, progress: Callable[[Progress], None]) -> None:
        while True:
            self.began.set()
            progress(Progress(phase="archiving", done=0, total=1, unit="bytes", label=""))


class EndlessNamespaces:
    """Leads to one memory."""

    def __init__(self) -> None:
        self.endless = EndlessMemory()

    def memory(self, _namespace: str) -> nullcontext[EndlessMemory]:
        return nullcontext(self.endless)


@pytest.mark.parametrize("watches", [True, False])
def test_long_work_in_the_background_is_broken_off_by_a_stop_and_that_is_no_failure(
    watches: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "BACKGROUND_PAUSE_SECONDS", 0.0)
    namespaces, written, metrics = EndlessNamespaces(), Log(), Metrics()
    log = ServerLog(written, machine_clock().now)
    with log.written():
        work = Background(
            cast("Namespaces", namespaces),
            log,
            metrics,
            lambda _namespace: None,
            watches=watches,
            extracts=False,
        )
        work.start()
        assert namespaces.endless.began.wait(SECONDS_MAX)
        assert work.stop(SECONDS_MAX)
    assert b"warning" not in written.getvalue()
    assert b"cancelled" not in metrics.text()
