"""What is told to who has no key, however often it is asked."""

import socket
import threading
from collections.abc import Generator
from contextlib import ExitStack
from pathlib import Path

import pytest

from recense.errors import StoreBusy
from recense.limits import HTTP_THREADS
from recense.servers.http import health
from tests.servers.http.serving_world import SECONDS_MAX, RunningServer, problem, read_all, running

PROBES = 2 * HTTP_THREADS
PROBE = b"GET /readyz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"


class HeldStore:
    """A store that answers who asks for its namespaces when it is let, and counts how often."""

    def __init__(self) -> None:
        self.asked = 0
        self.is_asked = threading.Event()
        self.may_answer = threading.Event()

    def names(self) -> tuple[str, ...]:
        self.asked += 1
        self.is_asked.set()
        assert self.may_answer.wait(SECONDS_MAX)
        return ()


@pytest.fixture
def alone(tmp_path: Path) -> Generator[RunningServer]:
    """A server that nobody else asks."""
    with running(tmp_path) as answering:
        yield answering


def test_probes_by_strangers_take_one_thread_however_many_they_are(
    alone: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = HeldStore()
    key = alone.key()
    monkeypatch.setattr(alone.server.namespaces, "names", store.names)
    with ExitStack() as closing:
        closing.callback(store.may_answer.set)
        probes = [
            closing.enter_context(
                socket.create_connection(alone.socket_address, timeout=SECONDS_MAX)
            )
            for _ in range(PROBES)
        ]
        for probe in probes:
            probe.sendall(PROBE)
        assert store.is_asked.wait(SECONDS_MAX)
        with alone.client(key) as client:
            assert client.post("/v1/recall_facts", json={}).status_code == 200
        store.may_answer.set()
        assert all(read_all(probe).startswith(b"HTTP/1.1 200 ") for probe in probes)
        with alone.client() as client:
            assert client.get("/readyz").status_code == 200
    assert store.asked == 1


def test_a_probe_that_is_given_up_takes_the_answer_from_nobody_else(
    alone: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = HeldStore()
    monkeypatch.setattr(alone.server.namespaces, "names", store.names)
    with socket.create_connection(alone.socket_address, timeout=SECONDS_MAX) as first:
        first.sendall(PROBE)
        assert store.is_asked.wait(SECONDS_MAX)
    with socket.create_connection(alone.socket_address, timeout=SECONDS_MAX) as second:
        second.sendall(PROBE)
        store.may_answer.set()
        assert read_all(second).startswith(b"HTTP/1.1 200 ")


def test_a_store_that_cannot_be_asked_is_not_ready_and_is_once_it_can(
    alone: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "READINESS_SECONDS", 0.0)

    def busy() -> tuple[str, ...]:
        raise StoreBusy("the database is locked by a secret process")

    with alone.client() as client:
        with monkeypatch.context() as broken:
            broken.setattr(alone.server.namespaces, "names", busy)
            refused = client.get("/readyz")
        assert problem(refused).code == "server_busy"
        assert "secret" not in refused.text
        alone.log.line_with('"not_ready"')
        assert client.get("/readyz").status_code == 200
