"""A server in a process of its own, stopped and killed while it is written to."""

import json
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx2
import pytest

from recense.operations.facts import GetFacts
from recense.wiring import open_url
from tests.cli.running import environment_with

SECONDS_MAX = 60.0
WRITERS = 6
ACKNOWLEDGED_MIN = 60


class Served:
    """A server process, where it listens, and what it acknowledged."""

    def __init__(self, process: subprocess.Popen[bytes], address: str, store: Path) -> None:
        self.process = process
        self.address = address
        self.store = store
        self.acknowledged: set[str] = set()
        self.is_enough = threading.Event()
        self._lock = threading.Lock()

    def write(self, writer: int) -> None:
        """Write facts until the server is gone, and note those that it acknowledged."""
        with httpx2.Client(base_url=self.address, timeout=SECONDS_MAX) as client:
            for number in range(100_000):
                subject = f"person {writer} {number}"
                asked = {"subject": subject, "predicate": "likes", "value": "tea"}
                try:
                    answer = client.post("/v1/remember_fact", json=asked)
                except httpx2.TransportError:
                    return
                if answer.status_code != 200:
                    assert answer.json()["code"] == "server_busy"
                    return
                with self._lock:
                    self.acknowledged.add(subject)
                    if len(self.acknowledged) >= ACKNOWLEDGED_MIN:
                        self.is_enough.set()

    def kept(self) -> set[str]:
        """Return the subjects of all facts in the store."""
        subjects: set[str] = set()
        with open_url(f"sqlite://{self.store}", create=False) as memory:
            after = None
            while True:
                page = memory.facts(GetFacts(predicate="likes", limit=500, after=after))
                subjects |= {each.subject for each in page.beliefs}
                after = page.next_after
                if after is None:
                    return subjects


@contextmanager
def served(folder: Path) -> Generator[Served]:
    store = folder / "store.db"
    words = ("serve", "--port", "0", "--insecure", "--store", str(store))
    with subprocess.Popen(
        [sys.executable, "-m", "recense", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment_with({"HOME": str(folder), "USERPROFILE": str(folder)}),
        cwd=folder,
    ) as process:
        watch = threading.Timer(SECONDS_MAX, process.kill)
        watch.start()
        try:
            assert process.stderr is not None
            line = json.loads(process.stderr.readline())
            assert line["event"] == "listening", line
            address = line["what"].split(" ")[0]
            drain = threading.Thread(target=process.stderr.read)
            wait_until_ready(address)
            drain.start()
            yield Served(process, address, store)
        finally:
            watch.cancel()
            process.kill()
            process.wait(SECONDS_MAX)


def wait_until_ready(address: str) -> None:
    """Wait for an answer: whoever listens already holds the connection until there is one."""
    assert httpx2.get(f"{address}/readyz", timeout=SECONDS_MAX).status_code == 200


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGKILL])
def test_no_acknowledged_write_is_lost_when_the_server_ends(
    tmp_path: Path, ending: signal.Signals
) -> None:
    with served(tmp_path) as server:
        writers = [threading.Thread(target=server.write, args=(each,)) for each in range(WRITERS)]
        for writer in writers:
            writer.start()
        assert server.is_enough.wait(SECONDS_MAX)
        server.process.send_signal(ending)
        code = server.process.wait(SECONDS_MAX)
        for writer in writers:
            writer.join(SECONDS_MAX)
        assert code == (0 if ending == signal.SIGTERM else -signal.SIGKILL)
        assert server.acknowledged <= server.kept()


def test_a_second_signal_ends_at_once_what_a_first_one_waits_for(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        host, _, port = server.address.removeprefix("http://").rpartition(":")
        with socket.create_connection((host, int(port)), timeout=SECONDS_MAX) as unfinished:
            unfinished.sendall(
                b"POST /v1/recall HTTP/1.1\r\nhost: localhost\r\nexpect: 100-continue\r\n"
                b"content-type: application/json\r\ncontent-length: 9\r\n\r\n{"
            )
            assert unfinished.recv(25).startswith(b"HTTP/1.1 100")  # it waits for the rest
            server.process.send_signal(signal.SIGTERM)
            with suppress(ConnectionError):
                while True:  # until nobody is taken any more: it is stopping
                    with socket.create_connection((host, int(port)), timeout=SECONDS_MAX):
                        pass
            assert server.process.poll() is None
            server.process.send_signal(signal.SIGTERM)
            assert server.process.wait(SECONDS_MAX) == 128 + signal.SIGTERM


def test_a_write_whose_server_was_killed_is_not_done_twice(tmp_path: Path) -> None:
    asked = {"subject": "mira", "predicate": "lives_in", "value": "Oslo"}
    headers = {"idempotency-key": "one"}
    with served(tmp_path) as server:
        first = httpx2.post(f"{server.address}/v1/remember_fact", json=asked, headers=headers)
        httpx2.post(f"{server.address}/v1/remember_fact", json={**asked, "value": "Bergen"})
        server.process.kill()
        server.process.wait(SECONDS_MAX)
    with served(tmp_path) as server:
        again = httpx2.post(f"{server.address}/v1/remember_fact", json=asked, headers=headers)
        assert again.content == first.content
        facts = httpx2.post(f"{server.address}/v1/recall_facts", json={"subject": "mira"}).json()
        assert [each["value"] for each in facts["beliefs"]] == ["Bergen"]
