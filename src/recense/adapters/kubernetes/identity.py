"""Whose the token of a service account is: asked of the cluster that issued it.

Laws:

- The token has to be for the audience of this server. One that is for the API server alone was
  given to somebody for another purpose.
- It has to be bound to a pod, which has to be there now, the very same, and not on its way out.
- The tenant is the namespace of the service account, or what a label of that namespace says. The
  label of a service account or of a pod says nothing: whoever works in a namespace can set those.
- The agent is the pod, or the SandboxClaim that owns it: through the Sandbox that controls the pod,
  each as the API server has it now, by name and uid. An owner of any other kind names nobody.
"""

import re
from typing import Final, NamedTuple

from recense.adapters.kubernetes.api_server import ApiServer, Asking
from recense.adapters.kubernetes.objects import (
    POD_NAME,
    POD_UID,
    ClusterObject,
    ClusterPod,
    ObjectMetadata,
    OwnerReference,
    ReviewAsked,
    ReviewedToken,
    ReviewedUser,
    ReviewToken,
)
from recense.adapters.kubernetes.options import KubernetesOptions
from recense.errors import IdentityRefused, IdentityUnavailable, SettingsInvalid
from recense.ports.clock import Clock
from recense.ports.identity import WorkloadIdentity

_REVIEWS: Final = "/apis/authentication.k8s.io/v1/tokenreviews"
_NAME: Final = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?")
"""The name of an object (RFC 1123), which is safe in a path."""

_USER: Final = re.compile(rf"system:serviceaccount:({_NAME.pattern}):({_NAME.pattern})")
_VERSION: Final = re.compile(r"v[0-9]+(?:(?:alpha|beta)[0-9]+)?")
_UID: Final = re.compile(r"[!-~]{1,128}")

_SANDBOXES: Final = ("agents.x-k8s.io", "Sandbox", "sandboxes")
_CLAIMS: Final = ("extensions.agents.x-k8s.io", "SandboxClaim", "sandboxclaims")


class _Bound(NamedTuple):
    """Whose a token is, as its review says."""

    namespace: str
    account: str
    pod: str
    pod_uid: str


class KubernetesIdentities:
    """A `recense.ports.identity.IdentityProvider` that asks a cluster."""

    def __init__(self, options: KubernetesOptions, clock: Clock) -> None:
        """Raises SettingsInvalid for an address that is not https, and for no audience."""
        if not options.audience.strip():
            raise SettingsInvalid(
                "the audience of this server is empty; expected a name for it",
                hint="name it, and project tokens for that name",
            )
        self._options: Final = options
        self._server: Final = ApiServer(options, clock)

    def identify(self, token: str) -> WorkloadIdentity:
        """Return whose a token is, as the port says."""
        with self._server.asked() as asking:
            bound = self._reviewed(asking, token)
            pod = _pod(asking, bound)
            tenant = self._tenant(asking, bound.namespace)
            return WorkloadIdentity(tenant=tenant, agent=_agent(asking, bound.namespace, pod))

    def _reviewed(self, asking: Asking, token: str) -> _Bound:
        audience = self._options.audience
        asked = ReviewToken(spec=ReviewAsked(token=token, audiences=(audience,)))
        answer = asking.create(_REVIEWS, asked, ReviewedToken)
        status = answer.status
        if answer.kind != "TokenReview":
            raise IdentityUnavailable("the API server answered with another object than was asked")
        if not status.authenticated or status.error:
            raise IdentityRefused(
                "the cluster says that this token does not hold",
                hint="read the projected token anew: it is replaced before it expires",
            )
        if audience not in status.audiences:
            raise IdentityRefused(
                "the token is not for this server",
                hint=f"project one whose audience is {audience!r}",
            )
        return _bound(status.user)

    def _tenant(self, asking: Asking, namespace: str) -> str:
        label = self._options.tenant_label
        if label is None:
            return namespace
        found = asking.get(f"/api/v1/namespaces/{namespace}", ClusterObject)
        tenant = "" if found is None else found.metadata.labels.get(label, "")
        if not tenant:
            raise IdentityRefused(
                f"namespace {namespace!r} has no label {label!r}, which would name its tenant",
                hint="have who runs the cluster label the namespace",
            )
        return tenant


def _bound(user: ReviewedUser) -> _Bound:
    """Return what a review says of a token that is bound to a pod."""
    account = _USER.fullmatch(user.username)
    if account is None:
        raise IdentityRefused(
            "the token is not that of a service account",
            hint="send the projected token of the pod",
        )
    names, uids = user.extra.get(POD_NAME, ()), user.extra.get(POD_UID, ())
    if len(names) != 1 or len(uids) != 1 or not _NAME.fullmatch(names[0]) or not uids[0]:
        raise IdentityRefused(
            "the token is bound to no pod",
            hint="send a projected token: one that was issued by hand names no workload",
        )
    return _Bound(account[1], account[2], names[0], uids[0])


def _pod(asking: Asking, bound: _Bound) -> ObjectMetadata:
    """Return what the pod of a token is known by. Raises IdentityRefused where it is gone."""
    path = f"/api/v1/namespaces/{bound.namespace}/pods/{bound.pod}"
    pod = asking.get(path, ClusterPod)
    if pod is None or not _is_same(pod.metadata, bound.namespace, bound.pod, bound.pod_uid):
        raise IdentityRefused("the pod of this token is gone", hint="nothing runs there any more")
    if pod.spec.service_account_name != bound.account:
        raise IdentityRefused("the pod of this token runs as another service account")
    return pod.metadata


def _agent(asking: Asking, namespace: str, pod: ObjectMetadata) -> str:
    """Return the name of the claim that owns a pod, of the pod where none does."""
    owner = _controller(pod)
    if owner is None:
        return pod.name
    if _is_of(owner, _SANDBOXES):
        sandbox = _owner(asking, namespace, owner, _SANDBOXES)
        owner = _controller(sandbox)
        if owner is None or not _is_of(owner, _CLAIMS):
            return pod.name
    elif not _is_of(owner, _CLAIMS):
        return pod.name
    return _owner(asking, namespace, owner, _CLAIMS).name


def _owner(
    asking: Asking, namespace: str, owner: OwnerReference, kind: tuple[str, str, str]
) -> ObjectMetadata:
    """Return what an owner is known by, as it is now. Raises IdentityRefused where it is gone."""
    group, named, plural = kind
    version = owner.api_version.partition("/")[2]
    if not _VERSION.fullmatch(version) or not _NAME.fullmatch(owner.name):
        raise IdentityRefused(f"the {named} that owns the pod has no name that can be asked for")
    path = f"/apis/{group}/{version}/namespaces/{namespace}/{plural}/{owner.name}"
    found = asking.get(path, ClusterObject)
    if found is None or not _is_same(found.metadata, namespace, owner.name, owner.uid):
        raise IdentityRefused(f"the {named} that owns the pod is gone")
    return found.metadata


def _controller(metadata: ObjectMetadata) -> OwnerReference | None:
    return next((each for each in metadata.owner_references if each.controller), None)


def _is_of(owner: OwnerReference, kind: tuple[str, str, str]) -> bool:
    return (owner.api_version.partition("/")[0], owner.kind) == kind[:2]


def _is_same(metadata: ObjectMetadata, namespace: str, name: str, uid: str) -> bool:
    """Whether this is the object that was meant, and stays."""
    return (
        (metadata.namespace, metadata.name, metadata.uid) == (namespace, name, uid)
        and _UID.fullmatch(uid) is not None
        and metadata.deletion_timestamp is None
    )
