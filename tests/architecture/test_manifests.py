"""The manifests of deploy/kubernetes are of the shape that a cluster takes, and fit each other."""

from functools import cache

import msgspec
import pytest
import yaml  # comes with schemathesis

from recense.limits import SERVER_PORT_DEFAULT
from tests.conftest import PROJECT

FOLDER = PROJECT / "deploy" / "kubernetes"

Manifest = dict[str, object]

CLUSTER_WIDE = {"Namespace", "ClusterRole", "ClusterRoleBinding"}
VERSIONS = {
    "ClusterRole": "rbac.authorization.k8s.io/v1",
    "ClusterRoleBinding": "rbac.authorization.k8s.io/v1",
    "Namespace": "v1",
    "NetworkPolicy": "networking.k8s.io/v1",
    "Pod": "v1",
    "Service": "v1",
    "ServiceAccount": "v1",
    "StatefulSet": "apps/v1",
}


class Names(msgspec.Struct):
    """What an object is known by."""

    name: str
    namespace: str | None = None


class Object(msgspec.Struct, rename="camel"):
    """What every object has."""

    api_version: str
    kind: str
    metadata: Names


class Rule(msgspec.Struct, rename="camel"):
    """What a role allows."""

    api_groups: list[str]
    resources: list[str]
    verbs: list[str]


class Port(msgspec.Struct, rename="camel"):
    """A port of a container or a service."""

    name: str
    port: int = 0
    container_port: int = 0


class Container(msgspec.Struct, rename="camel"):
    """A container, as far as it is looked at here."""

    image: str
    args: list[str] = []
    ports: list[Port] = []
    volume_mounts: list[dict[str, object]] = []
    security_context: dict[str, object] = {}


class PodSpec(msgspec.Struct, rename="camel"):
    """A pod, as far as it is looked at here."""

    service_account_name: str
    automount_service_account_token: bool
    containers: list[Container]
    volumes: list[dict[str, object]] = []


@cache
def manifests() -> list[Manifest]:
    """Return every manifest, in order of the files."""
    return [
        msgspec.convert(each, Manifest)
        for file in sorted(FOLDER.glob("*.yaml"))
        for each in yaml.safe_load_all(file.read_text(encoding="utf-8"))
    ]


def at(manifest: Manifest, *path: str) -> object:
    """Return what lies under names in a manifest."""
    found: object = manifest
    for name in path:
        found = msgspec.convert(found, dict[str, object])[name]
    return found


def of_kind(kind: str) -> list[Manifest]:
    return [each for each in manifests() if each["kind"] == kind]


def pods() -> list[PodSpec]:
    made = [at(each, "spec", "template", "spec") for each in of_kind("StatefulSet")]
    return msgspec.convert([*made, *(each["spec"] for each in of_kind("Pod"))], list[PodSpec])


def test_every_object_has_its_version_and_a_name_and_lies_in_a_namespace_that_is_made() -> None:
    objects = msgspec.convert(manifests(), list[Object])
    made = {each.metadata.name for each in objects if each.kind == "Namespace"}
    assert made == {"recense", "harbour"}
    for each in objects:
        assert each.api_version == VERSIONS[each.kind]
        assert (each.metadata.namespace in made) == (each.kind not in CLUSTER_WIDE)
    known = [(each.kind, each.metadata.namespace, each.metadata.name) for each in objects]
    assert len(set(known)) == len(known)


def test_the_server_may_ask_what_it_asks_and_change_nothing() -> None:
    (role,) = of_kind("ClusterRole")
    rules = msgspec.convert(role["rules"], list[Rule])
    allowed = {
        (group, resource): each.verbs
        for each in rules
        for group in each.api_groups
        for resource in each.resources
    }
    assert allowed == {
        ("authentication.k8s.io", "tokenreviews"): ["create"],
        ("", "pods"): ["get"],
        ("", "namespaces"): ["get"],
        ("agents.x-k8s.io", "sandboxes"): ["get"],
        ("extensions.agents.x-k8s.io", "sandboxclaims"): ["get"],
    }
    (binding,) = of_kind("ClusterRoleBinding")
    assert at(binding, "roleRef", "name") == at(role, "metadata", "name")
    assert binding["subjects"] == [
        {"kind": "ServiceAccount", "name": "recense", "namespace": "recense"}
    ]


def test_accounts_are_made_and_a_token_for_the_api_server_is_the_servers_alone() -> None:
    made = {at(each, "metadata", "name") for each in of_kind("ServiceAccount")}
    assert not any(each["automountServiceAccountToken"] for each in of_kind("ServiceAccount"))
    assert {each.service_account_name for each in pods()} == made
    mounted = {each.service_account_name for each in pods() if each.automount_service_account_token}
    assert mounted == {"recense"}


@pytest.mark.parametrize("pod", pods(), ids=lambda pod: getattr(pod, "service_account_name", ""))
def test_every_image_has_a_version_and_every_mount_a_volume(pod: PodSpec) -> None:
    volumes = {each["name"] for each in pod.volumes} | {"data"}
    for container in pod.containers:
        assert ":" in container.image
        assert not container.image.endswith(":latest")
        assert {each["name"] for each in container.volume_mounts} <= volumes


def test_the_server_listens_where_the_service_leads_and_is_one_without_rights() -> None:
    (served,), (service,) = of_kind("StatefulSet"), of_kind("Service")
    assert at(served, "spec", "replicas") == 1
    labels = at(served, "spec", "template", "metadata", "labels")
    assert at(service, "spec", "selector") == labels
    assert at(served, "spec", "selector", "matchLabels") == labels
    (port,) = msgspec.convert(at(service, "spec", "ports"), list[Port])
    (container,) = pods()[0].containers
    assert port.port == container.ports[0].container_port == SERVER_PORT_DEFAULT
    assert f"--port={SERVER_PORT_DEFAULT}" in container.args
    assert container.security_context == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }


def test_an_agents_token_is_for_the_audience_of_the_server() -> None:
    server, agent = pods()
    (source,) = msgspec.convert(
        at(agent.volumes[0], "projected", "sources"), list[dict[str, dict[str, object]]]
    )
    audience = source["serviceAccountToken"]["audience"]
    assert f"--kubernetes={audience}" in server.containers[0].args
