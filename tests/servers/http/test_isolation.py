"""Isolation over HTTP: tenants with names that look alike, asked by fifty threads at once. What one
says is in no answer, no stream of changes, no file and no log line of another.

RECENSE_TEST_ISOLATION_SECONDS says for how long; a few seconds otherwise.
"""

import os
import threading
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from time import monotonic

import httpx2
import pytest

from recense.limits import UPLOADS_AT_ONCE_MAX
from recense.operations.keys import IssueKey
from recense.settings.layers import store_file
from tests.end_to_end.test_namespace_isolation import TERM, canary, image, write_session
from tests.servers.http.serving_world import RunningServer, problem, running

TENANTS = ("a", "ab", "a.b", "a_b", "A", "a:b")
THREADS = 50
SECONDS = float(os.environ.get("RECENSE_TEST_ISOLATION_SECONDS", "3"))
WAIT_SECONDS = SECONDS + 120
_UPLOADING = threading.BoundedSemaphore(UPLOADS_AT_ONCE_MAX - 1)


@pytest.fixture
def served(tmp_path: Path) -> Generator[RunningServer]:
    with running(tmp_path / "served") as server:
        yield server


class _Tenant:
    """What one tenant says and is answered, by several threads."""

    def __init__(self, server: RunningServer, name: str, folder: Path) -> None:
        self.name = name
        self.folder = folder
        self.answers = 0
        self.canaries = 0
        self.streamed = bytearray()
        self.key = server.key(name)
        self._foreign = [canary(each).encode() for each in TENANTS if each != name]
        self._foreign += [image(each)[-64:] for each in TENANTS if each != name]

    def take(self, answer: httpx2.Response) -> httpx2.Response:
        """Look into an answer, which has to be a good one."""
        assert answer.status_code == 200, answer.text
        self.look_into(answer.content)
        self.answers += 1
        self.canaries += canary(self.name).encode() in answer.content
        return answer

    def look_into(self, content: bytes) -> None:
        """No canary of another stands in these bytes."""
        assert [each for each in self._foreign if each in content] == []

    def work(self, client: httpx2.Client, name: str) -> None:
        """Bring a session in, say something, and ask for it in every way."""
        mine = canary(self.name)
        path = write_session(self.folder, self.name, name)
        with _UPLOADING:  # the server takes so many at a time
            self.take(
                client.post(
                    f"/v1/import?source=claude_code&name={path.name}",
                    content=path.read_bytes(),
                    headers={"content-type": "application/x-ndjson"},
                )
            )
        asked: tuple[tuple[str, dict[str, object]], ...] = (
            ("remember", {"text": f"The {TERM} {name} stands at {mine}."}),
            ("remember_fact", {"subject": TERM, "predicate": "place", "value": f"{mine} {name}"}),
            ("search_facts", {"text": f"where does the {TERM} stand"}),
            ("grep", {"pattern": "canary"}),
            ("list_sessions", {"limit": 50}),
            ("list_keys", {}),
        )
        for operation, body in asked:
            self.take(client.post(f"/v1/{operation}", json=body))
        found = self.take(client.post("/v1/recall", json={"terms": [TERM], "limit": 25})).json()
        for material in found["materials"][:2]:
            self.take(client.get(f"/v1/materials/{material['id']}"))
        session = found["passages"][0]["session"]
        self.take(client.get(f"/v1/sessions/{session}"))

    def follow(self, client: httpx2.Client, opened: threading.Barrier) -> None:
        """Take what is told of changes until the server stops telling."""
        with suppress(httpx2.HTTPError), client.stream("GET", "/v1/changes") as stream:
            pieces = stream.iter_raw()
            self.streamed += next(pieces)
            opened.wait(WAIT_SECONDS)
            for piece in pieces:
                self.streamed += piece


def test_no_byte_of_one_tenant_reaches_another_while_fifty_threads_ask(
    served: RunningServer, tmp_path: Path
) -> None:
    sources = tmp_path / "sources"
    sources.mkdir()
    tenants = [_Tenant(served, name, sources) for name in TENANTS]
    opened = threading.Barrier(THREADS)
    until = monotonic() + SECONDS

    def run(number: int) -> None:
        tenant = tenants[number % len(tenants)]
        with served.client(tenant.key) as client:
            if number < len(tenants):
                tenant.follow(client, opened)
                return
            opened.wait(WAIT_SECONDS)
            done = 0
            while not done or monotonic() < until:
                tenant.work(client, f"t{number}n{done}")
                done += 1

    with ThreadPoolExecutor(THREADS) as pool:
        asking = [pool.submit(run, number) for number in range(THREADS)]
        try:
            for each in asking[len(tenants) :]:
                each.result(WAIT_SECONDS)
        finally:
            opened.abort()
            served.server.stop()
        for each in asking[: len(tenants)]:
            each.result(WAIT_SECONDS)
    for tenant in tenants:
        assert tenant.canaries > THREADS // len(TENANTS)
        assert canary(tenant.name).encode() in tenant.streamed
        tenant.look_into(bytes(tenant.streamed))
    assert b"canary" not in served.log.getvalue()
    _assert_files_apart(served, tenants, tmp_path)


def _assert_files_apart(served: RunningServer, tenants: list[_Tenant], folder: Path) -> None:
    kept = {store_file(served.server.listening.store, tenant.name): tenant for tenant in tenants}
    for path in (each for each in (folder / "served").rglob("*") if each.is_file()):
        content = path.read_bytes()
        owner = next((who for name, who in kept.items() if name and name in str(path)), None)
        if owner is None:
            assert b"canary" not in content, path
        else:
            owner.look_into(content)


def test_a_name_that_is_no_namespace_is_refused_before_a_key_is_made(
    served: RunningServer,
) -> None:
    with served.client(served.key()) as client:
        for name in ("a%", "", "../a", "a/b", "a\x00", "ä"):
            refused = problem(client.post("/v1/issue_key", json={"namespace": name}))
            assert refused.code in {"namespace_invalid", "identity_mismatch"}


def test_an_administrator_issues_keys_for_the_own_namespace_alone(served: RunningServer) -> None:
    with served.client(served.key("a")) as client:
        refused = problem(client.post("/v1/issue_key", json={"namespace": "ab"}))
        assert (refused.status, refused.code) == (403, "identity_mismatch")


def test_a_key_that_was_revoked_is_refused_within_five_seconds(served: RunningServer) -> None:
    issued = served.server.namespaces.keys.issue(IssueKey(namespace="a"))
    with served.client(served.key("a")) as admin, served.client(issued.key) as client:
        assert client.post("/v1/recall_facts", json={}).status_code == 200
        assert admin.post("/v1/revoke_key", json={"id": issued.id}).status_code == 200
        refused = problem(client.post("/v1/recall_facts", json={}))
    assert (refused.status, refused.code) == (401, "key_refused")
