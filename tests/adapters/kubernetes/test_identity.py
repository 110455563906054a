"""Whose a token is: as the cluster says, over TLS on loopback, and nobody's where it does not."""

from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Final

import msgspec
import pytest

from recense.errors import IdentityRefused, IdentityUnavailable, RecenseError, SettingsInvalid
from recense.limits import CLUSTER_REPLY_BYTES_MAX
from recense.operations.identity import ExchangeToken
from recense.ports.identity import WorkloadIdentity
from recense.testing.cluster import ClusterServer, Instead, IssuedToken
from recense.wiring.identity import kubernetes_exchange, kubernetes_options
from tests.adapters.kubernetes.world import (
    AUDIENCE,
    OWN_TOKEN,
    POD,
    POD_PATH,
    POD_UID,
    TENANT,
    Authority,
    ClusterWorld,
    cluster_world,
)

REVIEWS: Final = "/apis/authentication.k8s.io/v1/tokenreviews"
NAMESPACE: Final = f"/api/v1/namespaces/{TENANT}"
SANDBOX: Final = f"/apis/agents.x-k8s.io/v1alpha1/namespaces/{TENANT}/sandboxes/box"
CLAIM: Final = f"/apis/extensions.agents.x-k8s.io/v1alpha1/namespaces/{TENANT}/sandboxclaims/mira"
OWNED_BY_SANDBOX: Final = ("agents.x-k8s.io/v1alpha1", "Sandbox", "box", "uid-of-box")
OWNED_BY_CLAIM: Final = (
    "extensions.agents.x-k8s.io/v1alpha1",
    "SandboxClaim",
    "mira",
    "uid-of-mira",
)
CLERK: Final = WorkloadIdentity(tenant=TENANT, agent=POD)


@pytest.fixture(scope="module")
def authority() -> Authority:
    """The authority of the cluster."""
    return Authority("the cluster")


@pytest.fixture
def world(tmp_path: Path, authority: Authority) -> Generator[ClusterWorld]:
    """A cluster with a pod in it."""
    with cluster_world(tmp_path, authority) as world:
        yield world


def owned(world: ClusterWorld, owner: tuple[str, str, str, str] | None) -> None:
    world.cluster.put(POD_PATH, POD_UID, owner=owner, serviceAccountName="clerk")


def refused(world: ClusterWorld, **fields: object) -> IdentityRefused:
    with pytest.raises(IdentityRefused) as error:
        world.identities(**fields).identify(world.token)
    return error.value


def unavailable(world: ClusterWorld, **fields: object) -> IdentityUnavailable:
    with pytest.raises(IdentityUnavailable) as error:
        world.identities(**fields).identify(world.token)
    assert error.value.retryable
    return error.value


def test_a_pod_is_the_agent_and_its_namespace_the_tenant(world: ClusterWorld) -> None:
    assert world.identities().identify(world.token) == CLERK
    assert [(method, path) for method, path, _ in world.cluster.asked] == [
        ("POST", REVIEWS),
        ("GET", POD_PATH),
    ]
    assert {bearer for _, _, bearer in world.cluster.asked} == {f"Bearer {OWN_TOKEN}"}


def test_the_claim_that_owns_the_pods_sandbox_is_the_agent(world: ClusterWorld) -> None:
    owned(world, OWNED_BY_SANDBOX)
    world.cluster.put(SANDBOX, "uid-of-box", owner=OWNED_BY_CLAIM)
    world.cluster.put(CLAIM, "uid-of-mira")
    assert world.identities().identify(world.token).agent == "mira"
    owned(world, OWNED_BY_CLAIM)
    assert world.identities().identify(world.token).agent == "mira"


def test_owners_of_other_kinds_name_nobody(world: ClusterWorld) -> None:
    for owner in (
        ("apps/v1", "ReplicaSet", "rs", "uid-of-rs"),
        ("example.org/v1alpha1", "SandboxClaim", "mira", "uid-of-mira"),
        ("agents.x-k8s.io/v1alpha1", "SandboxClaim", "mira", "uid-of-mira"),
        ("v1", "SandboxClaim", "mira", "uid-of-mira"),
    ):
        owned(world, owner)
        assert world.identities().identify(world.token) == CLERK
    owned(world, OWNED_BY_SANDBOX)
    world.cluster.put(SANDBOX, "uid-of-box")
    assert world.identities().identify(world.token) == CLERK
    world.cluster.put(SANDBOX, "uid-of-box", owner=("apps/v1", "Deployment", "d", "uid-of-d"))
    assert world.identities().identify(world.token) == CLERK


def test_an_owner_that_is_gone_or_another_of_its_name_lets_nobody_in(world: ClusterWorld) -> None:
    owned(world, OWNED_BY_CLAIM)
    assert "SandboxClaim that owns the pod is gone" in refused(world).message
    world.cluster.put(CLAIM, "uid-of-a-later-mira")
    assert "SandboxClaim that owns the pod is gone" in refused(world).message
    owned(world, OWNED_BY_SANDBOX)
    assert "Sandbox that owns the pod is gone" in refused(world).message
    for version, name in (("v1/../../x", "box"), ("v1alpha1", "../pods"), ("v1alpha1", "b?x=1")):
        owned(world, (f"agents.x-k8s.io/{version}", "Sandbox", name, "uid-of-box"))
        refused(world)
    assert not any(".." in path or "?" in path for _, path, _ in world.cluster.asked)


def test_a_tenant_is_what_the_label_of_the_namespace_says(world: ClusterWorld) -> None:
    label = "recense.example/tenant"
    assert "has no label" in refused(world, tenant_label=label).message
    world.cluster.put(NAMESPACE, "uid-of-ns", labels={"recense.example/other": "x"})
    assert "has no label" in refused(world, tenant_label=label).message
    world.cluster.put(NAMESPACE, "uid-of-ns", labels={label: "acme"})
    assert world.identities(tenant_label=label).identify(world.token) == WorkloadIdentity(
        tenant="acme", agent=POD
    )


def test_a_token_for_another_audience_proves_nothing(world: ClusterWorld) -> None:
    for audiences in ((ClusterServer.audience,), ("somebody-else",), ("recense-2",)):
        world.cluster.tokens[world.token] = IssuedToken(
            namespace=TENANT, account="clerk", audiences=audiences, pod=POD, pod_uid=POD_UID
        )
        assert "does not hold" in refused(world).message
    world.cluster.tokens[world.token] = IssuedToken(
        namespace=TENANT,
        account="clerk",
        audiences=("another", AUDIENCE),
        pod=POD,
        pod_uid=POD_UID,
    )
    assert world.identities().identify(world.token) == CLERK


def test_a_token_that_is_unknown_expired_or_bound_to_no_pod_proves_nothing(
    world: ClusterWorld,
) -> None:
    world.cluster.now = 3_600
    assert "does not hold" in refused(world).message
    world.cluster.now = 0
    assert world.identities().identify(world.token) == CLERK
    with pytest.raises(IdentityRefused, match="does not hold"):
        world.identities().identify("some.other.token")
    world.cluster.tokens[world.token] = IssuedToken(
        namespace=TENANT, account="clerk", audiences=(AUDIENCE,)
    )
    assert "bound to no pod" in refused(world).message


def test_a_pod_that_is_deleted_or_replaced_is_let_in_no_more(world: ClusterWorld) -> None:
    pod = world.cluster.objects.pop(POD_PATH)
    assert "does not hold" in refused(world).message
    reviewed = {"authenticated": True, "audiences": [AUDIENCE], "user": reviewed_user()}
    said(world, reviewed)  # the pod goes between the review and the look at it
    assert "the pod of this token is gone" in refused(world).message
    world.cluster.put(POD_PATH, "uid-of-another", serviceAccountName="clerk")
    assert "the pod of this token is gone" in refused(world).message
    metadata = msgspec.convert(pod["metadata"], dict[str, object])
    ending = {**metadata, "deletionTimestamp": "2026-01-31T09:30:00Z"}
    world.cluster.objects[POD_PATH] = {**pod, "metadata": ending}
    assert "the pod of this token is gone" in refused(world).message
    world.cluster.put(POD_PATH, POD_UID, serviceAccountName="another")
    assert "another service account" in refused(world).message


def reviewed_user(**changed: object) -> dict[str, object]:
    return {
        "username": f"system:serviceaccount:{TENANT}:clerk",
        "uid": "u",
        "groups": [],
        "extra": {
            "authentication.kubernetes.io/pod-name": [POD],
            "authentication.kubernetes.io/pod-uid": [POD_UID],
        },
        **changed,
    }


def said(world: ClusterWorld, status: Mapping[str, object]) -> None:
    """Let the API server say a status of whatever token."""
    review = {"kind": "TokenReview", "apiVersion": "authentication.k8s.io/v1", "status": status}
    world.cluster.instead[REVIEWS] = Instead(status=201, body=msgspec.json.encode(review))


HOLDS: Final = {"authenticated": True, "audiences": [AUDIENCE], "user": reviewed_user()}
EXTRA: Final = "authentication.kubernetes.io"


@pytest.mark.parametrize(
    "status",
    [
        {},
        {"authenticated": False},
        {**HOLDS, "authenticated": False},
        {**HOLDS, "error": "the authenticator is away"},
        {name: it for name, it in HOLDS.items() if name != "audiences"},
        {**HOLDS, "audiences": []},
        {**HOLDS, "audiences": ["somebody-else"]},
        {**HOLDS, "user": {}},
        {**HOLDS, "user": reviewed_user(username="mira")},
        {**HOLDS, "user": reviewed_user(username="system:serviceaccount:harbour")},
        {**HOLDS, "user": reviewed_user(username="system:serviceaccount:../x:clerk")},
        {**HOLDS, "user": reviewed_user(username="system:serviceaccount:a:b:clerk")},
        {**HOLDS, "user": reviewed_user(username="system:node:harbour")},
        {**HOLDS, "user": reviewed_user(extra={})},
        {**HOLDS, "user": reviewed_user(extra={f"{EXTRA}/pod-name": [POD]})},
        {
            **HOLDS,
            "user": reviewed_user(
                extra={f"{EXTRA}/pod-name": [POD, "b"], f"{EXTRA}/pod-uid": [POD_UID]}
            ),
        },
        {
            **HOLDS,
            "user": reviewed_user(
                extra={f"{EXTRA}/pod-name": ["../x"], f"{EXTRA}/pod-uid": [POD_UID]}
            ),
        },
    ],
    ids=str,
)
def test_a_review_that_lacks_anything_lets_nobody_in(
    world: ClusterWorld, status: Mapping[str, object]
) -> None:
    said(world, status)
    refused(world)
    assert len(world.cluster.asked) == 1  # nothing more is asked about it


@pytest.mark.parametrize("status", [200, 201])
def test_a_review_that_holds_lets_in(world: ClusterWorld, status: int) -> None:
    said(world, HOLDS)
    world.cluster.instead[REVIEWS] = msgspec.structs.replace(
        world.cluster.instead[REVIEWS], status=status
    )
    assert world.identities().identify(world.token) == CLERK


@pytest.mark.parametrize("path", [REVIEWS, POD_PATH, NAMESPACE, SANDBOX])
@pytest.mark.parametrize("status", [302, 401, 403, 409, 429, 500, 503])
def test_what_the_api_server_refuses_lets_nobody_in_and_may_be_tried_again(
    world: ClusterWorld, path: str, status: int
) -> None:
    owned(world, OWNED_BY_SANDBOX)
    world.cluster.put(SANDBOX, "uid-of-box")
    world.cluster.put(NAMESPACE, "uid-of-ns", labels={"tenant": "acme"})
    moved = {"Location": world.cluster.address} if status == 302 else {}
    world.cluster.instead[path] = Instead(status=status, body=b"{}", headers=moved)
    if path == NAMESPACE:  # the pod's path begins like it
        del world.cluster.instead[path]
        world.cluster.instead[POD_PATH] = _as_it_is(world, POD_PATH)
        world.cluster.instead[path] = Instead(status=status, body=b"{}", headers=moved)
    error = unavailable(world, tenant_label="tenant")
    assert f"status {status}" in error.message
    if status in {401, 403}:
        assert "rbac.yaml" in error.hint


def _as_it_is(world: ClusterWorld, path: str) -> Instead:
    return Instead(body=msgspec.json.encode(world.cluster.objects[path]))


def test_a_server_that_is_not_allowed_to_ask_says_what_it_lacks(world: ClusterWorld) -> None:
    world.cluster.denied.add(REVIEWS)
    assert "does not let this server ask for tokenreviews" in unavailable(world).message
    world.cluster.denied.clear()
    world.cluster.denied.add(POD_PATH)
    assert "does not let this server ask for pods" in unavailable(world).message
    world.cluster.denied.clear()
    (world.folder / "token").write_text("an.older.token", encoding="ascii")
    assert "status 401" in unavailable(world).message
    world.cluster.own_token = "an.older.token"
    assert world.identities().identify(world.token) == CLERK


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>sign in</html>",
        b"[]",
        b'{"kind": "Status", "status": "Failure"}',
        b'{"kind": "SubjectAccessReview", "status": {"authenticated": true}}',
        b'{"kind": "TokenReview", "status": {"authenticated": "true"}}',
        b'{"kind": "TokenReview", "status": null}',
        b'{"kind": "TokenReview", "status": {"user": {"extra": {"a": "b"}}}}',
        b"\xff\xfe",
        b"[" * 100_000,
    ],
    ids=lambda body: repr(body[:40]),
)
def test_an_answer_that_is_none_lets_nobody_in(world: ClusterWorld, body: bytes) -> None:
    world.cluster.instead[REVIEWS] = Instead(status=201, body=body)
    unavailable(world)


def test_an_answer_without_end_is_not_waited_for(world: ClusterWorld) -> None:
    world.cluster.instead[REVIEWS] = Instead(is_hanging=True)
    assert "cannot be asked" in unavailable(world, seconds_max=0.2).message
    world.cluster.instead[REVIEWS] = Instead(body=b" " * 1_000, pause_seconds=0.05)
    assert "no whole answer in 0.2 s" in unavailable(world, seconds_max=0.2).message
    world.cluster.instead[REVIEWS] = Instead(body=b" " * (CLUSTER_REPLY_BYTES_MAX + 1))
    assert f"more than {CLUSTER_REPLY_BYTES_MAX} bytes" in unavailable(world).message


def test_nobody_else_is_asked_than_who_the_clusters_authority_vouches_for(
    world: ClusterWorld, tmp_path: Path, authority: Authority
) -> None:
    Authority("another").write(tmp_path / "ca.crt")
    assert "cannot be asked" in unavailable(world).message
    assert world.cluster.asked == []
    authority.write(tmp_path / "ca.crt")
    assert world.identities().identify(world.token) == CLERK


def test_a_certificate_for_another_address_is_not_taken(
    tmp_path: Path, authority: Authority
) -> None:
    authority.write(tmp_path / "ca.crt")
    elsewhere = authority.serving(tmp_path, "127.0.0.2")
    with ClusterServer(elsewhere, OWN_TOKEN) as cluster:
        assert "cannot be asked" in unavailable(ClusterWorld(cluster, tmp_path)).message
        assert cluster.asked == []


def test_an_api_server_that_is_away_lets_nobody_in(tmp_path: Path, authority: Authority) -> None:
    with cluster_world(tmp_path, authority) as world:
        identities = world.identities()
    with pytest.raises(IdentityUnavailable, match="cannot be asked"):
        identities.identify(world.token)


@pytest.mark.parametrize("content", [None, b"", b"two words", b"\xff", b"a\nb"])
def test_without_a_token_of_its_own_a_server_asks_nothing(
    world: ClusterWorld, content: bytes | None
) -> None:
    (world.folder / "token").unlink()
    if content is not None:
        (world.folder / "token").write_bytes(content)
    assert "automountServiceAccountToken" in unavailable(world).hint
    (world.folder / "token").write_text(OWN_TOKEN, encoding="ascii")
    (world.folder / "ca.crt").unlink()
    unavailable(world)
    (world.folder / "ca.crt").write_bytes(b"no certificate")
    unavailable(world)
    assert world.cluster.asked == []


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:1", "https://", "127.0.0.1:1", "https://a/b"]
)
def test_only_https_is_asked(world: ClusterWorld, address: str) -> None:
    with pytest.raises(SettingsInvalid):
        world.identities(address=address)
    with pytest.raises(SettingsInvalid, match="audience"):
        world.identities(audience=" ")


def test_no_message_has_a_token_or_what_the_api_server_sent(world: ClusterWorld) -> None:
    leaky = b'{"kind": "Status", "message": "a.pods.token was own.token.of-this-server"}'
    seen: list[RecenseError] = []
    for status in (201, 401, 403, 500):
        world.cluster.instead[REVIEWS] = Instead(status=status, body=leaky)
        seen.append(unavailable(world))
    said(world, {"error": "a.pods.token: own.token.of-this-server"})
    seen.append(refused(world))
    for error in seen:
        assert world.token not in f"{error.message} {error.hint} {error!r}"
        assert OWN_TOKEN not in f"{error.message} {error.hint} {error!r}"


def test_the_token_of_a_pod_becomes_a_key_for_it(world: ClusterWorld) -> None:
    exchange = world.exchange()
    issued = exchange.exchange(ExchangeToken(token=world.token))
    credential = world.keys.check(issued.key)
    assert (credential.namespace, credential.agent) == (TENANT, POD)
    world.cluster.objects.pop(POD_PATH)
    with pytest.raises(IdentityRefused):
        exchange.exchange(ExchangeToken(token=world.token))


def test_a_server_inside_of_a_cluster_knows_whom_to_ask() -> None:
    environment = {"KUBERNETES_SERVICE_HOST": "10.0.0.1", "KUBERNETES_SERVICE_PORT": "443"}
    options = kubernetes_options("recense", environment, tenant_label="tenant")
    assert options.address == "https://10.0.0.1:443"
    assert (options.audience, options.tenant_label) == ("recense", "tenant")
    assert options.folder == "/var/run/secrets/kubernetes.io/serviceaccount"
    environment["KUBERNETES_SERVICE_HOST"] = "fd00::1"
    assert kubernetes_options("recense", environment).address == "https://[fd00::1]:443"
    with pytest.raises(SettingsInvalid, match="runs in no Kubernetes cluster"):
        kubernetes_options("recense", {"KUBERNETES_SERVICE_HOST": "10.0.0.1"})


def test_what_exchanges_is_made_from_options_and_keys(world: ClusterWorld) -> None:
    exchange = kubernetes_exchange(world.options(), world.keys)
    assert exchange.exchange(ExchangeToken(token=world.token)).agent == POD
