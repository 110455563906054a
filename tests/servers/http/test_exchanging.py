"""A pod that has no key gets one for its token, through the door, and for nothing else."""

from collections.abc import Generator
from pathlib import Path

import httpx2
import msgspec
import pytest

from recense.errors import SettingsInvalid
from recense.operations.agent_calls import AcquireAgent
from recense.operations.keys import KeyIssued
from recense.servers.http.options import ServeOptions
from recense.testing.cluster import Instead
from recense.wiring import identity
from tests.adapters.kubernetes.world import (
    AUDIENCE,
    POD,
    POD_PATH,
    TENANT,
    Authority,
    ClusterWorld,
    cluster_world,
)
from tests.servers.http.serving_world import RunningServer, problem, running

PATH = "/v1/identity/kubernetes"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Generator[ClusterWorld]:
    """A cluster with a pod in it."""
    with cluster_world(tmp_path_factory.mktemp("cluster"), Authority("the cluster")) as world:
        yield world


@pytest.fixture(scope="module")
def served(
    world: ClusterWorld, tmp_path_factory: pytest.TempPathFactory
) -> Generator[RunningServer]:
    """A server of ours that runs in the cluster."""
    host, _, port = world.cluster.address.removeprefix("https://").partition(":")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("KUBERNETES_SERVICE_HOST", host)
        patched.setenv("KUBERNETES_SERVICE_PORT", port)
        patched.setattr(identity, "_MOUNTED", str(world.folder))
        with running(
            tmp_path_factory.mktemp("served"), ServeOptions(kubernetes=AUDIENCE)
        ) as answering:
            yield answering


@pytest.fixture(autouse=True)
def _as_it_was(world: ClusterWorld) -> Generator[None]:
    yield
    world.cluster.instead.clear()


def asked(served: RunningServer, body: object) -> httpx2.Response:
    with served.client() as client:
        return client.post(PATH, json=body)


def test_a_pod_gets_a_key_by_which_it_is_itself_and_nobody_else(
    served: RunningServer, world: ClusterWorld
) -> None:
    answer = asked(served, {"token": world.token})
    assert answer.status_code == 200
    issued = msgspec.json.decode(answer.content, type=KeyIssued)
    assert (issued.namespace, issued.agent) == (TENANT, POD)
    with served.client(issued.key) as pod:
        mine, other = (
            pod.post(
                "/v1/agent_acquire",
                content=msgspec.json.encode(AcquireAgent(agent=name)),
                headers={"content-type": "application/json"},
            )
            for name in (POD, "another")
        )
    assert mine.status_code == 200
    assert problem(other).code == "identity_mismatch"


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"token": "another.pods.token"}, 401, "identity_refused"),
        ({"token": "no token"}, 401, "identity_refused"),
        ({}, 400, "invalid_request"),
        ({"token": 7}, 400, "invalid_request"),
        ({"token": "a.pods.token", "agent": "another"}, 400, "invalid_request"),
        ({"token": "a.pods.token", "namespace": "another"}, 400, "invalid_request"),
    ],
    ids=str,
)
def test_what_proves_nothing_gets_a_problem(
    served: RunningServer, body: object, status: int, code: str
) -> None:
    found = problem(asked(served, body))
    assert (found.status, found.code) == (status, code)


def test_where_the_cluster_cannot_be_asked_it_may_be_tried_again(
    served: RunningServer, world: ClusterWorld
) -> None:
    world.cluster.instead[POD_PATH] = Instead(status=500, body=b"{}")
    answer = asked(served, {"token": world.token})
    assert problem(answer).code == "identity_unavailable"
    assert answer.status_code == 503
    assert "retry-after" in answer.headers


def test_a_server_that_was_not_told_to_exchanges_nothing(server: RunningServer) -> None:
    assert problem(asked(server, {"token": "a.pods.token"})).code == "not_found"


def test_outside_of_a_cluster_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    with (
        pytest.raises(SettingsInvalid, match="runs in no Kubernetes cluster"),
        running(tmp_path, ServeOptions(kubernetes=AUDIENCE)),
    ):
        pass


def test_no_line_of_the_log_has_a_token_or_a_key(
    served: RunningServer, world: ClusterWorld
) -> None:
    key = msgspec.json.decode(asked(served, {"token": world.token}).content, type=KeyIssued).key
    asked(served, {"token": "another.pods.token"})
    logged = served.log.getvalue().decode()
    assert PATH in logged
    for secret in (world.token, "another.pods.token", key):
        assert secret not in logged
